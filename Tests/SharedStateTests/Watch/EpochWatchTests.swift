import Crypto
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// A watch, a store that it asks, and two clocks.
private struct Watching {
    var watch: EpochWatch
    /// What lies under the epoch's name.
    var epoch: StoreReply = .null
    var information: StoreReply = .error("NOPERM User portcullis has no permissions to run the 'info' command".bytes)
    /// By how much the store's clock is behind the gateway's.
    var behind: Int64 = 0
    var now: Int64 = Sample.now
    private(set) var forgettings: [EpochWatch.Forgetting] = []
    private(set) var failovers = 0
    private(set) var asked: [String] = []

    init(failover: StoreSettings.AfterFailover = .accept, epoch: StoreReply? = nil) throws {
        watch = EpochWatch(try Sample.names(), past: .seconds(60), future: .seconds(10), failover: failover)
        if let epoch { self.epoch = epoch }
    }

    private var time: WatchTime { WatchTime(wall: now * 1000, monotonic: (now - Sample.now) * 1000) }

    mutating func connect() { ask(watch.connected(at: time, word: RandomBytes.fill(16))) }

    mutating func second() {
        now += 1
        ask(watch.secondPassed(at: time, word: RandomBytes.fill(16)))
    }

    /// The same, where the three first answers come in this order.
    mutating func second(answeredIn order: [Int]) {
        now += 1
        let questions = watch.secondPassed(at: time, word: RandomBytes.fill(16))
        ask(order.map { questions[$0] })
    }

    private mutating func ask(_ questions: [EpochWatch.Question]) {
        var questions = questions
        while !questions.isEmpty {
            let asked = questions.removeFirst()
            let step = watch.answered(asked.number, answer(asked.question.arguments), at: time)
            questions += step.questions
            if let forgetting = step.forgetting { forgettings.append(forgetting) }
            if step.isFailover { failovers += 1 }
        }
    }

    private mutating func answer(_ words: [[UInt8]]) -> StoreReply {
        let command = String(decoding: words[0], as: UTF8.self)
        asked.append(command)
        switch command {
        case "TIME": return .array([.bytes("\(now - behind)".bytes), .bytes("1".bytes)])
        case "GET": return epoch
        case "INFO": return information
        case "SET":
            guard epoch == .null else { return epoch }
            epoch = .bytes(words[2])
            return .null
        default: return .error("ERR".bytes)
        }
    }

    mutating func inform(run: String = "r1", history: String = "h1", evicted: Int = 0, policy: String = "noeviction") {
        information = .bytes(
            "# Server\r\nredis_version:7.0.15\r\nrun_id:\(run)\r\nmaxmemory_policy:\(policy)\r\n# Stats\r\nevicted_keys:\(evicted)\r\nmaster_replid:\(history)\r\ncluster_enabled:0\r\n"
                .bytes)
    }

    /// A proof that a client made so many seconds from now.
    func mayHaveKnown(madeIn seconds: Int64) -> Bool {
        let forgotten = ForgottenProofs()
        forgotten.note(until: watch.forgottenUntil)
        return forgotten.mayHaveKnown(usableSince: now + seconds - 10)
    }

    /// A proof with a nonce that was made so many seconds from now.
    func mayHaveKnown(nonceIn seconds: Int64) -> Bool {
        let forgotten = ForgottenProofs()
        forgotten.note(until: watch.forgottenUntil)
        return forgotten.mayHaveKnown(usableSince: now + seconds)
    }
}

private let old = StoreReply.bytes("AAAAAAAAAAAAAAAAAAAAAA.1000".bytes)
private let other = StoreReply.bytes("BBBBBBBBBBBBBBBBBBBBBA.1000".bytes)

@Suite struct `the watch over what the store remembers` {
    @Test(.refuses("SH-61")) func `takes a store that lost a line of the log for one that forgot`() throws {
        var watching = try Watching(epoch: old)
        watching.connect()
        let step = watching.watch.lostLine(at: WatchTime(wall: watching.now * 1000, monotonic: 0))
        #expect(step.forgetting == .log)
        #expect(watching.mayHaveKnown(madeIn: -60) && watching.mayHaveKnown(madeIn: 20))
        #expect(!watching.mayHaveKnown(madeIn: 22))
        watching.second()
        #expect(watching.forgettings == [], "the epoch is as it was")
    }

    /// A reload says where the store is: it is the same one, or one that knows other proofs, however old it is.
    @Test(
        .holds("SH-61"), .refuses("SH-61"),
        arguments: [(old, []), (other, [.replaced]), (.null, [.new])] as [(StoreReply, [EpochWatch.Forgetting])])
    func `knows by its word whether a store that a reload brings is another one`(
        found: StoreReply, forgettings: [EpochWatch.Forgetting]
    ) throws {
        var before = try Watching(epoch: old)
        before.connect()
        var after = try Watching(epoch: found)
        after.watch.goOn(from: before.watch)
        after.connect()
        after.second()
        #expect(after.forgettings == forgettings)
        #expect(after.mayHaveKnown(madeIn: 0) == !forgettings.isEmpty && !after.mayHaveKnown(madeIn: 22))
    }

    @Test(.holds("SH-61")) func `finds nothing forgotten while the epoch is the same`() throws {
        var watching = try Watching(epoch: old)
        watching.connect()
        for _ in 0..<5 { watching.second() }
        watching.watch.lost()
        watching.connect()
        #expect(watching.forgettings == [])
        #expect(!watching.mayHaveKnown(madeIn: -60))
        #expect(watching.asked.filter { $0 == "GET" }.count == 7, "at each connection and each second")
    }

    @Test(.refuses("SH-61")) func `refuses proofs that a store without an epoch may have known, and makes one`() throws
    {
        var watching = try Watching(epoch: old)
        watching.connect()
        watching.epoch = .null
        watching.second()
        #expect(watching.forgettings == [.missing])
        #expect(watching.asked.last == "SET")
        // A proof from a clock ten seconds ahead was good for 70 more, and gateways' clocks are up to eleven apart.
        #expect(watching.mayHaveKnown(madeIn: -60))
        #expect(watching.mayHaveKnown(madeIn: 21))
        #expect(!watching.mayHaveKnown(madeIn: 22))
        for _ in 0..<22 { watching.second() }
        #expect(watching.forgettings == [.missing], "once")
        #expect(!watching.mayHaveKnown(madeIn: 0))
    }

    /// A nonce says nothing of when its proof was made but that it was later, and is good for minutes.
    @Test(.refuses("SH-61")) func `refuses proofs with nonces from before, for as long as these are good`() throws {
        var watching = try Watching(epoch: old)
        watching.connect()
        #expect(!watching.mayHaveKnown(nonceIn: -599))
        watching.epoch = .null
        watching.second()
        for made in [-599, -1, 0, 11] as [Int64] { #expect(watching.mayHaveKnown(nonceIn: made)) }
        #expect(!watching.mayHaveKnown(nonceIn: 12))
        for _ in 0..<100 { watching.second() }
        #expect(watching.mayHaveKnown(nonceIn: -89) && !watching.mayHaveKnown(nonceIn: -88))
        // One that starts later is told by the epoch when that was.
        var late = try Watching(epoch: .bytes("AAAAAAAAAAAAAAAAAAAAAA.\(Sample.now - 300)".bytes))
        late.connect()
        #expect(late.forgettings == [], "no proof without a nonce is so old")
        #expect(late.mayHaveKnown(nonceIn: -289) && !late.mayHaveKnown(nonceIn: -288))
    }

    @Test(.refuses("SH-61")) func `refuses proofs from before another epoch`() throws {
        var watching = try Watching(epoch: old)
        watching.connect()
        watching.epoch = other
        watching.second()
        #expect(watching.forgettings == [.replaced])
        #expect(watching.mayHaveKnown(madeIn: 21) && !watching.mayHaveKnown(madeIn: 22))
        watching.second()
        #expect(watching.forgettings == [.replaced])
        watching.epoch = old
        watching.second()
        #expect(watching.forgettings == [.replaced, .replaced], "an older state was put back")
    }

    /// A replica that starts cannot know what was there before.
    @Test(.refuses("SH-61")) func `refuses proofs from before an epoch that is young, at its start`() throws {
        for age in [0, 1, 50, 80] as [Int64] {
            var watching = try Watching(epoch: .bytes("AAAAAAAAAAAAAAAAAAAAAA.\(Sample.now - age)".bytes))
            watching.connect()
            #expect(watching.forgettings == [.young])
            #expect(watching.mayHaveKnown(madeIn: 21 - age))
            #expect(!watching.mayHaveKnown(madeIn: 22 - age))
        }
        var watching = try Watching(epoch: .bytes("AAAAAAAAAAAAAAAAAAAAAA.\(Sample.now - 81)".bytes))
        watching.connect()
        #expect(watching.forgettings == [])
        watching = try Watching(epoch: .bytes("AAAAAAAAAAAAAAAAAAAAAA.\(Int64.max)".bytes))
        watching.connect()
        #expect(!watching.mayHaveKnown(madeIn: 22), "a time that has not come does not last")
        watching = try Watching()
        watching.connect()
        #expect(watching.forgettings == [.new], "it lost nothing that anybody knew")
        #expect(watching.mayHaveKnown(madeIn: 0))
        watching.epoch = .null
        watching.second()
        #expect(watching.forgettings == [.new, .missing])
    }

    @Test(.refuses("SH-61")) func `refuses proofs where something else lies under the epoch's name`() throws {
        let strange: [StoreReply] = [
            .bytes([]), .bytes("x".bytes), .bytes("AAAAAAAAAAAAAAAAAAAAAA".bytes),
            .bytes("AAAAAAAAAAAAAAAAAAAAAA.-1".bytes), .bytes("AAAAAAAAAAAAAAAAAAAAA!.1".bytes),
            .bytes("AAAAAAAAAAAAAAAAAAAAAA.01".bytes), .integer(1), .array([]),
            .error("WRONGTYPE Operation against a key holding the wrong kind of value".bytes),
        ]
        for epoch in strange {
            var watching = try Watching(epoch: epoch)
            watching.connect()
            #expect(watching.forgettings == [.altered], "\(epoch)")
            #expect(watching.mayHaveKnown(madeIn: 21))
        }
        // A refusal that says nothing of what is there changes nothing.
        for epoch in ["LOADING", "NOPERM", "CLUSTERDOWN", "ERR"] {
            var watching = try Watching(epoch: .error(epoch.bytes))
            watching.connect()
            #expect(watching.forgettings == [])
        }
    }

    @Test(.refuses("SH-61")) func `refuses proofs that may have been thrown away for want of memory`() throws {
        var watching = try Watching(epoch: old)
        watching.inform(evicted: 7)
        watching.connect()
        watching.second()
        #expect(watching.forgettings == [], "it throws none away any more")
        watching.inform(evicted: 8, policy: "allkeys-lru")
        watching.second()
        #expect(watching.forgettings == [.evicted])
        #expect(watching.mayHaveKnown(madeIn: 21) && !watching.mayHaveKnown(madeIn: 22))
        watching.second()
        #expect(watching.forgettings == [.evicted])
        // One that starts knows what was thrown away, and not when.
        var another = try Watching(epoch: old)
        another.inform(evicted: 8, policy: "volatile-ttl")
        another.connect()
        #expect(another.forgettings == [.evicted])
    }

    @Test func `asks no more for what it may not be told, but of each new connection`() throws {
        var watching = try Watching(epoch: old)
        watching.connect()
        watching.second()
        #expect(watching.asked == ["TIME", "GET", "INFO", "TIME", "GET"])
        watching.watch.lost()
        watching.inform()
        watching.connect()
        watching.second()
        #expect(watching.asked.suffix(6) == ["TIME", "GET", "INFO", "TIME", "GET", "INFO"])
        #expect(watching.failovers == 0)
    }

    @Test(.holds("SH-62")) func `tells of a failover, and takes the new primary's word`() throws {
        var watching = try Watching(epoch: old)
        watching.inform()
        watching.connect()
        watching.watch.lost()
        watching.inform(run: "r2", history: "h2")
        watching.connect()
        #expect(watching.failovers == 1)
        #expect(watching.forgettings == [])
        watching.second()
        watching.inform(run: "r2", history: "h3")
        watching.second()
        #expect(watching.failovers == 2)
        #expect(!watching.mayHaveKnown(madeIn: -60))
    }

    @Test(.refuses("SH-62")) func `refuses proofs from before a failover, where it is told to`() throws {
        var watching = try Watching(failover: .refuse, epoch: old)
        watching.inform()
        watching.connect()
        watching.second()
        watching.watch.lost()
        watching.connect()
        #expect(watching.forgettings == [], "the same server")
        watching.inform(run: "r2", history: "h2")
        watching.connect()
        #expect(watching.forgettings == [.failover] && watching.failovers == 1)
        #expect(watching.mayHaveKnown(madeIn: 21) && !watching.mayHaveKnown(madeIn: 22))
    }

    @Test(.refuses("SH-62")) func `takes each connection for a failover, where it may not look`() throws {
        var watching = try Watching(failover: .refuse, epoch: old)
        watching.connect()
        watching.second()
        #expect(watching.forgettings == [])
        watching.watch.lost()
        watching.connect()
        #expect(watching.forgettings == [.failover])
        watching.second()
        #expect(watching.forgettings == [.failover])
        // A server that threw keys away is a failover and more.
        watching.inform()
        watching.connect()
        watching.inform(run: "r2", evicted: 5, policy: "allkeys-lru")
        watching.connect()
        #expect(watching.failovers == 2)
    }

    @Test func `waits for its answers, and forgets those of a connection that is gone`() throws {
        var watch = EpochWatch(try Sample.names(), past: .seconds(60), future: .seconds(10), failover: .accept)
        let now = WatchTime(wall: 5000, monotonic: 5000)
        let word = RandomBytes.fill(16)
        let asked = watch.secondPassed(at: now, word: word)
        #expect(asked.count == 3)
        #expect(watch.secondPassed(at: now, word: word).isEmpty)
        watch.lost()
        for one in asked { #expect(watch.answered(one.number, .bytes([]), at: now).forgetting == nil) }
        let again = watch.secondPassed(at: now, word: word)
        #expect(again.count == 3)
        for one in again { watch.unanswered(one.number) }
        #expect(watch.secondPassed(at: now, word: word).count == 3)
    }

    /// `MOVED`, `ASK`, `LOADING` have a question asked again, and those behind it are answered before.
    @Test(.holds("SH-61"), arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `takes answers in whatever order they come`(order: [Int]) throws {
        var watching = try Watching(epoch: old)
        watching.inform()
        watching.connect()
        for _ in 0..<3 { watching.second(answeredIn: order) }
        #expect(watching.forgettings == [])
        watching.epoch = .null
        watching.second(answeredIn: order)
        #expect(watching.forgettings == [.missing])
        watching.second()
        watching.second(answeredIn: order)
        #expect(watching.forgettings.allSatisfy { $0 == .missing } && watching.epoch != .null)
        #expect(watching.failovers == 0)
    }

    @Test(.refuses("SH-61")) func `hears of it from any connection that is opened`() throws {
        var watching = try Watching(epoch: old)
        watching.connect()
        let now = WatchTime(wall: Sample.now * 1000, monotonic: 0)
        #expect(watching.watch.greeted("AAAAAAAAAAAAAAAAAAAAAA.1000".bytes, at: now).forgetting == nil)
        #expect(watching.watch.greeted(nil, at: now).forgetting == .missing)
        #expect(watching.watch.greeted("BBBBBBBBBBBBBBBBBBBBBA.1000".bytes, at: now).forgetting == nil)
        #expect(watching.watch.greeted("CCCCCCCCCCCCCCCCCCCCCA.1000".bytes, at: now).forgetting == .replaced)
        #expect(watching.mayHaveKnown(madeIn: 21) && !watching.mayHaveKnown(madeIn: 22))
    }

    @Test(.holds("SH-62"), .refuses("SH-62"))
    func `hears of another primary from any connection that is opened, and finds it out for itself`() throws {
        let now = WatchTime(wall: Sample.now * 1000, monotonic: 0)
        for failover in [StoreSettings.AfterFailover.accept, .refuse] {
            var watching = try Watching(failover: failover, epoch: old)
            func greet(_ watching: inout Watching, isAgain: Bool = true) -> EpochWatch.Forgetting? {
                var text: [UInt8]?
                if case .bytes(let bytes) = watching.information { text = bytes }
                return watching.watch.greeted(information: text, isAgain: isAgain, at: now).forgetting
            }
            #expect(greet(&watching, isAgain: false) == nil, "the first of a worker, where nobody may look")
            #expect(greet(&watching) == (failover == .refuse ? .failover : nil), "any other one there")
            watching.inform()
            #expect(greet(&watching) == nil, "nobody knows what was before")
            watching.connect()
            #expect(greet(&watching) == nil)
            watching.inform(run: "r2", history: "h2")
            #expect(greet(&watching, isAgain: false) == (failover == .refuse ? .failover : nil))
            #expect(watching.mayHaveKnown(madeIn: 21) == (failover == .refuse))
            #expect(watching.failovers == 0)
            watching.second()
            #expect(watching.failovers == 1, "sessions are asked about then")
            #expect(greet(&watching) == nil)
        }
    }

    @Test func `agrees with another about an epoch that both make`() throws {
        let server = try RedisServer()
        let names = try Sample.names()
        let clients = [try server.client(), try server.client()]
        var watches = clients.map { _ in
            EpochWatch(names, past: .seconds(60), future: .seconds(10), failover: .accept)
        }
        let start = try clients[0].ask(ReadTime(key: names.epoch)).milliseconds
        #expect(start > Sample.now)
        let now = WatchTime(wall: start, monotonic: 0)
        func answer(_ index: Int, _ questions: [EpochWatch.Question]) throws -> [EpochWatch.Forgetting] {
            var questions = questions
            var found: [EpochWatch.Forgetting] = []
            while !questions.isEmpty {
                let asked = questions.removeFirst()
                let reply = try clients[index].send(asked.question.arguments)
                let step = watches[index].answered(asked.number, reply, at: now)
                questions += step.questions
                if let forgetting = step.forgetting { found.append(forgetting) }
            }
            return found
        }
        // Both have read that there is none before one of them makes it.
        var makings: [[EpochWatch.Question]] = [[], []]
        for index in 0...1 {
            for asked in watches[index].connected(at: now, word: RandomBytes.fill(16)) {
                makings[index] +=
                    watches[index].answered(
                        asked.number, try clients[index].send(asked.question.arguments), at: now
                    ).questions
            }
        }
        #expect(makings.map(\.count) == [1, 1])
        for index in 0...1 { #expect(try answer(index, makings[index]) == []) }
        for index in 0...1 {
            #expect(try answer(index, watches[index].secondPassed(at: now, word: RandomBytes.fill(16))) == [])
        }
        try server.administrator().expect(["FLUSHALL"])
        #expect(try answer(0, watches[0].secondPassed(at: now, word: RandomBytes.fill(16))) == [.missing])
        #expect(try answer(1, watches[1].secondPassed(at: now, word: RandomBytes.fill(16))) == [.replaced])
        #expect(try clients[0].timeToLive(of: names.epoch) == -1, "the one key without an end")
    }
}

@Suite struct `the clock of a replica` {
    private func measure(
        _ skew: inout ClockSkew, ahead: Int64, at second: Int64, answerTakes: Int64 = 0
    ) {
        let store = Sample.now * 1000 + second * 1000
        let asked = WatchTime(wall: store + ahead, monotonic: second * 1000)
        let answered = WatchTime(wall: asked.wall + answerTakes, monotonic: asked.monotonic + answerTakes)
        skew.measure(StoreTime(milliseconds: store), asked: asked, answered: answered)
    }

    private func moment(_ second: Int64) -> WatchTime { WatchTime(wall: 0, monotonic: second * 1000) }

    @Test(.holds("SH-36"), arguments: [-5000, -4000, 0, 4000, 5000] as [Int64])
    func `may be five seconds from the store's`(ahead: Int64) {
        var skew = ClockSkew()
        for second in 0..<100 as Range<Int64> {
            measure(&skew, ahead: ahead, at: second)
            #expect(!skew.isUnready(at: moment(second)))
        }
        #expect(skew.milliseconds == ahead)
    }

    @Test(.refuses("SH-36"), arguments: [-40_000, -5001, 5001, 40_000] as [Int64])
    func `that is farther away for thirty seconds makes it unready, until it is right again`(ahead: Int64) {
        var skew = ClockSkew()
        for second in 0..<30 as Range<Int64> {
            measure(&skew, ahead: ahead, at: second)
            #expect(!skew.isUnready(at: moment(second)))
        }
        #expect(skew.isUnready(at: moment(30)), "also where the store does not answer any more")
        measure(&skew, ahead: 0, at: 31)
        #expect(!skew.isUnready(at: moment(31)))
        measure(&skew, ahead: ahead, at: 32)
        #expect(!skew.isUnready(at: moment(61)))
        #expect(skew.isUnready(at: moment(62)))
    }

    @Test func `is not blamed for an answer that took long, or came while it was set`() {
        var skew = ClockSkew()
        measure(&skew, ahead: -3000, at: 0, answerTakes: 20_000)
        #expect(skew.milliseconds == 0)
        measure(&skew, ahead: 9000, at: 1, answerTakes: -8000)
        #expect(skew.milliseconds == 0)
        measure(&skew, ahead: 6000, at: 2, answerTakes: 500)
        #expect(skew.milliseconds == 6000)
        measure(&skew, ahead: -6000, at: 3, answerTakes: 500)
        #expect(skew.milliseconds == -5500)
    }

    @Test func `is compared with times that are some`() throws {
        let command = ReadTime(key: try Sample.names().epoch)
        func read(_ parts: [String]) throws -> Int64 {
            try command.outcome(of: .array(parts.map { .bytes($0.bytes) })).milliseconds
        }
        #expect(try read(["1800000000", "123456"]) == 1_800_000_000_123)
        for parts in [
            [], ["1"], ["1", "2", "3"], ["-1", "0"], ["253402300800", "0"], ["1", "1000000"], ["1", "-1"], ["x", "1"],
        ] {
            #expect(throws: StoreRefusal.unexpected) { try read(parts) }
        }
        #expect(throws: StoreRefusal.unexpected) { try command.outcome(of: .integer(1)) }
    }
}
