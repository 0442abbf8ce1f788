import Crypto
import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing
import Transport

@testable import StoreClient

/// One server, as people run it.
@Suite(.serialized) struct `a store of one server` {
    @Test(.holds("SH-10")) func `is reached by its Unix socket and by its port, and told apart from others`() throws {
        let node = try RedisNode()
        try node.ask("SET", "pc:epoch", "seven")
        for address in [node.address, .unixSocket(path: node.folder + "/s")] {
            let talk = try StoreTalk(StoreSettings(addresses: [address]))
            #expect(talk.opens())
            #expect(talk.ask("SET", "pc:p:\(address)", "1", "NX") == .reply("OK"))
            #expect(talk.ask("SET", "pc:p:\(address)", "1", "NX") == .null)
            #expect(talk.connected.count == 1 && talk.losses.isEmpty && talk.unsuitable.isEmpty)
            #expect(talk.epochs == ["seven"] && talk.information == 1)
            #expect(talk.links.states.map(\.isUp) == [true])
        }
    }

    @Test(.holds("SH-72")) func `is asked for no word that it would say by itself`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        #expect(talk.ask("GET", "pc:s:x") == .null)
        #expect(try node.information("tracking_clients") == "0")
        #expect(try node.information("pubsub_channels") == "0" && node.information("pubsub_patterns") == "0")
        for command in ["hello", "client|tracking", "subscribe"] { #expect(try node.calls(command) == 0) }
    }

    @Test func `has a database of its own`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node) { $0.database = 3 })
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"))
        #expect(try node.ask("GET", "pc:p:x") == .null)
        #expect(try node.information("db3").hasPrefix("keys=1,"))
    }

    @Test(.holds("SH-76")) func `has its scripts again after they were flushed, unseen by whoever asks`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        // Whatever the script says of these arguments: it is there, and missing it is not.
        let digest = try #require(digests(node).first)
        for _ in 0..<3 {
            try node.ask("SCRIPT", "FLUSH")
            let tickets = (0..<200).map { _ in talk.send("EVALSHA", "pc:s:x", [digest, "1", "pc:s:x"]) }
            for ticket in tickets { #expect(talk.answer(to: ticket) != .refused(.noScript)) }
        }
        let scripts = StoreScripts.loading.count
        #expect(
            try node.calls("script|load") <= 5 * scripts, "once for all commands that missed them, not once for each")
        #expect(talk.losses.isEmpty && talk.toldTwice == 0)
    }

    /// The scripts as the server calls them: those of a connection's greeting.
    private func digests(_ node: RedisNode) throws -> [String] {
        try StoreScripts.loading.map { words in
            try node.admin().ask(words.map { String(decoding: $0, as: UTF8.self) }).text
        }
    }

    @Test(.holds("SH-75"), .holds("SH-76")) func `is back by itself after a restart, with its data and without`() throws
    {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .reply("OK"))
        try node.ask("SAVE")
        node.kill()
        #expect(talk.turns { !talk.losses.isEmpty })
        #expect(talk.ask("SET", "pc:p:y", "1", "NX") == .down)
        try node.restart()
        let began = monotonicMicroseconds()
        #expect(talk.opens())
        #expect(monotonicMicroseconds() - began < 2_500_000)
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .null)
        node.kill()
        try FileManager.default.removeItem(atPath: node.folder + "/dump.rdb")
        #expect(talk.turns { talk.losses.count >= 2 && !talk.links.isUp(slot: 0) })
        try node.restart()
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .reply("OK"))
        #expect(talk.epochs == [nil, nil, nil])
    }

    @Test(.refuses("SH-74")) func `is told to be down at once where nobody listens`() throws {
        let port = try RedisNode.freePort()
        let talk = try StoreTalk(
            StoreSettings(addresses: [.network(host: "127.0.0.1", port: port, isSecure: false)]))
        #expect(talk.turns { !talk.losses.isEmpty })
        let began = monotonicMicroseconds()
        for _ in 0..<1000 { #expect(talk.ask("GET", "pc:p:x") == .down) }
        #expect(monotonicMicroseconds() - began < 1000 * 5000)
        #expect(talk.links.inFlight == 0)
    }

    @Test(.refuses("SH-75"), .refuses("SH-76")) func `is not used while it reads its data`() throws {
        let node = try RedisNode()
        let admin = try node.admin()
        try admin.ask("DEBUG", "POPULATE", "3000", "filler")
        try admin.ask("SAVE")
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        node.kill()
        #expect(talk.turns { !talk.losses.isEmpty })
        try node.restart(
            ["--key-load-delay", "300", "--loading-process-events-interval-bytes", "1024"], isAwaited: false)
        #expect(
            talk.turns {
                talk.losses.contains {
                    if case .greetingRefused(command: "GET", .loading, _) = $0.loss { true } else { false }
                }
            })
        #expect(talk.ask("GET", "filler:1") == .down)
        #expect(talk.opens())
        #expect(talk.ask("GET", "filler:1") != .null)
    }

    @Test(.holds("SH-17")) func `is asked again for what it did not do, within the time`() throws {
        let refusals = Watched(["LOADING loading", "TRYAGAIN later", "BUSY a script", "READONLY replica"])
        let server = try ScriptedRedis { words, _ in
            guard words.first == "SET" else { return nil }
            return refusals.withLock { $0.isEmpty ? "+OK\r\n" : "-\($0.removeFirst())\r\n" }
        }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .reply("OK"))
        #expect(server.count("SET") == 5)
        #expect(talk.unsuitable.map(\.setting) == ["store.url"], "of the one that said that it is a replica")
    }

    /// All of it may be larger than a reply may be; nothing would be let through then, without a word why.
    @Test(.holds("SH-10")) func `is asked for no more of itself than is read`() throws {
        let server = try ScriptedRedis { words, _ in
            guard words.first == "INFO" else { return nil }
            return words.contains("everything") || words.count == 1
                ? Wire.bulk(String(repeating: "x", count: 200 << 10)) : Wire.bulk("run_id:1\r\n")
        }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        #expect(talk.losses.isEmpty && talk.information == 1)
    }

    @Test(.holds("SH-07")) func `may take longer than a second where it is allowed to`() throws {
        let server = try ScriptedRedis { words, _ in
            if words == ["GET", "pc:s:x"] { dawdle(for: .milliseconds(1300)) }
            return nil
        }
        let talk = try StoreTalk(
            StoreSettings(addresses: [server.address]).with { $0.timeouts.command = .milliseconds(2500) })
        #expect(talk.opens())
        #expect(talk.ask("GET", "pc:s:x") == .null)
        #expect(talk.losses.isEmpty)
    }

    /// A replica keeps the connections from when it was a primary.
    ///
    /// Behind the same name may be another server by now.
    @Test(.holds("SH-77"), .refuses("SH-77")) func `is left when it is no primary any more, and looked for anew`()
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
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        isReplica.withLock { $0 = true }
        #expect(talk.ask("SET", "pc:p:x", "1") == .notSent)
        #expect(talk.losses.first?.loss == .notPrimary)
        #expect(talk.ask("SET", "pc:p:x", "1") == .down)
        isReplica.withLock { $0 = false }
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"))
    }

    @Test(.refuses("SH-17"), arguments: ["LOADING x", "CLUSTERDOWN x", "READONLY x"])
    func `is not asked longer than the time, nor in a storm`(text: String) throws {
        let server = try ScriptedRedis { words, _ in words.first == "SET" ? "-\(text)\r\n" : nil }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        let began = monotonicMicroseconds()
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .notSent)
        let time = monotonicMicroseconds() - began
        #expect((250_000..<1_500_000).contains(time))
        #expect(server.count("SET") <= 8)
        #expect(talk.links.inFlight == 0)
    }

    @Test(.refuses("SH-17")) func `is asked again for what changes nothing, and for nothing else`() throws {
        let silent = Watched(true)
        let server = try ScriptedRedis { words, _ in
            words.first == "SET" || (words == ["GET", "pc:s:x"] && silent.now) ? "hang" : nil
        }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .unknown)
        #expect(server.count("SET") == 1)
        #expect(talk.turns { talk.losses.count == 1 } && talk.opens())
        let reading = talk.send("GET", "pc:s:x", within: 20_000_000, changesNothing: true)
        #expect(talk.turns { server.asked.now.contains(["GET", "pc:s:x"]) })
        silent.withLock { $0 = false }
        #expect(talk.answer(to: reading) == .null, "by the connection after the one that was silent")
        #expect(server.count("SET") == 1)
    }

    @Test(.refuses("SH-17")) func `that ends the connection is asked again for what changes nothing alone`() throws {
        let closes = Watched(true)
        let server = try ScriptedRedis { words, _ in
            let isGet =
                words == ["GET", "pc:s:x"]
                && closes.withLock { closes in
                    defer { closes = false }
                    return closes
                }
            return words.first == "SET" || isGet ? "close" : nil
        }
        let talk = try StoreTalk(StoreSettings(addresses: [server.address]))
        #expect(talk.opens())
        let writing = talk.send("SET", "pc:p:x", ["1", "NX"], within: 20_000_000)
        #expect(talk.answer(to: writing) == .unknown)
        #expect(talk.opens())
        let reading = talk.send("GET", "pc:s:x", within: 20_000_000, changesNothing: true)
        #expect(talk.answer(to: reading) == .null)
        #expect(server.count("SET") == 1 && server.asked.now.count { $0 == ["GET", "pc:s:x"] } == 2)
    }

    @Test(.refuses("SH-81"), .holds("SH-81")) func `says that it is full, and is read all the same`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:s:x", "1") == .reply("OK"))
        try node.ask("CONFIG", "SET", "maxmemory", "1")
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .refused(.outOfMemory))
        #expect(talk.ask("GET", "pc:s:x") == .reply("1"))
        #expect(talk.losses.isEmpty)
    }

    @Test(.holds("SH-82"), .refuses("SH-82")) func `says that something of another type is there`() throws {
        let node = try RedisNode()
        try node.ask("SET", "pc:s:x", "a string")
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        #expect(talk.ask("HGET", "pc:s:x", "g") == .refused(.wrongType))
        #expect(talk.ask("SET", "pc:p:x", "1", "NX") == .reply("OK"))
    }

    @Test(.holds("SH-78")) func `that is slow is waited for as long as a command may take`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node) { $0.timeouts.command = .milliseconds(2000) })
        #expect(talk.opens())
        try node.ask("CLIENT", "PAUSE", "200", "ALL")
        let tickets = (0..<16).map { talk.send("SET", "pc:p:\($0)", ["1", "NX"]) }
        for ticket in tickets { #expect(talk.answer(to: ticket) == .reply("OK")) }
        #expect(talk.losses.isEmpty)
    }

    @Test(.holds("SH-05"), .refuses("SH-05"))
    func `speaks TLS where it proves its name, and is not spoken to otherwise`()
        throws
    {
        let port = try RedisNode.freePort()
        let (files, strangers) = (try CertificateFiles(), try CertificateFiles())
        let identity = try files.issue("store.internal")
        let node = try RedisNode([
            "--tls-port", "\(port)", "--tls-cert-file", identity.certificateFile, "--tls-key-file", identity.keyFile,
            "--tls-ca-cert-file", files.authorityFile, "--tls-auth-clients", "no",
        ])
        var settings = StoreSettings(addresses: [.network(host: "127.0.0.1", port: port, isSecure: true)])
        settings.tls.serverName = "store.internal"
        let trusted = try ClientTLS(certificateAuthorityFile: files.authorityFile, identity: nil)
        let good = try StoreTalk(settings, tls: trusted)
        #expect(good.opens())
        #expect(good.ask("SET", "pc:p:x", "1") == .reply("OK"))
        let stranger = try StoreTalk(
            settings, tls: try ClientTLS(certificateAuthorityFile: strangers.authorityFile, identity: nil))
        settings.tls.serverName = "other.internal"
        let misnamed = try StoreTalk(settings, tls: trusted)
        settings.tls.serverName = nil
        let unnamed = try StoreTalk(settings, tls: trusted)
        for talk in [stranger, misnamed, unnamed] {
            #expect(talk.turns { !talk.losses.isEmpty })
            if case .tlsRefused? = talk.losses.first?.loss {} else { Issue.record("\(talk.losses)") }
            #expect(talk.connected.isEmpty && talk.ask("GET", "pc:p:x") == .down)
        }
        #expect(node.process.isRunning)
    }

    @Test(.refuses("SH-78")) func `that is paused is as good as down after a second, and served by again`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        try node.ask("CLIENT", "PAUSE", "1500", "ALL")
        let load = talk.load { talk.losses.contains { $0.loss == .silent } }
        #expect(load.failures.count > 0 && load.failures.allSatisfy { $0.told == .unknown || $0.told == .down })
        #expect(talk.opens())
        #expect(talk.ask("SET", "pc:s:after", "1") == .reply("OK"))
    }

    @Test(.holds("SH-83"), .refuses("SH-83")) func `changes its password without an error where it takes both`() throws
    {
        let node = try RedisNode(["--requirepass", "first"])
        let old = settings(node) { $0.password = secret("first") }
        let new = settings(node) { $0.password = secret("second") }
        let talk = try StoreTalk(old)
        #expect(talk.opens())
        try RedisAdmin(unixPath: node.folder + "/s").ask("AUTH", "first")
        let admin = try node.admin()
        try admin.ask("AUTH", "first")
        try admin.ask("ACL", "SETUSER", "default", ">second")
        let next = try StoreTalk(new)
        #expect(next.opens())
        try admin.ask("ACL", "SETUSER", "default", "<first")
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"), "who is in stays in")
        #expect(next.ask("SET", "pc:p:y", "1") == .reply("OK"))
        let late = try StoreTalk(old)
        #expect(late.turns { !late.losses.isEmpty })
        #expect(late.losses.first?.loss == .authenticationRefused(.wrongPassword))
        #expect(late.userLost?.name == "default" && late.userLost?.section == "store")
        #expect(late.ask("GET", "pc:p:x") == .down)
    }

    @Test(.holds("SH-83"), .refuses("SH-83")) func `names who is not let in, and which command of his is refused`()
        throws
    {
        let node = try RedisNode()
        try node.ask("ACL", "SETUSER", "half", "on", ">good", "~pc:*", "+@all", "-get", "-info")
        func signedIn(_ password: String) -> StoreSettings {
            settings(node) {
                $0.user = "half"
                $0.password = secret(password)
            }
        }
        let wrong = try StoreTalk(signedIn("bad"))
        #expect(wrong.turns { !wrong.losses.isEmpty })
        #expect(wrong.losses.first?.loss == .authenticationRefused(.wrongPassword))
        #expect(wrong.losses.first?.loss.isOfRights == true)
        #expect(wrong.userLost?.name == "half")
        let lacking = try StoreTalk(signedIn("good"))
        #expect(lacking.turns { !lacking.losses.isEmpty })
        guard case .greetingRefused("GET", .noPermission, _)? = lacking.losses.first?.loss else {
            Issue.record("\(lacking.losses)")
            return
        }
        #expect(lacking.losses.first?.loss.isOfRights == true && lacking.userLost?.name == "half")
        try node.ask("ACL", "SETUSER", "half", "+get")
        #expect(lacking.opens())
        try node.ask("ACL", "SETUSER", "half", "-set")
        #expect(lacking.ask("SET", "pc:p:x", "1") == .refused(.noPermission))
        #expect(lacking.links.refusedCommand == "SET" && lacking.links.user.name == "half")
        try node.ask("ACL", "SETUSER", "half", "+set", "resetkeys", "~pc:epoch*")
        #expect(lacking.ask("SET", "pc:p:x", "1") == .refused(.noPermission))
        #expect(lacking.links.refusedCommand == "SET", "the server says of keys alone that they are others'")
        #expect(lacking.ask("GET", "pc:p:x", changesNothing: true) == .refused(.noPermission))
        #expect(lacking.links.refusedCommand == "GET")
    }

    @Test(.holds("SH-84"), .refuses("SH-84")) func `that is full of clients is reached when there are fewer`() throws {
        let node = try RedisNode(["--maxclients", "2"])
        var holders = [try node.admin(), try node.admin()]
        try holders.forEach { try $0.ask("PING") }
        let talk = try StoreTalk(settings(node))
        #expect(talk.turns { !talk.losses.isEmpty })
        #expect(talk.ask("GET", "pc:p:x") == .down)
        holders = []
        #expect(talk.opens())
    }

    @Test(.refuses("SH-10")) func `that is no primary is not used, and the setting that is wrong is named`() throws {
        let primary = try RedisNode()
        let replica = try RedisNode(["--replicaof", "127.0.0.1 \(primary.port)"])
        let talk = try StoreTalk(settings(replica))
        #expect(talk.turns { !talk.unsuitable.isEmpty })
        #expect(talk.losses.first?.loss == .notPrimary)
        #expect(talk.unsuitable.first?.setting == "store.url")
        #expect(talk.ask("GET", "pc:p:x") == .down)
        try replica.ask("REPLICAOF", "NO", "ONE")
        #expect(talk.opens(), "once it is one")
    }

    @Test(.refuses("SH-10")) func `that becomes a replica says so, and is no primary from the next connection on`()
        throws
    {
        let (primary, other) = (try RedisNode(), try RedisNode())
        let talk = try StoreTalk(settings(primary))
        #expect(talk.opens())
        try primary.ask("REPLICAOF", "127.0.0.1", "\(other.port)")
        #expect(talk.ask("SET", "pc:p:x", "1") == .notSent)
        #expect(talk.unsuitable.map(\.setting) == ["store.url"])
    }

    @Test(.refuses("SH-10")) func `that is asked as a cluster, or is a Sentinel, names the setting that is wrong`()
        throws
    {
        let node = try RedisNode()
        let cluster = try StoreTalk(settings(node) { $0.topology = .cluster })
        #expect(cluster.turns { !cluster.unsuitable.isEmpty })
        #expect(cluster.unsuitable.first?.setting == "store.topology")
        #expect(cluster.unsuitable.first?.found == "ERR This instance has cluster support disabled")
        #expect(cluster.ask("GET", "pc:p:x") == .down)
        let sentinel = try StoreTalk(
            settings { settings in
                settings.topology = .sentinel
                settings.sentinel = StoreSettings.Sentinel(name: "portcullis")
                settings.sentinel?.addresses = [node.address]
            })
        #expect(sentinel.turns { !sentinel.unsuitable.isEmpty })
        #expect(sentinel.unsuitable.first?.setting == "store.sentinel.url")
        #expect(sentinel.ask("GET", "pc:p:x") == .down)
    }

    @Test func `may be stopped and started again, from within an answer too`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        talk.onAnswer = { _, told in if told == .reply("OK") { talk.links.stop() } }
        let (first, second) = (talk.send("SET", "pc:p:x", ["1"]), talk.send("GET", "pc:p:x"))
        #expect(talk.answer(to: second) == .unknown)
        #expect(talk.answers[first] == .reply("OK"))
        talk.onAnswer = nil
        #expect(talk.ask("GET", "pc:p:x") == .down)
        talk.links.start()
        #expect(talk.opens())
        #expect(talk.ask("GET", "pc:p:x") == .reply("1"))
        #expect(talk.toldTwice == 0)
    }

    @Test(.refuses("SH-16")) func `is given no more commands than the limit at once`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node) { $0.limits.inFlight = 64 })
        #expect(talk.opens())
        let tickets = (0..<100).map { talk.send("SET", "pc:p:\($0)", ["1"]) }
        #expect(tickets.count { talk.answers[$0] == .busy } == 36)
        #expect(talk.answer(to: tickets[63]) == .reply("OK"))
    }

    /// Anybody can make up cookies.
    @Test(.refuses("SH-16"), .refuses("SH-66")) func `keeps half of its places from what anybody can ask`() throws {
        let server = try ScriptedRedis { words, _ in words.first == "HMGET" ? "hang" : nil }
        var settings = StoreSettings(addresses: [server.address])
        settings.limits.inFlight = 5
        let talk = try StoreTalk(settings)
        #expect(talk.opens())
        let outcomes = (1...4).map { ticket in
            talk.links.send(Command.words(["HMGET", "pc:s:x", "g", "v"]), slot: 0, ticket: ticket, leavesRoom: true)
        }
        #expect(outcomes == [.accepted, .accepted, .accepted, .busy])
        let others = (5...7).map { ticket in
            talk.links.send(Command.words(["SET", "pc:p:x", "1"]), slot: 0, ticket: ticket)
        }
        #expect(others == [.accepted, .accepted, .busy])
        talk.links.stop()
    }

    @Test(.holds("SH-15")) func `is written to less than once for seven commands where sixteen are in flight`() throws {
        let node = try RedisNode()
        let talk = try StoreTalk(settings(node))
        #expect(talk.opens())
        let before = talk.links.counters
        for _ in 0..<100 {
            let tickets = (0..<16).map { talk.send("SET", "pc:p:\($0)", ["1"]) }
            #expect(talk.answer(to: tickets[15]) == .reply("OK"))
        }
        let after = talk.links.counters
        #expect(after.commands - before.commands == 1600)
        #expect(Double(after.writes - before.writes) <= 0.15 * 1600)
    }
}

func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }
