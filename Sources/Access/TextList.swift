import Bytes

/// Texts of a configuration in one piece of memory: asking for them allocates nothing and counts no reference.
package struct TextList: ~Copyable, Sendable {
    private let bytes: [UInt8]
    private let ends: [Int32]

    /// Holds the texts in this order.
    package init(_ texts: [String]) {
        var bytes: [UInt8] = []
        ends = texts.map { text in
            bytes += text.utf8
            return Int32(bytes.count)
        }
        self.bytes = bytes
    }

    /// How many there are.
    package var count: Int { ends.count }

    /// The text at this place.
    package subscript(_ index: Int) -> Span<UInt8> {
        @_lifetime(borrow self) get {
            bytes.span.extracting((index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]))
        }
    }

    /// The place of this very text, or nil.
    package func firstIndex(of text: Span<UInt8>) -> Int? {
        for index in 0..<count where self[index].isEqual(to: text) { return index }
        return nil
    }

    /// Whether this text is among them but for the case of ASCII letters.
    package func containsIgnoringCase(_ text: Span<UInt8>) -> Bool {
        for index in 0..<count where ASCII.equalsIgnoringCase(text, self[index]) { return true }
        return false
    }
}
