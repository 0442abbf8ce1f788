/// Methods that rules speak about; every other token is `other`.
///
/// Methods are case-sensitive (RFC 9110 §9.1).
public enum MethodID: UInt8, Sendable, CaseIterable {
    case other = 0
    case get, head, post, put, delete, patch, options, connect, trace, track
}

/// The four forms of a request target (RFC 9112 §3.2).
public enum TargetForm: UInt8, Sendable {
    case origin, absolute, authority, asterisk
}

/// The scheme of a target in absolute-form.
public enum TargetScheme: UInt8, Sendable {
    /// The target is not in absolute-form and names no scheme.
    case none
    case http, https
}

/// How the end of a message body is found (RFC 9112 §6.3): decided once, from the head, or refused.
public enum BodyFraming: Sendable, Equatable {
    /// The message ends with its head.
    case none
    /// Exactly this many bytes follow.
    case length(Int64)
    /// Chunks follow.
    case chunked
    /// The body ends with the connection; responses only.
    case untilClose
}

/// A checked request head; all ranges index the bytes that were given to the parser.
///
/// One per worker, reused for every request: nothing in it outlives the bytes it points into.
public struct RequestHead: ~Copyable, Sendable {
    /// The method token.
    public var method = ByteRange.empty
    /// Which method it is.
    public var methodID = MethodID.other
    /// The request target as received.
    public var target = ByteRange.empty
    /// The target's form.
    public var targetForm = TargetForm.origin
    /// The target's path without query; may be empty in absolute-form, and is empty in authority- and asterisk-form.
    public var path = ByteRange.empty
    /// The target's query without `?`.
    public var query = ByteRange.empty
    /// Whether the target has a `?`.
    public var hasQuery = false
    /// The target's authority in absolute- and authority-form, else Host's value; empty only in HTTP/1.0 without Host.
    public var authority = ByteRange.empty
    /// The target's scheme in absolute-form.
    public var scheme = TargetScheme.none
    /// 0 or 1; other minor versions of HTTP/1 count as 1.
    public var minorVersion: UInt8 = 1
    /// The field lines.
    public var fields = FieldList()
    /// Bytes of the whole head, an ignored empty line before it included.
    public var length = 0
    /// How the body ends; never `untilClose`.
    public var framing = BodyFraming.none
    /// Whether the client lets the connection live after this exchange (HTTP/1.1 without `close`).
    public var keepAlive = false
    /// Whether an HTTP/1.1 client waits for `100 (Continue)`.
    public var expectContinue = false
    /// Whether this is a WebSocket handshake by its framing fields: GET, HTTP/1.1, no body, `Connection: upgrade`
    /// and one `Upgrade: websocket`.
    public var offersWebSocket = false
    /// What Connection names beside `close`, `keep-alive`, `upgrade` and `te`: fields that must not be forwarded.
    public var connectionNames = ConnectionNames()
    /// Whether it names any.
    public var connectionNamesFields: Bool { connectionNames.count > 0 }
    /// The first Authorization line in `fields`, or -1.
    public var authorizationIndex = -1
    /// How many Authorization lines there are.
    public var authorizationCount = 0

    /// An empty head, to be filled by a parser.
    public init() {}
}
