import Crypto
import Dispatch
import Foundation
import Synchronization
import TestTraits
import Testing

@testable import Replay

@Suite struct `a replay set` {
    private static let client = Digests.of(1, 1)
    private static let now: Int64 = 1_800_000_000

    @Test(.holds("DPOP-15"), .refuses("DPOP-15")) func `accepts a proof once, and refuses it from then on`() {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        let proof = Digests.of(1)
        #expect(set.insert(proof, thumbprint: Self.client, until: Self.now + 90, now: Self.now) == .first)
        for later in [0, 1, 60, 90] as [Int64] {
            let outcome = set.insert(proof, thumbprint: Self.client, until: Self.now + 90, now: Self.now + later)
            #expect(outcome == .replayed)
        }
        #expect(set.entries == 1)
        #expect(set.inserted == 1)
        #expect(set.refused == 0)
    }

    @Test(.holds("DPOP-15"), .refuses("DPOP-15"))
    func `tells proofs apart by each of the first 128 bits of their keys`() throws {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        let bytes = Digests.of(1).bytes
        #expect(set.insert(Digests.of(1), thumbprint: Self.client, until: Self.now, now: Self.now) == .first)
        for bit in 0..<128 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            let digest = SHA256Digest(other.span)
            let key = try #require(digest)
            #expect(set.insert(key, thumbprint: Self.client, until: Self.now, now: Self.now) == .first, "\(bit)")
            #expect(set.insert(key, thumbprint: Self.client, until: Self.now, now: Self.now) == .replayed, "\(bit)")
        }
    }

    @Test(.refuses("DPOP-16")) func `takes no more memory for a proof than for any other, whatever its jti was`() {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        for number in 0..<15 as Range<UInt64> {
            _ = set.insert(Digests.of(number), thumbprint: Self.client, until: Self.now, now: Self.now)
        }
        #expect(MemoryLayout<ReplayEntry>.stride == 24)
        let perProof = set.bytes - ReplaySet(byteLimit: 1 << 20, windowSeconds: 100).bytes
        #expect(perProof <= 15 * 1024, "fifteen tables of the smallest size")
    }

    @Test(.holds("DPOP-17"), .refuses("DPOP-17"))
    func `lets exactly one of eight threads through with each of thousands of proofs`() {
        // Small tables: they grow, and are swept, in the middle of the race.
        let set = ReplaySet(byteLimit: 4 << 20, windowSeconds: 100, tableBytes: 4 << 10)
        let proofs = (0..<4000 as Range<UInt64>).map { Digests.of($0) }
        let outcomes = onThreads(8) { thread in
            proofs.indices.map { step in
                // Half of the threads go the other way round, so that they meet in the middle too.
                let index = thread.isMultiple(of: 2) ? step : proofs.count - 1 - step
                return (index, set.insert(proofs[index], thumbprint: Self.client, until: Self.now + 90, now: Self.now))
            }
        }.joined()
        #expect(outcomes.count == 8 * proofs.count)
        let firsts = outcomes.filter { $0.1 == .first }.map(\.0)
        #expect(firsts.count == proofs.count)
        #expect(Set(firsts).count == proofs.count, "each of them once")
        #expect(set.entries == proofs.count)
        #expect(set.inserted == UInt64(proofs.count))
    }

    @Test(.holds("DPOP-17"), .refuses("DPOP-17"))
    func `counts what it holds exactly, however many threads fill it, drop and sweep`() {
        let set = ReplaySet(byteLimit: 0, windowSeconds: 100, tableBytes: 4 << 10)
        let outcomes = onThreads(8) { thread in
            (0..<4000 as Range<UInt64>).map { step in
                let now = Self.now + Int64(step / 200)
                if step % 100 == 0 { set.sweep(now: now) }
                let number = step + 4000 * (UInt64(thread) / 2)
                return (
                    number,
                    set.insert(
                        Digests.of(number), thumbprint: Digests.of(number % 50, 1),
                        until: Self.now + Int64(step / 200) + 5, now: now)
                )
            }
        }.joined()
        let firsts = outcomes.filter { $0.1 == .first }.map(\.0)
        #expect(Set(firsts).count == firsts.count, "none was let through twice")
        for _ in 0..<100 { set.sweep(now: Self.now + 1000) }
        #expect(set.entries == 0)
    }

    @Test(.holds("DPOP-15"), .refuses("DPOP-15"), arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `agrees with a dictionary that forgets nothing, over any schedule`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100, tableBytes: 4 << 10)
        var reference: [UInt64: Int64] = [:]
        var wrong: [Int] = []
        var now = Self.now
        for step in 0..<10_000 {
            if random.next() % 50 == 0 { now += Int64(random.next() % 4) }
            if random.next() % 1000 == 0 { now += 200 }
            // A proof's `until` follows from the proof; only those are tried that the time checks would let through.
            let number = UInt64(now) * 8 + random.next() % 800
            let until = Int64(number / 8)
            let outcome = set.insert(Digests.of(number), thumbprint: Self.client, until: until, now: now)
            let isKnown = reference.updateValue(until, forKey: number) != nil
            if outcome != (isKnown ? .replayed : .first) { wrong.append(step) }
            if step % 2000 == 0 { set.sweep(now: now) }
        }
        #expect(wrong.isEmpty, "first at step \(wrong.first ?? 0)")
        let live = reference.values.count { $0 >= now }
        #expect(set.entries >= live, "nothing is dropped that could still be accepted")
        #expect(set.entries < reference.count / 2, "what has expired is cleared away by the way")
    }

    @Test(.holds("DPOP-15")) func `remembers to the last second, and lets go of a proof after it`() {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100)
        for number in 0..<500 as Range<UInt64> {
            _ = set.insert(Digests.of(number), thumbprint: Self.client, until: Self.now + 90, now: Self.now)
        }
        // Another thread's clock may be a second behind: two seconds more than the last are kept.
        for second in Self.now...Self.now + 92 {
            for _ in 0..<8 { set.sweep(now: second) }
            #expect(set.entries == 500)
        }
        for _ in 0..<100 { set.sweep(now: Self.now + 94) }
        #expect(set.entries == 0)
    }

    @Test(.refuses("DPOP-15")) func `accepts no replay whatever the clock does`() {
        for jump in [-4000, -100, -2, 2, 94, 100, 4000] as [Int64] {
            let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100, tableBytes: 4 << 10)
            let proofs = (0..<2000 as Range<UInt64>).map { Digests.of($0) }
            for proof in proofs {
                _ = set.insert(proof, thumbprint: Self.client, until: Self.now + 90, now: Self.now)
            }
            #expect(set.entries == proofs.count)
            // The clock jumps, traffic and sweeps go on, and it is set right again.
            for number in 2000..<4000 as Range<UInt64> {
                let until = Self.now + jump + 90
                _ = set.insert(Digests.of(number), thumbprint: Self.client, until: until, now: Self.now + jump)
            }
            for _ in 0..<100 { set.sweep(now: Self.now + jump) }
            let accepted = proofs.count { proof in
                set.insert(proof, thumbprint: Self.client, until: Self.now + 90, now: Self.now + 1) == .first
            }
            #expect(accepted == 0, "a jump of \(jump)")
        }
    }

    @Test(.holds("DPOP-15"), .refuses("DPOP-15"))
    func `after a jump of the clock serves again as soon as the window has passed`() {
        let set = ReplaySet(byteLimit: 1 << 20, windowSeconds: 100, tableBytes: 4 << 10)
        // So many that each of the 240 tables has dropped some: of an empty one there is nothing to forget.
        for number in 0..<6000 as Range<UInt64> {
            _ = set.insert(Digests.of(number), thumbprint: Self.client, until: Self.now + 90, now: Self.now)
        }
        for _ in 0..<100 { set.sweep(now: Self.now + 4000) }
        #expect(set.entries == 0)
        let during = (6000..<7000 as Range<UInt64>).map {
            set.insert(Digests.of($0), thumbprint: Self.client, until: Self.now + 90, now: Self.now)
        }
        #expect(during.allSatisfy { $0 == .full }, "as old as what was dropped: nobody can tell")
        let after = (7000..<8000 as Range<UInt64>).map {
            set.insert(Digests.of($0), thumbprint: Self.client, until: Self.now + 91, now: Self.now + 1)
        }
        #expect(after.allSatisfy { $0 == .first })
    }

    @Test(arguments: [Int64.min, -1, 0, 1, Int64(UInt32.max), Int64(UInt32.max) + 1, .max])
    func `any time is taken without a trap, and a replay refused`(time: Int64) {
        let set = ReplaySet(byteLimit: 0, windowSeconds: 0)
        for other in [Int64.min, 0, Self.now, .max] {
            let key = Digests.of(UInt64(bitPattern: other))
            #expect(set.insert(key, thumbprint: Self.client, until: time, now: other) != .replayed)
            #expect(set.insert(key, thumbprint: Self.client, until: time, now: other) != .first)
            set.sweep(now: other)
            #expect(set.insert(key, thumbprint: Self.client, until: time, now: other) != .first)
        }
    }
}

/// What each of so many threads of the system's made of its number.
private func onThreads<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> [Result]
) -> [[Result]] {
    let results = Mutex<[[Result]]>([])
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread {
            let result = body(number)
            results.withLock { $0.append(result) }
            group.leave()
        }.start()
    }
    group.wait()
    return results.withLock { $0 }
}

/// Numbers that look random and are the same for the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
