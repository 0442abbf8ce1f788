/// Asks for a session's refresh: one process at a time is told to go to the server (SH-30).
struct BeginRefresh: StoreCommand {
    enum Outcome: Sendable, Equatable {
        /// The lease is the caller's, under a number that no holder before had.
        case yours(fence: UInt64)
        /// Somebody has the lease, for so many milliseconds more.
        case busy(milliseconds: Int64)
        /// The server did not answer a moment ago, and is to be left alone for so long.
        case paused(milliseconds: Int64)
        /// Somebody has refreshed it: here it is.
        case newer(generation: UInt32, value: [UInt8])
        /// The store has an older state than the caller: a failover lost the newer one, or somebody put it back.
        case older(generation: UInt32)
        case gone
    }

    let key: StoreName
    /// The generation that the caller knows.
    let generation: UInt32
    /// As long as the request may take, its retries included, and two seconds; ten minutes at most.
    let lease: TimeToLive

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(.begin, on: key, [StoreNumber.text(generation), lease.held.argument])
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        guard case .array(let parts) = reply, let code = parts.first else { throw StoreRefusal(reply) }
        switch (code, parts.count) {
        case (.integer(0), 1): return .gone
        case (.integer(1), 3):
            guard let found = parts[1].generation, found != generation, let value = parts[2].bytes else {
                throw .unexpected
            }
            return found > generation ? .newer(generation: found, value: value) : .older(generation: found)
        case (.integer(2), 2): return .busy(milliseconds: try held(parts[1]))
        case (.integer(3), 2): return .paused(milliseconds: try held(parts[1]))
        case (.integer(4), 2):
            guard let fence = parts[1].number, fence > 0 else { throw .unexpected }
            return .yours(fence: UInt64(fence))
        default: throw .unexpected
        }
    }
}

extension BeginRefresh {
    /// Milliseconds that a session is held for: no more than the script says, so that whoever adds them to a time of now may.
    private func held(_ reply: StoreReply) throws(StoreRefusal) -> Int64 {
        guard let left = reply.number, left > 0, left <= StoreScript.longestHold else { throw .unexpected }
        return left
    }
}

/// Writes what the server answered, if the lease is still the caller's and the session is still there (SH-32).
///
/// May be sent again by whoever holds the fence when the answer did not come: the second time says the same.
struct CommitRefresh: StoreCommand {
    enum Outcome: Sendable, Equatable {
        case kept
        /// Somebody else's state is there, or will be: what the caller has is dropped, and revoked if it is another.
        case lost
        /// Ended meanwhile: logout wins.
        case gone
    }

    let key: StoreName
    let fence: UInt64
    /// The generation that was leased.
    let leased: UInt32
    let generation: UInt32
    let value: [UInt8]
    let timeToLive: TimeToLive
    /// The new refresh token, sealed for whoever revokes it without the session's cookie; nil where nobody is to.
    var revocable: [UInt8]?

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(
            .commit, on: key,
            [
                StoreNumber.text(leased), StoreNumber.text(fence), StoreNumber.text(generation), value,
                timeToLive.argument,
            ] + (revocable.map { [$0] } ?? []))
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        guard case .array(let parts) = reply, let code = parts.first else { throw StoreRefusal(reply) }
        switch (code, parts.count) {
        case (.integer(0), 1): return .gone
        case (.integer(1), 2): return .lost
        case (.integer(2), 1): return .kept
        default: throw .unexpected
        }
    }
}

/// Gives a lease back after a failure that will pass, and keeps all replicas from trying for a while.
struct PutBackRefresh: StoreCommand {
    enum Outcome: Sendable, Equatable {
        case done
        /// Somebody else has the lease.
        case lost
        case gone
    }

    let key: StoreName
    let fence: UInt64
    /// How long nobody is to try; ten minutes at most.
    let pause: TimeToLive

    func arguments(_ scripts: StoreScripts) -> [[UInt8]] {
        scripts.call(.putBack, on: key, [StoreNumber.text(fence), pause.held.argument])
    }

    func outcome(of reply: StoreReply) throws(StoreRefusal) -> Outcome {
        switch reply {
        case .integer(0): .gone
        case .integer(1): .lost
        case .integer(2): .done
        default: throw StoreRefusal(reply)
        }
    }
}

extension TimeToLive {
    /// No longer than the scripts believe that somebody holds a session.
    fileprivate var held: TimeToLive { TimeToLive(milliseconds: min(milliseconds, StoreScript.longestHold)) }
}
