/// The issuers' numbers: written by the thread that keeps their keys, read by whoever answers a scrape.
package final class IssuerMetrics: Sendable {
    /// How a fetch of metadata or keys ended.
    package enum Refresh: String, Sendable, CaseIterable {
        /// New content.
        case changed
        /// The content known already.
        case unchanged
        /// No answer, or one that was refused.
        case failed
        /// Not tried, because the last try was too short ago.
        case limited
    }

    private static let ready = 0
    private static let fetchedAt = 1
    private static let firstRefresh = 2
    private static let cells = firstRefresh + Refresh.allCases.count

    private let names: [String]
    /// One of its own for each name, which outlives any one set of names.
    private let banks: [CounterBank]

    /// Numbers for these names; those of a name that `others` have are the same numbers.
    init(names: [String], continuing others: IssuerMetrics? = nil) {
        banks = names.map { name in others?.bank(of: name) ?? CounterBank(count: Self.cells) }
        self.names = names
    }

    private func bank(of name: String) -> CounterBank? {
        names.firstIndex(of: name).map { banks[$0] }
    }

    /// Says whether the issuer's keys can be used.
    package func setReady(issuer: Int, _ isReady: Bool) {
        banks[issuer].store(isReady ? 1 : 0, at: Self.ready)
    }

    /// Notes when the issuer's keys were fetched last, in seconds since 1970.
    package func setKeysFetched(issuer: Int, at seconds: Int64) {
        banks[issuer].store(UInt64(clamping: seconds), at: Self.fetchedAt)
    }

    /// Counts a refresh by its result.
    package func countRefresh(issuer: Int, _ result: Refresh) {
        banks[issuer].add(1, at: Self.firstRefresh + Self.index(of: result))
    }

    func isReady(issuer: Int) -> Bool {
        banks[issuer].load(Self.ready) == 1
    }

    /// Nil when keys were never fetched.
    func keysAge(issuer: Int, now: Timestamp) -> Int64? {
        let fetchedAt = banks[issuer].load(Self.fetchedAt)
        return fetchedAt == 0 ? nil : max(now.seconds - Int64(clamping: fetchedAt), 0)
    }

    func refreshes(issuer: Int, _ result: Refresh) -> UInt64 {
        banks[issuer].load(Self.firstRefresh + Self.index(of: result))
    }

    private static func index(of result: Refresh) -> Int {
        switch result {
        case .changed: 0
        case .unchanged: 1
        case .failed: 2
        case .limited: 3
        }
    }
}
