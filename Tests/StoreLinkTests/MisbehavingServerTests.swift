import EventLoop
import RESP
import StoreLink
import TestSupport
import TestTraits
import Testing
import Transport

/// Servers that lie, flood, stall and mix up (SH-80).
@Suite struct `a link to a server that misbehaves` {
    @Test(
        .refuses("SH-80", "SH-72"),
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", "485454502f312e312034303020426164"),
            ("$1073741824\r\n", "24313037333734313832340d0a"), ("$3\r\nabcdef", "24330d0a616263646566"),
            (">2\r\n+message\r\n", "3e320d0a2b6d6573736167650d0a"), ("*2000000\r\n", "2a323030303030300d0a"),
        ])
    func `leaves it at the first bytes that are no reply, and tells nobody an answer`(text: String, hex: String) throws
    {
        let server = try ScriptedServer { connection, _ in
            try connection.awaitCommand()
            try connection.say(text)
            connection.awaitEnd()
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        let tickets = [talk.send("GET", "a"), talk.send("GET", "b")]
        for ticket in tickets { #expect(talk.answer(to: ticket) == .unknown) }
        guard case .malformed(_, let found)? = talk.losses.first else {
            Issue.record("\(talk.losses)")
            return
        }
        #expect(found == hex)
    }

    @Test(.refuses("SH-80")) func `takes an answer too many for no answer at all`() throws {
        let server = try ScriptedServer { connection, _ in
            try connection.awaitCommand()
            try connection.say("$1\r\na\r\n$1\r\nx\r\n")
            connection.awaitEnd()
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        #expect(talk.ask("GET", "a") == .unknown, "which of the two is its own?")
        #expect(talk.losses.first == .unasked(hex: "24310d0a780d0a"))
    }

    /// As a server, or a proxy in front of it, that answers one reply twice: from then on each command is given another's.
    @Test(.refuses("SH-80")) func `gives no command another's answer, however soon the next one is sent`() throws {
        let server = try ScriptedServer { connection, _ in
            try connection.answer("$1\r\na\r\n")
            try connection.answer("$1\r\na\r\n$1\r\nb\r\n")
            connection.awaitEnd()
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        #expect(talk.ask("GET", "a") == .reply("a"))
        #expect(talk.ask("GET", "b") == .unknown)
        #expect(talk.losses.count == 1)
    }

    @Test(.refuses("SH-16")) func `holds no more of an endless reply than a reply may have`() throws {
        let server = try ScriptedServer { connection, _ in
            try connection.awaitCommand()
            let piece = Array(("+" + String(repeating: "a", count: 65_535)).utf8)
            while true { try connection.write(piece, until: .after(.seconds(5))) }
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        #expect(talk.ask("GET", "a") == .unknown)
        guard case .malformed(.lineTooLong, _)? = talk.losses.first else {
            Issue.record("\(talk.losses)")
            return
        }
    }

    @Test(.refuses("SH-17"), .refuses("SH-18")) func `leaves it when it is silent, and asks it nothing again`() throws {
        let received = Watched<[UInt8]>([])
        let server = try ScriptedServer { connection, _ in
            while case .bytes(let bytes) = try connection.read(atMost: 65_536, until: .patient) {
                received.withLock { $0 += bytes }
            }
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        #expect(talk.ask("SET", "a", "1", "NX") == .unknown)
        #expect(talk.turns { talk.losses.count == 1 && talk.link.phase == .ready })
        #expect(talk.losses == [.silent])
        talk.link.stop()
        #expect(server.connections.wait { $0 == 2 })
        let sent = String(decoding: received.now, as: UTF8.self)
        #expect(sent.ranges(of: "SET").count == 1)
    }

    @Test(.refuses("SH-17")) func `tells what it had not sent apart from what it had`() throws {
        let isFull = Gate()
        let server = try ScriptedServer { connection, _ in
            // Reads nothing until more was sent than the kernel holds.
            isFull.wait()
            _ = try connection.read(atMost: 1000, until: .patient)
        }
        var limits = LinkLimits()
        limits.command = 30_000_000
        limits.silence = 30_000_000
        let talk = try Conversation(server.place, limits: limits)
        #expect(talk.opens())
        let value = [UInt8](repeating: 1, count: 200_000)
        let tickets = (0..<12).map { _ in talk.send("SET", [[1], value]) }
        #expect(talk.turns { talk.link.counters.writes > 0 })
        isFull.open()
        for ticket in tickets { _ = talk.answer(to: ticket) }
        #expect(talk.answers[tickets[0]] == .unknown)
        #expect(talk.answers[tickets[11]] == .notSent)
    }

    @Test func `may be stopped from within an answer, and loses no other`() throws {
        let server = try ScriptedServer { connection, _ in
            try connection.answer("$3\r\none\r\n$3\r\ntwo\r\n")
            connection.awaitEnd()
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        talk.onAnswer = { told in if told == .reply("one") { talk.link.stop() } }
        defer { talk.onAnswer = nil }
        let (first, second) = (talk.send("GET", "a"), talk.send("GET", "b"))
        #expect(talk.answer(to: second) == .unknown)
        #expect(talk.answers[first] == .reply("one"))
        #expect(talk.losses == [.stopped])
        #expect(talk.ask("GET", "c") == .down)
    }
}
