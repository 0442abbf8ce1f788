package import Crypto

/// Tokens that an authorization server called bad a moment ago, so that a client that repeats itself costs no lookup.
///
/// Bounded by its form: a digest has one place, and the newest that wants it has it. Forgotten after seconds, because a
/// token may become good (INT-06); that a server could not be asked is never in here.
package struct RefusedTokens {
    private struct Entry {
        var digest: SHA256Digest
        /// Unix seconds.
        var until: Int64
        var refusal: Refusal
    }

    /// Empty until the first token is refused: a worker that asks nobody pays nothing for places.
    private var entries: [Entry?] = []
    private let places: Int

    /// Room for so many tokens, a power of two.
    package init(places: Int = 4096) {
        self.places = places
    }

    /// Why the token with this digest was refused, unless that is too long ago.
    package func find(_ digest: SHA256Digest, now: Int64) -> Refusal? {
        guard !entries.isEmpty, let entry = entries[place(of: digest)], entry.until > now, entry.digest == digest
        else { return nil }
        return entry.refusal
    }

    /// Remembers a refusal until a Unix second.
    package mutating func insert(_ digest: SHA256Digest, _ refusal: Refusal, until: Int64) {
        if entries.isEmpty { entries = Array(repeating: nil, count: places) }
        entries[place(of: digest)] = Entry(digest: digest, until: until, refusal: refusal)
    }

    private func place(of digest: SHA256Digest) -> Int { Int(truncatingIfNeeded: digest.prefix) & (places - 1) }
}
