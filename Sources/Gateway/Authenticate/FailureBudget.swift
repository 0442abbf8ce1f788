// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How many bad tokens one address may make this worker ask about (INT-07).
///
/// Whoever tries tokens at random would make an issuer answer as often as they like. Each token that an issuer calls bad
/// takes from the budget of the address that sent it; one that is good, or that nobody could judge, takes nothing, so
/// that an honest client pays nothing however busy it is, and no more does a balancer with thousands behind it. How
/// many questions are under way at a time is bounded by the desk. An IPv6 address shares the budget of its /64, of
/// which one subscriber has all.
///
/// A table of fixed size instead of a list of addresses: nothing is allocated, and nobody can fill it up. An address
/// has two places, chosen by a secret, and is refused only when both are spent: to exhaust somebody else's budget
/// takes an address that shares both, and which one does cannot be known.
struct FailureBudget {
    /// Until when each place is spent, in microseconds of the monotonic clock: a token bucket in one number.
    private let spentUntil: UnsafeMutablePointer<UInt64>
    private let interval: UInt64
    private let allowance: UInt64
    private let keys: (UInt64, UInt64)

    private static let rowCount = 2048

    /// So many questions a second in the long run, and so many at once; without a rate every question is permitted.
    init(
        perSecond: Int = 50, burst: Int = 100,
        keys: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max))
    ) {
        interval = perSecond > 0 ? max(1, 1_000_000 / UInt64(perSecond)) : 0
        allowance = UInt64(min(max(burst, 1), 1_000_000) - 1) * interval
        self.keys = keys
        // calloc: pages that no failing address has hashed to stay untouched.
        spentUntil = calloc(2 * Self.rowCount, MemoryLayout<UInt64>.stride)
            .unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self)
    }

    func destroy() { free(spentUntil) }

    /// Whether `address` may ask about another token.
    func isLeft(to address: PeerAddress, at microseconds: UInt64) -> Bool {
        let places = places(of: address)
        let spent = min(spentUntil[places.0], spentUntil[places.1])
        return max(spent, microseconds) - microseconds <= allowance
    }

    /// A token that `address` asked about proved bad.
    func charge(_ address: PeerAddress, at microseconds: UInt64) {
        let places = places(of: address)
        charge(places.0, at: microseconds)
        charge(places.1, at: microseconds)
    }

    /// A place that is spent already may be somebody else's: it does not get worse by ours.
    private func charge(_ place: Int, at microseconds: UInt64) {
        let from = max(spentUntil[place], microseconds)
        if from - microseconds <= allowance { spentUntil[place] = from + interval }
    }

    private func places(of address: PeerAddress) -> (Int, Int) {
        let words = address.networkWords
        let product = (words.0 ^ keys.0).multipliedFullWidth(by: (words.1 ^ keys.1) | 1)
        let mixed = (product.high ^ product.low ^ keys.0).multipliedFullWidth(by: keys.1 | 1)
        let hash = mixed.high ^ mixed.low
        let mask = UInt64(Self.rowCount - 1)
        return (Int(hash & mask), Self.rowCount + Int(hash >> 32 & mask))
    }
}
