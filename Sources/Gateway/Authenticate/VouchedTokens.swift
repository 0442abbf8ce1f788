import Crypto
import Glibc

/// Tokens that an authorization server called active within the hour, so that a neighbour's bad ones do not stand before
/// them (INT-07).
///
/// Lets nobody in: it only says that a question about such a token is asked whatever the budget of its address has left.
/// A good client asks again and again as its answers grow old, and shares its address with whoever sits in the same
/// office. Bounded by its form: a digest has one place, and the newest that wants it has it.
struct VouchedTokens {
    private struct Entry {
        var digest: SHA256Digest
        /// Unix seconds; 0 in a place that was never used.
        var until: Int64
    }

    /// How long a token is remembered after it was last called active, in seconds.
    static let memorySeconds: Int64 = 3600

    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int

    /// Places for so many tokens, a power of two.
    init(places: Int = 4096) {
        mask = places - 1
        // calloc: an idle worker pays nothing for places that nobody has used.
        entries = calloc(places, MemoryLayout<Entry>.stride).unsafelyUnwrapped.assumingMemoryBound(to: Entry.self)
    }

    /// Whether the token with this digest was called active, and not called anything else since.
    func contains(_ digest: SHA256Digest, now: Int64) -> Bool {
        let entry = entries + Int(truncatingIfNeeded: digest.prefix) & mask
        return entry.pointee.until > now && entry.pointee.digest == digest
    }

    /// The server has called the token active.
    func insert(_ digest: SHA256Digest, now: Int64) {
        entries[Int(truncatingIfNeeded: digest.prefix) & mask] = Entry(
            digest: digest, until: now + Self.memorySeconds)
    }

    /// The server calls the token active no more.
    func remove(_ digest: SHA256Digest) {
        let entry = entries + Int(truncatingIfNeeded: digest.prefix) & mask
        if entry.pointee.digest == digest { entry.pointee.until = 0 }
    }

    func destroy() { free(entries) }
}
