import Foundation
import TestSupport
import TestTraits
import Testing

/// Rows HTTP-66 and OPS-05, T-42: so many connections in all, so many of one client, and the idle ones go first.
@Suite(.serialized) struct `connection caps` {
    private static let open = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Clients whose requests the upstream holds until the gate opens.
    private func busy(_ count: Int, at stage: Stage, _ gate: Gate) throws -> [RawClient] {
        stage.upstream.answer("/open/held", with: WireScript(.wait(gate), .text(Self.open)))
        let before = stage.upstream.requests.count
        let clients = try (0..<count).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(request("GET", "/open/held")) }
        #expect(stage.upstream.waits { $0.requests.count == before + count })
        return clients
    }

    private func idle(at stage: Stage) throws -> RawClient {
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/idle"))
        #expect(try client.response().status == 200)
        return client
    }

    private func expectTurnedAway(_ stage: Stage, _ status: Int = 503, at location: SourceLocation = #_sourceLocation)
        throws
    {
        let client = try stage.gateway.client()
        try? client.send(request("GET", "/open/more"))
        let answer = text(try client.bytesToEnd())
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)", sourceLocation: location)
        #expect(!stage.upstream.requests.contains { $0.path == "/open/more" }, sourceLocation: location)
    }

    private func refusals(_ stage: Stage, _ cause: String = "too_many_connections") throws -> Int {
        let page = try stage.gateway.admin("/metrics").bodyText
        return page.split(separator: "\n").filter {
            $0.hasPrefix("portcullis_refusals_total") && $0.contains("cause=\"\(cause)\"")
        }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    @Test(.holds("OPS-05")) func `more connections than a worker may have are turned away while all are in use`() throws
    {
        let stage = try Stage(StagePlan(settings: "limits: { connections: 4 }"))
        let gate = Gate()
        let clients = try busy(4, at: stage, gate)
        try expectTurnedAway(stage)
        #expect(try eventually { try refusals(stage) == 1 })
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "connections_refused" })
        #expect(line["expected"] == "4 connections at most")
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        // Looked for once a tick.
        #expect(eventually { (try? stage.exchange("GET", "/open/b").status) == 200 }, "now they are idle")
    }

    @Test(.holds("HTTP-66")) func `the connection that has been idle longest makes room for a new one`() throws {
        let stage = try Stage(StagePlan(settings: "limits: { connections: 4 }"))
        let clients = try (0..<4).map { _ in try idle(at: stage) }
        // A tick and more later the first is used again: now the others have been idle longer.
        #expect(clients[0].staysSilent())
        try clients[0].send(request("GET", "/open/again"))
        #expect(try clients[0].response().status == 200)
        let fifth = try idle(at: stage)
        let sixth = try idle(at: stage)
        let alive = (clients + [fifth, sixth]).map { client in
            try? client.send(request("GET", "/open/still"))
            return (try? client.response().status) == 200
        }
        #expect(alive.filter { $0 }.count == 4)
        #expect(alive[0] && alive[4] && alive[5])
        #expect(try refusals(stage) == 0)
    }

    @Test(.holds("HTTP-66")) func `one client has a share of the connections, and the others theirs`() throws {
        let stage = try Stage(StagePlan(settings: "limits: { connections: 40, connections_per_client: 3 }"))
        let gate = Gate()
        let clients = try busy(3, at: stage, gate)
        try expectTurnedAway(stage, 429)
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "connections_refused" })
        #expect(line["expected"] == "3 connections of one client at most")
        #expect(line["client"] == "127.0.0.1")
        // Another address of this machine is another client.
        let other = try RawClient(port: stage.gateway.port, from: "127.0.0.2")
        try other.send(request("GET", "/open/other"))
        #expect(try other.response().status == 200)
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        let more = try (0..<6).map { _ in try idle(at: stage) }
        let own = "client_connections_too_many"
        #expect(try eventually { try refusals(stage, own) == 1 }, "idle ones of its own make room for a client's next")
        withExtendedLifetime((clients, more)) {}
    }

    @Test(.refuses("HTTP-66")) func `proxies in front are not one client`() throws {
        let yaml = Stage.yaml(StagePlan(settings: "limits: { connections_per_client: 2 }"))
            .replacingOccurrences(
                "public_url: http://gateway.test",
                with: "public_url: http://gateway.test\n    trusted_proxies: [127.0.0.1/32]")
        let upstream = try RecordingUpstream()
        let issuer = try ScriptedIssuer(keys: SigningKey.keySet([SigningKey(.p256, keyID: "main-1")]))
        let gateway = try GatewayProcess(
            yaml.replacingOccurrences("$UPSTREAM", with: upstream.url).replacingOccurrences("$ISSUER", with: issuer.url)
        )
        let gate = Gate()
        upstream.answerAll(with: WireScript(.wait(gate), .text(Self.open)))
        let clients = try (0..<5).map { _ in try gateway.client() }
        for client in clients { try client.send(request("GET", "/open/a")) }
        #expect(upstream.waits { $0.requests.count == 5 })
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
    }

    private static let crowd = 2000

    @Test(.refuses("HTTP-66"), .enabled(if: OwnDescriptors.allow(crowd + 1000)), .timeLimit(.minutes(15)))
    func `two thousand idle connections lock nobody out and hold next to no memory`() throws {
        let (most, ahead) = (Self.crowd + 100, 100)
        let limits = "limits: { connections: \(most), connections_per_client: \(most) }"
        // None of them is closed for its age while the last are made; within what the gateway's clock orders exactly.
        let stage = try Stage(StagePlan(settings: limits + "\ntimeouts: { keep_alive: 100s }"))
        let warm = try (0..<ahead).map { _ in try idle(at: stage) }
        let before = stage.gateway.process.memory()
        let crowd = try (0..<Self.crowd).map { _ in try idle(at: stage) }
        let grown = stage.gateway.process.memory() - before
        #expect(grown < Self.crowd * 4, "\(grown) KB for \(Self.crowd) idle connections: each holds a buffer")
        // Every place is taken; whoever comes now is served as soon as if none were.
        try expectPrompt(100) { _ in
            let response = try stage.exchange("GET", "/open/a")
            #expect(response.status == 200)
        }
        #expect(try refusals(stage) == 0)
        // Those who have been idle longest made room, and the crowd is there all the same.
        for client in crowd {
            try client.send(request("GET", "/open/still"))
            #expect(try client.response().status == 200)
        }
        withExtendedLifetime((warm, crowd)) {}
    }
}
