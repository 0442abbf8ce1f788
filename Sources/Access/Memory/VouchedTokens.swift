package import Crypto

/// Tokens that an authorization server called active within the hour, so that a neighbour's bad ones do not stand before
/// them (INT-07).
///
/// Lets nobody in: it only says that a question about such a token is asked whatever the budget of its address has left.
/// A good client asks again and again as its answers grow old, and shares its address with whoever sits in the same
/// office. Bounded by its form: a digest has one place, and the newest that wants it has it.
package struct VouchedTokens {
    private struct Entry {
        var digest: SHA256Digest
        /// Unix seconds.
        var until: Int64
    }

    /// How long a token is remembered after it was last called active, in seconds.
    static let memorySeconds: Int64 = 3600

    /// Empty until the first token is vouched for: a worker that asks nobody pays nothing for places.
    private var entries: [Entry?] = []
    private let places: Int

    /// Room for so many tokens, a power of two.
    package init(places: Int = 4096) {
        self.places = places
    }

    /// Whether the token with this digest was called active, and not called anything else since.
    package func contains(_ digest: SHA256Digest, now: Int64) -> Bool {
        guard !entries.isEmpty, let entry = entries[place(of: digest)] else { return false }
        return entry.until > now && entry.digest == digest
    }

    /// The server has called the token active.
    package mutating func insert(_ digest: SHA256Digest, now: Int64) {
        if entries.isEmpty { entries = Array(repeating: nil, count: places) }
        entries[place(of: digest)] = Entry(digest: digest, until: now + Self.memorySeconds)
    }

    /// The server calls the token active no more.
    package mutating func remove(_ digest: SHA256Digest) {
        guard !entries.isEmpty else { return }
        let place = place(of: digest)
        if entries[place]?.digest == digest { entries[place] = nil }
    }

    private func place(of digest: SHA256Digest) -> Int { Int(truncatingIfNeeded: digest.prefix) & (places - 1) }
}
