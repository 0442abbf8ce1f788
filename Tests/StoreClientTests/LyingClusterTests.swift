import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing

@testable import StoreClient

/// Nodes of a cluster that say what is not so.
@Suite(.serialized) struct `a cluster that lies` {
    @Test(.refuses("SH-04"), arguments: ["MOVED", "ASK"])
    func `and redirects to itself is followed three times, and asked for two maps a second at most`(word: String) throws
    {
        let server = try ScriptedRedis { words, port in
            switch words.first {
            case "CLUSTER": Wire.array([Wire.range(0, 16_383, "127.0.0.1", port)])
            case "SET": "-\(word) \(HashSlot.of(words[1].utf8Span.span)) 127.0.0.1:\(port)\r\n"
            default: nil
            }
        }
        let talk = try StoreTalk(cluster(server))
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1") == .refused(word == "ASK" ? .ask : .moved))
        #expect(server.count("SET") == 4)
        #expect(server.count("ASKING") == (word == "ASK" ? 3 : 0))
        let before = server.count("CLUSTER")
        let began = monotonicMicroseconds()
        let load = talk.load { monotonicMicroseconds() > began + 2_000_000 }
        #expect(load.failures.count == load.answered)
        #expect(server.count("CLUSTER") - before <= 4)
        #expect(talk.links.states.count == 1)
    }

    @Test(.refuses("SH-04")) func `and has forgotten its slots is not believed, the others are`() throws {
        let forgets = Watched(false)
        let second = try ScriptedRedis { words, _ in words.first == "CLUSTER" ? "*0\r\n" : nil }
        let other = second.port
        let first = try ScriptedRedis { words, port in
            guard words.first == "CLUSTER" else {
                return words.first == "GET" && words[1] != "pc:epoch" ? "-MOVED 1 127.0.0.1:\(port)\r\n" : nil
            }
            if forgets.now { return "*0\r\n" }
            return Wire.array([
                Wire.range(0, 8191, "", port), Wire.range(8192, 16_383, "127.0.0.1", other),
            ])
        }
        let talk = try StoreTalk(cluster(first))
        #expect(talk.turns { talk.links.isUp(slot: 0) && talk.links.isUp(slot: 16_383) })
        forgets.withLock { $0 = true }
        // A redirect has the map asked for.
        let asked = first.count("CLUSTER") + second.count("CLUSTER")
        #expect(
            talk.turns {
                _ = talk.ask("GET", "pc:p:a"); return first.count("CLUSTER") + second.count("CLUSTER") > asked
            })
        #expect(talk.turns(within: .milliseconds(100)) { false } == false)
        #expect(talk.links.isUp(slot: 0) && talk.links.isUp(slot: 16_383))
    }

    @Test(.holds("SH-04")) func `keeps the other end of a slot that moves, though its map does not name it`() throws {
        let target = try ScriptedRedis { words, _ in words.first == "GET" ? "$1\r\nt\r\n" : nil }
        let port = target.port
        let source = try ScriptedRedis { words, own in
            switch words {
            case ["GET", "pc:s:moves"]: "-ASK \(HashSlot.of("pc:s:moves".utf8Span.span)) 127.0.0.1:\(port)\r\n"
            case ["GET", "pc:s:map"]: "-MOVED \(HashSlot.of("pc:s:map".utf8Span.span)) 127.0.0.1:\(own)\r\n"
            default: words.first == "CLUSTER" ? Wire.array([Wire.range(0, 16_383, "127.0.0.1", own)]) : nil
            }
        }
        let talk = try StoreTalk(cluster(source))
        #expect(talk.opens())
        #expect(talk.ask("GET", "pc:s:moves") == .reply("t"))
        let maps = source.count("CLUSTER")
        let connected = talk.connected.count
        #expect(
            talk.turns {
                _ = talk.ask("GET", "pc:s:map")
                return source.count("CLUSTER") > maps
            })
        // The answer to the map is read before that to what is asked behind it.
        for _ in 0..<3 { #expect(talk.ask("GET", "pc:s:moves") == .reply("t")) }
        #expect(talk.connected.count == connected && talk.links.states.count == 2)
    }

    @Test(
        .refuses("SH-04"),
        arguments: [
            "+OK\r\n", "$3\r\nabc\r\n", ":1\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
            "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n",
            "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:0\r\n", "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\n \r\n:1\r\n",
        ])
    func `and answers with what is no map is told, and nothing of it is used`(text: String) throws {
        let server = try ScriptedRedis { words, _ in words.first == "CLUSTER" ? text : nil }
        let talk = try StoreTalk(cluster(server))
        #expect(talk.turns { !talk.unsuitable.isEmpty })
        #expect(talk.unsuitable.first?.setting == "store.topology")
        #expect(talk.links.states.isEmpty)
        #expect(talk.ask("GET", "pc:p:x") == .down)
    }

    @Test(.refuses("SH-06")) func `and names servers across the network is not followed there in the clear`() throws {
        let server = try ScriptedRedis { words, port in
            switch words.first {
            case "CLUSTER":
                Wire.array([
                    Wire.range(0, 8191, "127.0.0.1", port), Wire.range(8192, 12_000, "203.0.113.7", 6379),
                    Wire.range(12_001, 16_383, "127.evil.example", 6379),
                ])
            default: nil
            }
        }
        let talk = try StoreTalk(cluster(server))
        #expect(talk.turns { talk.links.isUp(slot: 0) })
        #expect(talk.links.states.map(\.place) == [server.place])
        #expect(talk.unsuitable.allSatisfy { $0.setting == "store.insecure_allow_plain" } && talk.unsuitable.count >= 2)
        #expect(!talk.links.isUp(slot: 9000) && !talk.links.isUp(slot: 13_000))
    }

    @Test(.refuses("SH-04")) func `and names more servers than there can be is believed in for some of them alone`()
        throws
    {
        let ranges = (0..<1000).map { Wire.range($0, $0, "127.0.0.1", UInt16(1 + $0)) }
        let server = try ScriptedRedis { words, port in
            words.first == "CLUSTER" ? Wire.array(ranges + [Wire.range(1000, 16_383, "127.0.0.1", port)]) : nil
        }
        let talk = try StoreTalk(cluster(server))
        #expect(talk.turns { talk.links.table.nodes.count == NodeTable.limit })
        #expect(talk.links.links.count == NodeTable.limit)
        talk.links.stop()
    }
}

func cluster(_ servers: ScriptedRedis...) -> StoreSettings {
    var settings = StoreSettings(addresses: servers.map(\.address))
    settings.topology = .cluster
    return settings
}
