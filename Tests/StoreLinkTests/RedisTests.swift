import Crypto
import EventLoop
import Foundation
import RESP
import StoreLink
import TestSupport
import TestTraits
import Testing
import Transport

/// Against the server that people run.
@Suite(.serialized) struct `a link to Redis` {
    private static func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }

    private static let role = Greeting(steps: [Greeting.Step(Command("ROLE"), .primary)])

    @Test func `sets a key once`() throws {
        let server = try RedisServer()
        let talk = try Conversation(server.place, Self.role)
        #expect(talk.opens())
        #expect(talk.openings == 1 && talk.greeted == [0] && talk.losses.isEmpty)
        #expect(talk.ask("SET", "pc:p:x", "1", "NX", "PX", "60000") == .reply("OK"))
        #expect(talk.ask("SET", "pc:p:x", "1", "NX", "PX", "60000") == .null)
        #expect(talk.ask("HGET", "pc:p:x", "g") == .refused(.wrongType))
        #expect(talk.ask("EVALSHA", String(repeating: "0", count: 40), "0") == .refused(.noScript))
    }

    @Test(.holds("SH-15")) func `writes less than once for seven commands where sixteen are in flight`() throws {
        let server = try RedisServer()
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        for _ in 0..<100 {
            let tickets = (0..<16).map { talk.send("SET", "k\($0)", "1") }
            #expect(talk.answer(to: tickets[15]) == .reply("OK"))
        }
        #expect(talk.link.counters.commands == 1600)
        #expect(Double(talk.link.counters.writes) <= 0.15 * 1600)
    }

    @Test(.refuses("SH-48")) func `sends exactly the arguments that it was given`() throws {
        let server = try RedisServer()
        let monitor = try RawClient(unixPath: server.folder + "/s")
        try monitor.send("*1\r\n$7\r\nMONITOR\r\n")
        _ = try monitor.bytes(through: "+OK\r\n")
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        let key = Array("k\r\n*1\r\n$8\r\nFLUSHALL\r\n".utf8)
        let value = Array(UInt8.min...UInt8.max)
        #expect(talk.answer(to: talk.send("SET", [key, value])) == .reply("OK"))
        #expect(talk.ask("PING") == .reply("PONG"))
        let seen = String(decoding: try monitor.bytes(through: "\"PING\"\r\n"), as: UTF8.self)
        let lines = seen.split(separator: "\r\n")
        // And one that is to be said back.
        #expect(lines.filter { !$0.contains(#""PING" ""#) }.count == 2)
        let shown = #""SET" "k\r\n*1\r\n$8\r\nFLUSHALL\r\n" "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\x0b"#
        #expect(lines.first?.contains(shown) == true, "\(seen)")
        #expect(lines.first?.hasSuffix(#"\xfe\xff""#) == true)
        #expect(talk.ask("DBSIZE") == .reply("1"))
    }

    @Test(.holds("SH-83")) func `signs in by a password, and as a user`() throws {
        let server = try RedisServer(
            "--requirepass", "hunter2", "--user", "portcullis", "on", ">other", "resetkeys", "~pc:*", "-@all", "+get",
            "+ping")
        for (user, password) in [(nil, "hunter2"), ("portcullis", "other")] {
            let credentials = Greeting.Credentials(user: user, password: Self.secret(password))
            let talk = try Conversation(server.place, Greeting(credentials: credentials))
            #expect(talk.opens())
            #expect(talk.ask("GET", "pc:x") == .null)
            if user != nil {
                #expect(talk.ask("GET", "other") == .refused(.noPermission))
                #expect(talk.ask("KEYS", "*") == .refused(.noPermission))
            }
        }
    }

    @Test(.refuses("SH-83")) func `is not let in with another password, and tries again slowly`() throws {
        let server = try RedisServer("--requirepass", "hunter2")
        let wrong = Greeting(credentials: Greeting.Credentials(user: nil, password: Self.secret("hunter3")))
        let talk = try Conversation(server.place, wrong)
        #expect(talk.turns { talk.losses.count == 2 })
        #expect(talk.losses == [.authenticationRefused(.wrongPassword), .authenticationRefused(.wrongPassword)])
        #expect(talk.link.counters.attempts == 2)
        #expect(talk.ask("GET", "x") == .down)
        let none = try Conversation(server.place, Self.role)
        #expect(none.turns { !none.losses.isEmpty })
        #expect(none.losses.first == .authenticationRefused(.notAuthenticated))
    }

    @Test(.refuses("SH-17")) func `does not know what a stopped server does later, and asks it once alone`() throws {
        let server = try RedisServer()
        let talk = try Conversation(server.place, Self.role)
        #expect(talk.opens())
        server.process.signal(SIGSTOP)
        let ticket = talk.send("SET", "pc:p:x", "1", "NX")
        #expect(talk.answer(to: ticket) == .unknown)
        #expect(talk.turns { !talk.losses.isEmpty })
        #expect(talk.losses.first == .silent)
        server.process.signal(SIGCONT)
        #expect(talk.opens())
        #expect(talk.ask("GET", "pc:p:x") == .reply("1"), "it was executed all the same")
        guard case .reply(let statistics)? = talk.ask("INFO", "commandstats") else {
            Issue.record("no statistics")
            return
        }
        #expect(statistics.contains("cmdstat_set:calls=1,"))
    }

    @Test(.holds("SH-19")) func `is back after a crash, by itself`() throws {
        let server = try RedisServer()
        let talk = try Conversation(server.place, Self.role)
        #expect(talk.opens())
        server.kill()
        #expect(talk.turns { !talk.losses.isEmpty })
        #expect([.closed, .broken].contains(talk.losses.first))
        #expect(talk.ask("PING") == .down)
        try server.restart()
        #expect(talk.opens())
        #expect(talk.openings == 2)
        #expect(talk.ask("PING") == .reply("PONG"))
    }

    /// A server that pauses all says nothing back either.
    private static var unproved: LinkLimits {
        var limits = LinkLimits()
        limits.areAnswersProved = false
        return limits
    }

    @Test(.holds("SH-07")) func `waits for a slow server as long as it may`() throws {
        let server = try RedisServer()
        var limits = LinkLimits()
        limits.command = 900_000
        let talk = try Conversation(server.place, limits: limits)
        let other = try Conversation(server.place, limits: Self.unproved)
        #expect(talk.opens() && other.opens())
        #expect(other.ask("CLIENT", "PAUSE", "300", "ALL") == .reply("OK"))
        #expect(talk.ask("SET", "x", "1") == .reply("OK"))
        #expect(talk.losses.isEmpty)
    }

    @Test(.refuses("SH-07"), .refuses("SH-18")) func `waits for a paused server no longer, and leaves it`() throws {
        let server = try RedisServer()
        let talk = try Conversation(server.place, Self.role)
        let other = try Conversation(server.place, limits: Self.unproved)
        #expect(talk.opens() && other.opens())
        #expect(other.ask("CLIENT", "PAUSE", "3000", "ALL") == .reply("OK"))
        let began = monotonicMicroseconds()
        #expect(talk.ask("SET", "x", "1") == .unknown)
        #expect(monotonicMicroseconds() - began >= 250_000)
        #expect(talk.turns { !talk.losses.isEmpty })
        #expect(talk.losses.first == .silent)
        #expect(talk.opens(), "once it is over")
        #expect(talk.ask("PING") == .reply("PONG"))
    }

    @Test func `is told that there are too many clients, and gets in when there are fewer`() throws {
        let server = try RedisServer("--maxclients", "1")
        var holder: Conversation? = try Conversation(server.place, Self.role)
        #expect(holder?.opens() == true)
        let talk = try Conversation(server.place, Self.role)
        #expect(talk.turns { !talk.losses.isEmpty })
        let text = "ERR max number of clients reached"
        #expect(
            [.greetingRefused(command: "ROLE", .tooManyClients, text: text), .closed, .broken].contains(talk.losses[0]))
        holder = nil
        #expect(talk.opens())
    }

    @Test(.holds("SH-14"), .refuses("SH-14")) func `lets others on its loop go on while a name, or a server, hangs`()
        throws
    {
        let server = try RedisServer()
        let (gate, asked) = (Gate(), Gate())
        defer { gate.open() }
        let resolver = Resolver { _, _ in
            asked.open()
            gate.wait()
            return ResolvedName([])
        }
        let talk = try Conversation(server.place)
        #expect(talk.opens())
        let hanging = try Conversation(
            LinkServer(.address(host: "hangs.example", port: 6379)), resolver: resolver, loop: talk.loop)
        #expect(asked.wait())
        let silent = try ScriptedServer { connection, _ in connection.awaitEnd() }
        let stopped = try Conversation(silent.place, Self.role, loop: talk.loop)
        for _ in 0..<100 { #expect(talk.ask("PING") == .reply("PONG")) }
        #expect(talk.turns { !hanging.losses.isEmpty && !stopped.losses.isEmpty })
        #expect(hanging.losses.first == .connectTimedOut)
        #expect(stopped.losses.first == .connectTimedOut)
        #expect(talk.ask("PING") == .reply("PONG"))
    }

    @Test func `goes to the address of a name`() throws {
        let (listener, port) = try TestSupport.Socket.listen()
        listener.close()
        let server = try RedisServer(port: port)
        let resolver = Resolver { name, _ in
            ResolvedName(
                name == "store.internal" ? [SocketAddress(literal: "127.0.0.1", port: 0)].compactMap { $0 } : [])
        }
        let talk = try Conversation(
            LinkServer(.address(host: "store.internal", port: port)), Self.role, resolver: resolver)
        #expect(talk.opens())
        #expect(keepsAlive(port))
        let lost = try Conversation(LinkServer(.address(host: "nobody.internal", port: port)), resolver: resolver)
        #expect(lost.turns { !lost.losses.isEmpty })
        #expect(lost.losses.first == .unresolved)
        server.kill()
        #expect(talk.turns { talk.losses.contains { if case .unreachable = $0 { true } else { false } } })
    }

    @Test func `speaks TLS to a server that proves its name, and to no other`() throws {
        let (listener, port) = try TestSupport.Socket.listen()
        listener.close()
        let (files, strangers) = (try CertificateFiles(), try CertificateFiles())
        let identity = try files.issue("store.internal")
        let server = try RedisServer(
            "--tls-port", "\(port)", "--tls-cert-file", identity.certificateFile, "--tls-key-file", identity.keyFile,
            "--tls-ca-cert-file", files.authorityFile, "--tls-auth-clients", "yes")
        let client = try files.issue("portcullis")
        func talk(_ name: String, trusting file: String, showing identity: ServerTLS.Identity?) throws -> Conversation {
            let tls = try ClientTLS(certificateAuthorityFile: file, identity: identity)
            return try Conversation(
                LinkServer(.address(host: "127.0.0.1", port: port), tls: tls, serverName: name), Self.role)
        }
        let good = try talk("store.internal", trusting: files.authorityFile, showing: client)
        #expect(good.opens())
        let large = String(repeating: "v", count: 100_000)
        #expect(good.ask("SET", "x", large) == .reply("OK"))
        #expect(good.ask("GET", "x") == .reply(large))
        for (name, file, shown) in [
            ("other.internal", files.authorityFile, client), ("store.internal", strangers.authorityFile, client),
            ("store.internal", files.authorityFile, nil),
        ] as [(String, String, ServerTLS.Identity?)] {
            let bad = try talk(name, trusting: file, showing: shown)
            #expect(bad.turns { !bad.losses.isEmpty })
            #expect(bad.openings == 0)
            guard case .tlsRefused? = bad.losses.first else {
                Issue.record("\(bad.losses)")
                continue
            }
        }
        _ = server
    }

    /// With TLS 1.3 a server looks at it behind the handshake, when what is said first is on its way (RFC 8446 section 4.4.2).
    @Test(.holds("SH-05"), .refuses("SH-05"), arguments: ["TLSv1.2", "TLSv1.3"])
    func `is told that a server wants a certificate, or another one, by each version of TLS`(version: String) throws {
        let (listener, port) = try TestSupport.Socket.listen()
        listener.close()
        let (files, strangers) = (try CertificateFiles(), try CertificateFiles())
        let identity = try files.issue("store.internal")
        let server = try RedisServer(
            "--tls-port", "\(port)", "--tls-cert-file", identity.certificateFile, "--tls-key-file", identity.keyFile,
            "--tls-ca-cert-file", files.authorityFile, "--tls-auth-clients", "yes", "--tls-protocols", version)
        for shown in [nil, try strangers.issue("portcullis")] {
            let tls = try ClientTLS(certificateAuthorityFile: files.authorityFile, identity: shown)
            let talk = try Conversation(
                LinkServer(.address(host: "127.0.0.1", port: port), tls: tls, serverName: "store.internal"), Self.role)
            #expect(talk.turns { talk.losses.count == 3 })
            for loss in talk.losses {
                guard case .tlsRefused(let reason) = loss else {
                    Issue.record("\(loss)")
                    continue
                }
                #expect(reason.contains("client certificate"))
            }
            #expect(talk.openings == 0)
        }
        _ = server
    }

    @Test(.holds("SH-15")) func `sends what its owner adds at the end of a turn in the same write`() throws {
        let server = try RedisServer()
        var limits = LinkLimits()
        limits.silence = 60_000_000
        let talk = try Conversation(server.place, limits: limits)
        #expect(talk.opens())
        let writes = talk.link.counters.writes
        var added: [UInt64] = []
        talk.onWrite = { if added.isEmpty { added = [talk.send("INCR", "n")] } }
        let tickets = [talk.send("SET", "n", "1"), talk.send("INCR", "n")]
        #expect(tickets.map { talk.answer(to: $0) } == [.reply("OK"), .reply("2")])
        #expect(added.map { talk.answer(to: $0) } == [.reply("3")])
        #expect(talk.link.counters.writes == writes + 1)
        #expect(talk.ask("GET", "n") == .reply("3"))
        #expect(talk.link.counters.writes == writes + 2)
    }
}

/// Whether a connection of this process to the port has the kernel look whether its peer is there.
///
/// Asked of the descriptors: the kernel's list of all connections is long while other tests run, and late.
private func keepsAlive(_ port: UInt16) -> Bool {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        guard let descriptor = Int32(name) else { continue }
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isPeer = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
        }
        guard isPeer, peer.sin_family == sa_family_t(AF_INET), peer.sin_port == port.bigEndian else { continue }
        var keeps: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &keeps, &size) == 0, keeps == 1 { return true }
    }
    return false
}
