/// How large a reply may be: what a server announces beyond it is refused before it is waited for (SH-16).
public struct ReplyLimits: Sendable, Equatable {
    /// Bytes of a whole reply, with its lengths and ends of lines.
    public var bytes: Int
    /// Elements of one array.
    public var elements: Int
    /// Bytes of a line: a status, an error, a number.
    public var line: Int

    /// An array may stand in so many others: `XREAD` answers with that much, a list of streams, of entries, of fields.
    public static let nesting = 4

    /// 128 KiB, 1,024 elements, 4 KiB of a line unless said otherwise.
    public init(bytes: Int = 128 << 10, elements: Int = 1024, line: Int = 4096) {
        self.bytes = bytes
        self.elements = elements
        self.line = line
    }
}
