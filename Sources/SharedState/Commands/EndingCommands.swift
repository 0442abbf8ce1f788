import Bytes

/// Notes that sessions are over which began until a time: those of a user, or of one of the server's sessions.
///
/// A later time stays when an earlier one comes behind it: replicas' clocks differ.
struct MarkEnded: StoreCommand {
    let key: StoreName
    /// In seconds since 1970; `Int64.max` for all of them.
    let until: Int64
    let timeToLive: TimeToLive

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(.mark, on: key, [StoreNumber.text(until), timeToLive.argument])
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) {
        guard case .integer(0) = reply else { throw StoreRefusal(reply) }
    }
}

/// Reads a marker: until when sessions began that are over; nil where none are.
struct ReadMarker: StoreCommand {
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("GET"), key.bytes] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Int64? {
        if case .null = reply { return nil }
        // One that says no time says that somebody wrote to the store: it is no reason to let a session live.
        guard case .bytes(let text) = reply, let until = StoreNumber.parse(text) else { throw StoreRefusal(reply) }
        return until
    }
}

/// Notes a session in the index of its user, or of its server's session (SH-43).
struct EnrollSession: StoreCommand {
    let key: StoreName
    let session: StoreName
    /// Until the session's absolute end.
    let timeToLive: TimeToLive

    /// Sessions of one user at one client: then the oldest ends.
    static let limit = 1000

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(
            .enroll, on: key, [session.suffix, timeToLive.argument, StoreNumber.text(EnrollSession.limit)])
    }

    /// The ends of the names of the sessions that are to end for it.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [[UInt8]] {
        guard case .array(let members) = reply else { throw StoreRefusal(reply) }
        return members.compactMap(\.bytes)
    }
}

/// Takes sessions that are over out of an index: they are none of the thousand that a user may have.
struct LeaveIndex: StoreCommand {
    let key: StoreName
    let sessions: [StoreName]

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        [.word("ZREM"), key.bytes] + sessions.map(\.suffix)
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) {
        guard case .integer = reply else { throw StoreRefusal(reply) }
    }
}

/// Reads which sessions an index names.
struct ListSessions: StoreCommand {
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        [.word("ZRANGE"), key.bytes, .word("0"), StoreNumber.text(EnrollSession.limit - 1)]
    }

    /// The ends of their names.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [[UInt8]] {
        guard case .array(let members) = reply else { throw StoreRefusal(reply) }
        return members.compactMap(\.bytes)
    }
}

/// One line of the log that all processes follow.
package struct StoreLogLine: Sendable, Equatable {
    /// What a line tells of.
    package enum Kind: String, Sendable {
        /// A session was ended, whose tokens whoever ended it sees to; `suffix` is of its name.
        case ended = "s"
        /// A session was ended on the authorization server's word, without its cookie: whoever has it open revokes its
        /// tokens, but for what was granted for when the user is away (SH-46).
        case endedByServer = "b"
        /// The same of all its tokens: it gave way to another session of its user.
        case displaced = "d"
        /// The same: an operator ended it, and no gateway knows of it but by this line.
        case endedByOperator = "o"
        /// A session was refreshed.
        case refreshed = "r"
        /// A marker was written; `suffix` is of its name.
        case marked = "m"
    }

    /// What it tells of.
    package let kind: Kind
    /// The end of the name that it tells of.
    package let suffix: [UInt8]
    /// The newest generation that there was.
    package let generation: UInt32

    /// Whether a session was ended without its cookie, so that whoever ended it may not have its tokens (SH-46).
    var isOrphaning: Bool {
        switch kind {
        case .endedByServer, .displaced, .endedByOperator: true
        case .ended, .refreshed, .marked: false
        }
    }

    /// Lines that are kept, more or less.
    static let kept = 100_000

    init(_ kind: Kind, of name: StoreName, generation: UInt32 = 0) {
        self.kind = kind
        suffix = name.suffix
        self.generation = generation
    }

    /// The line that the fields of a stream's entry are; nil for what another release, or a stranger, wrote.
    ///
    /// One that is not understood is a gap: whoever follows asks about what it knows.
    package init?(fields: StoreReply) {
        guard let fields = fields.array, fields.count == 6, fields[0].bytes == .word("k"),
            fields[2].bytes == .word("n"), fields[4].bytes == .word("g"),
            let kind = fields[1].bytes.flatMap({ Kind(rawValue: String(decoding: $0, as: UTF8.self)) }),
            let suffix = fields[3].bytes, suffix.count == StoreName.suffixLength,
            Base64URL.decode(suffix.span) != nil, let generation = fields[5].generation
        else { return nil }
        self.kind = kind
        self.suffix = suffix
        self.generation = generation
    }
}

/// Writes a line into the log.
///
/// Apart from what it tells of, which lies at another server perhaps. The truth is there: the line only makes it quick.
struct WriteLog: StoreCommand {
    let key: StoreName
    let line: StoreLogLine

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(
            .log, on: key,
            [
                StoreNumber.text(StoreLogLine.kept), Array(line.kind.rawValue.utf8), line.suffix,
                StoreNumber.text(line.generation),
            ])
    }

    /// The line's place in the log.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [UInt8] {
        guard case .bytes(let place) = reply, !place.isEmpty else { throw StoreRefusal(reply) }
        return place
    }
}
