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
    /// Until when each place is spent, in milliseconds of the monotonic clock: a token bucket in one number.
    private let spentUntil: Mutex<[Int64]>
    private let interval: Int64
    private let allowance: Int64
    private let key = UInt64.random(in: .min ... .max)

    private static let rowCount = 1024

    /// So many failures a second in the long run, and so many at once.
    init(perSecond: Int, burst: Int) {
        interval = max(1, 1000 / Int64(max(perSecond, 1)))
        allowance = Int64(max(burst, 1) - 1) * interval
        spentUntil = Mutex(Array(repeating: .min, count: 2 * Self.rowCount))
    }

    /// Whether anything is left to the address.
    func isLeft(to address: String, at milliseconds: Int64) -> Bool {
        let (one, other) = places(of: address)
        return spentUntil.withLock { spent in
            max(min(spent[one], spent[other]), milliseconds) - milliseconds <= allowance
        }
    }

    /// Something that the address asked for failed.
    func charge(_ address: String, at milliseconds: Int64) {
        let (one, other) = places(of: address)
        spentUntil.withLock { spent in
            for place in [one, other] {
                let from = max(spent[place], milliseconds)
                // A place that is spent already may be somebody else's: it does not get worse by ours.
                if from - milliseconds <= allowance { spent[place] = from + interval }
            }
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
