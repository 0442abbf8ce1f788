/// Decides which of many alike failures an operator is told of: the first at once, then how many more there were.
///
/// A server that is down fails every request, and a line for each would bury the one that matters.
struct LookupReports: Sendable {
    private struct Count {
        var toldAt: Int64
        var since = 0
    }

    private let interval: Int64
    private var counts: [Int: Count] = [:]

    /// At most one report per interval and kind, in milliseconds.
    init(interval: Int64) { self.interval = interval }

    /// Something of a kind happened: how often since the last report, or nil when it is not time for one.
    mutating func note(_ kind: Int, at milliseconds: Int64) -> Int? {
        guard var count = counts[kind], milliseconds - count.toldAt < interval else {
            let missed = counts[kind]?.since ?? 0
            counts[kind] = Count(toldAt: milliseconds)
            return missed + 1
        }
        count.since += 1
        counts[kind] = count
        return nil
    }
}
