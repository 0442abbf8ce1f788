import Bytes

extension ASCII {
    /// Whether the bytes are exactly this text.
    @inline(__always)
    static func equalsExactly(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        // A text of ours is there for ever.
        let text = unsafe Span(_unsafeStart: text.utf8Start, count: bytes.count)
        var index = 0
        while index &+ 4 <= bytes.count, bytes.halfWord(at: index) == text.halfWord(at: index) { index &+= 4 }
        while index < bytes.count {
            guard bytes[index] == text[index] else { return false }
            index &+= 1
        }
        return true
    }
}
