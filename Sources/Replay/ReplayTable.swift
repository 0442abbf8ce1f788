/// One remembered proof, in 24 bytes.
///
/// 128 bits of the key tell proofs apart: to make two keys equal in them a client needs 2⁶⁴ digests, and gains that the
/// second of its own proofs is refused.
struct ReplayEntry: Sendable {
    var low: UInt64
    var high: UInt64
    /// The last second at which the proof could be accepted; 0 in a free slot.
    var until: UInt32
    /// Where the search for it begins, in 65,536ths of the table.
    var home: UInt16
    /// Whose it is: an index into the counters of `ReplayLedger`.
    var holder: UInt16

    static var free: ReplayEntry { ReplayEntry(low: 0, high: 0, until: 0, home: 0, holder: 0) }
    var isFree: Bool { until == 0 }

    /// Whether no thread's clock could let the proof pass any more.
    ///
    /// Threads read their clocks up to a second apart: one must not drop what another still accepts.
    func isExpired(at now: UInt32) -> Bool {
        !isFree && now > 2 && until < now &- 2
    }
}

/// One part of the set: open addressing with linear probing, and no marks of what was deleted.
///
/// An entry stands at its home or behind it with no free slot between. Deletion moves what follows up, so that this
/// stays true and a search never walks over the dead.
struct ReplayTable: ~Copyable, Sendable {
    /// How many slots are looked at for expired entries, once in so many insertions: four slots for each.
    ///
    /// Neighbours come from memory together, so that a few at a time cost more than many seldom.
    private static let sweptAtOnce = 32
    private static let insertionsPerSweep: UInt8 = 8

    private var slots: [ReplayEntry] = []
    private(set) var count = 0
    /// The greatest `until` of what was dropped: at or below it, "not found" does not mean "never seen".
    private var forgotten: UInt32 = 0
    private var cursor = 0
    private var turns: UInt8 = 0
    private var sweptAt: UInt32 = 0

    private let smallestSlots: Int
    private let maximumSlots: Int

    init(maximumSlots: Int) {
        self.maximumSlots = maximumSlots
        var smallest = maximumSlots
        while smallest.isMultiple(of: 2), smallest >= 32 { smallest /= 2 }
        smallestSlots = smallest
    }

    /// Remembers `entry` unless it is there.
    mutating func insert(_ entry: ReplayEntry, now: UInt32, _ ledger: ReplayLedger) -> ReplaySet.Outcome {
        turns &+= 1
        if turns.isMultiple(of: ReplayTable.insertionsPerSweep) { sweepSome(now: now, ledger) }
        var free = freeSlot(for: entry)
        if let free, free == ReplayTable.isPresent { return .replayed }
        guard entry.until > forgotten else { return .full }
        if free == nil || count >= slots.count / 4 * 3 {
            guard makeRoom(now: now, ledger) else { return .full }
            // Making room may drop what expired, and so move what is forgotten.
            guard entry.until > forgotten else { return .full }
            free = freeSlot(for: entry)
        }
        guard let free else { return .full }
        switch ledger.take(holder: entry.holder) {
        case .counted: break
        case .full: return .full
        case .fullForHolder: return .fullForHolder
        }
        slots[free] = entry
        count += 1
        return .first
    }

    /// Drops everything that has expired, and gives memory back; at most once in two seconds.
    ///
    /// True when something was dropped.
    mutating func sweepAll(now: UInt32, _ ledger: ReplayLedger) -> Bool {
        // Threads whose clocks stand on either side of a second must not have each other sweep again and again.
        guard count > 0, now < sweptAt || now > sweptAt &+ 1 else { return false }
        sweptAt = now
        let before = count
        var index = 0
        while index < slots.count {
            // Dropping moves a later entry here, which is looked at in its turn.
            if slots[index].isExpired(at: now) { drop(index, ledger) } else { index += 1 }
        }
        shrinkIfSparse(now: now, ledger)
        return count < before
    }

    /// Looks at the next few slots.
    private mutating func sweepSome(now: UInt32, _ ledger: ReplayLedger) {
        guard count > 0 else { return }
        for _ in 0..<ReplayTable.sweptAtOnce {
            if slots[cursor].isExpired(at: now) {
                drop(cursor, ledger)
            } else {
                cursor += 1
                guard cursor == slots.count else { continue }
                cursor = 0
                shrinkIfSparse(now: now, ledger)
                return
            }
        }
    }

    private static let isPresent = -1

    /// The free slot where `entry` belongs, `isPresent`, or nil when the table has no memory yet.
    private func freeSlot(for entry: ReplayEntry) -> Int? {
        guard !slots.isEmpty else { return nil }
        var index = ReplayTable.home(entry.home, slots.count)
        while !slots[index].isFree {
            if slots[index].low == entry.low, slots[index].high == entry.high { return ReplayTable.isPresent }
            index = ReplayTable.next(index, slots.count)
        }
        return index
    }

    private static func home(_ hash: UInt16, _ slots: Int) -> Int {
        (Int(hash) &* slots) &>> 16
    }

    private static func next(_ index: Int, _ slots: Int) -> Int {
        index &+ 1 == slots ? 0 : index &+ 1
    }

    /// Frees a slot and moves those behind it up that may stand in it.
    private mutating func drop(_ index: Int, _ ledger: ReplayLedger) {
        forget(slots[index], ledger)
        let size = slots.count
        var hole = index
        var index = ReplayTable.next(index, size)
        while !slots[index].isFree {
            let home = ReplayTable.home(slots[index].home, size)
            let fromHome = index >= home ? index &- home : index &- home &+ size
            let fromHole = index >= hole ? index &- hole : index &- hole &+ size
            if fromHome >= fromHole {
                slots[hole] = slots[index]
                hole = index
            }
            index = ReplayTable.next(index, size)
        }
        slots[hole] = .free
    }

    private mutating func forget(_ entry: ReplayEntry, _ ledger: ReplayLedger) {
        forgotten = max(forgotten, entry.until)
        ledger.giveBack(holder: entry.holder)
        count -= 1
    }

    /// Whether one more entry fits, after growing if need be.
    ///
    /// A table is grown at three quarters. The largest is filled to seven eighths, which chance alone does not reach
    /// while the whole set is held at three quarters.
    private mutating func makeRoom(now: UInt32, _ ledger: ReplayLedger) -> Bool {
        if count > 0 { _ = sweepAll(now: now, ledger) }
        if count <= slots.count / 2, count > 0 { return true }
        if slots.count < maximumSlots, rebuild(max(smallestSlots, slots.count * 2), now: now, ledger) { return true }
        return count < slots.count / 8 * 7
    }

    private mutating func shrinkIfSparse(now: UInt32, _ ledger: ReplayLedger) {
        if count == 0 {
            ledger.release(bytes: ReplayTable.bytes(slots.count))
            slots = []
            cursor = 0
        } else if slots.count > smallestSlots, count < slots.count / 8 {
            var size = slots.count
            while size > smallestSlots, count < size / 4 { size /= 2 }
            _ = rebuild(size, now: now, ledger)
        }
    }

    /// Moves what has not expired into a table of another size; false when there is no memory for it.
    private mutating func rebuild(_ size: Int, now: UInt32, _ ledger: ReplayLedger) -> Bool {
        guard ledger.reserve(bytes: ReplayTable.bytes(size)) else { return false }
        var fresh = [ReplayEntry](repeating: .free, count: size)
        for index in slots.indices where !slots[index].isFree {
            let entry = slots[index]
            if entry.isExpired(at: now) {
                forget(entry, ledger)
                continue
            }
            var place = ReplayTable.home(entry.home, size)
            while !fresh[place].isFree { place = ReplayTable.next(place, size) }
            fresh[place] = entry
        }
        ledger.release(bytes: ReplayTable.bytes(slots.count))
        slots = fresh
        cursor = 0
        return true
    }

    /// What an array of so many slots takes: its header and the allocator's word included.
    static func bytes(_ slots: Int) -> Int {
        slots == 0 ? 0 : slots * MemoryLayout<ReplayEntry>.stride + 48
    }
}
