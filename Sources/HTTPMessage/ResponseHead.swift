/// A checked response head; all ranges index the bytes that were given to the parser.
public struct ResponseHead: ~Copyable, Sendable {
    /// The status code, 100 to 599.
    public var status: UInt16 = 0
    /// 0 or 1; other minor versions of HTTP/1 count as 1.
    public var minorVersion: UInt8 = 1
    /// The reason phrase; may be empty.
    public var reason = ByteRange.empty
    /// The field lines.
    public var fields = FieldList()
    /// Bytes of the whole head.
    public var length = 0
    /// How the body ends, given the method it answers.
    public var framing = BodyFraming.none
    /// Whether the connection may carry another request once the body has ended.
    public var keepAlive = false
    /// Whether this is a 1xx response: another head follows, except after 101.
    public var isInterim = false
    /// Whether Connection names `upgrade`, without which a 101 switches nothing (RFC 9110 §7.8).
    public var upgradesConnection = false
    /// What Connection names beside `close`, `keep-alive`, `upgrade` and `te`: fields that must not be forwarded.
    public var connectionNames = ConnectionNames()
    /// Whether it names any.
    public var connectionNamesFields: Bool { connectionNames.count > 0 }

    /// An empty head, to be filled by a parser.
    public init() {}
}
