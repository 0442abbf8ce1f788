package import Sessions

/// One process at a time asks the server for a session's new tokens (SH-30 … SH-35).
extension SharedSessionStore {
    package func beginRefresh(
        _ value: [UInt8], _ session: Session, leaseMilliseconds: Int64, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshTurn {
        guard let cookie = SharedCookie(value.span), cookie.id == session.id else { return .gone }
        let key = Self.key(cookie)
        let begin = BeginRefresh(
            key: shared.names.session(session.id), generation: session.generation,
            lease: TimeToLive(milliseconds: leaseMilliseconds))
        let outcome = try await questions.perform(begin)
        count(outcome, isHeld: { known.entry(key)?.leased == $0 })
        switch outcome {
        case .yours(let fence): return .yours(RefreshLease(fence: fence, generation: session.generation))
        case .busy(let milliseconds): return .busy(milliseconds: milliseconds)
        case .paused(let milliseconds): return .paused(milliseconds: milliseconds)
        case .newer(let generation, let value):
            guard let newer = try await judge(value, generation, of: cookie, now: now) else { return .gone }
            return .newer(newer, successor: nil)
        case .older(let generation):
            // What waits here to be written will be: until then there is nothing to ask the server for.
            if known.entry(key)?.leased == generation { return .busy(milliseconds: SharedSessionStore.shortWait) }
            tell(.rolledBack)
            return .gone
        case .gone:
            over(key, now: now)
            return .gone
        }
    }

    private static let shortWait: Int64 = 200

    private func count(_ outcome: BeginRefresh.Outcome, isHeld: (UInt32) -> Bool) {
        switch outcome {
        case .yours: shared.figures.count(StoreFigures.RefreshAnswer.yours)
        case .busy, .paused: shared.figures.count(StoreFigures.RefreshAnswer.busy)
        case .newer: shared.figures.count(StoreFigures.RefreshAnswer.newer)
        case .older(let generation) where isHeld(generation):
            shared.figures.count(StoreFigures.RefreshAnswer.busy)
        case .older, .gone: shared.figures.count(StoreFigures.RefreshAnswer.gone)
        }
    }

    package func replace(
        _ value: [UInt8], by session: Session, under lease: RefreshLease, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshOutcome {
        guard let cookie = SharedCookie(value.span), cookie.id == session.id else { return .gone }
        let key = Self.key(cookie)
        let name = shared.names.session(session.id)
        var session = session
        session.seenAt = max(session.seenAt, now)
        let sealed = try sealed(session, cookie, name)
        guard let time = lifetime.timeToLive(of: session, now: now) else {
            over(key, now: now)
            return .gone
        }
        let commit = CommitRefresh(
            key: name, fence: lease.fence, leased: lease.generation, generation: session.generation, value: sealed,
            timeToLive: time, revocable: try sealedForRevocation(session, name))
        switch try await questions.perform(commit) {
        case .kept:
            guard known.keep(key, entry(session, cookie, checkedAt: now)) else { return .gone }
            waiting.wake(key)
            let line = StoreLogLine(.refreshed, of: name, generation: session.generation)
            inBackground { await $0.questions.tell(line) }
            return .kept(value)
        case .lost:
            shared.figures.count(StoreFigures.RefreshAnswer.lost)
            known.letGo(key)
            guard let theirs = try await ask(cookie, now: now) else { return .gone }
            return .lost(theirs)
        case .gone:
            over(key, now: now)
            return .gone
        }
    }

    package func hold(_ value: [UInt8], _ session: Session, under lease: RefreshLease, now: Int64) -> Bool {
        guard let cookie = SharedCookie(value.span), cookie.id == session.id else { return false }
        return known.hold(
            Self.key(cookie), entry(session, cookie, checkedAt: now), leased: lease.generation,
            until: SessionLimits.sum(now, rules.limits.idle))
    }

    package func putBack(_ session: Session, _ lease: RefreshLease, pauseMilliseconds: Int64) async {
        let putBack = PutBackRefresh(
            key: shared.names.session(session.id), fence: lease.fence,
            pause: TimeToLive(milliseconds: pauseMilliseconds))
        // Where that fails, the lease ends by itself.
        _ = try? await questions.perform(putBack)
    }

    package func changed(_ session: Session) async { await waiting.wait(for: Self.key(of: session)) }
}
