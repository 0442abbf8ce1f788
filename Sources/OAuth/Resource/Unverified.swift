/// Text of a stranger on its way into a log line.
package enum Unverified {
    private static let limit = 64

    /// The text in quotation marks, cut after 64 characters, with nothing in it that could end or forge a line.
    package static func quote(_ text: String?) -> String {
        guard let text else { return "(absent)" }
        var quoted = ""
        for byte in text.utf8 {
            guard quoted.utf8.count < limit else { return "\"\(quoted)...\"" }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "%"), 0x00..<0x20, 0x7F...0xFF:
                let digits = String(byte, radix: 16, uppercase: true)
                quoted += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            default:
                quoted.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return "\"\(quoted)\""
    }
}
