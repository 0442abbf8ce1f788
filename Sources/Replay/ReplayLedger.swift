import Synchronization

/// What all tables together hold: bytes, entries, and entries of each client.
///
/// **Fairness.** A client may take one more entry while it holds fewer than are free. With nobody else about that is
/// half of the set, and a busy client is not slowed down; when many fill it, what each may hold shrinks, and the
/// largest is stopped first. A client that holds nothing is served to the very last free entry.
///
/// Clients are counted by a keyed hash of their key's thumbprint: two that share one of the 16,384 counters share what
/// one client may hold.
final class ReplayLedger: Sendable {
    /// How many entries there may be.
    let capacity: Int
    private let byteLimit: Int
    private let heldBytes: Atomic<Int>
    private let heldEntries = Atomic<Int>(0)
    private let counts = InlineArray<16_384, Atomic<UInt32>> { _ in Atomic(0) }

    /// What the ledger itself takes.
    static let ownBytes = 16_384 * 4 + 128

    init(capacity: Int, byteLimit: Int, heldBytes: Int) {
        self.capacity = capacity
        self.byteLimit = byteLimit
        self.heldBytes = Atomic(heldBytes)
    }

    var bytes: Int { heldBytes.load(ordering: .relaxed) }
    var entries: Int { heldEntries.load(ordering: .relaxed) }

    /// Takes `bytes` unless the limit would be passed.
    func reserve(bytes: Int) -> Bool {
        let before = heldBytes.wrappingAdd(bytes, ordering: .relaxed).oldValue
        if before + bytes <= byteLimit { return true }
        heldBytes.wrappingSubtract(bytes, ordering: .relaxed)
        return false
    }

    func release(bytes: Int) {
        heldBytes.wrappingSubtract(bytes, ordering: .relaxed)
    }

    /// What became of an entry that was to be counted.
    enum Taking {
        case counted
        /// There is no room, for others neither.
        case full
        /// Its holder has a large part of the set, and what is free is for others.
        case fullForHolder
    }

    /// Counts one more entry of `holder`, unless it would hold more than is free.
    ///
    /// Nobody is told that it is their own doing who shares a counter by chance: near the end of a set whose counters all
    /// hold some entries these are a part in thousands, and never one in 64.
    func take(holder: UInt16) -> Taking {
        let index = Int(holder & 16_383)
        // Both are counted before they are judged: threads that judged first would pass the limit together.
        let all = heldEntries.wrappingAdd(1, ordering: .relaxed).oldValue
        let own = counts[index].wrappingAdd(1, ordering: .relaxed).oldValue
        if Int(own) < capacity - all { return .counted }
        giveBack(holder: holder)
        return Int(own) > capacity / 64 ? .fullForHolder : .full
    }

    /// Takes back one entry that `take` counted.
    func giveBack(holder: UInt16) {
        counts[Int(holder & 16_383)].wrappingSubtract(1, ordering: .relaxed)
        heldEntries.wrappingSubtract(1, ordering: .relaxed)
    }
}

/// How a number of bytes is divided into tables.
struct ReplayLayout: Sendable {
    /// The limit that is kept.
    let byteLimit: Int
    /// What is held from the start.
    let fixedBytes: Int
    /// How many tables there are.
    let tables: Int
    /// How many slots a table has at most.
    let slots: Int

    /// How many entries there is room for: three quarters of the slots.
    var capacity: Int { tables * slots / 4 * 3 }

    /// Leaves room for the ledger, and for tables that grow: one that does needs its old and its new memory.
    init(byteLimit: Int, tableBytes: Int) {
        let limit = min(max(byteLimit, ReplayLayout.smallestLimit), ReplayLayout.greatestLimit)
        let forTables = limit - ReplayLedger.ownBytes - max(limit / 64, tableBytes)
        tables = forTables / (tableBytes + ReplayLayout.tableOverhead)
        // Halving comes out even: sizes are this number over powers of two.
        slots = (tableBytes - 48) / MemoryLayout<ReplayEntry>.stride / 128 * 128
        fixedBytes = ReplayLedger.ownBytes + tables * ReplayLayout.tableOverhead
        self.byteLimit = limit
    }

    /// Room for the ledger, one table of the usual size, and its growing.
    static let smallestLimit = 256 << 10
    /// More proofs than anybody could verify in a window.
    static let greatestLimit = 64 << 30
    /// A table's object with its lock, and the reference to it.
    private static let tableOverhead = 128
}
