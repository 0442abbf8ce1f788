/// Keeps a new session; for whoever signed in, and for a sealed cookie that moves into the store.
struct KeepSession: StoreCommand {
    enum Outcome: Sendable, Equatable {
        case kept
        /// There is one of this name.
        case present
        /// There was one, and it was ended: what would bring it back stays out (SH-38).
        case ended
    }

    let key: StoreName
    let generation: UInt32
    let value: [UInt8]
    let timeToLive: TimeToLive
    /// The refresh token, sealed for whoever revokes it without the session's cookie; nil where nobody is to.
    var revocable: [UInt8]?

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(
            .keep, on: key,
            [StoreNumber.text(generation), value, timeToLive.argument] + (revocable.map { [$0] } ?? []))
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        switch reply {
        case .integer(0): .kept
        case .integer(1): .present
        case .integer(2): .ended
        default: throw StoreRefusal(reply)
        }
    }
}

/// Reads a session.
struct LoadSession: StoreCommand {
    enum Outcome: Sendable, Equatable {
        case found(generation: UInt32, value: [UInt8])
        /// The store says so: never there, over, or ended.
        case none
        /// What is there was not written by a gateway.
        case altered
    }

    let key: StoreName
    /// For a cookie of which nothing is known here: anybody can make one up.
    var leavesRoom = false
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("HMGET"), key.bytes, .word("g"), .word("v")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        guard case .array(let fields) = reply, fields.count == 2 else { throw StoreRefusal(reply) }
        switch (fields[0], fields[1]) {
        case (.null, .null): return .none
        case (.bytes, .bytes(let value)):
            guard let generation = fields[0].generation else { return .altered }
            return .found(generation: generation, value: value)
        case (.null, .bytes), (.bytes, .null): return .altered
        default: throw .unexpected
        }
    }
}

/// Asks whether a session that is known here is still the same.
struct RecheckSession: StoreCommand {
    enum Outcome: Sendable, Equatable {
        case generation(UInt32)
        case none
        case altered
    }

    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("HGET"), key.bytes, .word("g")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        switch reply {
        case .null: .none
        case .bytes: reply.generation.map { .generation($0) } ?? .altered
        default: throw StoreRefusal(reply)
        }
    }
}

/// Notes that a session is in use (SH-24): never shortens its time, and makes nothing where nothing is.
struct TouchSession: StoreCommand {
    let key: StoreName
    let timeToLive: TimeToLive

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        [.word("PEXPIRE"), key.bytes, timeToLive.argument, .word("GT")]
    }

    /// Whether its time is longer now; one that is gone, and one that has longer, are told by the next recheck.
    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Bool {
        switch reply {
        case .integer(1): true
        case .integer(0): false
        default: throw StoreRefusal(reply)
        }
    }
}

/// Ends a session, whatever it holds, and keeps out what would make it again: a login, an import or a refresh under way.
struct EndSession: StoreCommand {
    enum Outcome: Sendable, Equatable {
        case ended(generation: UInt32?)
        /// Nothing was there; the tombstone is, all the same.
        case absent
        case endedBefore
    }

    let key: StoreName
    /// How long a session of this name could come back: the absolute limit and a minute.
    let tombstone: TimeToLive
    /// Whether the refresh token stays there, where it lies there for its revocation.
    var keepsRevocable = false

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(.end, on: key, [tombstone.argument] + (keepsRevocable ? [.word("1")] : []))
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        guard case .array(let parts) = reply, let code = parts.first else { throw StoreRefusal(reply) }
        switch (code, parts.count) {
        case (.integer(0), 1): return .absent
        case (.integer(1), 2):
            guard case .bytes = parts[1] else { throw .unexpected }
            return .ended(generation: parts[1].generation)
        case (.integer(2), 1): return .endedBefore
        default: throw .unexpected
        }
    }
}

/// Reads whether what lies under a session's name says that it has ended.
struct ReadTombstone: StoreCommand {
    let key: StoreName
    /// Anybody can make a cookie up.
    let leavesRoom = true
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("HGET"), key.bytes, .word("x")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Bool {
        switch reply {
        case .null: false
        case .bytes: true
        default: throw StoreRefusal(reply)
        }
    }
}

/// Reads the refresh token that lies with an ended session, for its revocation; nil where there is none.
struct ReadRevocable: StoreCommand {
    let key: StoreName
    let changesNothing = true

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("HGET"), key.bytes, .word("r")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> [UInt8]? {
        switch reply {
        case .null: nil
        case .bytes(let value): value
        default: throw StoreRefusal(reply)
        }
    }
}

/// Forgets the refresh token of an ended session: somebody has seen to it.
struct RemoveRevocable: StoreCommand {
    let key: StoreName

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] { [.word("HDEL"), key.bytes, .word("r")] }

    func outcome(of reply: StoreReply) throws(StoreRefusal) {
        guard case .integer = reply else { throw StoreRefusal(reply) }
    }
}

extension StoreReply {
    /// The generation that a text says.
    var generation: UInt32? { bytes.flatMap(StoreNumber.parse).flatMap { UInt32(exactly: $0) } }
}
