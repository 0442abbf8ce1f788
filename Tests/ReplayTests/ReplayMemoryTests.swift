import Crypto
import Foundation
import TestTraits
import Testing

@testable import Replay

@Suite struct `a replay set's memory` {
    private static let now: Int64 = 1_800_000_000

    /// 60,000 proofs, or two million when `PORTCULLIS_LARGE` is set.
    private static let soak = ProcessInfo.processInfo.environment["PORTCULLIS_LARGE"] == nil ? 60_000 : 2_000_000

    /// Fills the set from as many clients as there are proofs, until one is refused.
    private func fill(_ set: ReplaySet, until: Int64) -> Int {
        for number in 0..<UInt64(set.capacity) * 2 {
            let outcome = set.insert(
                Digests.of(number), thumbprint: Digests.of(number, 1), until: until, now: Self.now)
            if outcome == .full { return Int(number) }
        }
        return set.capacity * 2
    }

    @Test(.refuses("DPOP-15"), arguments: [0, 300 << 10, 400 << 10, 500 << 10, 1 << 20])
    func `refuses when it is full, and evicts nothing`(byteLimit: Int) {
        let set = ReplaySet(byteLimit: byteLimit, windowSeconds: 100)
        let count = fill(set, until: Self.now + 90)
        // Clients that share a counter are held to less near the end; the counters are many.
        #expect(count > set.capacity * 9 / 10)
        #expect(set.entries == count)
        #expect(set.bytes <= max(byteLimit, 256 << 10))
        #expect(set.refused == 1)
        let again = (0..<UInt64(count)).map { number in
            set.insert(Digests.of(number), thumbprint: Digests.of(number, 1), until: Self.now + 90, now: Self.now + 60)
        }
        #expect(again.allSatisfy { $0 == .replayed })
        #expect(set.entries == count)
    }

    @Test(.holds("DPOP-15")) func `has room again as soon as what filled it has expired`() {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        let count = fill(set, until: Self.now + 90)
        let later = Self.now + 93
        let outcomes = (1_000_000..<1_000_000 + UInt64(count) * 9 / 10).map { number in
            set.insert(Digests.of(number), thumbprint: Digests.of(number, 1), until: later + 90, now: later)
        }
        #expect(outcomes.allSatisfy { $0 == .first })
        #expect(set.entries < set.capacity)
    }

    @Test func `gives its memory back when nothing is left in it`() {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        let idle = set.bytes
        #expect(idle < 80 << 10)
        _ = fill(set, until: Self.now + 90)
        #expect(set.bytes > 500_000)
        for _ in 0..<100 { set.sweep(now: Self.now + 93) }
        #expect(set.entries == 0)
        #expect(set.bytes == idle)
    }

    @Test(.holds("DPOP-15"), .refuses("DPOP-15")) func `stays within its bytes while proof after proof comes and goes`()
    {
        let set = ReplaySet(byteLimit: 8 << 20, windowSeconds: 100)
        // 500 proofs a second of the gateway's clock: 46,500 are alive at any time.
        var (firsts, peakBytes, peakEntries) = (0, 0, 0)
        for number in 0..<Self.soak {
            let now = Self.now + Int64(number / 500)
            let key = Digests.of(UInt64(number))
            let client = Digests.of(UInt64(number % 7), 1)
            if set.insert(key, thumbprint: client, until: now + 90, now: now) == .first { firsts += 1 }
            if number % 1000 == 0 {
                (peakBytes, peakEntries) = (max(peakBytes, set.bytes), max(peakEntries, set.entries))
            }
        }
        #expect(firsts == Self.soak)
        #expect(peakBytes <= 8 << 20)
        #expect(peakEntries < 80_000, "what has expired does not pile up")
        print("replay set: \(firsts) proofs, at most \(peakEntries) held in \(peakBytes) bytes")
    }

    @Test(.holds("DPOP-15"), .refuses("DPOP-15")) func `one client alone takes half, and another is served beside it`()
    {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        let greedy = Digests.of(1, 1)
        var taken = 0
        for number in 0..<UInt64(set.capacity) {
            let outcome = set.insert(
                Digests.of(number), thumbprint: greedy, until: Self.now + 90, now: Self.now)
            if outcome == .first { taken += 1 }
            #expect(outcome == .first || outcome == .fullForHolder)
        }
        #expect(taken == set.capacity / 2)
        // Of two hundred modest clients none is refused anything; one may share the counter of the greedy one.
        var refused = 0
        for number in 0..<2000 as Range<UInt64> {
            let outcome = set.insert(
                Digests.of(1_000_000 + number), thumbprint: Digests.of(2 + number % 200, 1), until: Self.now + 90,
                now: Self.now)
            if outcome != .first { refused += 1 }
        }
        #expect(refused <= 30, "but for one or two that share a counter")
    }

    @Test(.holds("DPOP-15")) func `one client of five thousand proofs a second is never refused in the default size`() {
        let set = ReplaySet(byteLimit: 64 << 20, windowSeconds: 100)
        #expect(set.capacity / 2 > 5000 * 100 * 5 / 4, "a window of them, and a quarter that waits to be cleared")
    }

    @Test func `takes any limit, and keeps it`() {
        for byteLimit in [Int.min, -1, 0, 1, 40_000, 70_000, 130_000, 200_000, 1 << 22, 1 << 26, 1 << 30] {
            let layout = ReplayLayout(byteLimit: byteLimit, tableBytes: 64 << 10)
            let tables = layout.tables * ReplayTable.bytes(layout.slots) + layout.fixedBytes
            #expect(layout.capacity > 500)
            #expect(tables < layout.byteLimit)
            #expect(layout.byteLimit >= byteLimit)
            #expect(ReplayLayout(byteLimit: .max, tableBytes: 64 << 10).byteLimit == 64 << 30)
        }
    }
}
