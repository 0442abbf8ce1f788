import Bytes
public import RESP

/// One connection to one server after another, as a value: no socket, no clock, no randomness of its own.
///
///     stopped ──start──▶ waiting ──its time──▶ opening ──opened──▶ greeting ──all answered──▶ ready
///                           ▲                     └──────────lose──────┴───────────lose─────────┘
///
/// - `stopped`: nobody wants it. - `waiting`: for the moment of the next attempt. - `opening`: name, TCP, TLS are under way.
/// - `greeting`: what is said first has been written, and its answers are awaited. - `ready`: commands are taken.
///
/// Answers come in the order of the commands. So one too many, one before its command was written, one of a kind that its
/// command cannot have, or bytes that are none end the connection. And no answer is told before the server has said back what it
/// was asked to say behind the write: where an answer was lost, or came twice, that echo is in the wrong place. So an answer is
/// not given to another's command (SH-80). A command is never sent again (SH-17).
public struct LinkMachine {
    /// How far the link is.
    public enum Phase: Sendable, Equatable {
        case stopped, waiting, opening, greeting, ready
    }

    /// How far the link is.
    public internal(set) var phase = Phase.stopped
    /// What it has done.
    public internal(set) var counters = LinkCounters()
    let limits: LinkLimits
    let greeting: Greeting

    var awaited = AwaitedReplies()
    /// The oldest of `awaited` that was never offered to the socket; those behind it were not either.
    var unoffered = 0
    /// The oldest of `awaited` have answers, so many of them, and wait for the echo behind these.
    var answered = 0
    /// So many of those are proved, and not taken yet.
    var proved = 0
    var reader = ReplyReader()

    /// Bytes to write, behind `sent` of them that were.
    var output: [UInt8] = []
    var sent = 0
    /// How many bytes the connection has been given to send, and how many of them it has taken.
    var appendedBytes: UInt64 = 0
    var writtenBytes: UInt64 = 0
    var holdsSecret = false

    /// Attempts in a row that came to no lasting link.
    var attempts = 0
    /// When the next attempt begins, or when the one under way has lasted too long.
    var moment: UInt64 = 0
    var readySince: UInt64?
    var lastAnswer: UInt64 = 0
    /// The echo that was asked for last, how many of `awaited` are echoes, and how many commands have none behind them.
    var echo = LinkEcho(seed: 0, number: 0)
    var echoes = 0
    var commandsWithoutEcho = 0
    /// Commands whose time was over, since the last answer.
    var unansweredInARow = 0
    /// No command's time is over before.
    var earliestEnd = UInt64.max
    /// How far the search for commands whose time is over has come, while their owners are told.
    var searched = 0
    var searchedEnd = UInt64.max

    /// A stopped link.
    public init(greeting: Greeting, limits: LinkLimits = LinkLimits()) {
        self.greeting = greeting
        self.limits = limits
    }

    /// Commands whose answers are awaited, those of the link itself among them.
    public var inFlight: Int { awaited.count }
    /// The same without those of the link itself.
    public var commandsInFlight: Int { awaited.count - echoes }

    // MARK: commands

    /// Takes a command, to be written at the end of the turn; or refuses it at once.
    ///
    /// `within` microseconds from its writing its answer must be there; 0 for the time that all have.
    public mutating func accept(
        _ command: borrowing Command, ticket: UInt64, within: UInt64 = 0
    ) -> SendOutcome {
        guard phase == .ready else { return .down }
        guard awaited.count - echoes < limits.commands, output.count - sent + command.byteCount <= limits.waitingBytes
        else {
            return .busy
        }
        proveEarlier()
        append(command, ticket, within)
        return .accepted
    }

    /// Takes two commands, of which the first says how the second is to be understood; or neither, at once.
    ///
    /// The first alone would be said of whatever comes behind it.
    public mutating func accept(
        _ first: borrowing Command, ticket firstTicket: UInt64, before command: borrowing Command, ticket: UInt64,
        within: UInt64 = 0
    ) -> SendOutcome {
        guard phase == .ready else { return .down }
        let bytes = output.count - sent + first.byteCount + command.byteCount
        guard awaited.count - echoes + 2 <= limits.commands, bytes <= limits.waitingBytes else { return .busy }
        proveEarlier()
        // Nothing between them, an echo neither.
        append(first, firstTicket, within)
        append(command, ticket, within)
        return .accepted
    }

    private mutating func append(_ command: borrowing Command, _ ticket: UInt64, _ within: UInt64) {
        compact()
        let before = output.count
        command.write(to: &output)
        expect(
            .command, ticket, command.replies, within: within == 0 ? limits.command : within,
            bytes: output.count - before)
        counters.commands += 1
        commandsWithoutEcho += 1
    }

    /// Of many commands in one turn the first need not wait for the last, nor all their answers be held at once.
    private mutating func proveEarlier() {
        if limits.areAnswersProved, commandsWithoutEcho >= limits.commandsOfEcho { askForEcho() }
    }

    /// Asks the server to say something back.
    mutating func askForEcho() {
        compact()
        echo = LinkEcho(seed: echo.seed, number: echo.number &+ 1)
        echoes += 1
        commandsWithoutEcho = 0
        let before = output.count
        echo.write(to: &output)
        expect(.echo, echo.number, .any, within: limits.silence &* 2, bytes: output.count - before)
    }

    mutating func expect(
        _ owner: AwaitedReply.Owner, _ ticket: UInt64, _ replies: ReplyKinds, within: UInt64, bytes: Int
    ) {
        awaited.append(
            AwaitedReply(
                owner: owner, ticket: ticket, replies: replies, writtenAt: nil, within: within, firstByte: appendedBytes
            ))
        appendedBytes += UInt64(bytes)
    }

    // MARK: writing

    /// Whether something waits to be written.
    public var hasOutput: Bool { sent < output.count }

    /// What waits to be written.
    public var unsent: ArraySlice<UInt8> { output[sent...] }

    /// The bytes are about to be offered to the socket: from now on the times of their commands run.
    ///
    /// Behind them an echo is asked for.
    public mutating func offer(now: UInt64) {
        if limits.areAnswersProved, commandsWithoutEcho > 0 { askForEcho() }
        counters.writes += 1
        while unoffered < awaited.count {
            awaited[unoffered]?.writtenAt = now
            if let within = awaited[unoffered]?.within { earliestEnd = min(earliestEnd, now &+ within) }
            unoffered += 1
        }
    }

    /// The socket has taken so many of them.
    public mutating func wrote(_ count: Int) {
        sent += count
        writtenBytes += UInt64(count)
        guard sent == output.count else { return }
        forgetOutput()
    }

    /// Empties the output; overwrites it when a password was in it.
    mutating func forgetOutput() {
        if holdsSecret { Overwriting.wipe(&output) }
        holdsSecret = false
        sent = 0
        // One burst is no reason to hold megabytes ever after.
        if output.capacity > 256 << 10 { output = [] } else { output.removeAll(keepingCapacity: true) }
    }

    /// Moves what waits to the front, when at least as much before it was written.
    private mutating func compact() {
        guard sent > 0, sent >= output.count - sent, !holdsSecret else { return }
        output.removeSubrange(..<sent)
        sent = 0
    }
}

/// What the link has done since it was made.
public struct LinkCounters: Sendable, Equatable {
    /// Commands taken from callers.
    public var commands = 0
    /// Times that bytes were offered to the socket (SH-15).
    public var writes = 0
    /// Replies read, whoever they were for.
    public var replies = 0
    /// Attempts to connect.
    public var attempts = 0

    /// Nothing so far.
    public init() {}
}

/// What becomes of a command that a link is given.
public enum SendOutcome: Sendable, Equatable {
    /// Its answer will be told, whatever it is.
    case accepted
    /// Too many, or too many bytes, wait already: it was not sent, and nothing else is told about it.
    case busy
    /// There is no connection: it was not sent, and nothing else is told about it.
    case down
}
