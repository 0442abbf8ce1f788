import TestTraits
import Testing

@testable import Rates

@Suite struct `a table of token buckets` {
    /// So many ticks a second.
    private static let second: UInt64 = 1_000_000_000

    private func table(_ keys: Int) -> BucketTable { BucketTable(keys: keys, seed: (1, 2)) }

    @Test(
        .holds("ECO-78"), arguments: [(100, 1), (7, 1), (700_000, 1), (600, 60), (1, 1)] as [(Int, UInt64)])
    func `grants what the rate says over a while, to a part in a hundred`(count: Int, seconds: UInt64) {
        let table = table(8)
        defer { table.destroy() }
        let rate = TokenRate(count, in: seconds * Self.second, burst: 10)
        let key = table.key(of: 1, 1)
        let step = max(1, rate.interval / 3)
        let asked = 30_000
        var passed = 0
        for turn in 1...asked where table.take(key, at: UInt64(turn) * step, rate).wait == 0 { passed += 1 }
        let granted = Double(asked) * Double(step) / Double(Self.second) * Double(count) / Double(seconds)
        #expect(abs(Double(passed) - granted) <= granted / 100 + 10, "\(passed) of \(granted)")
    }

    @Test func `grants so many at once, says when there is another one, and takes nothing of whom it refuses`() {
        let table = table(1024)
        defer { table.destroy() }
        let rate = TokenRate(10, in: Self.second, burst: 3)
        let (one, other) = (table.key(of: 1, 0), table.key(of: 2, 0))
        for left in [1, 2, 3] as [UInt64] {
            #expect(table.wait(one, at: 5, rate) == 0)
            #expect(table.take(one, at: 5, rate) == BucketTable.Taking(wait: 0, spent: left * Self.second / 10))
        }
        for _ in 0..<1000 { #expect(table.take(one, at: 5, rate).wait == Self.second / 10) }
        #expect(table.wait(one, at: 5, rate) == Self.second / 10)
        #expect(table.take(other, at: 5, rate).wait == 0, "another key has tokens of its own")
        #expect(table.take(one, at: 5 + Self.second / 10, rate).wait == 0)
        #expect(table.take(one, at: 5 + Self.second / 10, rate).wait > 0)
    }

    @Test(.refuses("ECO-78"))
    func `never grows, and never lets a key that is spent have more for all the keys that come between`() {
        let table = table(4096)
        defer { table.destroy() }
        let bytes = table.bytes
        #expect(bytes == 4096 * 16)
        let rate = TokenRate(10, in: 3600 * Self.second, burst: 10)
        let hot = (0..<64).map { table.key(of: UInt64($0), 7) }
        for key in hot { for _ in 0..<10 { table.take(key, at: 1, rate) } }
        var granted = 0
        for number in 0..<1_000_000 as Range<UInt64> {
            table.take(table.key(of: number, 8), at: 2, rate)
            if number.isMultiple(of: 1000) {
                for key in hot where table.take(key, at: 2, rate).wait == 0 { granted += 1 }
            }
        }
        #expect(granted == 0 && table.bytes == bytes)
    }

    @Test func `gives a new key the bucket that is fullest, and as full as it is`() {
        let table = table(8)
        defer { table.destroy() }
        let rate = TokenRate(1, in: Self.second, burst: 5)
        for number in 0..<8 as Range<UInt64> {
            for _ in 0...min(number, 4) { table.take(table.key(of: number, 0), at: 0, rate) }
        }
        let newcomer = table.key(of: 99, 0)
        #expect(
            table.take(newcomer, at: 0, rate).spent == 2 * Self.second, "one of its own, and one of the first key's")
        #expect(table.wait(table.key(of: 7, 0), at: 0, rate) > 0, "a key that is spent keeps its place")
        #expect(
            table.take(table.key(of: 0, 0), at: 0, rate).spent >= 2 * Self.second, "it lost its place to nobody's gain")
        #expect(table.take(newcomer, at: 60 * Self.second, rate).spent == Self.second, "time pays for everything")
    }

    @Test func `lets threads have no more together than one would have`() async {
        let table = table(64)
        defer { table.destroy() }
        let rate = TokenRate(1, in: 3600 * Self.second, burst: 5000)
        let key = table.key(of: 3, 4)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken = 0
                    for turn in 0..<4000 where table.take(key, at: UInt64(turn), rate).wait == 0 { taken += 1 }
                    return taken
                }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 5000)
    }

    @Test func `takes no rate and no time for more than it can count`() {
        let table = table(8)
        defer { table.destroy() }
        let key = table.key(of: .max, .max)
        let slow = TokenRate(1, in: .max, burst: .max, parts: .max)
        #expect(table.take(key, at: .max, slow).wait == 0)
        #expect(table.take(key, at: .max, slow).wait == 0, "the clock has come to its end, and nobody waits for it")
        #expect(TokenRate(0, in: 0, burst: 0).interval == 1)
        #expect(TokenRate(10, in: Self.second, burst: 10, parts: 3).allowance == 3 * (3 * Self.second / 10))
    }
}
