package import Crypto

/// The verified tokens of one worker, found by SHA-256 of the whole token (JOSE-34).
///
/// Exact: the full digest is compared. Bounded in entries and bytes; the entry that gives way is the next one that was
/// not used since the hand passed (CLOCK), so a flood of new tokens does not drive out busy ones. Never authorises by
/// itself: whoever finds a record still checks time, key generation and the route's predicates.
package struct TokenCache {
    /// Open addressing with linear probing: a record stands at its home or behind it, with no empty place between.
    private let slots: RecordSlots
    private let entryLimit: Int
    private let byteLimit: Int
    private var hand: TokenRecord?
    /// The record that the next sweep begins with.
    private var sweeper: TokenRecord?
    /// How many records it holds.
    package private(set) var entries = 0
    /// What they cost, with all that is kept with them.
    package private(set) var bytes = 0
    /// How many gave way to others.
    package private(set) var evictions: UInt64 = 0

    /// A cache of at most so many records and bytes, but never of less than one record.
    package init(entries: Int, bytes: Int) {
        entryLimit = max(1, entries)
        byteLimit = bytes
        slots = RecordSlots(atLeast: max(1024, entryLimit * 2))
    }

    /// The record of the token with this digest, or nil.
    package func find(_ digest: borrowing SHA256Digest) -> TokenRecord? {
        var place = home(of: digest)
        while let record = slots[place] {
            if record.digest == digest { return record }
            place += 1
        }
        return nil
    }

    /// Takes over a use of a record, letting others go as the bounds demand; replaces one with the same digest.
    package mutating func insert(_ record: TokenRecord) {
        if let old = find(record.digest) { remove(old) }
        while entries > 0, entries >= entryLimit || bytes + record.cost > byteLimit { evictOne() }
        var place = home(of: record.digest)
        while slots[place] != nil { place += 1 }
        slots[place] = record
        entries += 1
        bytes += record.cost
        record.isCached = true
        if let hand {
            record.next = hand
            record.previous = hand.previous
            hand.previous?.next = record
            hand.previous = record
        } else {
            record.next = record
            record.previous = record
            hand = record
        }
    }

    /// Forgets a record; exchanges that use it keep it alive until they end.
    package mutating func remove(_ record: TokenRecord) {
        guard record.isCached else { return }
        var place = home(of: record.digest)
        while slots[place] != record { place += 1 }
        closeGap(at: place)
        if record.next == record {
            hand = nil
        } else {
            record.previous?.next = record.next
            record.next?.previous = record.previous
            if hand == record { hand = record.next }
        }
        if sweeper == record { sweeper = hand == nil ? nil : record.next }
        record.isCached = false
        entries -= 1
        bytes -= record.cost
        record.release()
    }

    /// Adds what is kept with a record to the bytes held, letting others go as the bound demands.
    ///
    /// The record itself may be among them: the caller uses it.
    package mutating func charge(_ record: TokenRecord, _ cost: Int) {
        record.cost += cost
        guard record.isCached else { return }
        assert(find(record.digest) == record, "the cache that owns a record is charged for it")
        bytes += cost
        while bytes > byteLimit, entries > 1 { evictOne() }
    }

    /// Looks at so many records, where the last sweep ended, and forgets those that nobody may use any more.
    package mutating func sweep(_ count: Int, now: Int64) {
        for _ in 0..<min(count, entries) {
            guard let record = sweeper ?? hand else { return }
            sweeper = record.next
            if record.keptUntil <= now { remove(record) }
        }
    }

    /// Forgets everything, and frees the table: the cache is not used again.
    package mutating func destroy() {
        while let record = hand { remove(record) }
        slots.destroy()
    }

    private mutating func evictOne() {
        guard var candidate = hand else { return }
        while candidate.wasUsed {
            candidate.wasUsed = false
            guard let next = candidate.next else { break }
            candidate = next
        }
        hand = candidate.next
        evictions += 1
        remove(candidate)
    }

    /// Moves later entries of the probe sequence up, so that no search ends too early.
    private func closeGap(at emptied: Int) {
        let mask = slots.count - 1
        var gap = emptied
        var place = emptied + 1
        while let record = slots[place] {
            if (place - home(of: record.digest)) & mask >= (place - gap) & mask {
                slots[gap] = record
                gap = place
            }
            place += 1
        }
        slots[gap] = nil
    }

    // A digest's own bits are as good as any hash of them; only tokens with a valid signature get in.
    private func home(of digest: borrowing SHA256Digest) -> Int {
        Int(truncatingIfNeeded: digest.prefix) & (slots.count - 1)
    }
}
