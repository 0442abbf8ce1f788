/// base64 with padding (RFC 4648 §4), as HTTP's Basic scheme writes it.
public enum Base64 {
    /// The bytes in base64.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var output: [UInt8] = []
        Base64URL.append(bytes, to: &output)
        for index in output.indices {
            if output[index] == UInt8(ascii: "-") { output[index] = UInt8(ascii: "+") }
            if output[index] == UInt8(ascii: "_") { output[index] = UInt8(ascii: "/") }
        }
        while output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        return String(decoding: output, as: UTF8.self)
    }
}
