// SPDX-License-Identifier: Apache-2.0
import Crypto
import Glibc
import OAuth

/// One access token whose signature and form were verified, with the answers to every predicate.
///
/// Holds no token and no secret: a digest, times, answers, and the identity fields made from the claims. Kept in memory
/// of its own and counted by hand, because an exchange may outlive the entry's place in the cache.
struct TokenRecord {
    var digest: SHA256Digest
    var issuer: Int
    /// The issuer's key generation that verified it; another generation means verifying anew.
    var generation: UInt64
    /// Unix seconds, leeway included: from then on the token is refused.
    var usableUntil: Int64
    /// Unix seconds, leeway included: before then the token is refused.
    var usableFrom: Int64
    /// `exp` itself, when tunnels end.
    var expiresAt: Int64
    var answers: UnsafeMutablePointer<UInt64>
    /// Identity field lines already built, one block for each mapping used with this token.
    var identity: UnsafeMutablePointer<IdentityBlock>?
    /// What was verified, for identity mappings met later; retained until the record is freed.
    var token: Unmanaged<VerifiedTokenBox>
    var cost: Int
    var uses: Int
    var wasUsed: Bool
    var isCached: Bool
    fileprivate var previous: UnsafeMutablePointer<TokenRecord>?
    fileprivate var next: UnsafeMutablePointer<TokenRecord>?
}

/// The field lines of one identity mapping for one token, CRLF included.
struct IdentityBlock {
    var mapping: Int
    var lines: UnsafeMutablePointer<UInt8>
    var count: Int
    var next: UnsafeMutablePointer<IdentityBlock>?
}

/// Keeps a verified token's claims alive behind a record's plain memory.
final class VerifiedTokenBox {
    let token: VerifiedAccessToken
    /// The first eight hexadecimal digits of SHA-256(`sub`), for the log (OPS-03).
    let subjectDigest: [UInt8]
    let clientID: [UInt8]
    /// The first eight hexadecimal digits of the token's digest (OPS-01).
    let reference: [UInt8]

    init(_ token: VerifiedAccessToken, subjectDigest: [UInt8], reference: [UInt8]) {
        self.token = token
        self.subjectDigest = subjectDigest
        self.reference = reference
        clientID = Array((token.clientID ?? "").utf8)
    }
}

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
        slots = calloc(size, MemoryLayout<UnsafeMutablePointer<TokenRecord>?>.stride)
            .unsafelyUnwrapped.assumingMemoryBound(to: UnsafeMutablePointer<TokenRecord>?.self)
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
        bytes += cost
        while bytes > byteLimit, entries > 1 { evictOne() }
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

extension TokenRecord {
    /// A record with one use, its maker's, that ends with `release`.
    static func make(
        _ digest: SHA256Digest, _ box: VerifiedTokenBox, issuer: Int, generation: UInt64, leeway: Int64, wordCount: Int
    ) -> UnsafeMutablePointer<TokenRecord> {
        let record = UnsafeMutablePointer<TokenRecord>.allocate(capacity: 1)
        let token = box.token
        record.initialize(
            to: TokenRecord(
                digest: digest, issuer: issuer, generation: generation,
                usableUntil: token.expiresAt.addingReportingOverflow(leeway).partialValue,
                usableFrom: (token.notBefore ?? 0) - leeway, expiresAt: token.expiresAt,
                answers: .allocate(capacity: max(1, wordCount)), identity: nil, token: .passRetained(box),
                cost: 512 + 8 * wordCount + token.footprint, uses: 1, wasUsed: false, isCached: false,
                previous: nil, next: nil))
        return record
    }

    static func release(_ record: UnsafeMutablePointer<TokenRecord>) {
        record.pointee.uses -= 1
        guard record.pointee.uses == 0 else { return }
        var block = record.pointee.identity
        while let one = block {
            block = one.pointee.next
            one.pointee.lines.deallocate()
            one.deallocate()
        }
        record.pointee.answers.deallocate()
        record.pointee.token.release()
        record.deinitialize(count: 1)
        record.deallocate()
    }

    /// The built field lines for a mapping, or nil when they have not been built yet.
    static func identity(
        of record: UnsafeMutablePointer<TokenRecord>, mapping: Int
    ) -> UnsafeMutablePointer<IdentityBlock>? {
        var block = record.pointee.identity
        while let one = block, one.pointee.mapping != mapping { block = one.pointee.next }
        return block
    }
}
