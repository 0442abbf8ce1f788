import Crypto
import Testing

@testable import Sessions

@Suite struct `shares of what is bounded` {
    private func digest(_ text: String) -> SHA256Digest { SHA256.hash(text.utf8Span.span) }

    /// Takes one more, as the stores do; false when nobody gives way.
    private func take(_ shares: inout HolderShares, _ thing: String, of holder: String, limit: Int) -> Bool {
        if shares.count >= limit {
            guard let yielding = shares.yielding(to: digest(holder)) else { return false }
            shares.remove(yielding.thing)
        }
        shares.add(digest(thing), holder: digest(holder))
        return true
    }

    @Test func `are given up by whoever has most, the oldest first`() {
        var shares = HolderShares()
        for number in 0..<9 { #expect(take(&shares, "alice-\(number)", of: "alice", limit: 10)) }
        #expect(take(&shares, "bob-0", of: "bob", limit: 10))
        #expect(take(&shares, "carol-0", of: "carol", limit: 10))
        #expect(!shares.contains(digest("alice-0")))
        #expect(take(&shares, "alice-9", of: "alice", limit: 10))
        #expect(!shares.contains(digest("alice-1")))
        #expect(shares.contains(digest("bob-0")) && shares.contains(digest("carol-0")))
        #expect(shares.count == 10)
    }

    @Test func `are nobody's to take where everybody has one`() {
        var shares = HolderShares()
        for number in 0..<10 { #expect(take(&shares, "\(number)", of: "user-\(number)", limit: 10)) }
        #expect(shares.yielding(to: digest("another")) == nil)
        // Whoever has one already changes it for the new one.
        #expect(shares.yielding(to: digest("user-3"))?.thing == digest("3"))
        shares.remove(digest("7"))
        #expect(take(&shares, "new", of: "another", limit: 10))
    }

    @Test func `of many who took all of it are everybody's again, one by one`() {
        var shares = HolderShares()
        for holder in 0..<10 {
            for number in 0..<10 { #expect(take(&shares, "\(holder)-\(number)", of: "greedy-\(holder)", limit: 100)) }
        }
        for user in 0..<90 { #expect(take(&shares, "user-\(user)", of: "user-\(user)", limit: 100)) }
        for user in 0..<90 { #expect(shares.contains(digest("user-\(user)"))) }
        for holder in 0..<10 { #expect(shares.contains(digest("\(holder)-9"))) }
        #expect(!take(&shares, "last", of: "last", limit: 100))
    }

    @Test func `know a thing that was given back and is taken again by its new place alone`() {
        var shares = HolderShares()
        for thing in ["first", "second", "third"] { shares.add(digest(thing), holder: digest("alice")) }
        shares.remove(digest("first"))
        shares.add(digest("first"), holder: digest("alice"))
        #expect(shares.yielding(to: digest("alice"))?.thing == digest("second"))
        // What stands twice would never leave the row: it stays in proportion to what is held.
        for _ in 0..<10_000 {
            shares.remove(digest("first"))
            shares.add(digest("first"), holder: digest("alice"))
        }
        #expect(shares.longestRow <= 2 * 3 + 17)
    }

    @Test(arguments: [false, true])
    func `agree with a plain count, whatever comes and goes`(sameThings: Bool) {
        var dice = Dice(7)
        var shares = HolderShares()
        var plain: [(thing: String, holder: String)] = []
        for step in 0..<5000 {
            let thing = sameThings ? "\(Int.random(in: 0..<60, using: &dice))" : "\(step)"
            let holder = "holder-\(Int.random(in: 0..<6, using: &dice) * Int.random(in: 0..<3, using: &dice))"
            if Int.random(in: 0..<3, using: &dice) == 0, !plain.isEmpty {
                let gone = plain.remove(at: Int.random(in: 0..<plain.count, using: &dice))
                shares.remove(digest(gone.thing))
            } else if plain.contains(where: { $0.thing == thing }) {
                // Nobody takes what is somebody's.
                shares.add(digest(thing), holder: digest(holder))
            } else if plain.count < 40 {
                plain.append((thing, holder))
                shares.add(digest(thing), holder: digest(holder))
            } else {
                let counts = Dictionary(grouping: plain, by: \.holder).mapValues(\.count)
                let most = counts.values.max() ?? 0, own = counts[holder] ?? 0
                guard let yielding = shares.yielding(to: digest(holder)) else {
                    #expect(own == 0 && most == 1)
                    continue
                }
                let index = plain.firstIndex { digest($0.holder) == yielding.holder }
                #expect(index.map { digest(plain[$0].thing) } == yielding.thing, "not the oldest of its holder")
                let theirs = index.flatMap { counts[plain[$0].holder] } ?? 0
                #expect(most > own + 1 ? theirs == most : yielding.holder == digest(holder))
                if let index { plain.remove(at: index) }
                shares.remove(yielding.thing)
            }
            #expect(shares.count == plain.count)
        }
    }
}
