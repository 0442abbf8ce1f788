import Bytes

/// Which kind of gRPC a content type says (H2-86).
public enum GRPCContentType: Sendable, Equatable, CaseIterable {
    /// `application/grpc`, with or without the coding of its messages.
    case native
    /// `application/grpc-web`, and its form in text.
    case web

    /// Reads a Content-Type; nil when it is neither.
    ///
    /// The coding of messages follows a `+`, parameters a `;`.
    public init?(_ value: Span<UInt8>) {
        for (text, kind) in [
            ("application/grpc", GRPCContentType.native), ("application/grpc-web", .web),
            ("application/grpc-web-text", .web),
        ] {
            guard value.count >= text.utf8.count,
                ASCII.equalsIgnoringCase(value.extracting(first: text.utf8.count), text)
            else { continue }
            guard value.count > text.utf8.count else {
                self = kind
                return
            }
            switch value[text.utf8.count] {
            case UInt8(ascii: "+"), UInt8(ascii: ";"), 0x20, 0x09:
                self = kind
                return
            default: continue
            }
        }
        return nil
    }
}
