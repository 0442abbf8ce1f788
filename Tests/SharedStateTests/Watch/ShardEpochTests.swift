import Crypto
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// A watch over a cluster of three shards, one of which may forget.
private struct WatchedCluster {
    private static let tags = Array(0..<128)
    var watch: EpochWatch
    var now = Sample.now
    /// What lies in the store, by name.
    private(set) var epochs: [[UInt8]: [UInt8]] = [:]
    private(set) var forgettings: [EpochWatch.Forgetting] = []
    private let names: StoreNames

    init() throws {
        names = try Sample.names()
        watch = EpochWatch(names, tags: Self.tags, past: .seconds(60), future: .seconds(1), failover: .accept)
    }

    var time: WatchTime { WatchTime(wall: now * 1000, monotonic: 0) }
    var count: Int { epochs.count }

    /// Answers in the opposite order where `isBackwards`: the servers of a cluster answer in any.
    mutating func connect(isBackwards: Bool = false) {
        answer(watch.connected(at: time, word: RandomBytes.fill(16)), isBackwards)
    }

    /// So many questions are asked.
    @discardableResult
    mutating func second() -> Int {
        now += 1
        let questions = watch.secondPassed(at: time, word: RandomBytes.fill(16))
        answer(questions)
        return questions.count
    }

    /// The shard with this third of the slots loses all keys.
    mutating func forget(shard: Int) {
        for tag in Self.tags where tag * 3 / Self.tags.count == shard { epochs[names.epoch(tag: tag).bytes] = nil }
    }

    mutating func takeForgettings() -> [EpochWatch.Forgetting] {
        defer { forgettings = [] }
        return forgettings
    }

    private mutating func answer(_ asked: [EpochWatch.Question], _ isBackwards: Bool = false) {
        var asked = isBackwards ? asked.reversed() : asked
        while !asked.isEmpty {
            let one = asked.removeFirst()
            let step = watch.answered(one.number, reply(one.question), at: time)
            if let forgetting = step.forgetting { forgettings.append(forgetting) }
            asked += step.questions
        }
    }

    private mutating func reply(_ question: StoreQuestion) -> StoreReply {
        switch String(decoding: question.arguments[0], as: UTF8.self) {
        case "TIME": return .array([.bytes("\(now)".bytes), .bytes("1".bytes)])
        case "GET": return epochs[question.key.bytes].map { .bytes($0) } ?? .null
        case "SET":
            defer { epochs[question.key.bytes] = epochs[question.key.bytes] ?? question.arguments[2] }
            return epochs[question.key.bytes].map { .bytes($0) } ?? .null
        default: return .error("NOPERM".bytes)
        }
    }

    func mayHaveKnown(madeIn seconds: Int64) -> Bool {
        let forgotten = ForgottenProofs()
        forgotten.note(until: watch.forgottenUntil)
        return forgotten.mayHaveKnown(usableSince: now + seconds - 1)
    }
}

@Suite struct `the watch over the shards of a cluster` {
    @Test(.holds("SH-61"), .refuses("SH-61"), arguments: [0, 1, 2])
    func `finds within a second that one of them forgot, and counts it once`(shard: Int) throws {
        var cluster = try WatchedCluster()
        cluster.connect()
        #expect(cluster.count == 129, "the store's own, and one for each part of the slots")
        #expect(cluster.takeForgettings() == [.new])
        for _ in 0..<100 { cluster.second() }
        #expect(cluster.forgettings == [] && !cluster.mayHaveKnown(madeIn: -60))
        cluster.forget(shard: shard)
        cluster.second()
        #expect(cluster.takeForgettings() == [.missing])
        #expect(cluster.mayHaveKnown(madeIn: -60) && cluster.mayHaveKnown(madeIn: 11))
        #expect(!cluster.mayHaveKnown(madeIn: 13))
        #expect(cluster.count == 129, "all are made anew at once")
        for _ in 0..<100 { cluster.second() }
        #expect(cluster.forgettings == [], "and nothing of it is found again")
    }

    @Test(.refuses("SH-61")) func `hears of it from any connection that is opened, before anything is asked there`()
        throws
    {
        var cluster = try WatchedCluster()
        cluster.connect()
        for _ in 0..<100 { cluster.second() }
        var told: [EpochWatch.Forgetting] = []
        for part in 43..<86 {
            if let one = cluster.watch.greeted(nil, part: part, at: cluster.time).forgetting { told.append(one) }
        }
        #expect(told == [.missing])
        #expect(cluster.mayHaveKnown(madeIn: 0))
    }

    @Test func `asks about an eighth of the parts in a second, and about all on a connection`() throws {
        var cluster = try WatchedCluster()
        cluster.connect(isBackwards: true)
        #expect(cluster.count == 129, "whichever server answers first")
        for _ in 0..<16 { #expect(cluster.second() <= 3 + 16) }
    }

    @Test func `says how long a client waits with whom a store is new`() throws {
        var cluster = try WatchedCluster()
        #expect(cluster.watch.secondsToWait(at: cluster.time) == 0)
        cluster.connect()
        let wait = Int64(cluster.watch.secondsToWait(at: cluster.time))
        #expect(wait == 12)
        #expect(cluster.mayHaveKnown(madeIn: wait) && !cluster.mayHaveKnown(madeIn: wait + 1))
    }
}
