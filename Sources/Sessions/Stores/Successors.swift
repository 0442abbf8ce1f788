import Crypto
import Synchronization

/// The newest state of sessions that were refreshed, for requests that still bring an older one (RF-03).
///
/// A browser sends the cookies it has while the answer with the new one is on its way, and an answer that was begun before
/// the refresh may even put the old one back. With the old refresh token another refresh would look like theft to the
/// server. A state is kept, sealed, for as long as an older one could still be accepted, by the session's identifier,
/// because one state has several sealed values.
///
/// Bounded in number and bytes: where there is no room, whoever holds the most gives up their oldest one, so that no user
/// can drop the others' by refreshing many sessions. Where all hold the same, states that their browser has already shown go
/// first, then those that are nearest their end. A dropped one costs its browser another login at worst.
final class Successors: Sendable {
    struct Successor: Sendable {
        let value: [UInt8]
        let generation: UInt32
        let digests: SessionDigests
        let createdAt: Int64
        let expiresAt: Int64
        /// Whether the browser has sent this state back.
        var isSettled = false
    }

    private struct Table {
        private(set) var entries: [SHA256Digest: Successor] = [:]
        private(set) var bytes = 0
        /// What each user holds.
        private var shares = HolderShares()

        mutating func add(_ successor: Successor) {
            entries[successor.digests.id] = successor
            bytes += successor.value.count
            shares.add(successor.digests.id, holder: successor.digests.subject)
        }

        mutating func remove(_ id: SHA256Digest) -> Successor? {
            guard let removed = entries.removeValue(forKey: id) else { return nil }
            bytes -= removed.value.count
            shares.remove(id)
            return removed
        }

        mutating func settle(_ id: SHA256Digest) { entries[id]?.isSettled = true }

        /// Which one goes for another of `subject`'s; nil when there is none.
        mutating func yielding(to subject: SHA256Digest) -> SHA256Digest? {
            if let (thing, _) = shares.yielding(to: subject) { return thing }
            return entries.min {
                $0.value.isSettled == $1.value.isSettled
                    ? $0.value.expiresAt < $1.value.expiresAt : $0.value.isSettled
            }?.key
        }

        mutating func sweep(now: Int64) {
            for (id, successor) in entries where now >= successor.expiresAt { _ = remove(id) }
        }
    }

    private final class Shard: Sendable {
        let table = Mutex(Table())
    }

    /// What is kept, however often the limits change.
    private final class Memory: Sendable {
        let shards = (0..<16).map { _ in Shard() }
        let held = Atomic<Int>(0)
    }

    private let memory: Memory
    /// Of each shard.
    private let entryLimit: Int
    private let byteLimit: Int

    /// With `other`, keeps what it does, and each of the two what the other is given.
    init(limit: Int, continuing other: Successors? = nil) {
        memory = other?.memory ?? Memory()
        entryLimit = max(1, limit / 16)
        // A kilobyte for each session that there may be, on average: more than half of them never have one.
        byteLimit = max(4 * SetCookie.limit, entryLimit.multipliedReportingOverflow(by: 1024).partialValue)
    }

    /// Keeps a newer state, unless `isOver` says at that moment that its session was ended (RF-08).
    ///
    /// An ending is remembered first and looks here afterwards, so that one of the two sees the other.
    func keep(_ successor: Successor, now: Int64, unless isOver: () -> Bool) -> Bool {
        shard(successor.digests.id).table.withLock { table in
            guard !isOver() else { return false }
            let before = table.entries.count
            defer { count(from: before, to: table.entries.count) }
            _ = table.remove(successor.digests.id)
            makeRoom(for: successor, in: &table, now: now)
            table.add(successor)
            return true
        }
    }

    /// The state that is newer than `generation`; notes that the browser has the newest when it is that.
    func newer(than generation: UInt32, id: [UInt8], now: Int64) -> Successor? {
        guard entries > 0 else { return nil }
        let digest = SessionDigests.id(id)
        return shard(digest).table.withLock { table in
            guard let successor = table.entries[digest], now < successor.expiresAt else { return nil }
            if successor.generation > generation { return successor }
            if !successor.isSettled { table.settle(digest) }
            return nil
        }
    }

    /// Takes out the states of the sessions that end.
    func end(_ which: SessionEnd) -> [Successor] {
        // Always under the locks: a state that is being kept at this moment is not counted yet.
        switch which {
        case .session(let session):
            let digest = session.idDigest
            return take(shard(digest)) { $0.digests.id == digest }
        case .serverSession(let issuer, let sid, _):
            let digest = SessionDigests.serverSession(issuer, sid)
            return shards.flatMap { take($0) { $0.digests.serverSession == digest } }
        case .subject(let issuer, let subject, let until):
            let digest = SessionDigests.subject(issuer, subject)
            return shards.flatMap { take($0) { $0.digests.subject == digest && $0.createdAt <= until } }
        }
    }

    func sweep(now: Int64) {
        for shard in shards {
            shard.table.withLock { table in
                let before = table.entries.count
                table.sweep(now: now)
                count(from: before, to: table.entries.count)
            }
        }
    }

    var entries: Int { memory.held.load(ordering: .acquiring) }
    private var shards: [Shard] { memory.shards }
    var bytes: Int { shards.reduce(0) { $0 + $1.table.withLock { $0.bytes } } }

    private func take(_ shard: Shard, where isMeant: (Successor) -> Bool) -> [Successor] {
        shard.table.withLock { table in
            let before = table.entries.count
            defer { count(from: before, to: table.entries.count) }
            return table.entries.filter { isMeant($0.value) }.keys.compactMap { table.remove($0) }
        }
    }

    private func makeRoom(for successor: Successor, in table: inout Table, now: Int64) {
        func isFull() -> Bool {
            table.entries.count >= entryLimit || table.bytes + successor.value.count > byteLimit
        }
        guard isFull() else { return }
        table.sweep(now: now)
        // A shard is a sixteenth: a walk through it is short, and only an overloaded table takes one.
        while isFull(), let least = table.yielding(to: successor.digests.subject) { _ = table.remove(least) }
    }

    private func count(from before: Int, to after: Int) {
        memory.held.wrappingAdd(after - before, ordering: .acquiringAndReleasing)
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[Int(truncatingIfNeeded: digest.prefix & 15)]
    }
}
