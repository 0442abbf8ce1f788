// SPDX-License-Identifier: Apache-2.0
import Crypto
import Synchronization

/// Remembers which sessions were ended, for as long as one of them could live (LO-10).
///
/// A sealed cookie cannot be taken back: without this a logout would be a request to the browser. It is of this process:
/// replicas and restarts do not know of each other's endings.
///
/// Nothing is forgotten early. When there is no room, a logout fails and says so: forgetting another one would log
/// somebody in again. What users can end as often as they like, their own session, has its own room, and leaves that of
/// the logouts that servers send.
final class Endings: Sendable {
    /// What is remembered, however often the limits change.
    private final class Memory: Sendable {
        let sessions = EndingTable()
        let others = EndingTable()
        let counter = Atomic<UInt64>(0)
    }

    private let memory: Memory
    private let limit: Int
    private let absolute: Int64

    /// With `other`, remembers what it does, and each of the two what the other is told.
    ///
    /// Sessions that began under a longer absolute limit keep their end: what ended one of them is remembered for as long
    /// as it could live by the longest limit that there ever was.
    init(limit: Int, absolute: Int64, continuing other: Endings? = nil) {
        memory = other?.memory ?? Memory()
        self.limit = max(1, limit)
        self.absolute = max(absolute, other?.absolute ?? absolute)
    }

    private var sessions: EndingTable { memory.sessions }
    private var others: EndingTable { memory.others }

    /// Grows with every ending, after the ending can be seen.
    var count: UInt64 { memory.counter.load(ordering: .acquiring) }

    func remember(_ which: SessionEnd, now: Int64) throws(SessionStoreRefusal) {
        // Replicas' clocks may be a minute apart: a session may have begun after "now".
        let forgottenAt = SessionLimits.sum(now, absolute + 60)
        let isRemembered =
            switch which {
            case .session(let id):
                sessions.insert(
                    SessionDigests.id(id), until: .max, forgottenAt: forgottenAt, now: now, limit: limit)
            case .serverSession(let issuer, let sid):
                others.insert(
                    SessionDigests.serverSession(issuer, sid), until: .max, forgottenAt: forgottenAt, now: now,
                    limit: limit)
            case .subject(let issuer, let subject, let until):
                others.insert(
                    SessionDigests.subject(issuer, subject), until: until,
                    forgottenAt: SessionLimits.sum(max(now, until), absolute + 60), now: now, limit: limit)
            }
        guard isRemembered else { throw .full }
        note()
    }

    /// Says that something has ended which needs no remembering.
    func note() {
        memory.counter.wrappingAdd(1, ordering: .releasing)
    }

    /// Whether a session was ended; costs nothing while nothing was.
    func cover(_ session: Session) -> Bool {
        guard !isEmpty else { return false }
        return cover(SessionDigests(session), createdAt: session.createdAt)
    }

    func cover(_ digests: SessionDigests, createdAt: Int64) -> Bool {
        if sessions.covers(digests.id, createdAt: createdAt) { return true }
        if let serverSession = digests.serverSession, others.covers(serverSession, createdAt: createdAt) { return true }
        return others.covers(digests.subject, createdAt: createdAt)
    }

    func sweep(now: Int64) {
        sessions.sweep(now: now)
        others.sweep(now: now)
    }

    var isEmpty: Bool { sessions.isEmpty && others.isEmpty }
    var entries: Int { sessions.entries + others.entries }
}

/// One table of endings, divided so that threads seldom wait for each other.
private final class EndingTable: Sendable {
    private struct Ending {
        /// Sessions that began until then are over.
        var until: Int64
        var forgottenAt: Int64
    }

    private final class Shard: Sendable {
        let endings = Mutex<[SHA256Digest: Ending]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }
    private let held = Atomic<Int>(0)

    var entries: Int { held.load(ordering: .acquiring) }
    var isEmpty: Bool { entries == 0 }

    /// False when there is no room.
    func insert(_ digest: SHA256Digest, until: Int64, forgottenAt: Int64, now: Int64, limit: Int) -> Bool {
        if put(digest, until: until, forgottenAt: forgottenAt, limit: limit) { return true }
        sweep(now: now)
        return put(digest, until: until, forgottenAt: forgottenAt, limit: limit)
    }

    func covers(_ digest: SHA256Digest, createdAt: Int64) -> Bool {
        shard(digest).endings.withLock { endings in
            guard let ending = endings[digest] else { return false }
            return createdAt <= ending.until
        }
    }

    func sweep(now: Int64) {
        for shard in shards {
            shard.endings.withLock { endings in
                let before = endings.count
                guard before > 0 else { return }
                endings = endings.filter { now < $0.value.forgottenAt }
                held.wrappingSubtract(before - endings.count, ordering: .acquiringAndReleasing)
            }
        }
    }

    private func put(_ digest: SHA256Digest, until: Int64, forgottenAt: Int64, limit: Int) -> Bool {
        shard(digest).endings.withLock { endings in
            if let known = endings[digest] {
                endings[digest] = Ending(
                    until: max(known.until, until), forgottenAt: max(known.forgottenAt, forgottenAt))
                return true
            }
            // Counted before it is judged: threads that judged first would pass the limit together.
            guard held.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue < limit else {
                held.wrappingSubtract(1, ordering: .acquiringAndReleasing)
                return false
            }
            endings[digest] = Ending(until: until, forgottenAt: forgottenAt)
            return true
        }
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[Int(truncatingIfNeeded: digest.prefix & 15)]
    }
}
