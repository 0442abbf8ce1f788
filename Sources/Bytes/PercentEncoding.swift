/// Percent-encoding (RFC 3986 §2.1) of values that must stay on one line of printable ASCII.
public enum PercentEncoding {
    /// Appends the bytes; everything outside 0x20…0x7E, and `%` itself, as `%XX` with upper-case digits.
    ///
    /// A claim that carries CR LF can therefore never start a line of its own (HTTP-46), and the result decodes
    /// to exactly the bytes given.
    public static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte >= 0x20, byte <= 0x7e, byte != 0x25 {
                output.append(byte)
            } else {
                appendEscape(byte, to: &output)
            }
        }
    }

    /// Appends one byte as `%XX` with upper-case digits.
    public static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(0x25)
        output.append(digit(byte &>> 4))
        output.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value &+ 0x30 : value &+ 0x37
    }
}
