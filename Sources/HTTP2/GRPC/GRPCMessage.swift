import Bytes

/// The text of a `grpc-message`: UTF-8, percent-encoded but for the printing characters of ASCII, and `%` itself.
public enum GRPCMessage {
    /// Appends the text as it is written in a field.
    public static func append(_ text: Span<UInt8>, to field: inout [UInt8]) {
        for index in text.indices {
            let byte = text[index]
            if byte >= 0x20, byte <= 0x7e, byte != 0x25 {
                field.append(byte)
            } else {
                field.append(0x25)
                field.append(digit(byte >> 4))
                field.append(digit(byte & 0xf))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

/// A refusal as a gRPC client understands it: an answer of trailers alone (H2-86).
public enum GRPCRefusal {
    /// Appends the first lines of the answer's head, in the form of HTTP/1.1; fields of the refusal and an empty line follow.
    ///
    /// The status of HTTP is 200: clients that find another look no further, and their user never reads why.
    public static func append(_ status: GRPCStatus, _ message: Span<UInt8>, to head: inout [UInt8]) {
        head.append(copying: "HTTP/1.1 200 OK\r\ncontent-type: application/grpc\r\ngrpc-status: ".utf8Span.span)
        head.append(copying: String(status.rawValue).utf8Span.span)
        head.append(copying: "\r\ngrpc-message: ".utf8Span.span)
        GRPCMessage.append(message, to: &head)
        head.append(copying: "\r\n".utf8Span.span)
    }
}
