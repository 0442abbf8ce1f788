import Access
import Crypto
import Glibc

/// Tokens that an authorization server called bad a moment ago, so that a client that repeats itself costs no lookup.
///
/// Bounded by its form: a digest has one place, and the newest that wants it has it. Forgotten after seconds, because a
/// token may become good (INT-06); that a server could not be asked is never in here.
struct RefusedTokens {
    private struct Entry {
        var digest: SHA256Digest
        /// Unix seconds; 0 in a place that was never used.
        var until: Int64
        var refusal: Refusal
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int

    /// Places for so many tokens, a power of two.
    init(places: Int = 4096) {
        mask = places - 1
        // calloc: an idle worker pays nothing for places that nobody has used.
        entries = calloc(places, MemoryLayout<Entry>.stride).unsafelyUnwrapped.assumingMemoryBound(to: Entry.self)
    }

    /// Why the token with this digest was refused, unless that is too long ago.
    func find(_ digest: SHA256Digest, now: Int64) -> Refusal? {
        let entry = entries + Int(truncatingIfNeeded: digest.prefix) & mask
        guard entry.pointee.until > now, entry.pointee.digest == digest else { return nil }
        return entry.pointee.refusal
    }

    /// Remembers a refusal until a Unix second.
    func insert(_ digest: SHA256Digest, _ refusal: Refusal, until: Int64) {
        entries[Int(truncatingIfNeeded: digest.prefix) & mask] = Entry(
            digest: digest, until: until, refusal: refusal)
    }

    func destroy() { free(entries) }
}
