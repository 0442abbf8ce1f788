/// How much one link holds, and how long it waits; in microseconds.
public struct LinkLimits: Sendable, Equatable {
    /// Commands whose answers are awaited; more are refused at once.
    public var commands = 4096
    /// Bytes that wait to be written; more are refused at once.
    public var waitingBytes = 4 << 20
    /// From the beginning of an attempt until its greeting has been answered.
    public var connect: UInt64 = 1_000_000
    /// From a command's writing until its answer has been read, unless the command says otherwise.
    public var command: UInt64 = 250_000
    /// After so long without an answer the server is asked for a sign of life, and closed on when it has given none.
    public var silence: UInt64 = 1_000_000
    /// Whether answers wait for an echo behind them (SH-80): always, but where a test is about something else.
    package var areAnswersProved = true
    /// So many commands at most have one echo behind them, which bounds how many answers wait for it, and their bytes.
    public var commandsOfEcho = 32
    /// So many commands in a row without an answer in their time, and the connection is taken for dead.
    public var unanswered = 3
    /// What the wait for the second attempt in a row is up to; it doubles with each.
    public var firstWait: UInt64 = 50_000
    /// What a wait is up to at most.
    public var longestWait: UInt64 = 2_000_000

    /// Those that requirements name (SH-07, SH-16, SH-18, SH-19).
    public init() {}
}
