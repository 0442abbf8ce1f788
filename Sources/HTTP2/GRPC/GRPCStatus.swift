/// The statuses that a gateway gives a gRPC call of its own, with their numbers.
public enum GRPCStatus: UInt8, Sendable, CaseIterable {
    case invalidArgument = 3
    case deadlineExceeded = 4
    case permissionDenied = 7
    case resourceExhausted = 8
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case unauthenticated = 16

    /// What gRPC calls it.
    public var name: String {
        switch self {
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .unimplemented: "UNIMPLEMENTED"
        case .internal: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }

    /// What a refusal was about, where its HTTP status does not say enough.
    public enum Subject: Sendable, CaseIterable {
        /// A field or parameter that the caller chose, such as `grpc-timeout`.
        case parameter
        /// How the request was written down, which is its library's doing.
        case framing
        /// What the upstream answered.
        case upstreamAnswer
        /// Anything else.
        case other
    }

    /// What a refusal with an HTTP status is to a gRPC client; nil where it stays the plain status.
    ///
    /// Clients make something of a bare status themselves, and lose the text and the challenge with it. 421 stays: a client that
    /// follows it opens another connection.
    public init?(refusal status: Int, about subject: Subject) {
        switch status {
        case 400: self = subject == .framing ? .internal : .invalidArgument
        case 401, 303: self = .unauthenticated
        case 403: self = .permissionDenied
        case 404, 405, 501: self = .unimplemented
        case 408, 504: self = .deadlineExceeded
        case 413, 429, 431: self = .resourceExhausted
        case 502: self = subject == .upstreamAnswer ? .internal : .unavailable
        case 503: self = .unavailable
        case 500, 508: self = .internal
        default: return nil
        }
    }
}
