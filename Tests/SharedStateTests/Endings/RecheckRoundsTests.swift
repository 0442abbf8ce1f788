import Crypto
import TestTraits
import Testing

@testable import SharedState

@Suite struct `the questions about all sessions` {
    private func names(_ count: Int) throws -> [StoreName] { try (0..<count).map { _ in try Sample.unusedName() } }

    /// All that is to be asked by a time, in writes.
    private func writes(_ rounds: inout RecheckRounds, at now: Int64) -> [[StoreName]] {
        var writes: [[StoreName]] = []
        while true {
            let batch = rounds.next(at: now)
            if batch.isEmpty { return writes }
            writes.append(Array(batch))
        }
    }

    private func asked(_ rounds: inout RecheckRounds, at now: Int64) -> [StoreName] {
        Array(writes(&rounds, at: now).joined())
    }

    @Test(.holds("SH-40")) func `are asked within the time, open streams first, 256 in a write`() throws {
        let (streams, others) = (try names(300), try names(9700))
        var rounds = RecheckRounds(within: 10_000)
        #expect(!rounds.isDue(at: 0))
        rounds.gap(at: 0)
        #expect(rounds.isDue(at: 0))
        rounds.begin(streams: streams, others: others + streams, at: 0)
        var asked: [StoreName] = []
        var most = 0
        for now in stride(from: Int64(0), through: 10_000, by: 50) {
            let writes = writes(&rounds, at: now)
            #expect(writes.allSatisfy { $0.count <= 256 })
            asked += writes.joined()
            most = max(most, writes.joined().count)
            // Never in one heap: what belongs to the time, and the first write.
            #expect(asked.count <= 256 + Int(now))
        }
        #expect(asked == streams + others)
        #expect(most <= 256 + 51)
    }

    @Test func `end in time however late they begin, and at once where there is little`() throws {
        var rounds = RecheckRounds(within: 10_000)
        let known = try names(1000)
        rounds.gap(at: 0)
        rounds.begin(streams: [], others: known, at: 9000)
        #expect(asked(&rounds, at: 10_000).count == 1000)
        rounds.gap(at: 20_000)
        rounds.begin(streams: Array(known.suffix(10)), others: Array(known.prefix(20)), at: 20_000)
        let expected: [StoreName] = Array(known.suffix(10)) + Array(known.prefix(20))
        #expect(asked(&rounds, at: 20_000) == expected)
        #expect(writes(&rounds, at: 99_000).isEmpty)
        rounds.gap(at: 30_000)
        rounds.begin(streams: [], others: [], at: 90_000)
        #expect(writes(&rounds, at: 90_001).isEmpty)
    }

    /// A line that nobody understands, each moment: the number of questions stays what one round has, and nobody waits
    /// for ever.
    @Test(.refuses("SH-40")) func `are not multiplied by gaps that follow each other`() throws {
        let (streams, others) = (try names(4000), try names(6000))
        var rounds = RecheckRounds(within: 10_000)
        var count: [StoreName: Int] = [:]
        for now in stride(from: Int64(0), to: 20_000, by: 20) {
            rounds.gap(at: now)
            if rounds.isDue(at: now) { rounds.begin(streams: streams, others: others, at: now) }
            for name in writes(&rounds, at: now).joined() { count[name, default: 0] += 1 }
        }
        #expect(count.count == 10_000)
        // Each begins up to a second after its gap, and has that much less time.
        #expect(count.values.reduce(0, +) <= 20_000 * 10 / 9 + 20 * 256)
        #expect(count.values.max().map { $0 <= 4 } == true)
    }

    @Test func `that the store does not answer are asked again when the round is over`() throws {
        var rounds = RecheckRounds(within: 2000)
        let known = try names(10)
        rounds.gap(at: 0)
        rounds.begin(streams: [], others: known, at: 0)
        _ = writes(&rounds, at: 0)
        rounds.unanswered(known.prefix(3))
        #expect(writes(&rounds, at: 1999).isEmpty)
        #expect(asked(&rounds, at: 2000) == Array(known.prefix(3)))
        rounds.unanswered(known.prefix(1))
        rounds.gap(at: 2500)
        rounds.begin(streams: Array(known.suffix(2)), others: Array(known.prefix(8)), at: 3000)
        let third = asked(&rounds, at: 3000)
        #expect(third.count == 10 && third.first == known[0], "what was missed comes first")
        rounds.unanswered(known.suffix(1))
        rounds.gap(at: 5000)
        rounds.begin(streams: [], others: Array(known.prefix(5)), at: 5000)
        #expect(asked(&rounds, at: 5000) == Array(known.prefix(5)), "nobody knows it any more")
    }
}
