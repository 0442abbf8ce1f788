public import RESP

/// Why a link is down: for the operator's log, and by its word for metrics.
public enum LinkLoss: Sendable, Equatable {
    /// The name has no address.
    case unresolved
    /// No connection came about, in the system's words.
    case unreachable(String)
    /// Connecting, the TLS handshake and the greeting took longer than they may.
    case connectTimedOut
    /// The TLS handshake failed, or the certificate is not the one.
    case tlsRefused(String)
    /// The server did not let us in: user and password do not fit, or it wants some.
    case authenticationRefused(ServerRefusal.Code)
    /// The server refused a command of the greeting; its own words, cut and printable.
    case greetingRefused(command: String, ServerRefusal.Code, text: String)
    /// The server is no primary.
    case notPrimary
    /// The server ended the connection.
    case closed
    /// Reading or writing failed.
    case broken
    /// No answer to three commands in a row, or none for a second.
    case silent
    /// Bytes that are no reply; the first sixteen in hexadecimal.
    case malformed(ReplyRefusal, hex: String)
    /// A reply that nobody has asked for; its first sixteen bytes in hexadecimal.
    case unasked(hex: String)
    /// The link was told to stop.
    case stopped

    /// All words of the metric's label, but for the one of a link that was told to stop.
    public static let words: [StaticString] = [
        LinkLoss.unresolved, .unreachable(""), .connectTimedOut, .tlsRefused(""), .authenticationRefused(.other),
        .greetingRefused(command: "", .other, text: ""), .notPrimary, .closed, .broken, .silent,
        .malformed(.brokenLine, hex: ""), .unasked(hex: ""),
    ].map(\.word)

    /// A word for the metric's label.
    public var word: StaticString {
        switch self {
        case .unresolved: "unresolved"
        case .unreachable: "unreachable"
        case .connectTimedOut: "connect_timed_out"
        case .tlsRefused: "tls"
        case .authenticationRefused: "authentication"
        case .greetingRefused: "greeting"
        case .notPrimary: "not_primary"
        case .closed: "closed"
        case .broken: "broken"
        case .silent: "silent"
        case .malformed: "malformed"
        case .unasked: "unasked"
        case .stopped: "stopped"
        }
    }

    /// What was found, for the operator's log; nothing of it is an argument of a command (SH-52).
    public var found: String {
        switch self {
        case .unresolved: "no address of the name"
        case .unreachable(let reason): reason
        case .connectTimedOut: "no answer in time"
        case .tlsRefused(let reason): reason
        case .authenticationRefused(let code):
            "user or password refused (\(code.rawValue))"
                + (code == .wrongPassword ? "; a user that is off is refused so too" : "")
        case .greetingRefused(let command, _, let text): "\(command) refused: \(text)"
        case .notPrimary: "a server that is no primary"
        case .closed: "the end of the connection; a server that wants TLS (rediss) ends it so too"
        case .broken: "a broken connection; a server that wants TLS (rediss) ends it so too"
        case .silent: "no answer"
        case .malformed(_, let hex): "what no Redis server says, beginning with the bytes \(hex)"
        case .unasked(let hex): "a reply that nobody has asked for: \(hex)"
        case .stopped: "the link was stopped"
        }
    }

    /// Whether user, password or a right is why: the server was reached as it was to be, and speaks as it should.
    public var isOfRights: Bool {
        switch self {
        case .authenticationRefused(let code): code != .tooManyClients
        case .greetingRefused(_, let code, _): code == .noPermission
        case .unresolved, .unreachable, .connectTimedOut, .tlsRefused, .notPrimary, .closed, .broken, .silent,
            .malformed, .unasked, .stopped:
            false
        }
    }

    /// Whether trying again soon is in vain: somebody has to change a setting first, so that it is tried at the slowest pace.
    var needsOperator: Bool {
        switch self {
        case .authenticationRefused, .notPrimary: true
        case .greetingRefused(_, let code, _): code == .noPermission || code == .other
        case .unresolved, .unreachable, .connectTimedOut, .tlsRefused, .closed, .broken, .silent, .malformed, .unasked,
            .stopped:
            false
        }
    }
}
