package import Crypto
import Synchronization

/// Keeps sessions in the browser, sealed (SC-04); here is only what a browser cannot be asked to forget.
///
/// A value opens at the client (by its name here and its identifier at the issuer), under the cookie name and with the
/// keys that it was sealed for. Endings and successors are of this process: several replicas need a store that they share
/// where logouts of one are to hold at all of them.
package final class CookieSessionStore: SessionStore {
    /// Who continues this store, for as long as somebody has it.
    private struct Successor {
        weak var store: CookieSessionStore?
    }

    let keys: SealingKeys
    let client: String
    /// Whose users these sessions are of; nil: anybody's.
    private let issuer: String?
    private let cookieName: String
    private let needsIDToken: Bool
    let limits: SessionLimits
    let ended: Endings
    private let successors: Successors
    private let touched: TouchTimes
    private let next = Mutex(Successor())

    /// Refuses keys that are not 32 bytes.
    ///
    /// A session of another issuer than `issuer` is none: the client may have moved to another server since, whose users
    /// are others and who must not see the tokens. With `other`, goes on with what that knows of endings, refreshed states and
    /// touches, under other keys and limits; `other` opens meanwhile what is sealed here, because a browser that got it
    /// may still meet a worker that has not moved on.
    package init(
        settings: SessionSettings, client: String, clientID: String = "", issuer: String? = nil,
        continuing other: CookieSessionStore? = nil
    ) throws(CryptoRefusal) {
        // Gateways may share a key file and the name of a login, and still be other clients of one issuer.
        keys = try SealingKeys(
            settings.keys, purpose: .session, client: client,
            bound: [settings.cookieName] + (clientID.isEmpty ? [] : [clientID]))
        self.client = client
        cookieName = settings.cookieName
        needsIDToken = settings.needsIDToken
        limits = SessionLimits(settings)
        self.issuer = issuer
        ended = Endings(limit: settings.limit, absolute: limits.absolute, continuing: other?.ended)
        successors = Successors(limit: settings.limit, continuing: other?.successors)
        touched = other?.touched ?? TouchTimes()
        other?.next.withLock { $0.store = self }
    }

    package func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        guard let session = open(value, now: now) else { return .none }
        guard let successor = successors.newer(than: session.generation, id: session.id, now: now),
            let newest = open(successor.value, now: now)
        else { return .found(session, successor: nil) }
        return .found(newest, successor: successor.value)
    }

    package func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? {
        guard case .found(let session, _) = lookUp(value, now: now) else { return nil }
        return session
    }

    package func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] {
        let sealed = try seal(session, seenAt: now)
        ended.noteHolder(of: session)
        return sealed
    }

    package func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? {
        let sealed = try seal(session, seenAt: now)
        let digests = SessionDigests(session)
        // Every older state was last written before now: it is idle too long when so much time has passed.
        let expiresAt = min(limits.end(of: session), SessionLimits.sum(now, limits.idle))
        let successor = Successors.Successor(
            value: sealed, generation: session.generation, digests: digests, createdAt: session.createdAt,
            expiresAt: expiresAt)
        let isKept = successors.keep(successor, now: now) { ended.cover(digests, createdAt: session.createdAt) }
        return isKept ? sealed : nil
    }

    package func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? {
        let interval = limits.touchInterval
        guard SessionLimits.sum(session.seenAt, interval) <= now,
            limits.permit(session, seenAt: session.seenAt, now: now),
            !ended.cover(session), touched.take(session.id, now: now, interval: interval)
        else { return nil }
        // Whoever asks may not know of a refresh yet: the old state must not overwrite the new one in the browser.
        if let successor = successors.newer(than: session.generation, id: session.id, now: now) {
            return successor.value
        }
        // A state that fitted when it was written fits again.
        return try? seal(session, seenAt: now)
    }

    /// Only states that were refreshed here are known: a logout brings its own session's tokens.
    package func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        try ended.remember(which, now: now)
        return successors.end(which).compactMap { successor in
            unseal(successor.value).flatMap { SessionCodec.decode($0, client: client) }
        }
    }

    package func isEnded(_ session: Session, now: Int64) -> Bool {
        ended.cover(session)
    }

    /// The browsers have them, and how many browsers still do nobody knows.
    package var alive: Int? { nil }
    package var endings: UInt64 { ended.count }

    package func goesOn(from other: any SessionStore) -> Bool {
        // Handed from each store to the next, as endings are.
        (other as? CookieSessionStore)?.touched === touched
    }

    package func sweep(now: Int64) {
        ended.sweep(now: now)
        successors.sweep(now: now)
    }

    /// A session within its limits that was not ended.
    private func open(_ value: [UInt8], now: Int64) -> Session? {
        guard let bytes = unseal(value), let session = SessionCodec.decode(bytes, client: client),
            isOfIssuer(session), limits.permit(session, seenAt: session.seenAt, now: now)
        else { return nil }
        // After a restart, and of sessions that were made elsewhere, this is how their users become known. One that is over
        // already may still be ended by its `sid`, and that ending is its user's too.
        ended.noteHolder(of: session)
        return ended.cover(session) ? nil : session
    }

    private func unseal(_ value: [UInt8]) -> [UInt8]? {
        if let opened = keys.open(value.span) { return opened }
        return next.withLock { $0.store }?.unseal(value)
    }

    func isOfIssuer(_ session: Session) -> Bool {
        issuer.map { $0.utf8.elementsEqual(session.issuer.utf8) } ?? true
    }

    private func seal(_ session: Session, seenAt: Int64) throws(SessionStoreRefusal) -> [UInt8] {
        var session = session
        session.seenAt = max(session.seenAt, seenAt)
        var bytes = SessionCodec.encode(session)
        // The ID token is a hint for the server's logout, which works without: it is not worth a second cookie (SC-07).
        if session.idToken != nil, !needsIDToken, !fits(bytes, cookies: 1) {
            session.idToken = nil
            bytes = SessionCodec.encode(session)
        }
        guard fits(bytes, cookies: SetCookie.maximumChunks) else {
            throw .tooLarge(
                bytes: SealingKeys.sealedCount(bytes.count), limit: SetCookie.capacity(name: cookieName),
                parts: SessionSize.parts(of: session))
        }
        do {
            return try keys.seal(bytes)
        } catch {
            // The library has no memory, or worse: sessions are neither there nor gone.
            throw .unavailable
        }
    }

    private func fits(_ bytes: [UInt8], cookies: Int) -> Bool {
        SealingKeys.sealedCount(bytes.count) <= SetCookie.capacity(name: cookieName, cookies: cookies)
    }
}
