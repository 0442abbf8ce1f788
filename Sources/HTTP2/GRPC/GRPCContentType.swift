import Bytes

/// Which kind of gRPC a content type says (H2-86).
public enum GRPCContentType: Sendable, Equatable, CaseIterable {
    /// `application/grpc`, with or without the coding of its messages.
    case native
    /// `application/grpc-web`, and its form in text.
    case web

    /// Reads a Content-Type; nil when it is neither.
    ///
    /// The coding of messages follows a `+`, parameters a `;`. It is on the way of every POST, and allocates nothing.
    public init?(_ value: Span<UInt8>) {
        if GRPCContentType.isNamed(value, "application/grpc") {
            self = .native
        } else if GRPCContentType.isNamed(value, "application/grpc-web")
            || GRPCContentType.isNamed(value, "application/grpc-web-text")
        {
            self = .web
        } else {
            return nil
        }
    }

    private static func isNamed(_ value: Span<UInt8>, _ name: String) -> Bool {
        let count = name.utf8.count
        guard value.count >= count, ASCII.equalsIgnoringCase(value.extracting(first: count), name) else { return false }
        guard value.count > count else { return true }
        switch value[count] {
        case UInt8(ascii: "+"), UInt8(ascii: ";"), 0x20, 0x09: return true
        default: return false
        }
    }
}
