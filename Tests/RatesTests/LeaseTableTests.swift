import TestTraits
import Testing

@testable import Rates

@Suite struct `the leases of a worker` {
    private static let second: UInt64 = 1_000_000_000
    private static let rate = TokenRate(1000, in: second, burst: 100)
    private let terms = LeaseTable.Terms(Self.rate)
    private let holder = LeaseTable.Holder(limit: 3, low: 1, high: 2)
    private let key: UInt64 = 7 << 32 | 1

    private func leases() -> LeaseTable {
        var leases = LeaseTable()
        leases.isDown = false
        return leases
    }

    private func questions(_ leases: inout LeaseTable) -> [LeaseTable.Question] {
        var all: [LeaseTable.Question] = []
        leases.takeQuestions { all.append($0) }
        return all
    }

    @Test func `are of what comes back in 100 ms`() {
        #expect(terms.most == 100 && terms.capacity == 200 && terms.interval == Self.second / 1000)
        let slow = LeaseTable.Terms(TokenRate(10, in: 3600 * Self.second, burst: 10))
        #expect(slow.most == 1 && slow.capacity == 10)
    }

    @Test func `are asked for in the background, once, with what was spent meanwhile`() throws {
        var leases = leases()
        leases.spend(key, holder, terms, isBusy: true, at: 1000)
        let first = try #require(questions(&leases).first)
        #expect(first.holder == holder && first.spent == 1 && first.wanted >= 1)
        for turn in 0..<10 { leases.spend(key, holder, terms, isBusy: true, at: 2000 + UInt64(turn)) }
        #expect(questions(&leases).isEmpty, "one question at a time")
        leases.answered(first.number, granted: first.wanted, wait: 0, at: 3000)
        for _ in 0..<first.wanted { leases.spend(key, holder, terms, isBusy: true, at: 4000) }
        let second = try #require(questions(&leases).first)
        #expect(second.spent == 10 && second.wanted > 10, "what was spent on account is told: \(second)")
    }

    @Test func `are not asked for by a key that is hardly used`() {
        var leases = leases()
        leases.spend(key, holder, terms, isBusy: false, at: 1)
        #expect(questions(&leases).isEmpty && leases.wait(key, at: 1) == 0 && !leases.isLocal(key, at: 1))
    }

    @Test func `refuse when the store has none left, until it has, and ask again by one request`() throws {
        var leases = leases()
        leases.spend(key, holder, terms, isBusy: true, at: 0)
        let first = try #require(questions(&leases).first)
        leases.answered(first.number, granted: 0, wait: 3 * Self.second, at: 10)
        #expect(leases.wait(key, at: 10) == 3 * Self.second)
        #expect(leases.wait(key, at: 2 * Self.second) == Self.second + 10)
        let later = 3 * Self.second + 10
        #expect(leases.wait(key, at: later) == 0)
        leases.spend(key, holder, terms, isBusy: true, at: later)
        let second = try #require(questions(&leases).first)
        #expect(second.spent == 1)
        #expect(leases.wait(key, at: later) > 0, "the others wait for the answer to be there")
        leases.answered(second.number, granted: second.wanted, wait: 0, at: later + 5)
        #expect(leases.wait(key, at: later + 5) == 0)
    }

    @Test func `give back what was not spent in their time`() throws {
        var leases = leases()
        for turn in 0..<20 { leases.spend(key, holder, terms, isBusy: true, at: UInt64(turn)) }
        leases.answered(try #require(questions(&leases).first).number, granted: 0, wait: 0, at: 20)
        leases.spend(key, holder, terms, isBusy: true, at: Self.second)
        let asked = try #require(questions(&leases).first)
        leases.answered(asked.number, granted: asked.wanted, wait: 0, at: Self.second + 40)
        leases.spend(key, holder, terms, isBusy: true, at: 2 * Self.second)
        let last = try #require(questions(&leases).first)
        #expect(last.spent == 1 - asked.wanted)
    }

    @Test(.refuses("ECO-80")) func `give way to the process's own bucket where the store does not answer`() throws {
        var leases = leases()
        leases.spend(key, holder, terms, isBusy: true, at: 0)
        let first = try #require(questions(&leases).first)
        #expect(!leases.isLocal(key, at: 0))
        leases.failed(first.number, isUnsent: true, at: 100)
        #expect(leases.isLocal(key, at: 100) && leases.isLocal(at: 100))
        #expect(!leases.isLocal(at: 100 + Self.second))
        leases.spend(key, holder, terms, isBusy: true, at: 100 + Self.second)
        #expect(try #require(questions(&leases).first).spent == 2, "what was never sent is told again")
        leases.isDown = true
        #expect(leases.isLocal(key, at: 10 * Self.second))
    }

    @Test func `forget what may have been told, rather than tell it twice`() throws {
        var leases = leases()
        leases.spend(key, holder, terms, isBusy: true, at: 0)
        leases.failed(try #require(questions(&leases).first).number, isUnsent: false, at: 100)
        leases.spend(key, holder, terms, isBusy: true, at: 2 * Self.second)
        #expect(try #require(questions(&leases).first).spent == 1)
    }

    @Test func `take no answer for another question's`() throws {
        var leases = leases()
        leases.spend(key, holder, terms, isBusy: true, at: 0)
        let first = try #require(questions(&leases).first)
        leases.answered(first.number, granted: 1, wait: 0, at: 10)
        leases.answered(first.number, granted: 1, wait: 0, at: 10)
        leases.answered(first.number + 1, granted: 1, wait: 0, at: 10)
        leases.answered(.max, granted: 1, wait: 0, at: 10)
        leases.spend(key, holder, terms, isBusy: true, at: 20)
        leases.spend(key, holder, terms, isBusy: true, at: 20)
        let second = try #require(questions(&leases).first)
        #expect(second.spent == 0 || second.spent == 1)
    }

    @Test func `are of so many keys at most, and the others are counted by their process alone`() {
        var leases = leases()
        var asked = 0
        for number in 1...100_000 as ClosedRange<UInt64> {
            leases.spend(number << 32 | 1, holder, terms, isBusy: true, at: 1)
            asked += questions(&leases).count
        }
        #expect(asked == LeaseTable.limit)
        #expect(leases.isLocal(100_001 << 32 | 1, at: 1))
        #expect(!leases.isLocal(1 << 32 | 1, at: 1))
    }
}

/// Several workers at one store, by the rule of its script.
@Suite struct `workers that share a rate` {
    private static let second: UInt64 = 1_000_000_000
    private static let millisecond: UInt64 = 1_000_000

    /// What the script does, without its server.
    private struct Store {
        var spentUntil: Int64 = 0

        mutating func lease(_ terms: LeaseTable.Terms, spent: Int, wanted: Int, now: Int64) -> (Int, UInt64) {
            let (interval, capacity) = (Int64(terms.interval), Int64(terms.capacity))
            var taken = max(0, max(0, spentUntil - now) + Int64(spent) * interval)
            let granted = max(0, min(Int64(wanted), (capacity * interval - taken) / interval))
            taken += granted * interval
            spentUntil = now + taken
            return (Int(granted), UInt64(max(0, taken + interval - capacity * interval)))
        }
    }

    private struct Late {
        let worker: Int
        let number: UInt64
        let granted: Int
        let wait: UInt64
        let at: UInt64
    }

    /// How many of the requests pass in ten seconds: each worker's come every so many microseconds.
    private func passes(
        _ rate: TokenRate, everyMicroseconds: [UInt64], answersAfter delay: UInt64
    ) -> Int {
        let terms = LeaseTable.Terms(rate)
        var store = Store()
        let holder = LeaseTable.Holder(limit: 0, low: 1, high: 1)
        var workers = everyMicroseconds.map { _ in LeaseTable() }
        let tables = everyMicroseconds.map { _ in BucketTable(keys: 8, seed: (1, 1)) }
        defer { for table in tables { table.destroy() } }
        for index in workers.indices { workers[index].isDown = false }
        var due = everyMicroseconds.indices.map { UInt64($0) * 137 }
        var late: [Late] = []
        var passed = 0
        while true {
            guard let worker = due.indices.min(by: { due[$0] < due[$1] }), due[worker] < 10_000_000 else { break }
            let now = due[worker] * 1000 + Self.second
            due[worker] += everyMicroseconds[worker]
            while let first = late.first, first.at <= now {
                workers[first.worker].answered(first.number, granted: first.granted, wait: first.wait, at: now)
                late.removeFirst()
            }
            let key = tables[worker].key(of: 1, 1)
            guard tables[worker].wait(key, at: now, rate) == 0, workers[worker].wait(key, at: now) == 0 else {
                continue
            }
            let spent = tables[worker].take(key, at: now, rate).spent
            workers[worker].spend(key, holder, terms, isBusy: spent > 0, at: now)
            passed += 1
            workers[worker].takeQuestions { question in
                let (granted, wait) = store.lease(
                    terms, spent: question.spent, wanted: question.wanted, now: Int64(now))
                late.append(
                    Late(worker: worker, number: question.number, granted: granted, wait: wait, at: now + delay))
            }
        }
        return passed
    }

    @Test(.holds("ECO-80"), arguments: [200_000, 5 * 1_000_000, 100 * 1_000_000] as [UInt64])
    func `let pass what the rate says, whoever is busy, and however long answers take`(delay: UInt64) {
        let rate = TokenRate(1000, in: Self.second, burst: 100)
        for paces in [[300, 300, 300], [200, 200, 200, 200, 200, 200], [100, 5000, 5000], [100, 50_000]] {
            let passed = passes(rate, everyMicroseconds: paces.map { UInt64($0) }, answersAfter: delay)
            // Of leases of 100 ms that take as long to come a part is given back unspent.
            let least = delay < 100_000_000 ? 9_500 : 8_500
            #expect((least...11_000).contains(passed), "\(passed) with \(paces), answers after \(delay)")
        }
    }

    @Test func `let pass all that is less than the rate`() {
        let rate = TokenRate(1000, in: Self.second, burst: 100)
        let passed = passes(rate, everyMicroseconds: [3400, 3400, 3400], answersAfter: 300_000)
        #expect(passed >= 3 * 10_000_000 / 3400, "\(passed)")
    }

    @Test func `hold a slow rate together`() {
        let rate = TokenRate(60, in: 60 * Self.second, burst: 5)
        let passed = passes(rate, everyMicroseconds: [40_000, 41_000, 43_000], answersAfter: 1_000_000)
        #expect((13...24).contains(passed), "\(passed) of 15, and one of each worker's on account")
    }
}
