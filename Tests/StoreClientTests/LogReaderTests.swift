import Crypto
import EventLoop
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing
import Transport

@testable import StoreClient

/// A reader of the log on a loop that the test turns by hand, and all that it has told.
private final class Reading {
    let loop: EventLoop
    let names: StoreNames
    private(set) var lines = 0
    private(set) var gaps: [EndingsFollower.Gap] = []
    private var made: LogReader?

    init(_ settings: StoreSettings) throws {
        loop = try EventLoop()
        names = StoreNames(prefix: "pc", ring: try StoreKeyRing([Secret([UInt8](repeating: 7, count: 32))]))
        made = LogReader(
            EndingsFollower(names, recheck: settings.recheck), loop: loop, resolver: Resolver(),
            clock: { monotonicMicroseconds() },
            onStep: { [unowned self] step in
                lines += step.lines.count
                if let gap = step.gap { gaps.append(gap) }
            },
            onRefused: { _, _, _ in })
        reader.open(StoreServers(settings, tls: nil))
    }

    deinit { made?.close() }

    var reader: LogReader {
        guard let made else { preconditionFailure("the reader is made with what it tells") }
        return made
    }

    /// Turns the loop, and has the reader look each tenth of a second, until it is so.
    func turns(within patience: Duration = Deadline.patience, until isSo: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline.after(patience)
        let tick = LoopTimer(loop: loop) {}
        var turns = 0
        while try !isSo() {
            if deadline.hasPassed { return false }
            tick.arm(milliseconds: 10)
            loop.runOnce(blocking: true)
            turns += 1
            if turns % 10 == 0 { reader.look() }
        }
        return true
    }

    var isAtHome: Bool { reader.isReading && reader.lag.map { $0 < 900 } ?? false }
}

/// The log of endings, read at real servers (SH-39).
@Suite(.serialized) struct `the log of endings` {
    private func write(_ node: RedisNode, _ count: Int = 1) throws {
        let admin = try node.admin()
        for _ in 0..<count {
            let reply = try admin.ask(
                ["XADD", "pc:e", "*", "k", "s", "n", "AAAAAAAAAAAAAAAAAAAAAA", "g", "1"])
            guard case .bytes = reply else { throw WireFailure.malformed(reply.text) }
        }
    }

    /// Connections of others than the test.
    private func connections(_ node: RedisNode) throws -> Int {
        let lines = try node.ask("CLIENT", "LIST", "TYPE", "normal").text.split(separator: "\n")
        return lines.count { $0.contains("laddr=127.0.0.1:") && !$0.contains("cmd=client") }
    }

    @Test(.holds("SH-39"), .holds("SH-84")) func `of a cluster is read at the server that has it, and at no other`()
        throws
    {
        let cluster = try RedisCluster(replicas: 0)
        let home = cluster.primary(of: "pc:e")
        let others = cluster.primaries.filter { $0 !== home }
        for seeds in [cluster.primaries, others, [home]] {
            let reading = try Reading(
                cluster.settings.with {
                    $0.addresses = seeds.map(\.address)
                    $0.recheck = .seconds(2)
                })
            #expect(reading.turns { reading.isAtHome })
            let asked = try home.calls("xread")
            try write(home, 3)
            // Those of a moment before it began are read too.
            #expect(reading.turns { reading.lines >= 3 })
            #expect(try reading.turns { try home.calls("xread") >= asked + 6 })
            #expect(reading.gaps == [.beginning])
            #expect(try others.map { try connections($0) } == [0, 0], "seeds are asked where the log is, and left")
            #expect(try connections(home) == 1)
            reading.reader.close()
            #expect(reading.turns { !reading.reader.isReading })
        }
    }

    @Test(.holds("SH-39"), .holds("SH-04")) func `of a cluster is read on where its slot goes`() throws {
        let cluster = try RedisCluster(replicas: 0)
        let home = cluster.primary(of: "pc:e")
        let target = try #require(cluster.primaries.first { $0 !== home })
        let reading = try Reading(cluster.settings)
        #expect(reading.turns { reading.isAtHome })
        try write(home, 2)
        #expect(reading.turns { reading.lines == 2 })
        let move = SlotMove(HashSlot.of("pc:e".utf8Span.span), from: home, to: target)
        #expect(reading.turns { move.isOver.now })
        #expect(move.failure.now == nil)
        try write(target, 2)
        #expect(reading.turns { reading.lines == 4 && reading.isAtHome })
        #expect(reading.gaps == [.beginning])
    }

    @Test(.refuses("SH-40")) func `is read again once its server is back, and nothing is asked meanwhile`() throws {
        let node = try RedisNode()
        let reading = try Reading(settings(node))
        #expect(reading.turns { reading.isAtHome })
        try write(node)
        #expect(reading.turns { reading.lines == 1 })
        node.kill()
        #expect(reading.turns { !reading.reader.isReading })
        try node.restart()
        #expect(reading.turns { reading.isAtHome })
        #expect(reading.turns { reading.gaps == [.beginning, .lost] }, "it has nothing any more")
        try write(node)
        #expect(reading.turns { reading.lines == 2 })
    }

    /// Reading asks no replica, and waits for none.
    @Test(.holds("SH-60"), .holds("SH-39")) func `is read where no replica has the writes`() throws {
        let node = try RedisNode()
        let reading = try Reading(settings(node) { $0.durability = .replica })
        #expect(reading.turns { reading.isAtHome })
        let asked = try node.calls("xread")
        #expect(try reading.turns { try node.calls("xread") >= asked + 4 })
        try write(node)
        #expect(reading.turns { reading.lines == 1 })
        #expect(reading.gaps == [.beginning])
        #expect(try node.calls("wait") == 0)
        #expect(try connections(node) == 1)
    }

    /// Whoever writes to the store puts in what no answer may be as large as.
    @Test(.refuses("SH-40"), .refuses("SH-16"), arguments: ["large", "many"])
    func `is read on behind a line that nobody can read`(how: String) throws {
        let node = try RedisNode()
        let reading = try Reading(settings(node))
        #expect(reading.turns { reading.isAtHome })
        try write(node)
        #expect(reading.turns { reading.lines == 1 })
        let fields = how == "large" ? ["k", String(repeating: "x", count: 200_000)] : (0..<2000).map { "\($0)" }
        try node.admin().ask(["XADD", "pc:e", "*"] + fields)
        #expect(reading.turns { reading.gaps.contains(.unreadable) })
        #expect(
            try reading.turns {
                try write(node)
                return reading.lines > 1
            })
        #expect(reading.turns { reading.isAtHome && !reading.reader.isUnreadable })
    }

    @Test(.refuses("SH-40")) func `is said to be unreadable while its key is none, and read when that is gone`() throws
    {
        let node = try RedisNode()
        try node.ask("SET", "pc:e", "1")
        let reading = try Reading(settings(node))
        #expect(reading.turns { reading.reader.isUnreadable })
        try node.ask("DEL", "pc:e")
        #expect(reading.turns { !reading.reader.isUnreadable })
        #expect(
            try reading.turns {
                try write(node)
                return reading.lines > 0
            })
        #expect(reading.turns { reading.isAtHome })
    }

    @Test(.refuses("SH-39")) func `is asked for again after a refusal, and not in a storm`() throws {
        let isRefusing = Watched(true)
        let server = try ScriptedRedis { words, _ in
            switch words.first {
            case "TIME": Wire.array([Wire.bulk("1800000000"), Wire.bulk("1")])
            case "XREAD": isRefusing.now ? "-NOPERM User portcullis has no permissions\r\n" : "*-1\r\n"
            default: nil
            }
        }
        let reading = try Reading(StoreSettings(addresses: [server.address]))
        #expect(reading.turns { server.count("XREAD") == 2 })
        #expect(!reading.turns(within: .milliseconds(500)) { server.count("XREAD") > 3 })
        isRefusing.withLock { $0 = false }
        #expect(reading.turns { server.count("XREAD") > 5 })
    }
}
