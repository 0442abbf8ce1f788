import Crypto

/// Uses something up that may be used once over all replicas: a proof, a login's state, a logout token (SH-55).
package struct UseOnce: StoreCommand {
    package enum Outcome: Sendable, Equatable {
        case first
        /// It was there: this has been used.
        case used
    }

    package let key: StoreName
    let timeToLive: TimeToLive

    /// Seconds by which two replicas' clocks may differ, as each may be five from the store's, and the second that a
    /// clock of whole seconds leaves out: what one still accepts, another must not have forgotten (SH-55).
    static let clockSeconds: Int64 = 11

    /// A proof that a clock could accept up to the second `until`; both in seconds since 1970.
    package init(proof name: StoreName, until: Int64, now: Int64) {
        self.init(key: name, timeToLive: UseOnce.time(until: until, now: now))
    }

    /// The state of a login, which lives for ten minutes.
    init(state name: StoreName, lifetimeSeconds: Int64) {
        self.init(key: name, timeToLive: TimeToLive(seconds: lifetimeSeconds))
    }

    /// A logout token that a clock could accept up to the second `until`, its leeway included.
    init(logoutToken name: StoreName, until: Int64, now: Int64) {
        self.init(key: name, timeToLive: UseOnce.time(until: until, now: now))
    }

    /// The tokens of a session that was ended without its cookie: one process sees to them (SH-46).
    init(claim name: StoreName, timeToLive: TimeToLive) {
        self.init(key: name, timeToLive: timeToLive)
    }

    private init(key: StoreName, timeToLive: TimeToLive) {
        self.key = key
        self.timeToLive = timeToLive
    }

    /// How long the store remembers what a clock could accept up to the second `until`.
    package static func time(until: Int64, now: Int64) -> TimeToLive {
        let (left, overflow) = until.subtractingReportingOverflow(now)
        // What is over for this clock may not be for another one.
        let seconds = overflow ? (until < now ? 0 : .max - clockSeconds) : max(0, min(left, .max - clockSeconds))
        return TimeToLive(seconds: seconds + clockSeconds)
    }

    /// `1` and not an empty text: the store has one object for all small numbers.
    fileprivate static let mark: [UInt8] = .word("1")

    package func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        [.word("SET"), key.bytes, UseOnce.mark, .word("NX"), .word("PX"), timeToLive.argument]
    }

    package func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        switch reply {
        case .status(let text) where text == .word("OK"): .first
        case .null: .used
        default: throw StoreRefusal(reply)
        }
    }
}

/// Notes, in the place of a used state, where its login led.
struct NoteOutcome: StoreCommand {
    let key: StoreName
    /// Sealed.
    let value: [UInt8]
    let timeToLive: TimeToLive

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        [.word("SET"), key.bytes, value, .word("PX"), timeToLive.argument]
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) {
        guard case .status(let text) = reply, text == .word("OK") else { throw StoreRefusal(reply) }
    }
}

/// Reads where the login of a state led, sealed; nil where nobody has used it, or it led nowhere so far.
struct SeeOutcome: StoreCommand {
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("GET"), key.bytes] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [UInt8]? {
        switch reply {
        case .null: nil
        case .bytes(let value): value == UseOnce.mark ? nil : value
        default: throw StoreRefusal(reply)
        }
    }
}

/// Hosts a request object for the authorization server: a hash as a session's, whose generation counts fetches.
struct HostRequestObject: StoreCommand {
    let key: StoreName
    /// Sealed.
    let value: [UInt8]
    let timeToLive: TimeToLive

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(.keep, on: key, [.word("0"), value, timeToLive.argument])
    }

    /// Whether it is there now; false where another one is.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Bool {
        switch reply {
        case .integer(0): true
        case .integer(1), .integer(2): false
        default: throw StoreRefusal(reply)
        }
    }
}

/// Gives a hosted request object out, and counts it; nil where there is none, or it was given out often enough.
struct FetchRequestObject: StoreCommand {
    let key: StoreName
    /// How often it is given out in all.
    let limit: Int
    let leavesRoom = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(.fetch, on: key, [StoreNumber.text(limit)])
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [UInt8]? {
        switch reply {
        case .null: nil
        case .bytes(let value): value
        default: throw StoreRefusal(reply)
        }
    }
}

/// Looks at a hosted request object, and counts nothing; nil where there is none, or it was given out often enough.
struct SeeRequestObject: StoreCommand {
    let key: StoreName
    /// How often it is given out in all.
    let limit: Int
    let changesNothing = true
    let leavesRoom = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("HMGET"), key.bytes, .word("g"), .word("v")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [UInt8]? {
        guard case .array(let fields) = reply else { throw StoreRefusal(reply) }
        guard fields.count == 2 else { throw .unexpected }
        guard let count = fields[0].number, (0..<Int64(limit)).contains(count) else { return nil }
        return fields[1].bytes
    }
}

/// Forgets a hosted request object whose login has come back.
struct RemoveRequestObject: StoreCommand {
    let key: StoreName

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("UNLINK"), key.bytes] }

    /// Whether there was one.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Bool {
        switch reply {
        case .integer(0): false
        case .integer(1): true
        default: throw StoreRefusal(reply)
        }
    }
}
