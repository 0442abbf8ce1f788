import Crypto
import TestSupport
import TestTraits
import Testing

@testable import Issuers

private typealias Lookup = LookupQueue.Lookup

private func lookup(
    _ number: Int, lane: Int = 0, of client: AskingClient = .many, isVouchedFor: Bool = false
) -> Lookup {
    let name = Array("token \(number)".utf8)
    return Lookup(
        key: .init(lane: lane, digest: SHA256.hash(name.span)), token: Secret(name), tokenExpiresAt: .max, askedAt: 0,
        client: client, isVouchedFor: isVouchedFor)
}

extension LookupQueue {
    /// Asks when it does not matter when.
    fileprivate mutating func ask(_ lookup: Lookup, for worker: Int) -> Admission { ask(lookup, for: worker, at: 0) }

    fileprivate mutating func end(_ key: Key, isBad: Bool = false) -> End { end(key, isBad: isBad, at: 0) }

    fileprivate init(lanes: Int, concurrent: Int, waiting: Int = 1024) {
        self.init(lanes: lanes, bounds: LookupBounds(concurrent: concurrent, waiting: waiting))
    }
}

extension LookupQueue.End {
    fileprivate var nextKeys: [LookupQueue.Key] { next.map(\.key) }
}

extension LookupQueue.Admission {
    fileprivate var word: String {
        switch self {
        case .start: "start"
        case .wait: "wait"
        case .refuse(.tooManyBad): "spent"
        case .refuse(.tooManyOfClient): "share"
        case .refuse: "refuse"
        }
    }
}

@Suite struct `questions to a server` {
    @Test(.holds("INT-06")) func `are one for a token, however many workers ask, each of which is told once`() {
        var queue = LookupQueue(lanes: 1)
        #expect(queue.ask(lookup(1), for: 0).word == "start")
        #expect(queue.ask(lookup(1), for: 3).word == "wait")
        #expect(queue.ask(lookup(1), for: 0).word == "wait")
        #expect(queue.concurrent == 1)
        let end = queue.end(lookup(1).key)
        #expect(end.workers == [0, 3])
        #expect(end.next.isEmpty)
        #expect(queue.concurrent == 0)
    }

    @Test(.holds("INT-06")) func `that have ended are asked anew`() {
        var queue = LookupQueue(lanes: 1)
        _ = queue.ask(lookup(1), for: 0)
        _ = queue.end(lookup(1).key)
        #expect(queue.ask(lookup(1), for: 1).word == "start")
        #expect(queue.end(lookup(1).key).workers == [1])
        #expect(queue.end(lookup(1).key).workers == [])
    }

    @Test func `are so many at a time, then so many in a queue, and no more`() {
        var queue = LookupQueue(lanes: 1, concurrent: 2, waiting: 3)
        let words = (0..<7).map { queue.ask(lookup($0), for: 0).word }
        #expect(words == ["start", "start", "wait", "wait", "wait", "refuse", "refuse"])
        #expect((queue.concurrent, queue.waiting) == (2, 3))
        // Who waits for a question that is in already takes no room.
        #expect(queue.ask(lookup(4), for: 1).word == "wait")
        #expect(queue.ask(lookup(0), for: 1).word == "wait")
    }

    @Test func `that wait are asked in their order, each in the place of one that ended`() {
        var queue = LookupQueue(lanes: 1, concurrent: 2, waiting: 9)
        for number in 0..<5 { _ = queue.ask(lookup(number), for: number) }
        _ = queue.ask(lookup(3), for: 9)
        #expect(queue.end(lookup(1).key).nextKeys == [lookup(2).key])
        #expect(queue.concurrent == 2)
        #expect(queue.end(lookup(0).key).nextKeys == [lookup(3).key])
        let third = queue.end(lookup(3).key)
        #expect(third.workers == [3, 9])
        #expect(third.nextKeys == [lookup(4).key])
        #expect(queue.end(lookup(2).key).next.isEmpty)
        #expect(queue.end(lookup(4).key).next.isEmpty)
        #expect((queue.concurrent, queue.waiting) == (0, 0))
    }

    @Test func `of one lane take no room in another, even about the same token`() {
        var queue = LookupQueue(lanes: 2, concurrent: 1, waiting: 0)
        #expect(queue.ask(lookup(1, lane: 0), for: 0).word == "start")
        #expect(queue.ask(lookup(2, lane: 0), for: 0).word == "refuse")
        #expect(queue.ask(lookup(1, lane: 1), for: 5).word == "start")
        #expect(queue.end(lookup(1, lane: 1).key).workers == [5])
    }

    @Test func `of a lane that does not exist are refused`() {
        var queue = LookupQueue(lanes: 1)
        #expect(queue.ask(lookup(1, lane: 1), for: 0).word == "refuse")
        #expect(queue.ask(lookup(1, lane: -1), for: 0).word == "refuse")
        #expect(queue.end(lookup(1, lane: 1).key).next.isEmpty)
    }

    @Test func `that are given up are handed back with everyone who asked`() {
        var queue = LookupQueue(lanes: 1, concurrent: 1)
        _ = queue.ask(lookup(1), for: 0)
        _ = queue.ask(lookup(2), for: 1)
        #expect(queue.clear().map(\.workers).sorted { $0[0] < $1[0] } == [[0], [1]])
        #expect((queue.concurrent, queue.waiting) == (0, 0))
        #expect(queue.end(lookup(1).key).workers == [])
        #expect(queue.concurrent == 0)
    }

    @Test func `hold the token so that nothing prints it`() {
        #expect(!"\(lookup(1))".contains("token 1"))
        var dumped = ""
        dump(lookup(1), to: &dumped)
        #expect(!dumped.contains("token 1"))
    }
}

/// Row OPS-05: whoever asks much leaves room to whoever asks little.
@Suite struct `questions of several clients` {
    private static let flood = AskingClient((1, 0)), other = AskingClient((2, 0)), third = AskingClient((3, 0))

    @Test(.refuses("OPS-05")) func `of one client are no more under way than it would leave to the next one`() {
        var queue = LookupQueue(lanes: 1, concurrent: 64)
        let words = (0..<600).map { queue.ask(lookup($0, of: Self.flood), for: 0).word }
        #expect(words.count { $0 == "start" } == 32)
        #expect(words.count { $0 == "wait" } == 512 && words.count { $0 == "share" } == 56)
        // Each that comes has half of what is left, and is never behind those that wait.
        let others = (0..<40).map { queue.ask(lookup(1000 + $0, of: Self.other), for: 0).word }
        #expect(others.count { $0 == "start" } == 16)
        #expect(queue.ask(lookup(2000, of: Self.third), for: 0).word == "start")
        #expect(queue.concurrent == 49)
    }

    @Test(.refuses("OPS-05"))
    func `beyond one client's part of the row are its own, and where nobody has room everybody's`() {
        var queue = LookupQueue(lanes: 1, concurrent: 1, waiting: 4)
        func words(_ numbers: Range<Int>, of client: AskingClient = .many) -> [String] {
            numbers.map { queue.ask(lookup($0, of: client), for: 0).word }
        }
        #expect(words(0..<4, of: Self.flood) == ["start", "wait", "wait", "share"])
        #expect(words(10..<12, of: Self.other) == ["wait", "share"], "it leaves as many as it has")
        #expect(words(20..<22, of: Self.third) == ["wait", "refuse"], "one waits, and nobody has room")
        #expect(words(30..<31, of: AskingClient((4, 0))) == ["refuse"])
        #expect(words(40..<41) == ["refuse"])
        #expect(words(4..<5, of: Self.flood) == ["share"], "it has half of all, whoever has the rest")
        #expect((queue.concurrent, queue.waiting) == (1, 4))
    }

    @Test(.holds("OPS-05")) func `of one client are as many as configured`() {
        var queue = LookupQueue(lanes: 1, bounds: LookupBounds(perClient: 3))
        #expect(
            (0..<5).map { queue.ask(lookup($0, of: Self.flood), for: 0).word } == [
                "start", "start", "start", "wait", "wait",
            ])
        #expect(queue.end(lookup(0).key).nextKeys == [lookup(3).key])
    }

    @Test(.holds("OPS-05")) func `go to whoever has fewest under way, and among those to whoever waits longest`() {
        var queue = LookupQueue(lanes: 1, concurrent: 3)
        for number in 0..<3 { _ = queue.ask(lookup(number), for: 0) }
        for number in 10..<14 { #expect(queue.ask(lookup(number, of: Self.flood), for: 0).word == "wait") }
        #expect(queue.ask(lookup(20, of: Self.other), for: 0).word == "wait")
        #expect(queue.ask(lookup(30, of: Self.third), for: 0).word == "wait")
        #expect(queue.end(lookup(0).key).nextKeys == [lookup(10).key])
        #expect(queue.end(lookup(1).key).nextKeys == [lookup(20).key])
        #expect(queue.end(lookup(10).key).nextKeys == [lookup(30).key], "the flood's next is behind who has nothing")
        #expect(queue.end(lookup(20).key).nextKeys == [lookup(11).key])
        #expect(queue.waiting == 2)
    }

    @Test(.refuses("OPS-05")) func `leave nothing behind`() {
        var queue = LookupQueue(lanes: 2, concurrent: 4)
        for number in 0..<40 {
            _ = queue.ask(lookup(number, lane: number % 2, of: AskingClient((UInt64(number % 7), 1))), for: 0)
        }
        #expect(queue.clients > 0)
        var open = (0..<40).map { lookup($0, lane: $0 % 2).key }
        while !open.isEmpty { open.removeAll { !queue.end($0).workers.isEmpty } }
        #expect((queue.concurrent, queue.waiting, queue.clients) == (0, 0, 0))
    }

    // MARK: failures

    private func spentQueue(burst: Int, concurrent: Int = 64) -> LookupQueue {
        LookupQueue(
            lanes: 1, bounds: LookupBounds(concurrent: concurrent),
            failures: FailureBudget(FailureBudget.Rate(perSecond: 1, burst: burst)))
    }

    @Test(.refuses("INT-07")) func `hold their part of what may fail while they are under way`() {
        var queue = spentQueue(burst: 3)
        let words = (0..<5).map { queue.ask(lookup($0, of: Self.flood), for: 0).word }
        #expect(words == ["start", "start", "start", "wait", "wait"], "if all three are bad there is none left")
        #expect(queue.ask(lookup(9, of: Self.other), for: 0).word == "start")
        // A good one gives its part back.
        #expect(queue.end(lookup(0).key).nextKeys == [lookup(3).key])
        // A bad one does not.
        #expect(queue.end(lookup(1).key, isBad: true).next.isEmpty)
        #expect(queue.concurrent == 3 && queue.waiting == 1)
        let end = queue.end(lookup(2).key)
        #expect(end.nextKeys == [lookup(4).key] && end.spent.isEmpty)
    }

    @Test(.refuses("INT-07")) func `that wait are given up once nothing is left, and nobody is asked about them`() {
        var queue = spentQueue(burst: 2)
        for number in 0..<5 { _ = queue.ask(lookup(number, of: Self.flood), for: number) }
        #expect(queue.ask(lookup(7, of: Self.flood, isVouchedFor: true), for: 7).word == "start")
        let end = queue.end(lookup(0).key, isBad: true)
        #expect(end.workers == [0] && end.next.isEmpty)
        #expect(end.spent.map(\.workers) == [[2], [3], [4]], "more than half is spent, and the rest is under way")
        #expect(queue.end(lookup(1).key, isBad: true).spent.isEmpty)
        #expect(queue.ask(lookup(8, of: Self.flood), for: 0).word == "spent")
        #expect(queue.ask(lookup(9, of: Self.flood, isVouchedFor: true), for: 0).word == "start")
        #expect(queue.ask(lookup(10, of: Self.other), for: 0).word == "start")
        // Another second, another failure; what is under way may be it.
        #expect(queue.ask(lookup(11, of: Self.flood), for: 0, at: 1001).word == "spent")
        #expect(queue.end(lookup(7).key, at: 1001).next.isEmpty)
        #expect(queue.end(lookup(9).key, at: 1001).next.isEmpty)
        #expect(queue.ask(lookup(11, of: Self.flood), for: 0, at: 1001).word == "start")
    }

    @Test(.refuses("INT-07")) func `of a client that fails at the rate itself do not wait, and are asked at that rate`()
    {
        var queue = LookupQueue(
            lanes: 1, bounds: LookupBounds(concurrent: 64),
            failures: FailureBudget(FailureBudget.Rate(perSecond: 50, burst: 100)))
        // Two thousand a second, each answered bad after a tenth of a second, for ten seconds.
        var underWay: [(key: LookupQueue.Key, until: Int64)] = []
        var asked = 0, most = 0
        for number in 0..<20_000 {
            let now = Int64(number / 2)
            while let first = underWay.first, first.until <= now {
                underWay.removeFirst()
                for next in queue.end(first.key, isBad: true, at: now).next {
                    underWay.append((next.key, now + 100))
                    asked += 1
                }
            }
            if case .start(let lookup) = queue.ask(lookup(number, of: Self.flood), for: 0, at: now) {
                underWay.append((lookup.key, now + 100))
                asked += 1
            }
            if now > 2000 { most = max(most, queue.waiting) }
        }
        #expect((500...602).contains(asked), "\(asked)")
        #expect(most == 0)
    }

    @Test(.holds("INT-07")) func `that are vouched for are asked before the others of their client`() {
        var queue = spentQueue(burst: 100, concurrent: 2)
        _ = queue.ask(lookup(0, of: Self.flood), for: 0)
        _ = queue.ask(lookup(1, of: Self.flood), for: 0)
        _ = queue.ask(lookup(2, of: Self.flood, isVouchedFor: true), for: 0)
        #expect(queue.end(lookup(0).key).nextKeys == [lookup(2).key])
    }
}
