public import Rates

/// Which `:scheme` the requests of a connection may have (H2-26): the listener's own, or both behind a trusted proxy.
public enum AcceptedScheme: UInt8, Sendable {
    case https, http, either
}

/// Bounds on one HTTP/2 connection, each with its default.
///
/// They hold from the first byte, whether the peer has acknowledged them or not.
public struct ConnectionLimits: Sendable {
    /// Streams that the peer may have open at once.
    public var streams = 128
    /// Bytes that a stream may send before its request was let through.
    public var streamWindow = 64 << 10
    /// Bytes that a stream may send afterwards, see `admit`.
    public var admittedWindow = 256 << 10
    /// Bytes that all streams together may send.
    public var connectionWindow = 1 << 20
    /// Bytes of a header or trailer section's names and values, and 32 for each field (RFC 9113 §6.5.2).
    public var headerList = 64 << 10
    /// Fields of a section, but for parts of cookies.
    public var fieldCount = 100
    /// Parts of cookies of a request: a browser sends each cookie by itself, and keeps up to 180 of a site.
    public var cookieParts = 200
    /// Bytes of the table that the peer may compress with, and that we compress with.
    public var compressionTable = 4096
    /// CONTINUATION frames of a section, but for those of `largePiece` bytes and more.
    public var continuations = 8
    /// Bytes of a section as it is sent, twice the list's: one that is larger is refused, whatever it stands for.
    public var encodedSection = 128 << 10
    /// Bytes of a section as it is sent that is decoded to its end though it is refused.
    ///
    /// More than all cookies that a browser keeps of a site, 180 of 4 KiB: so it can always be told that they are too many.
    public var decodedSection = 1 << 20
    /// Bytes from which on a CONTINUATION frame is one of a large section and no crumb: half of what a frame may have.
    static let largePiece = 8 << 10
    /// Whether a route of the listener has WebSockets: extended CONNECT is announced, and taken, for as long as the
    /// connection lives (RFC 8441 §3).
    public var announcesTunnels = false
    /// The schemes that requests may name.
    public var scheme = AcceptedScheme.https
    /// Streams that end in a reset before they were answered.
    public var resets = TokenRate(perSecond: 20, burst: 200)
    /// Frames that cost their sender next to nothing and carry nothing.
    public var cheapFrames = TokenRate(perSecond: 100, burst: 1000)

    /// The defaults.
    public init() {}

    /// The limits for a connection of a client that was told to calm down within the last minute: a quarter of the budgets.
    public func afterCalm() -> ConnectionLimits {
        var limits = self
        limits.resets = TokenRate(perSecond: 20, burst: 50)
        limits.cheapFrames = TokenRate(perSecond: 100, burst: 250)
        return limits
    }
}
