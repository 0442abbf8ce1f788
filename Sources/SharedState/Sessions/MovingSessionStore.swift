import Crypto
import Sessions

/// Sessions that move between sealed cookies and the shared store, so that nobody has to log in again (SH-28).
///
/// New sessions go where the configuration says, and those of both kinds are found. Where that is the store, a sealed
/// cookie is moved when it is first seen: the session gets its place in the store under the same identifier, unless one of
/// that identifier was ended there, and the browser the small cookie. Where it is cookies, nothing moves: that is the first
/// step of a fleet, whose replicas have to read both before one of them writes the new kind.
///
/// Every replica makes the same small cookie of a session, so that two that move it at once do not differ.
final class MovingSessionStore: SessionStore {
    let cookies: CookieSessionStore
    let shared: SharedSessionStore
    private let movesIntoStore: Bool

    init(cookies: CookieSessionStore, shared: SharedSessionStore, movesIntoStore: Bool) {
        self.cookies = cookies
        self.shared = shared
        self.movesIntoStore = movesIntoStore
    }

    func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        guard isSealed(value) else { return shared.lookUp(value, now: now) }
        let lookup = cookies.lookUp(value, now: now)
        guard case .found(let session, _) = lookup else { return lookup }
        guard movesIntoStore else { return isOverInStore(session) ? .none : lookup }
        for cookie in shared.movedCookies(of: session) {
            switch shared.lookUp(cookie.text, now: now) {
            case .found(let session, _): return .found(session, successor: cookie.text)
            case .none: return .none
            case .elsewhere: break
            }
        }
        return .elsewhere
    }

    func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? {
        guard isSealed(value) else { return try await shared.load(value, now: now) }
        guard let session = try await cookies.load(value, now: now) else { return nil }
        guard !movesIntoStore else { return try await shared.move(session, now: now) }
        return isOverInStore(session) ? nil : session
    }

    func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] {
        movesIntoStore
            ? try await shared.create(session, now: now, onLeaving: onLeaving)
            : try await cookies.create(session, now: now, onLeaving: onLeaving)
    }

    func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? {
        guard let moved = moved(value, session) else { return try await cookies.replace(value, by: session, now: now) }
        return try await shared.replace(moved, by: session, now: now)
    }

    func beginRefresh(
        _ value: [UInt8], _ session: Session, leaseMilliseconds: Int64, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshTurn {
        if let moved = moved(value, session) {
            return try await shared.beginRefresh(moved, session, leaseMilliseconds: leaseMilliseconds, now: now)
        }
        // A replica that is a step ahead may have moved and refreshed it: the tokens in the cookie are spent then.
        for cookie in shared.movedCookies(of: session) {
            if let newer = try await shared.load(cookie.text, now: now) { return .newer(newer, successor: cookie.text) }
        }
        return try await cookies.beginRefresh(value, session, leaseMilliseconds: leaseMilliseconds, now: now)
    }

    func replace(
        _ value: [UInt8], by session: Session, under lease: RefreshLease, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshOutcome {
        guard let moved = moved(value, session) else {
            return try await cookies.replace(value, by: session, under: lease, now: now)
        }
        return try await shared.replace(moved, by: session, under: lease, now: now)
    }

    func hold(_ value: [UInt8], _ session: Session, under lease: RefreshLease, now: Int64) -> Bool {
        moved(value, session).map { shared.hold($0, session, under: lease, now: now) } ?? false
    }

    func putBack(_ session: Session, _ lease: RefreshLease, pauseMilliseconds: Int64) async {
        // The fence of a cookie is none: nobody else was told to wait.
        guard lease.fence > 0 else { return }
        await shared.putBack(session, lease, pauseMilliseconds: pauseMilliseconds)
    }

    func changed(_ session: Session) async { await shared.changed(session) }

    func usableUntil(_ session: Session, now: Int64) -> Int64 {
        // Of one that the store has, and that had to make room here, nothing is known: it is asked about.
        isInStore(session) || movesIntoStore ? shared.usableUntil(session, now: now) : .max
    }

    func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? {
        guard let moved = moved(value, session) else { return cookies.touch(value, session, now: now) }
        _ = shared.touch(moved, session, now: now)
        return isSealed(value) ? moved : nil
    }

    func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        // The store may fail, and is asked first: what fails is asked again, and ends the same once more.
        let ended = try await shared.end(which, now: now)
        return ended + (try await cookies.end(which, now: now))
    }

    func confirmEnding(of value: [UInt8], now: Int64) async throws(SessionStoreRefusal) {
        guard !isSealed(value) else { return }
        try await shared.confirmEnding(of: value, now: now)
    }

    func claimRevocation(of session: Session) async -> Bool { await shared.claimRevocation(of: session) }

    func isEnded(_ session: Session, now: Int64) -> Bool {
        guard !cookies.isEnded(session, now: now) else { return true }
        // Of one that stays in its cookie the store knows its ending, and nothing else.
        return isInStore(session) || movesIntoStore
            ? shared.isEnded(session, now: now) : isOverInStore(session)
    }

    var alive: Int? { nil }
    var isElsewhere: Bool { true }
    var endings: UInt64 { cookies.endings &+ shared.endings }

    func goesOn(from other: any SessionStore) -> Bool {
        if let other = other as? MovingSessionStore {
            return cookies.goesOn(from: other.cookies) || shared.goesOn(from: other.shared)
        }
        return cookies.goesOn(from: other) || shared.goesOn(from: other)
    }

    func diagnose(_ value: [UInt8], now: Int64) -> SessionDiagnosis {
        isSealed(value) ? cookies.diagnose(value, now: now) : shared.diagnose(value, now: now)
    }

    func expired(_ value: [UInt8], now: Int64) -> ExpiredSession? {
        isSealed(value) ? cookies.expired(value, now: now) : nil
    }

    func sweep(now: Int64) {
        cookies.sweep(now: now)
        shared.sweep(now: now)
    }

    /// Sealed sessions are longer than the cookies of the store, and none is as long as those.
    private func isSealed(_ value: [UInt8]) -> Bool { SharedCookie.decode(value.span) == nil }

    /// Whether another replica, a step ahead, has moved the session of a sealed cookie, and it was ended there.
    ///
    /// Whoever has copied the cookie before has nothing of it then, for as long as endings are remembered (ten minutes). A replica
    /// that was started since has not heard of that.
    private func isOverInStore(_ session: Session) -> Bool {
        shared.known.isOver(SharedSessionStore.key(of: session))
    }

    private func isInStore(_ session: Session) -> Bool {
        shared.known.entry(SharedSessionStore.key(of: session)) != nil
    }

    /// The small cookie of a session that is in the store; nil where its sealed one holds.
    private func moved(_ value: [UInt8], _ session: Session) -> [UInt8]? {
        guard isSealed(value) else { return value }
        guard movesIntoStore else { return nil }
        let cookies = shared.movedCookies(of: session)
        let entry = shared.known.entry(SharedSessionStore.key(of: session))
        return (cookies.first { entry?.secret == $0.secretDigest } ?? cookies.first)?.text
    }
}

extension SharedSessionStore {
    /// The small cookies that a moved session can have, one for each key of the ring: the first is given out.
    ///
    /// Made of a key and the session's identifier, which the store does not have: whoever reads the store, and has the keys,
    /// still lacks the cookie.
    func movedCookies(of session: Session) -> [SharedCookie] {
        let info = Array("portcullis moved session\u{0}\(session.client)".utf8)
        return shared.ring.keys.compactMap { key in
            guard
                let secret = try? HKDF.derive(
                    key.seal, salt: session.id, info: info, count: SharedCookie.secretLength)
            else { return nil }
            return SharedCookie(id: session.id, secret: secret)
        }
    }

    /// Gives a session of a sealed cookie its place in the store, unless one of its name was ended there; the session as it
    /// is in the store.
    func move(_ session: Session, now: Int64) async throws(SessionStoreRefusal) -> Session? {
        let cookies = movedCookies(of: session)
        guard let first = cookies.first else { throw .unavailable }
        switch try await keep(session, first, now: now, onLeaving: { _ in }) {
        case .kept, .present: break
        case .ended: return nil
        }
        // Another replica may have moved it, under another key that was the first there.
        for cookie in cookies {
            if let session = try await load(cookie.text, now: now) { return session }
        }
        return nil
    }
}
