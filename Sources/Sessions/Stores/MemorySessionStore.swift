import Bytes
import Crypto
import Synchronization

/// Keeps sessions in this process, under the digests of their identifiers (SC-04).
///
///     cookie = base64url( session id (16) ‖ secret (32) )
///
/// The identifier finds the session, the secret proves that it is the browser's: only its digest is kept, so that what is
/// in memory, or in a logout's hands, makes no cookie.
///
/// A full store gives up the oldest session of whoever has most for a new one, so that one user, or a few, keep nobody
/// out. Nobody's only session goes for another's: when everybody has one, it takes no new ones.
package final class MemorySessionStore: SessionStore {
    private struct Entry {
        var session: Session
        let secret: SHA256Digest
        let digests: SessionDigests
        var seenAt: Int64
    }

    private final class Shard: Sendable {
        let entries = Mutex<[SHA256Digest: Entry]>([:])
        let sweptAt = Atomic<Int64>(.min)
    }

    /// What is kept, however often the limits change.
    private final class Memory: Sendable {
        let shards = (0..<64).map { _ in Shard() }
        /// Whose the sessions are; taken while the lock of a shard is held, and never the other way round.
        let shares = Mutex(HolderShares())
        /// What reached a limit and was not asked for yet.
        let expired = Mutex<[ExpiredSession]>([])
    }

    private let memory: Memory
    private let client: String
    private let limit: Int
    private let limits: SessionLimits
    private let ended: Endings
    private let notesExpired: Bool

    /// Sessions that reached a limit and are noted until somebody asks.
    private static let expiredLimit = 1000
    /// What one session's parts may take together, in bytes.
    private static let sessionLimit = 64 * 1024
    private static let idLength = 16
    private static let secretLength = 32

    /// With `other`, keeps the same sessions under the limits of these settings; both may be used, by any thread.
    package init(settings: SessionSettings, client: String, continuing other: MemorySessionStore? = nil) {
        memory = other?.memory ?? Memory()
        self.client = client
        limit = max(1, settings.limit)
        limits = SessionLimits(settings)
        notesExpired = settings.notesExpired
        // What is held ends at once: only a login that is under way could still make a session of what ended.
        let underWay = min(limits.absolute, Int64(TransactionSealer.lifetimeSeconds))
        ended = Endings(limit: settings.limit, absolute: underWay, continuing: other?.ended)
    }

    /// Sessions held, those that expired and were not yet swept included.
    package var entries: Int { memory.shares.withLock { $0.count } }
    package var alive: Int? { entries }
    private var shards: [Shard] { memory.shards }

    package func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        guard let key = MemorySessionStore.key(of: value) else { return .none }
        let found = shard(key.id).entries.withLock { entries -> Session? in
            // Digests compare every bit (T-52).
            guard let entry = entries[key.id], entry.secret == key.secret else { return nil }
            guard limits.permit(entry.session, seenAt: entry.seenAt, now: now) else {
                expire(entry, now: now)
                remove(key.id, from: &entries)
                return nil
            }
            var session = entry.session
            session.seenAt = entry.seenAt
            return session
        }
        guard let found, !ended.cover(found) else { return .none }
        return .found(found, successor: nil)
    }

    package func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? {
        guard case .found(let session, _) = lookUp(value, now: now) else { return nil }
        return session
    }

    package func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] {
        try checkSize(session)
        let value = session.id + RandomBytes.fill(MemorySessionStore.secretLength)
        var text: [UInt8] = []
        Base64URL.append(value.span, to: &text)
        guard let key = MemorySessionStore.key(of: text) else { throw .unavailable }
        var session = session
        session.client = client
        let digests = SessionDigests(session)
        if let leaving = try reserve(digests, now: now) { onLeaving(leaving) }
        let entry = Entry(session: session, secret: key.secret, digests: digests, seenAt: max(session.seenAt, now))
        let isKept = shard(key.id).entries.withLock { entries in
            // Whoever needed room meanwhile may have had its place already.
            guard memory.shares.withLock({ $0.contains(key.id) }) else { return false }
            entries[key.id] = entry
            return true
        }
        guard isKept else { throw .full }
        ended.noteHolder(of: session)
        return text
    }

    package func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? {
        try checkSize(session)
        guard let key = MemorySessionStore.key(of: value) else { return nil }
        let isKept = shard(key.id).entries.withLock { entries in
            guard let entry = entries[key.id], entry.secret == key.secret, !ended.cover(session) else { return false }
            if session.generation >= entry.session.generation {
                entries[key.id]?.session = session
                entries[key.id]?.session.client = client
            }
            entries[key.id]?.seenAt = max(entry.seenAt, now)
            return true
        }
        return isKept ? value : nil
    }

    package func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? {
        guard SessionLimits.sum(session.seenAt, limits.touchInterval) <= now,
            let key = MemorySessionStore.key(of: value)
        else { return nil }
        shard(key.id).entries.withLock { entries in
            guard let entry = entries[key.id], entry.secret == key.secret,
                limits.permit(entry.session, seenAt: entry.seenAt, now: now)
            else { return }
            entries[key.id]?.seenAt = max(entry.seenAt, now)
        }
        // The browser's cookie names the session for as long as it lives.
        return nil
    }

    package func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session] {
        switch which {
        case .session(let session):
            // Identifiers never come back, so what is gone needs no remembering, and this logout cannot fail.
            let digest = session.idDigest
            let sessions = take(shard(digest)) { $0.digests.id == digest }
            ended.note()
            return sessions
        case .serverSession(let issuer, let sid, _):
            let digest = SessionDigests.serverSession(issuer, sid)
            return try end(which, now: now) { $0.digests.serverSession == digest }
        case .subject(let issuer, let subject, let until):
            let digest = SessionDigests.subject(issuer, subject)
            return try end(which, now: now) { $0.digests.subject == digest && $0.session.createdAt <= until }
        }
    }

    private func end(
        _ which: SessionEnd, now: Int64, where isMeant: (Entry) -> Bool
    ) throws(SessionStoreRefusal) -> [Session] {
        let folded: SHA256Digest?
        do throws(SessionStoreRefusal) {
            // Remembered first: a login or a refresh that is under way then finds the ending, or is found here.
            folded = try ended.remember(which, now: now)
        } catch {
            // What is held needs no room to end. Where nothing was, the ending is all that could be kept.
            let sessions = shards.flatMap { take($0, where: isMeant) }
            guard !sessions.isEmpty else { throw error }
            ended.note()
            return sessions
        }
        return shards.flatMap { shard in
            take(shard) { entry in
                guard !isMeant(entry) else { return true }
                return entry.digests.subject == folded
                    && ended.cover(entry.digests, createdAt: entry.session.createdAt)
            }
        }
    }

    package func isEnded(_ session: Session, now: Int64) -> Bool {
        let id = session.idDigest
        let isHeld = shard(id).entries.withLock { $0[id] != nil }
        return !isHeld || ended.cover(session)
    }

    package var endings: UInt64 { ended.count }

    package func goesOn(from other: any SessionStore) -> Bool { (other as? MemorySessionStore)?.memory === memory }

    package func sweep(now: Int64) {
        ended.sweep(now: now)
        for shard in shards { sweep(shard, now: now) }
    }

    /// The two halves of a cookie's value, as they are kept; nil for what no cookie of this store looks like.
    private static func key(of value: [UInt8]) -> (id: SHA256Digest, secret: SHA256Digest)? {
        guard value.count == 64, let bytes = Base64URL.decode(value.span) else { return nil }
        return (SessionDigests.id(Array(bytes[..<idLength])), SHA256.hash(bytes.span.extracting(idLength...)))
    }

    private func checkSize(_ session: Session) throws(SessionStoreRefusal) {
        let bytes = SessionSize.total(of: session)
        guard bytes <= MemorySessionStore.sessionLimit else {
            throw .tooLarge(
                bytes: bytes, limit: MemorySessionStore.sessionLimit, parts: SessionSize.parts(of: session))
        }
    }

    /// Takes a place, after clearing away what has expired where there is none; each part once in a second at most.
    ///
    /// Returns the session that gave way for it.
    private func reserve(_ digests: SessionDigests, now: Int64) throws(SessionStoreRefusal) -> Session? {
        if entries >= limit {
            for shard in shards where shard.sweptAt.exchange(now, ordering: .relaxed) != now { sweep(shard, now: now) }
        }
        let (isTaken, leaving) = try memory.shares.withLock {
            shares throws(SessionStoreRefusal) -> (Bool, SHA256Digest?) in
            // An identifier is sixteen random bytes: one that is taken was not made as it should be.
            guard !shares.contains(digests.id) else { throw .unavailable }
            var leaving: SHA256Digest?
            if shares.count >= limit {
                guard let yielding = shares.yielding(to: digests.subject) else { return (false, nil) }
                leaving = yielding.thing
                shares.remove(yielding.thing)
            }
            shares.add(digests.id, holder: digests.subject)
            return (true, leaving)
        }
        guard isTaken else { throw .full }
        guard let leaving else { return nil }
        let entry = shard(leaving).entries.withLock { $0.removeValue(forKey: leaving) }
        ended.note()
        return entry?.session
    }

    private func sweep(_ shard: Shard, now: Int64) {
        shard.entries.withLock { entries in
            let expired = entries.filter { !limits.permit($0.value.session, seenAt: $0.value.seenAt, now: now) }
            for (id, entry) in expired {
                expire(entry, now: now)
                remove(id, from: &entries)
            }
        }
    }

    package func takeExpired() -> [ExpiredSession] {
        memory.expired.withLock { expired in
            defer { expired = [] }
            return expired
        }
    }

    /// Notes a session that is about to be forgotten for its limits.
    private func expire(_ entry: Entry, now: Int64) {
        guard notesExpired, !ended.cover(entry.session),
            let limit = limits.reached(by: entry.session, seenAt: entry.seenAt, now: now)
        else { return }
        memory.expired.withLock { expired in
            if expired.count < Self.expiredLimit { expired.append(ExpiredSession(entry.session, limit)) }
        }
    }

    private func take(_ shard: Shard, where isMeant: (Entry) -> Bool) -> [Session] {
        shard.entries.withLock { entries in
            let meant = entries.filter { isMeant($0.value) }
            for id in meant.keys { remove(id, from: &entries) }
            return meant.values.map(\.session)
        }
    }

    private func remove(_ id: SHA256Digest, from entries: inout [SHA256Digest: Entry]) {
        if entries.removeValue(forKey: id) != nil { memory.shares.withLock { $0.remove(id) } }
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[Int(truncatingIfNeeded: digest.prefix & 63)]
    }
}
