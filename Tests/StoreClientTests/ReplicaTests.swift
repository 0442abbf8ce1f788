import EventLoop
import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing

@testable import StoreClient

/// `durability: replica`: a write counts once a replica has it (SH-60).
@Suite(.serialized) struct `a store whose writes are to be at a replica` {
    private static func pair() throws -> (primary: RedisNode, replica: RedisNode) {
        let primary = try RedisNode()
        let replica = try RedisNode(["--replicaof", "127.0.0.1 \(primary.port)"])
        // The first write may have come with all the data; what comes behind is sent up to a second later.
        let admin = try primary.admin()
        var writes = 0
        let isThere = try eventually {
            try admin.ask("INCR", "writes")
            if try admin.ask("WAIT", "1", "100") == .integer(1) { writes += 1 }
            return writes == 3
        }
        try admin.ask("FLUSHALL")
        try admin.ask("CONFIG", "RESETSTAT")
        guard isThere else { throw WireFailure.timedOut("no replica") }
        return (primary, replica)
    }

    @Test(.holds("SH-60")) func `asks once for all writes of a turn, and has reads wait for none of it`() throws {
        let (primary, replica) = try Self.pair()
        let talk = try StoreTalk(settings(primary) { $0.durability = .replica })
        #expect(talk.opens())
        #expect(talk.connected == [primary.place])
        let before = talk.links.counters
        for round in 0..<50 {
            let tickets = (0..<16).map { talk.send("SET", "pc:p:\(round)-\($0)", ["1", "NX"]) }
            for ticket in tickets { #expect(talk.answer(to: ticket) == .reply("OK")) }
        }
        #expect(try primary.calls("wait") == 50)
        #expect(talk.links.counters.writes - before.writes <= 120, "800 writes of keys")
        #expect(try replica.ask("DBSIZE") == .integer(800))
        #expect(talk.ask("SET", "pc:p:0-0", "1", "NX") == .null)
        #expect(talk.ask("INCR", "pc:n") == .reply("1"))
        #expect(talk.ask("HGET", "pc:n", "f") == .refused(.wrongType))
        #expect(talk.toldTwice == 0 && talk.links.inFlight == 0)
    }

    /// What comes in the next turn leaves together with what came in this one.
    @Test(.holds("SH-60", "SH-15")) func `asks behind all writes that leave together, and in the same write`() throws {
        let server = try ScriptedRedis { words, _ in words.first == "WAIT" ? ":1\r\n" : nil }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]).with { $0.durability = .replica })
        #expect(talk.opens())
        var tickets: [UInt64] = []
        // Due before the link's own end of the turn, since it was there before.
        let next = LoopTimer(loop: talk.loop) { tickets.append(talk.send("SET", "pc:p:next", ["1"])) }
        next.arm(milliseconds: 0)
        tickets.append(talk.send("SET", "pc:p:first", ["1"]))
        #expect(talk.turns { tickets.count == 2 })
        for ticket in tickets { #expect(talk.answer(to: ticket) == .reply("OK")) }
        let asked = server.asked.now.filter { ["SET", "WAIT"].contains($0.first) }
        #expect(asked.map { $0[1] } == ["pc:p:first", "pc:p:next", "1"])
        #expect(talk.toldTwice == 0 && talk.links.inFlight == 0)
    }

    @Test(.holds("SH-60")) func `asks as soon as there is room, where the writes have taken all of it`() throws {
        let server = try ScriptedRedis { words, _ in words.first == "WAIT" ? ":1\r\n" : nil }
        let talk = try StoreTalk(
            StoreSettings(addresses: [server.address]).with {
                $0.durability = .replica
                $0.limits.inFlight = 1
            })
        #expect(talk.opens())
        for number in 0..<3 { #expect(talk.ask("SET", "pc:p:\(number)", "1") == .reply("OK")) }
        #expect(server.count("WAIT") == 3)
        #expect(talk.toldTwice == 0 && talk.links.inFlight == 0)
    }

    @Test(.refuses("SH-60")) func `tells no write while the replica is stopped, and all of them once it is back`()
        throws
    {
        let (primary, replica) = try Self.pair()
        let talk = try StoreTalk(settings(primary) { $0.durability = .replica })
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:s:x", "1") == .reply("OK"))
        replica.process.signal(SIGSTOP)
        let began = monotonicMicroseconds()
        let writes = (0..<16).map { talk.send("SET", "pc:p:\($0)", ["1", "NX"]) }
        #expect(talk.ask("GET", "pc:s:x", changesNothing: true) == .reply("1"))
        #expect(writes.allSatisfy { talk.answers[$0] == nil }, "a read does not stand behind them")
        for ticket in writes { #expect(talk.answer(to: ticket) == .unknown) }
        #expect(monotonicMicroseconds() - began < 400_000)
        #expect(talk.losses.isEmpty)
        replica.process.signal(SIGCONT)
        #expect(talk.turns { talk.ask("SET", "pc:p:again", "1") == .reply("OK") })
        replica.kill()
        #expect(talk.turns { talk.ask("SET", "pc:p:alone", "1") == .unknown })
        #expect(talk.toldTwice == 0 && talk.links.inFlight == 0)
    }

    @Test(
        .refuses("SH-60"),
        arguments: [":0\r\n", "-NOPERM no permissions to run the 'wait' command\r\n", "close", "$1\r\nx\r\n"])
    func `tells no write of a server that does not say that a replica has it`(answer: String) throws {
        let server = try ScriptedRedis { words, _ in words.first == "WAIT" ? answer : nil }
        let talk = try StoreTalk(
            StoreSettings(addresses: [server.address]).with { $0.durability = .replica })
        #expect(talk.opens())
        let tickets = (0..<3).map { talk.send("SET", "pc:p:\($0)", ["1"]) }
        for ticket in tickets { #expect(talk.answer(to: ticket) == .unknown) }
        #expect(server.count("SET") == 3)
        #expect(talk.unsuitable.map(\.setting) == (answer.hasPrefix("-") ? ["store.durability"] : []))
        #expect(talk.toldTwice == 0 && talk.links.inFlight == 0)
    }

    @Test(.holds("SH-86")) func `tells how long each write took, its replica included`() throws {
        let server = try ScriptedRedis { words, _ in
            if words.first == "WAIT" {
                dawdle(for: .milliseconds(40))
                return ":1\r\n"
            }
            return nil
        }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]).with { $0.durability = .replica })
        #expect(talk.opens())
        var waits: [UInt64] = []
        talk.onAnswer = { _, _ in waits.append(talk.lastWait) }
        #expect(talk.ask("GET", "pc:s:x", changesNothing: true) == .null)
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"))
        #expect(waits.count == 2 && waits[1] >= 40_000, "\(waits)")
    }

    @Test(.refuses("SH-60")) func `waits no longer for the word of a replica than a command may`() throws {
        let server = try ScriptedRedis { words, _ in words.first == "WAIT" ? "hang" : nil }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]).with { $0.durability = .replica })
        #expect(talk.opens())
        let began = monotonicMicroseconds()
        #expect(talk.ask("SET", "pc:p:x", "1") == .unknown)
        #expect(monotonicMicroseconds() - began < 600_000)
        #expect(talk.ask("GET", "pc:p:x", changesNothing: true) == .null)
    }

    @Test(.holds("SH-60")) func `may be stopped while answers are held, and from within one`() throws {
        let (primary, replica) = try Self.pair()
        let talk = try StoreTalk(settings(primary) { $0.durability = .replica })
        #expect(talk.opens())
        talk.onAnswer = { _, told in if told == .reply("OK") { talk.links.stop() } }
        let tickets = (0..<4).map { talk.send("SET", "pc:p:\($0)", ["1"]) }
        for ticket in tickets { _ = talk.answer(to: ticket) }
        #expect(tickets.map { talk.answers[$0] } == [.reply("OK"), .unknown, .unknown, .unknown])
        talk.onAnswer = nil
        talk.links.start()
        #expect(talk.opens())
        let late = talk.send("SET", "pc:p:late", ["1"])
        talk.links.stop()
        #expect(talk.answers[late] == .unknown)
        #expect(replica.process.isRunning)
        #expect(talk.toldTwice == 0 && talk.links.inFlight == 0)
    }

    @Test(.holds("SH-60")) func `follows redirects in a cluster all the same`() throws {
        let cluster = try RedisCluster()
        let talk = try StoreTalk(cluster.settings.with { $0.durability = .replica })
        #expect(talk.turns { (0..<HashSlot.count).allSatisfy { talk.links.isUp(slot: $0) } })
        let key = "pc:{moved}:0"
        let source = cluster.primary(of: key)
        let target = try #require(cluster.primaries.first { $0 !== source })
        let move = SlotMove(HashSlot.of(key.utf8Span.span), from: source, to: target)
        let load = talk.load(key: { "pc:{moved}:\($0)" }) { move.isOver.now }
        #expect(move.failure.now == nil)
        #expect(load.answered > 50 && load.failures.isEmpty, "\(load.answered) \(load.failures.prefix(5))")
    }
}

extension StoreSettings {
    /// The same with something changed.
    func with(_ change: (inout StoreSettings) -> Void) -> StoreSettings {
        var settings = self
        change(&settings)
        return settings
    }
}
