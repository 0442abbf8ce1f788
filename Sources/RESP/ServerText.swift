import Bytes

/// Words of a server in a line of the operator's log.
public enum ServerText {
    /// As many characters as are shown.
    public static let longest = 80

    /// The text's first 80 bytes, with a question mark for each that does not print.
    ///
    /// A server repeats what it was sent, so what follows may be anybody's secret (SH-52).
    public static func printable(_ text: Span<UInt8>) -> String {
        var shown: [UInt8] = []
        for index in 0..<min(text.count, longest) {
            let byte = text[index]
            shown.append(ASCII.isVisible(byte) || byte == 0x20 ? byte : UInt8(ascii: "?"))
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
