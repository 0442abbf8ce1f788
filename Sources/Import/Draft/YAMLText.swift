/// Our own YAML, as it is written.
enum YAMLText {
    /// A text as it stands in a block or between brackets: in quotation marks unless it is plain without doubt.
    static func scalar(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.utf8.count <= 256 && text.utf8.first.map { isLetter($0) || $0 == 0x2F } == true
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "/._-".utf8.contains($0) }
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        if isPlain { return text }
        // An address is easier to read without.
        if text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= 256, !text.hasSuffix(":"),
            text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || "/._-:".utf8.contains($0) })
        {
            return text
        }
        return "\"\(escaped(text))\""
    }

    /// A text as it stands between quotation marks.
    static func escaped(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x20..<0x7F: quoted.unicodeScalars.append(scalar)
            default: quoted += "\\U" + hex(scalar.value)
            }
        }
        return quoted
    }

    static func list(_ texts: [String]) -> String { "[" + texts.map(scalar).joined(separator: ", ") + "]" }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
