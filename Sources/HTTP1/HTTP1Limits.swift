/// Bounds on one message head, in bytes unless named otherwise (HTTP-65).
///
/// Enforced while bytes arrive: a head is refused at the first byte over a bound, before anything buffers it.
public struct HTTP1Limits: Sendable {
    /// The request line, or a response's status line, without its CR LF.
    public var requestLine = 8 * 1024
    /// All field lines with their CR LF, without the empty line behind them.
    public var headerSection = 64 * 1024
    /// One field line without its CR LF.
    public var fieldLine = 32 * 1024
    /// Number of field lines; values above `FieldList.capacity` count as that.
    public var fieldCount = 100

    /// The defaults.
    public init() {}
}
