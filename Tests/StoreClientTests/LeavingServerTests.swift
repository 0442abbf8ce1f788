import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing

@testable import StoreClient

/// A node of a cluster that lost its slots while it was asked about one of them.
@Suite(.serialized) struct `a server that has nothing any more` {
    /// A cluster whose only node says, when it is asked again, that another one has everything; and answers then what it was
    /// asked meanwhile.
    private struct Move {
        let talk: StoreTalk
        let clock: Watched<UInt64>
        let target: ScriptedRedis
        let source: ScriptedRedis
        /// The command that was on its way.
        let ticket: UInt64
        /// Opened, the node answers it.
        let answer: Gate
    }

    /// Nothing here is a matter of time: the map waits for the command, the command's answer for the map, and the links' clock
    /// for both.
    private func move(
        _ name: String, _ arguments: [String] = [], changesNothing: Bool = false, late: String
    ) throws -> Move {
        let (map, answer) = (Gate(), Gate())
        let (moved, isAsked) = (Watched(false), Watched(false))
        let target = try ScriptedRedis { words, _ in
            guard words.count > 1, words[1] == "pc:s:x" else { return nil }
            return words[0] == "GET" ? "$6\r\ntarget\r\n" : words[0] == "SET" ? "+target\r\n" : nil
        }
        let port = target.port
        let source = try ScriptedRedis { words, own in
            switch words {
            case ["CLUSTER", "SLOTS"]:
                guard moved.now else { return Wire.array([Wire.range(0, 16_383, "127.0.0.1", own)]) }
                isAsked.withLock { $0 = true }
                map.wait()
                return Wire.array([Wire.range(0, 16_383, "127.0.0.1", port)])
            case ["GET", "pc:s:down"]:
                let isFirst = moved.withLock { moved in
                    defer { moved = true }
                    return !moved
                }
                return isFirst ? "-CLUSTERDOWN The cluster is down\r\n" : nil
            default:
                guard words.count > 1, words[1] == "pc:s:x" else { return nil }
                answer.wait()
                return late.replacingOccurrences(of: "PORT", with: "\(port)")
            }
        }
        let clock = Watched(monotonicMicroseconds())
        let talk = try StoreTalk(cluster(source), clock: { clock.now })
        #expect(talk.opens())
        talk.send("GET", "pc:s:down", changesNothing: true)
        // The map is asked for a second after the last time. Whoever is awaited has all the time that he takes.
        #expect(
            talk.turns {
                let isIdle = (talk.links.links + talk.links.guides).allSatisfy { ($0?.link.inFlight ?? 0) == 0 }
                if isIdle { clock.withLock { $0 += 10_000 } }
                return isAsked.now
            })
        let writes = talk.links.links[0]?.link.counters.writes ?? 0
        let ticket = talk.send(name, "pc:s:x", arguments, changesNothing: changesNothing)
        // Behind the question for the map, before that is answered.
        #expect(talk.turns { (talk.links.links[0]?.link.counters.writes ?? 0) > writes })
        map.open()
        #expect(talk.turns { talk.links.states.map(\.place) == [target.place] && talk.links.isUp(slot: 0) })
        #expect(talk.links.leaving.count == 1)
        #expect(talk.answers[ticket] == nil)
        return Move(talk: talk, clock: clock, target: target, source: source, ticket: ticket, answer: answer)
    }

    @Test(.holds("SH-04", "SH-85")) func `answers what it was asked before, and is left then`() throws {
        let move = try move("SET", ["1", "NX"], late: "+OK\r\n")
        // Who asks now asks the other one, and does not wait for it.
        #expect(move.talk.ask("GET", "pc:s:x") == .reply("target"))
        #expect(move.talk.links.leaving.count == 1)
        move.answer.open()
        #expect(move.talk.answer(to: move.ticket) == .reply("OK"))
        #expect(move.talk.turns { move.talk.links.leaving.isEmpty })
        #expect(move.target.asked.now.count { $0.first == "SET" } == 0, "asked twice, a proof is its own replay")
        #expect(move.talk.toldTwice == 0 && move.talk.links.inFlight == 0 && move.talk.losses.isEmpty)
    }

    @Test(.holds("SH-04")) func `may say with its last word where a key is now`() throws {
        let slot = HashSlot.of("pc:s:x".utf8Span.span)
        let move = try move("SET", ["1", "NX"], late: "-MOVED \(slot) 127.0.0.1:PORT\r\n")
        move.answer.open()
        #expect(move.talk.answer(to: move.ticket) == .reply("target"))
        #expect(move.talk.turns { move.talk.links.leaving.isEmpty })
        #expect(move.talk.toldTwice == 0 && move.talk.links.inFlight == 0)
    }

    @Test(.refuses("SH-17", "SH-85"), arguments: [false, true])
    func `and dies has done what it was asked, or not: only what changes nothing is asked again`(
        changesNothing: Bool
    ) throws {
        let move = try move(
            changesNothing ? "GET" : "SET", changesNothing ? [] : ["1"], changesNothing: changesNothing, late: "close")
        move.answer.open()
        #expect(move.talk.turns { move.talk.links.leaving.isEmpty })
        // It is asked again a moment later.
        move.clock.withLock { $0 += 20_000 }
        #expect(move.talk.answer(to: move.ticket) == (changesNothing ? .reply("target") : .unknown))
        #expect(move.target.asked.now.count { $0.first == "SET" } == 0)
        #expect(move.talk.links.states.map(\.place) == [move.target.place])
        #expect(move.talk.losses.isEmpty, "a server that is not needed is not missed")
    }

    @Test(.refuses("SH-17", "SH-85")) func `and never answers is left when its time is over`() throws {
        let move = try move("SET", ["1"], late: "hang")
        move.answer.open()
        move.clock.withLock { $0 += 2_000_000 }
        #expect(move.talk.answer(to: move.ticket) == .unknown)
        #expect(move.talk.turns { move.talk.links.leaving.isEmpty })
        #expect(move.talk.ask("GET", "pc:s:x") == .reply("target"))
        #expect(move.talk.toldTwice == 0 && move.talk.links.inFlight == 0)
    }
}

/// Links that a change of the configuration has left behind.
@Suite(.serialized) struct `links that connect no more` {
    @Test(.holds("SH-12")) func `answer what they were asked, by the connection that stands`() throws {
        let gate = Gate()
        let server = try ScriptedRedis { words, _ in
            guard words == ["GET", "pc:s:x"] else { return nil }
            gate.wait()
            return "$1\r\nx\r\n"
        }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        let ticket = talk.send("GET", "pc:s:x", changesNothing: true)
        #expect(talk.turns { server.count("GET") == 1 })
        talk.links.stopConnecting()
        gate.open()
        #expect(talk.answer(to: ticket) == .reply("x"))
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"), "a proof that was let through is still to be written")
        #expect(talk.losses.isEmpty && talk.toldTwice == 0)
    }

    @Test(.refuses("SH-12", "SH-17"), arguments: [false, true])
    func `are not opened again, and nobody is told so`(changesNothing: Bool) throws {
        let server = try ScriptedRedis { words, _ in words.last == "pc:s:last" ? "close" : nil }
        let talk = try StoreTalk(
            StoreSettings(addresses: [server.address]).with { $0.durability = .replica })
        #expect(talk.opens())
        let attempts = talk.links.counters.attempts
        let links = (talk.links.links + talk.links.writers).compactMap { $0?.link }
        #expect(links.count == 2)
        talk.links.stopConnecting()
        let read = talk.send("GET", "pc:s:last", changesNothing: true)
        let written = talk.send(changesNothing ? "GET" : "SET", "pc:s:last", changesNothing: changesNothing)
        #expect(talk.answer(to: read) == .notSent, "there is nobody to be asked once more")
        #expect(talk.answer(to: written) == (changesNothing ? .notSent : .unknown))
        #expect(links[0].phase == .stopped && (changesNothing || links[1].phase == .stopped))
        #expect(talk.links.counters.attempts == attempts)
        #expect(talk.losses.isEmpty && talk.toldTwice == 0 && talk.links.inFlight == 0)
        #expect(talk.ask("GET", "pc:s:x", changesNothing: true) == .down)
    }

    @Test(.refuses("SH-12")) func `are not opened for the first time either`() throws {
        let server = try ScriptedRedis { words, _ in words.first == "ROLE" ? "hang" : nil }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.turns { server.count("ROLE") == 1 })
        talk.links.stopConnecting()
        #expect(talk.links.links[0]?.link.phase == .stopped)
        #expect(talk.losses.isEmpty)
    }

    @Test(.refuses("SH-12", "SH-04")) func `ask no node of a cluster for others, and follow nobody to them`() throws {
        let elsewhere = try ScriptedRedis { _, _ in nil }
        let port = elsewhere.port
        let slot = HashSlot.of("pc:s:x".utf8Span.span)
        let server = try ScriptedRedis { words, own in
            if words == ["CLUSTER", "SLOTS"] { return Wire.array([Wire.range(0, 16_383, "127.0.0.1", own)]) }
            return words == ["GET", "pc:s:x"] ? "-MOVED \(slot) 127.0.0.1:\(port)\r\n" : nil
        }
        let talk = try StoreTalk(cluster(server))
        #expect(talk.opens())
        talk.links.stopConnecting()
        #expect(talk.ask("GET", "pc:s:x", changesNothing: true) == .refused(.moved))
        #expect(talk.ask("GET", "pc:s:y", changesNothing: true) == .null)
        #expect(elsewhere.asked.now.isEmpty && talk.links.nextQuestion == .max)
        #expect(talk.links.guides.allSatisfy { $0.link.phase == .stopped })
    }
}
