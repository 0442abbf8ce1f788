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
    private let sessions: EndingTable
    private let others: EndingTable
    private let counter = Atomic<UInt64>(0)
    private let absolute: Int64

    init(limit: Int, absolute: Int64) {
        sessions = EndingTable(limit: limit)
        others = EndingTable(limit: limit)
        self.absolute = absolute
    }

    /// Grows with every ending, after the ending can be seen.
    var count: UInt64 { counter.load(ordering: .acquiring) }

    func remember(_ which: SessionEnd, now: Int64) throws(SessionStoreRefusal) {
        // Replicas' clocks may be a minute apart: a session may have begun after "now".
        let forgottenAt = SessionLimits.sum(now, absolute + 60)
        let isRemembered =
            switch which {
            case .session(let id):
                sessions.insert(SessionDigests.id(id), until: .max, forgottenAt: forgottenAt, now: now)
            case .serverSession(let issuer, let sid):
                others.insert(
                    SessionDigests.serverSession(issuer, sid), until: .max, forgottenAt: forgottenAt, now: now)
            case .subject(let issuer, let subject, let until):
                others.insert(
                    SessionDigests.subject(issuer, subject), until: until,
                    forgottenAt: SessionLimits.sum(max(now, until), absolute + 60), now: now)
            }
        guard isRemembered else { throw .full }
        note()
    }

    /// Says that something has ended which needs no remembering.
    func note() {
        counter.wrappingAdd(1, ordering: .releasing)
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
    private let limit: Int

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var entries: Int { held.load(ordering: .acquiring) }
    var isEmpty: Bool { entries == 0 }

    /// False when there is no room.
    func insert(_ digest: SHA256Digest, until: Int64, forgottenAt: Int64, now: Int64) -> Bool {
        if put(digest, until: until, forgottenAt: forgottenAt) { return true }
        sweep(now: now)
        return put(digest, until: until, forgottenAt: forgottenAt)
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

    private func put(_ digest: SHA256Digest, until: Int64, forgottenAt: Int64) -> Bool {
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
