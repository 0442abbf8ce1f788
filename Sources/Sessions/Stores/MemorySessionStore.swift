// SPDX-License-Identifier: Apache-2.0
import Bytes
import Crypto
import Synchronization

/// Keeps sessions in this process, under the digests of their identifiers (SC-04).
///
///     cookie = base64url( session id (16) ‖ secret (32) )
///
/// The identifier finds the session, the secret proves that it is the browser's: only its digest is kept, so that what is
/// in memory, or in a logout's hands, makes no cookie. Sessions never leave before their time: a full store takes no new
/// ones.
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
        let held = Atomic<Int>(0)
    }

    private let memory: Memory
    private let client: String
    private let limit: Int
    private let limits: SessionLimits
    private let ended: Endings

    /// What one session's parts may take together, in bytes.
    package static let sessionLimit = 64 * 1024
    private static let idLength = 16
    private static let secretLength = 32

    /// With `other`, keeps the same sessions under the limits of these settings; both may be used, by any thread.
    package init(settings: SessionSettings, client: String, continuing other: MemorySessionStore? = nil) {
        memory = other?.memory ?? Memory()
        self.client = client
        limit = max(1, settings.limit)
        limits = SessionLimits(settings)
        ended = Endings(limit: settings.limit, absolute: limits.absolute, continuing: other?.ended)
    }

    /// Sessions held, those that expired and were not yet swept included.
    package var entries: Int { memory.held.load(ordering: .acquiring) }
    private var shards: [Shard] { memory.shards }

    package func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        guard let key = MemorySessionStore.key(of: value) else { return .none }
        let found = shard(key.id).entries.withLock { entries -> Session? in
            // Digests compare every bit (T-52).
            guard let entry = entries[key.id], entry.secret == key.secret else { return nil }
            guard limits.permit(entry.session, seenAt: entry.seenAt, now: now) else {
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

    package func create(_ session: Session, now: Int64) async throws(SessionStoreRefusal) -> [UInt8] {
        try checkSize(session)
        let value = session.id + RandomBytes.fill(MemorySessionStore.secretLength)
        var text: [UInt8] = []
        Base64URL.append(value.span, to: &text)
        guard let key = MemorySessionStore.key(of: text) else { throw .unavailable }
        guard reserve(now: now) else { throw .full }
        var session = session
        session.client = client
        let entry = Entry(
            session: session, secret: key.secret, digests: SessionDigests(session), seenAt: max(session.seenAt, now))
        let isNew = shard(key.id).entries.withLock { entries in
            guard entries[key.id] == nil else { return false }
            entries[key.id] = entry
            return true
        }
        // An identifier is sixteen random bytes: one that is taken was not made as it should be.
        guard isNew else {
            memory.held.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            throw .unavailable
        }
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
        case .session(let id):
            // Identifiers never come back, so what is gone needs no remembering, and this logout cannot fail.
            let digest = SessionDigests.id(id)
            let sessions = take(shard(digest)) { $0.digests.id == digest }
            ended.note()
            return sessions
        case .serverSession(let issuer, let sid):
            // Remembered first: a login or a refresh that is under way then finds the ending, or is found here.
            try ended.remember(which, now: now)
            let digest = SessionDigests.serverSession(issuer, sid)
            return shards.flatMap { take($0) { $0.digests.serverSession == digest } }
        case .subject(let issuer, let subject, let until):
            try ended.remember(which, now: now)
            let digest = SessionDigests.subject(issuer, subject)
            return shards.flatMap { take($0) { $0.digests.subject == digest && $0.session.createdAt <= until } }
        }
    }

    package func isEnded(_ session: Session, now: Int64) -> Bool {
        let id = SessionDigests.id(session.id)
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
    private func reserve(now: Int64) -> Bool {
        if takePlace() { return true }
        for shard in shards where shard.sweptAt.exchange(now, ordering: .relaxed) != now { sweep(shard, now: now) }
        return takePlace()
    }

    private func takePlace() -> Bool {
        // Counted before it is judged: threads that judged first would pass the limit together.
        guard memory.held.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue < limit else {
            memory.held.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            return false
        }
        return true
    }

    private func sweep(_ shard: Shard, now: Int64) {
        shard.entries.withLock { entries in
            let expired = entries.filter { !limits.permit($0.value.session, seenAt: $0.value.seenAt, now: now) }.keys
            for id in expired { remove(id, from: &entries) }
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
        if entries.removeValue(forKey: id) != nil { memory.held.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[Int(truncatingIfNeeded: digest.prefix & 63)]
    }
}
