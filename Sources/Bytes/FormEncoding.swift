/// `application/x-www-form-urlencoded` as RFC 6749 appendix B has it.
public enum FormEncoding {
    /// Appends the bytes of one name or value; nothing of it can end the value or start another one.
    ///
    /// A space becomes `+`; all but ASCII letters, digits and `*-._` becomes `%XX` with upper-case digits.
    public static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case 0x20: output.append(UInt8(ascii: "+"))
            case UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): output.append(byte)
            case _ where ASCII.isDigit(byte) || ASCII.isLetter(byte): output.append(byte)
            default: PercentEncoding.appendEscape(byte, to: &output)
            }
        }
    }

    /// Appends `name=value`, after `&` when something is there already.
    public static func appendParameter(_ name: String, _ value: Span<UInt8>, to output: inout [UInt8]) {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        let name = Array(name.utf8)
        append(name.span, to: &output)
        output.append(UInt8(ascii: "="))
        append(value, to: &output)
    }
}
