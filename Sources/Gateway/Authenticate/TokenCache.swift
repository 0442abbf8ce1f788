import Crypto
import Glibc

/// The verified tokens of one worker, found by SHA-256 of the whole token (JOSE-34).
///
/// Exact: the full digest is compared. Bounded in entries and bytes; the entry that gives way is the next one that was
/// not used since the hand passed (CLOCK), so a flood of new tokens does not drive out busy ones. Never authorises by
/// itself: whoever finds a record still checks time, key generation and the route's predicates.
struct TokenCache {
    private let slots: UnsafeMutablePointer<UnsafeMutablePointer<TokenRecord>?>
    private let mask: Int
    private let entryLimit: Int
    private let byteLimit: Int
    private var hand: UnsafeMutablePointer<TokenRecord>?
    /// The record that the next sweep begins with.
    private var sweeper: UnsafeMutablePointer<TokenRecord>?
    private(set) var entries = 0
    private(set) var bytes = 0
    private(set) var evictions: UInt64 = 0

    init(_ settings: TokenCacheSettings) {
        entryLimit = max(1, settings.entries)
        byteLimit = settings.bytes
        var size = 1024
        while size < entryLimit * 2 { size *= 2 }
        mask = size - 1
        // calloc: pages that no token has hashed to stay untouched, so an idle worker pays nothing for the table.
        guard let memory = calloc(size, MemoryLayout<UnsafeMutablePointer<TokenRecord>?>.stride) else {
            preconditionFailure("there is no memory for \(size) tokens")
        }
        slots = memory.assumingMemoryBound(to: UnsafeMutablePointer<TokenRecord>?.self)
    }

    /// The record of the token with this digest, or nil.
    func find(_ digest: borrowing SHA256Digest) -> UnsafeMutablePointer<TokenRecord>? {
        var slot = index(of: digest)
        while let record = slots[slot] {
            if record.pointee.digest == digest { return record }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Takes a record in, letting others go as the bounds demand; replaces one with the same digest.
    mutating func insert(_ record: UnsafeMutablePointer<TokenRecord>) {
        if let old = find(record.pointee.digest) { remove(old) }
        while entries > 0, entries >= entryLimit || bytes + record.pointee.cost > byteLimit { evictOne() }
        var slot = index(of: record.pointee.digest)
        while slots[slot] != nil { slot = (slot + 1) & mask }
        slots[slot] = record
        entries += 1
        bytes += record.pointee.cost
        record.pointee.isCached = true
        if let hand {
            record.pointee.next = hand
            record.pointee.previous = hand.pointee.previous
            hand.pointee.previous?.pointee.next = record
            hand.pointee.previous = record
        } else {
            record.pointee.next = record
            record.pointee.previous = record
            hand = record
        }
    }

    /// Forgets a record; exchanges that use it keep it alive until they end.
    mutating func remove(_ record: UnsafeMutablePointer<TokenRecord>) {
        guard record.pointee.isCached else { return }
        var slot = index(of: record.pointee.digest)
        while slots[slot] != record { slot = (slot + 1) & mask }
        closeGap(at: slot)
        if record.pointee.next == record {
            hand = nil
        } else {
            record.pointee.previous?.pointee.next = record.pointee.next
            record.pointee.next?.pointee.previous = record.pointee.previous
            if hand == record { hand = record.pointee.next }
        }
        if sweeper == record { sweeper = hand == nil ? nil : record.pointee.next }
        record.pointee.isCached = false
        entries -= 1
        bytes -= record.pointee.cost
        TokenRecord.release(record)
    }

    /// Adds what an identity block costs to the bytes held, letting others go as the bound demands.
    ///
    /// The record itself may be among them: the caller uses it.
    mutating func charge(_ record: UnsafeMutablePointer<TokenRecord>, _ cost: Int) {
        record.pointee.cost += cost
        guard record.pointee.isCached else { return }
        assert(find(record.pointee.digest) == record, "the cache that owns a record is charged for it")
        bytes += cost
        while bytes > byteLimit, entries > 1 { evictOne() }
    }

    /// Looks at so many records, where the last sweep ended, and forgets those that nobody may use any more.
    mutating func sweep(_ count: Int, now: Int64) {
        for _ in 0..<min(count, entries) {
            guard let record = sweeper ?? hand else { return }
            sweeper = record.pointee.next
            if record.pointee.usableUntil <= now { remove(record) }
        }
    }

    /// Frees everything; no exchange may be in progress.
    mutating func destroy() {
        while let record = hand { remove(record) }
        free(slots)
    }

    private mutating func evictOne() {
        guard var candidate = hand else { return }
        while candidate.pointee.wasUsed {
            candidate.pointee.wasUsed = false
            guard let next = candidate.pointee.next else { break }
            candidate = next
        }
        hand = candidate.pointee.next
        evictions += 1
        remove(candidate)
    }

    /// Moves later entries of the probe sequence up, so that no search ends too early.
    private mutating func closeGap(at emptied: Int) {
        var gap = emptied
        var slot = (emptied + 1) & mask
        while let record = slots[slot] {
            let home = index(of: record.pointee.digest)
            if (slot - home) & mask >= (slot - gap) & mask {
                slots[gap] = record
                gap = slot
            }
            slot = (slot + 1) & mask
        }
        slots[gap] = nil
    }

    // A digest's own bits are as good as any hash of them; only tokens with a valid signature get in.
    private func index(of digest: borrowing SHA256Digest) -> Int {
        Int(truncatingIfNeeded: digest.prefix) & mask
    }
}
