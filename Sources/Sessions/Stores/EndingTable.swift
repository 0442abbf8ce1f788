import Crypto
import Synchronization

/// One table of endings, divided so that threads that read it seldom wait for each other; one thread writes at a time.
final class EndingTable: Sendable {
    private final class Shard: Sendable {
        let endings = Mutex<[SHA256Digest: Ending]>([:])
    }

    private struct Ledger {
        var shares = HolderShares()
        var sweptAt = Int64.min
    }

    private let shards = (0..<16).map { _ in Shard() }
    private let ledger = Mutex(Ledger())
    private let held = Atomic<Int>(0)

    var entries: Int { held.load(ordering: .acquiring) }
    var isEmpty: Bool { entries == 0 }

    /// Writes one line down; false when there is no room and nobody to give way.
    ///
    /// `fold` gets the line that is to give way and whose it is, and says whether it is remembered elsewhere by now: only
    /// then it goes, so that there is no moment at which its session is alive.
    func insert(
        _ digest: SHA256Digest, holder: SHA256Digest, _ ending: Ending, now: Int64, limit: Int,
        fold: (SHA256Digest, Ending) -> Bool
    ) -> Bool {
        ledger.withLock { ledger in
            if ledger.shares.contains(digest) {
                put(digest, ending)
                return true
            }
            if ledger.shares.count >= limit, ledger.sweptAt != now { sweep(&ledger, now: now) }
            var leaving: SHA256Digest?
            if ledger.shares.count >= limit {
                guard let (thing, holder) = ledger.shares.yielding(to: holder),
                    let known = shard(thing).endings.withLock({ $0[thing] }), fold(holder, known)
                else { return false }
                leaving = thing
            }
            put(digest, ending)
            ledger.shares.add(digest, holder: holder)
            if let leaving { remove(leaving, &ledger) }
            held.store(ledger.shares.count, ordering: .releasing)
            return true
        }
    }

    func covers(_ digest: SHA256Digest, createdAt: Int64) -> Bool {
        guard !isEmpty else { return false }
        return shard(digest).endings.withLock { endings in
            guard let ending = endings[digest] else { return false }
            return createdAt <= ending.until
        }
    }

    func sweep(now: Int64) {
        ledger.withLock { ledger in sweep(&ledger, now: now) }
    }

    private func sweep(_ ledger: inout Ledger, now: Int64) {
        ledger.sweptAt = now
        for shard in shards {
            let gone = shard.endings.withLock { $0.filter { now >= $0.value.forgottenAt }.keys }
            for digest in gone { remove(digest, &ledger) }
        }
        held.store(ledger.shares.count, ordering: .releasing)
    }

    private func put(_ digest: SHA256Digest, _ ending: Ending) {
        shard(digest).endings.withLock { endings in
            guard let known = endings[digest] else {
                endings[digest] = ending
                return
            }
            endings[digest] = Ending(
                until: max(known.until, ending.until), foldedUntil: max(known.foldedUntil, ending.foldedUntil),
                forgottenAt: max(known.forgottenAt, ending.forgottenAt))
        }
    }

    private func remove(_ digest: SHA256Digest, _ ledger: inout Ledger) {
        shard(digest).endings.withLock { _ = $0.removeValue(forKey: digest) }
        ledger.shares.remove(digest)
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[Int(truncatingIfNeeded: digest.prefix & 15)]
    }
}
