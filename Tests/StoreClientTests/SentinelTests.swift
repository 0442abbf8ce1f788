import Crypto
import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing

@testable import StoreClient

/// A primary that Sentinels watch, as people run it.
@Suite(.serialized) struct `a store whose primary the Sentinels know` {
    enum Failover: CaseIterable {
        case crash, stop, command, ownCommand
    }

    @Test(.holds("SH-03"), .holds("SH-77"), .refuses("SH-77"), arguments: Failover.allCases)
    func `goes on at the new primary within a second of the Sentinels' word`(failover: Failover) throws {
        let store = try Sentinels()
        let talk = try StoreTalk(store.settings)
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:s:x", "1") == .reply("OK"))
        switch failover {
        case .crash: store.primary.kill()
        case .stop: store.primary.process.signal(SIGSTOP)
        case .command:
            try store.sentinels[0].ask("SENTINEL", "FAILOVER", Sentinels.name)
        case .ownCommand: try store.handOver()
        }
        var known: UInt64?
        var last: UInt64 = 0
        let load = try talk.load {
            let now = monotonicMicroseconds()
            if known == nil, now > last + 20_000 {
                last = now
                if try store.changed() >= 2 { known = now }
            }
            return known.map { now > $0 + 1_500_000 } ?? false
        }
        let moment = try #require(known)
        let late = load.failures.filter { $0.at > moment + 1_000_000 }
        #expect(late.isEmpty, "\(late.first.map { "\($0)" } ?? "") \(moment)")
        #expect(
            load.failures.allSatisfy { [.down, .unknown, .notSent].contains($0.told) },
            "\(load.failures.first.map { "\($0)" } ?? "")")
        let now = try store.named()
        #expect(talk.links.states.map(\.place) == [.address(host: "127.0.0.1", port: UInt16(now) ?? 0)])
        #expect(talk.ask("GET", "pc:s:x") == .reply("1"))
        if failover == .stop { store.primary.process.signal(SIGCONT) }
        #expect(talk.toldTwice == 0)
    }

    @Test(.refuses("SH-03")) func `is not the server that a Sentinel names when that is a replica`() throws {
        let primary = try RedisNode()
        let replica = try RedisNode(["--replicaof", "127.0.0.1 \(primary.port)"])
        let port = replica.port
        let liar = try ScriptedRedis { words, _ in words.first == "SENTINEL" ? Wire.named(port) : nil }
        let talk = try StoreTalk(settings(sentinels: liar))
        #expect(talk.turns { talk.losses.contains { $0.loss == .notPrimary } })
        #expect(talk.turns { liar.count("SENTINEL") > 6 })
        #expect(talk.connected.isEmpty)
        #expect(talk.ask("GET", "pc:p:x") == .down)
        #expect(talk.losses.count <= 5, "twice a second at most")
        #expect(try replica.calls("get") == 0 || talk.connected.isEmpty)
    }

    @Test(.refuses("SH-77")) func `is the server that most of them name, where two are named`() throws {
        let (real, cutOff) = (try RedisNode(), try RedisNode())
        let named = Watched([cutOff.port, cutOff.port, cutOff.port])
        let sentinels = try (0..<3).map { index in
            try ScriptedRedis { words, _ in words.first == "SENTINEL" ? Wire.named(named.now[index]) : nil }
        }
        let talk = try StoreTalk(settings(sentinels: sentinels))
        #expect(talk.opens())
        #expect(talk.links.states.map(\.place) == [cutOff.place])
        // One that was not cut off: not enough.
        named.withLock { $0[0] = real.port }
        let asked = sentinels.map { $0.count("SENTINEL") }
        #expect(talk.turns { zip(sentinels, asked).allSatisfy { $0.count("SENTINEL") >= $1 + 2 } })
        #expect(talk.links.states.map(\.place) == [cutOff.place])
        named.withLock { $0[1] = real.port }
        #expect(talk.turns { talk.links.states.map(\.place) == [real.place] && talk.links.isUp(slot: 0) })
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"))
        #expect(try real.ask("GET", "pc:p:x").text == "1")
    }

    /// With each failover there would be one more, until there is no room for a primary.
    @Test(.refuses("SH-03")) func `is the one that is named, and none of those that were named before`() throws {
        let (real, next) = (try RedisNode(), try RedisNode())
        let named = Watched(real.port)
        let sentinel = try ScriptedRedis { words, _ in words.first == "SENTINEL" ? Wire.named(named.now) : nil }
        let talk = try StoreTalk(settings(sentinels: sentinel))
        #expect(talk.opens())
        // They never answer.
        let silent = try (0..<3).map { _ in try ScriptedRedis { _, _ in "hang" } }
        for server in silent {
            named.withLock { $0 = server.port }
            #expect(talk.turns { talk.links.states.contains { $0.place == server.place } })
            #expect(talk.links.states.count == 2)
        }
        named.withLock { $0 = next.port }
        #expect(talk.turns { talk.links.states.map(\.place) == [next.place] })
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"))
        named.withLock { $0 = silent[0].port }
        #expect(talk.turns { talk.links.states.count == 2 })
        named.withLock { $0 = next.port }
        #expect(talk.turns { talk.links.states.map(\.place) == [next.place] }, "the one that serves, named again")
    }

    /// `when_down: local` begins, and metrics tell of it, by the word that a server is lost.
    @Test(.refuses("SH-77"), .refuses("SH-59")) func `is told of as lost when it answers that it is none any more`()
        throws
    {
        let isReplica = Watched(false)
        let server = try ScriptedRedis { words, _ in
            guard isReplica.now else { return nil }
            switch words.first {
            case "SET": return "-READONLY You can't write against a read only replica.\r\n"
            case "ROLE": return "*1\r\n$5\r\nslave\r\n"
            default: return nil
            }
        }
        let port = server.port
        let sentinel = try ScriptedRedis { words, _ in words.first == "SENTINEL" ? Wire.named(port) : nil }
        let talk = try StoreTalk(settings(sentinels: sentinel))
        #expect(talk.opens())
        isReplica.withLock { $0 = true }
        _ = talk.ask("SET", "pc:p:x", "1")
        #expect(talk.losses.first?.loss == .notPrimary && talk.losses.first?.place == server.place)
        #expect(!talk.links.states.contains { $0.isUp })
    }

    @Test(.holds("SH-03")) func `is asked of Sentinels that want a user and a password`() throws {
        let store = try Sentinels(lines: ["user portcullis on >word ~* &* +@all", "user default off ~* &* +@all"])
        let talk = try StoreTalk(
            store.settings.with {
                $0.sentinel?.user = "portcullis"
                $0.sentinel?.password = secret("word")
            })
        #expect(talk.opens())
        let wrong = try StoreTalk(
            store.settings.with {
                $0.sentinel?.user = "portcullis"
                $0.sentinel?.password = secret("other")
            })
        #expect(wrong.turns { !wrong.losses.isEmpty })
        #expect(wrong.losses.first?.loss == .authenticationRefused(.wrongPassword))
        #expect(wrong.userLost?.section == "store.sentinel")
        #expect(wrong.ask("GET", "pc:p:x") == .down)
    }

    @Test(.refuses("SH-10")) func `names the setting where the Sentinels know no such primary`() throws {
        let sentinel = try ScriptedRedis { words, _ in words.first == "SENTINEL" ? "*-1\r\n" : nil }
        let talk = try StoreTalk(settings(sentinels: sentinel))
        #expect(talk.turns { !talk.unsuitable.isEmpty })
        #expect(talk.unsuitable.first?.setting == "store.sentinel.name")
    }
}

/// Settings of a store that these Sentinels know.
func settings(sentinels: ScriptedRedis...) -> StoreSettings { settings(sentinels: sentinels) }

func settings(sentinels: [ScriptedRedis]) -> StoreSettings {
    var settings = StoreSettings()
    settings.topology = .sentinel
    settings.sentinel = StoreSettings.Sentinel(name: Sentinels.name)
    settings.sentinel?.addresses = sentinels.map(\.address)
    return settings
}
