import Rates
import Synchronization

/// How much that came to nothing one address may ask for (LO-12, JAR-23).
///
/// Only what failed is charged: a server that ends a thousand sessions, or fetches a thousand objects, pays nothing. What
/// is good must never be refused for what a neighbour behind the same address has sent: whoever has a budget looks first,
/// or bounds no more than the cost of looking. An IPv6 address shares the budget of its /64, of which one
/// subscriber has all.
///
/// A table of fixed size instead of a list of addresses: nobody can fill it up. An address has two places, chosen by a
/// secret, and is refused only when both are spent.
final class AddressBudget: Sendable {
    /// By milliseconds of the monotonic clock.
    private let buckets: Mutex<[TokenBucket]>
    private let rate: TokenRate
    private let key = UInt64.random(in: .min ... .max)

    private static let rowCount = 1024

    /// So many failures a second in the long run, and so many at once.
    init(perSecond: Int, burst: Int) {
        rate = TokenRate(perSecond: perSecond, burst: burst, ticksPerSecond: 1000)
        buckets = Mutex(Array(repeating: TokenBucket(), count: 2 * Self.rowCount))
    }

    /// Whether anything is left to the address.
    func isLeft(to address: String, at milliseconds: Int64) -> Bool {
        let (one, other) = places(of: address)
        let now = UInt64(max(milliseconds, 0))
        return buckets.withLock { buckets in
            min(buckets[one].spent(at: now, rate), buckets[other].spent(at: now, rate)) <= rate.allowance
        }
    }

    /// Something that the address asked for failed.
    func charge(_ address: String, at milliseconds: Int64) {
        let (one, other) = places(of: address)
        let now = UInt64(max(milliseconds, 0))
        buckets.withLock { buckets in
            // A place that is spent already may be somebody else's: it does not get worse by ours.
            buckets[one].take(at: now, rate)
            buckets[other].take(at: now, rate)
        }
    }

    private func places(of address: String) -> (Int, Int) {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(Self.network(of: address))
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        let mask = UInt64(Self.rowCount - 1)
        return (Int(hash & mask), Self.rowCount + Int((hash >> 32) & mask))
    }

    /// The address itself, or the first 64 bits of an IPv6 one in one spelling.
    static func network(of address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        let text = address.prefix { $0 != "%" && $0 != "]" }.drop { $0 == "[" }
        // What stands for the zeros left out is behind the groups before it: only those count.
        var groups: [Substring] = []
        for group in text.split(separator: ":", omittingEmptySubsequences: false) {
            if group.isEmpty && !groups.isEmpty { break }
            if group.isEmpty { return "::" }
            groups.append(group)
        }
        let first = groups.prefix(4).map { group in
            let digits = group.drop { $0 == "0" }.lowercased()
            return digits.isEmpty ? "0" : digits
        }
        return first.joined(separator: ":") + String(repeating: ":0", count: 4 - first.count)
    }
}
