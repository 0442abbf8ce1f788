extension FormEncoding {
    /// The bytes of one name or value: `+` is a space, `%XX` a byte in either case of its digits.
    ///
    /// Nil for an escape that is none: readers disagree about what is meant then.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "+"):
                output.append(0x20)
                index += 1
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, let high = ASCII.hexValue(text[index + 1]),
                    let low = ASCII.hexValue(text[index + 2])
                else { return nil }
                output.append(high << 4 | low)
                index += 3
            case let byte:
                output.append(byte)
                index += 1
            }
        }
        return output
    }

    /// Whether the text is `name` however it is spelt; without decoding it, for a form may be of thousands of names.
    ///
    /// False for an escape that is none, as `decode` has it.
    public static func isSpelling(_ text: Span<UInt8>, of name: String) -> Bool {
        guard text.count >= name.utf8.count else { return false }
        var index = 0
        for wanted in name.utf8 {
            guard index < text.count else { return false }
            var byte = text[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                byte = 0x20
            } else if byte == UInt8(ascii: "%") {
                guard index + 1 < text.count, let high = ASCII.hexValue(text[index]),
                    let low = ASCII.hexValue(text[index + 1])
                else { return false }
                byte = high << 4 | low
                index += 2
            }
            guard byte == wanted else { return false }
        }
        return index == text.count
    }
}
