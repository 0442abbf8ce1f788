public import Crypto
import Synchronization

/// Remembers which proofs were used, so that each is accepted once (RFC 9449 §11.1, DPOP-15).
///
/// One for the whole process: `insert` decides for all threads at once which of two equal proofs came first. It is
/// exact, not probable: a proof is remembered for as long as it could be accepted, and when there is no room for
/// another one, that one is refused — forgetting an older one would let it be used again.
///
///     key ──keyed hash──▶ one of many tables, each behind its own lock ──▶ a slot, then its neighbours
///
/// A table is at most 64 KiB, so that growing one never takes long, and starts as nothing at all. What has expired is
/// cleared away a few slots at a time by every insertion and by `sweep`; a table that has become nearly empty is
/// given back.
///
/// **Clocks.** What is remembered depends on the clock only in when it is dropped. If the clock jumps ahead and back,
/// proofs are dropped that are acceptable again afterwards. Each table therefore keeps the greatest `until` of what it
/// dropped: a proof at or below it may have been there, nobody can tell, and so it is refused as if the table were
/// full. On a clock that only advances this cannot happen, for what was dropped is older than all that the time checks
/// still let through; after a jump it lasts until the clock has passed the greatest `until` dropped, which is one
/// window at most. A clock set back alone drops nothing.
public final class ReplaySet: Sendable {
    private let shards: [ReplayShard]
    private let ledger: ReplayLedger
    private let hashing = KeyedHash()
    private let shardsPerSweep: Int
    private let nextSwept = Atomic<UInt>(0)
    private let firsts = Atomic<UInt64>(0)
    private let refusals = Atomic<UInt64>(0)

    /// What became of a proof that was to be remembered.
    public enum Outcome: Sendable, Equatable {
        /// It was not there, and is now.
        case first
        /// It was there: the proof has been used.
        case replayed
        /// It cannot be remembered or vouched for: the set is full, or the clock jumped.
        case full
        /// It cannot be remembered, because this key has its share of the set; others' may be.
        case fullForHolder
    }

    /// A set that never takes more than `byteLimit` bytes.
    ///
    /// `windowSeconds` is how long a proof stays acceptable at most: it sets the pace of `sweep`. A limit
    /// below 256 KiB is taken as that.
    public convenience init(byteLimit: Int, windowSeconds: Int) {
        self.init(byteLimit: byteLimit, windowSeconds: windowSeconds, tableBytes: 64 << 10)
    }

    init(byteLimit: Int, windowSeconds: Int, tableBytes: Int) {
        let layout = ReplayLayout(byteLimit: byteLimit, tableBytes: tableBytes)
        ledger = ReplayLedger(
            capacity: layout.capacity, byteLimit: layout.byteLimit, heldBytes: layout.fixedBytes)
        shards = (0..<layout.tables).map { _ in ReplayShard(ReplayTable(maximumSlots: layout.slots)) }
        // Four rounds in a window: what has expired stays for a quarter of it at most.
        shardsPerSweep = layout.tables * 4 / max(4, windowSeconds) + 1
    }

    /// Remembers a proof unless it is there already; of equal ones on any threads, exactly one is `.first`.
    ///
    /// `until` is the last second, as seconds since 1970, at which the time checks could accept a proof with this key:
    /// computed from the proof's own time, so that the same proof always comes with the same `until`. `thumbprint` is
    /// that of the client's key: no client gets more memory than it leaves free, so the greediest one leaves half of it
    /// to the others.
    public func insert(_ key: SHA256Digest, thumbprint: SHA256Digest, until: Int64, now: Int64) -> Outcome {
        let (low, high) = key.longPrefix
        let hash = hashing.slot(low, high)
        let entry = ReplayEntry(
            low: low, high: high, until: max(1, UInt32(clamping: until)), home: UInt16(truncatingIfNeeded: hash),
            holder: hashing.holder(thumbprint))
        let shard = shards[Int(((hash &>> 32) &* UInt64(shards.count)) &>> 32)]
        let second = UInt32(clamping: now)
        var outcome = shard.table.withLock { $0.insert(entry, now: second, ledger) }
        if outcome == .full || outcome == .fullForHolder {
            // What looks full may hold proofs that have expired: look here, and at one other table each time.
            let isFreedHere = shard.table.withLock { $0.sweepAll(now: second, ledger) }
            let isFreedElsewhere = nextShard().table.withLock { $0.sweepAll(now: second, ledger) }
            if isFreedHere || isFreedElsewhere {
                outcome = shard.table.withLock { $0.insert(entry, now: second, ledger) }
            }
        }
        switch outcome {
        case .first: firsts.wrappingAdd(1, ordering: .relaxed)
        case .replayed: break
        case .full, .fullForHolder: refusals.wrappingAdd(1, ordering: .relaxed)
        }
        return outcome
    }

    /// Clears a part of what has expired, and gives memory back.
    ///
    /// To be called about once a second: without traffic nothing else would clear the set. A call looks at a
    /// quarter of the window's share of the tables.
    public func sweep(now: Int64) {
        for _ in 0..<shardsPerSweep {
            _ = nextShard().table.withLock { $0.sweepAll(now: UInt32(clamping: now), ledger) }
        }
    }

    /// How many proofs are remembered, expired ones that nobody has cleared away yet included.
    public var entries: Int { ledger.entries }

    /// How many proofs there is room for.
    public var capacity: Int { ledger.capacity }

    /// How many bytes of memory the set holds.
    public var bytes: Int { ledger.bytes }

    /// How many proofs were `.first` since the start.
    public var inserted: UInt64 { firsts.load(ordering: .relaxed) }

    /// How many proofs were refused as `.full` or `.fullForHolder` since the start.
    public var refused: UInt64 { refusals.load(ordering: .relaxed) }

    private func nextShard() -> ReplayShard {
        let turn = nextSwept.wrappingAdd(1, ordering: .relaxed).oldValue
        return shards[Int(turn % UInt(shards.count))]
    }
}

/// One table and its lock.
final class ReplayShard: Sendable {
    let table: Mutex<ReplayTable>

    init(_ table: consuming ReplayTable) {
        self.table = Mutex(table)
    }
}

/// Hashes under keys that nobody outside knows.
///
/// A client chooses its `jti` and can compute the digest of it: with a known hash it would send a million proofs into
/// one slot's neighbourhood. The standard library's hash is keyed per process; ours come on top because that key can be
/// switched off from the environment.
private struct KeyedHash: Sendable {
    private let slotKey = UInt64.random(in: .min ... .max)
    private let holderKey = UInt64.random(in: .min ... .max)

    /// 32 bits that choose the table and 16 that choose the slot.
    func slot(_ low: UInt64, _ high: UInt64) -> UInt64 {
        hash(slotKey, low, high)
    }

    /// The counter of a client.
    func holder(_ thumbprint: SHA256Digest) -> UInt16 {
        let (low, high) = thumbprint.longPrefix
        return UInt16(truncatingIfNeeded: hash(holderKey, low, high))
    }

    private func hash(_ key: UInt64, _ low: UInt64, _ high: UInt64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(low)
        hasher.combine(high)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
