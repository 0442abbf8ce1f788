import Glibc

/// Writes a message head into memory of fixed size; what does not fit is remembered, not written past the end.
struct HeadWriter {
    let base: UnsafeMutablePointer<UInt8>
    let capacity: Int
    private(set) var count = 0
    private(set) var isFull = false

    /// Goes on behind what was `written` there.
    init(_ base: UnsafeMutablePointer<UInt8>, capacity: Int, written: Int = 0) {
        self.base = base
        self.capacity = capacity
        count = written
    }

    /// Where the next byte goes; only with room.
    var space: UnsafeMutablePointer<UInt8> { base + count }

    @inline(__always)
    mutating func put(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        guard capacity - count >= length else {
            isFull = true
            return
        }
        memcpy(base + count, bytes, length)
        count += length
    }

    /// Inlined, so that the copy is a few moves of a length known beforehand.
    @inline(__always)
    mutating func put(_ text: StaticString) { put(text.utf8Start, text.utf8CodeUnitCount) }

    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let start = bytes.baseAddress { put(start, bytes.count) }
    }

    mutating func put(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { put($0) } }

    /// For answers of our own, which are not on the hot path; labelled, so that no literal becomes a String unseen.
    mutating func put(text: String) {
        var text = text
        text.withUTF8 { put($0) }
    }

    mutating func put(_ id: RequestID) {
        guard hasRoom(32) else {
            isFull = true
            return
        }
        id.write(into: space)
        advance(32)
    }

    mutating func putDecimal(_ number: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var position = 20
            var rest = number
            repeat {
                position -= 1
                digits[position] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            put(UnsafeBufferPointer(rebasing: digits[position..<20]))
        }
    }

    /// Writes bytes in base64 with padding (RFC 4648 §4).
    mutating func put(base64 bytes: UnsafeBufferPointer<UInt8>) {
        guard hasRoom((bytes.count + 2) / 3 * 4) else {
            isFull = true
            return
        }
        var position = 0
        while position < bytes.count {
            let left = min(3, bytes.count - position)
            var group = UInt32(bytes[position]) << 16
            if left > 1 { group |= UInt32(bytes[position + 1]) << 8 }
            if left > 2 { group |= UInt32(bytes[position + 2]) }
            for digit in 0..<4 {
                space[digit] = digit > left ? UInt8(ascii: "=") : Self.base64Digit(group >> UInt32(18 - 6 * digit) & 63)
            }
            advance(4)
            position += left
        }
    }

    private static func base64Digit(_ value: UInt32) -> UInt8 {
        switch UInt8(truncatingIfNeeded: value) {
        case let letter where letter < 26: 65 + letter
        case let letter where letter < 52: 71 + letter
        case let digit where digit < 62: digit - 4
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    /// Makes the `length` bytes that were written at `space` part of the text.
    mutating func advance(_ length: Int) { count += length }

    /// How many bytes of a body fit behind the head, framing included.
    var bodyRoom: Int { max(0, capacity - count - 32) }

    func hasRoom(_ length: Int) -> Bool { capacity - count >= length }
}
