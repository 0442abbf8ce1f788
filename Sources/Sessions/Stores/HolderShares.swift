package import Crypto

/// Who holds how much of something that is bounded, so that whoever holds the most gives way first.
///
/// While there is room everybody takes as much as they like. Without room, one thing of whoever holds the most goes, the
/// oldest; whoever holds the most and wants one more gives up an older one of their own. A single user, or a hundred of
/// them, can therefore never keep out somebody who holds nothing, and nobody loses their only one to another.
///
///     10 places:  alice 9, bob 1  ── carol wants one ──▶  alice 8, bob 1, carol 1
///                 alice 8, bob 1, carol 1  ── alice wants one ──▶  her oldest goes
///
/// Each call takes the same time, however many there are: holders are sorted by how much they hold, and what was given
/// back by itself stays in its holder's row until it would be looked at. Each taking has a number, so that a thing which was
/// given back and is taken again is not held by its old place in the row.
package struct HolderShares: Sendable {
    private struct Taking: Sendable {
        let thing: SHA256Digest
        let number: UInt64
    }

    private struct Owner: Sendable {
        let holder: SHA256Digest
        let number: UInt64
    }

    private struct Holder: Sendable {
        /// In the order in which they were taken; some are gone.
        var row: [Taking] = []
        var first = 0
        var count = 0
    }

    private var owners: [SHA256Digest: Owner] = [:]
    private var lastNumber: UInt64 = 0
    private var holders: [SHA256Digest: Holder] = [:]
    private var holdersByCount: [Int: Set<SHA256Digest>] = [:]
    private var largest = 0

    package init() {}

    /// How many things are held.
    package var count: Int { owners.count }

    package func contains(_ thing: SHA256Digest) -> Bool { owners[thing] != nil }

    /// Places in the longest row, those of what is gone included.
    var longestRow: Int { holders.values.map(\.row.count).max() ?? 0 }

    /// What would have to go for one more of `holder`'s; nil when nobody is to give way.
    package mutating func yielding(to holder: SHA256Digest) -> (thing: SHA256Digest, holder: SHA256Digest)? {
        let own = holders[holder]?.count ?? 0
        let victim: SHA256Digest
        if largest > own + 1, let other = holdersByCount[largest]?.first {
            victim = other
        } else if own > 0 {
            victim = holder
        } else {
            return nil
        }
        return oldest(of: victim).map { ($0, victim) }
    }

    /// Takes one thing that is not held yet.
    package mutating func add(_ thing: SHA256Digest, holder: SHA256Digest) {
        guard owners[thing] == nil else { return }
        lastNumber += 1
        owners[thing] = Owner(holder: holder, number: lastNumber)
        holders[holder, default: Holder()].row.append(Taking(thing: thing, number: lastNumber))
        recount(holder, by: 1)
    }

    /// Gives one thing back; nothing where it is not held.
    package mutating func remove(_ thing: SHA256Digest) {
        guard let owner = owners.removeValue(forKey: thing) else { return }
        recount(owner.holder, by: -1)
    }

    private mutating func oldest(of holder: SHA256Digest) -> SHA256Digest? {
        guard var known = holders[holder] else { return nil }
        while known.first < known.row.count, !isHeld(known.row[known.first]) { known.first += 1 }
        holders[holder]?.first = known.first
        return known.first < known.row.count ? known.row[known.first].thing : nil
    }

    private func isHeld(_ taking: Taking) -> Bool { owners[taking.thing]?.number == taking.number }

    private mutating func recount(_ holder: SHA256Digest, by change: Int) {
        guard let before = holders[holder]?.count else { return }
        let after = before + change
        holdersByCount[before]?.remove(holder)
        if holdersByCount[before]?.isEmpty ?? false { holdersByCount[before] = nil }
        if after > 0 {
            holders[holder]?.count = after
            holdersByCount[after, default: []].insert(holder)
            clearRow(of: holder, holding: after)
        } else {
            holders[holder] = nil
        }
        // Counts change by one: where nobody is left at the top, somebody is one below it, or nobody is at all.
        let isTopEmpty = before == largest && holdersByCount[before] == nil
        if after > largest || isTopEmpty { largest = after }
    }

    /// Drops what is gone from a row of which that is more than half.
    private mutating func clearRow(of holder: SHA256Digest, holding count: Int) {
        guard let row = holders[holder]?.row, row.count > 2 * count + 16 else { return }
        let held = row.filter(isHeld)
        holders[holder]?.row = held
        holders[holder]?.first = 0
    }
}
