import Crypto
import HTTPMessage
import Issuers
import Refusals
import Sessions

/// A refresh under way: its turn among all processes, the server's answer, and its place in the store.
extension RefreshService {
    /// Whether the server may be asked, or what came of the question who may.
    enum Turn: Sendable {
        case taken(RefreshLease)
        case decided(LoginService.Refreshed)
    }

    /// What became of new tokens.
    enum Kept: Sendable {
        case decided(LoginService.Refreshed, RefusalDetail?)
        /// This process alone has them yet (SH-34).
        case held(Session)
    }

    /// Waits for the right to ask the server, as long as a request may wait in all (SH-33).
    func turn(_ key: RefreshFlights.Key, _ session: Session, _ value: [UInt8], _ client: Int) async -> Turn {
        let place = clients[client]
        let deadline = clock.now().milliseconds + Int64(Self.patienceMilliseconds)
        while true {
            let now = clock.now()
            let turn: RefreshTurn
            do throws(SessionStoreRefusal) {
                turn = try await place.store.beginRefresh(
                    value, session, leaseMilliseconds: place.leaseMilliseconds(session), now: now.wallSeconds)
            } catch {
                // A token that is still valid is used until it expires.
                return .decided(.unavailable)
            }
            switch turn {
            case .yours(let lease): return .taken(lease)
            case .newer(let newer, let successor):
                return .decided(LoginService.Refreshed(newer, value: successor))
            case .gone: return .decided(.ended)
            case .paused(let milliseconds):
                flights.pause(key, until: now.milliseconds + milliseconds)
                return .decided(.unavailable)
            case .busy(let milliseconds):
                let left = deadline - now.milliseconds
                guard left > 0 else { return .decided(.unavailable) }
                // A quarter of a second, and not the same for all who wait.
                let pause = 250 + Int64(min(max(now.spread, -1), 1) * 50)
                await wait(for: session, in: place.store, milliseconds: min(milliseconds, pause, left))
            }
        }
    }

    /// Waits for news of a session, and so long at most.
    private func wait(for session: Session, in store: any SessionStore, milliseconds: Int64) async {
        let clock = clock
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await store.changed(session) }
            group.addTask { try? await clock.sleep(milliseconds: Int(max(1, milliseconds))) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Puts the new tokens in the place of the old ones, before anybody uses them (RF-03); says why where it cannot.
    func keep(
        _ session: Session, value: [UInt8], client: Int, under lease: RefreshLease, _ trace: TraceParent?
    ) async -> Kept {
        var session = session
        let store = clients[client].store
        for pause in [200, 1000, nil] as [Int?] {
            do throws(SessionStoreRefusal) {
                let now = clock.now().wallSeconds
                let outcome = try await store.replace(value, by: session, under: lease, now: now)
                let (refreshed, detail) = settled(outcome, session, value: value, client: client, trace)
                return .decided(refreshed, detail)
            } catch .tooLarge(let bytes, let limit, let parts)
                where session.idToken == nil || clients[client].showsIDToken
            {
                // The old tokens may be spent already: nothing is left to go on with.
                let detail = RefusalDetail(
                    expected: "a session of \(limit) bytes at most",
                    found: "\(bytes) bytes: " + parts.joined(separator: ", "), check: "SC-07")
                clients[client].alarm(.loginSessionTooLarge, detail)
                clients[client].discard(session, trace)
                await end(session, client: client, .tooLarge, detail)
                return .decided(.ended, detail)
            } catch .tooLarge {
                // Worth less than the session: a logout at the server then asks the user whom to log out.
                session.idToken = nil
            } catch {
                if store.hold(value, session, under: lease, now: clock.now().wallSeconds) { return .held(session) }
                guard let pause else { break }
                try? await clock.sleep(milliseconds: pause)
            }
        }
        return .decided(
            .unavailable,
            RefusalDetail(
                expected: "a store that keeps the new tokens", found: "one that could not be written three times",
                check: "SC-13")
        )
    }

    /// What a store's word on new tokens means for whoever waits.
    private func settled(
        _ outcome: RefreshOutcome, _ session: Session, value: [UInt8], client: Int, _ trace: TraceParent?
    ) -> (LoginService.Refreshed, RefusalDetail?) {
        switch outcome {
        case .kept(let newer):
            return (LoginService.Refreshed(session, value: newer == value ? nil : newer), nil)
        case .lost(let theirs):
            // One that went on from this one has its tokens' successors: only a rival's are others (SH-32).
            if theirs.generation == session.generation, !session.hasTokens(of: theirs) {
                clients[client].discard(session, trace)
            }
            return (LoginService.Refreshed(theirs, value: nil), nil)
        case .gone:
            // RF-08: logged out meanwhile. What came too late must not outlive it.
            clients[client].discard(session, trace)
            return (
                .ended,
                RefusalDetail(
                    expected: "a session to keep the new tokens in", found: "one that was ended while it was refreshed",
                    check: "RF-08")
            )
        }
    }

    /// Goes on trying to keep what this process alone has, for as long as the session could live without use (SH-34).
    func keepOn(
        _ session: Session, value: [UInt8], client: Int, under lease: RefreshLease, _ trace: TraceParent?
    ) async {
        let store = clients[client].store
        let until = clock.now().wallSeconds.addingReportingOverflow(clients[client].idleSeconds).partialValue
        // Whoever comes when the lease is over takes the old tokens, which are spent: what is kept by then is kept in time.
        let leaseEnds = clock.now().milliseconds &+ clients[client].leaseMilliseconds(session)
        var pause: Int64 = 200
        while clock.now().wallSeconds < until {
            if clock.now().milliseconds < leaseEnds { pause = min(pause, RefreshPauses<RefreshFlights.Key>.shortest) }
            let spread = Int64(Double(pause) / 4 * min(max(clock.now().spread, -1), 1))
            guard (try? await clock.sleep(milliseconds: Int(pause + spread))) != nil else { return }
            pause = min(2 * pause, RefreshPauses<RefreshFlights.Key>.longest)
            let now = clock.now().wallSeconds
            guard let outcome = try? await store.replace(value, by: session, under: lease, now: now) else { continue }
            if case .ended = settled(outcome, session, value: value, client: client, trace).0 {
                onEvent(.sessionsEnded)
            }
            return
        }
    }

    func end(_ session: Session, client: Int, _ signal: SessionSignal, _ detail: RefusalDetail) async {
        // Where even that fails, the session goes on without a token that anybody takes, until its own limits.
        await clients[client].end(session)
        onEvent(.audited(client: client, LoginAudit(.ended(signal, check: detail.check), of: session)))
        onEvent(.sessionsEnded)
    }
}

extension Session {
    /// Whether the other state has the same refresh token.
    fileprivate func hasTokens(of other: Session) -> Bool {
        guard let mine = refreshToken?.reveal(), let theirs = other.refreshToken?.reveal() else { return false }
        return ConstantTime.equal(mine.span, theirs.span)
    }
}
