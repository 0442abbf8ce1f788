import TestSupport
import TestTraits
import Testing

/// Row OPS-05, T-42: one client leaves connections to an upstream to the others, whatever keeps its own busy.
@Suite(.serialized) struct `the share of one client in the connections to an upstream` {
    private static let hostile = "127.0.0.2"
    private static let cause = "upstream_share_exhausted"
    private static let done = WireScript.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    // RFC 6455 §1.3
    private static let handshake = request(
        "GET", "/socket/a",
        fields: [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ])
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private func stage(_ limits: String) throws -> Stage {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /socket/, upstream: $UPSTREAM, public: true, websocket: true }"
                ], settings: "limits: { \(limits) }"))
    }

    private func send(_ message: String, to gateway: GatewayProcess, from address: String = hostile) throws
        -> RawClient
    {
        let client = try RawClient(port: gateway.port, from: address)
        try client.send(message)
        return client
    }

    private func refusals(_ gateway: GatewayProcess) -> Int {
        let page = (try? gateway.admin("/metrics").bodyText) ?? ""
        return page.split(separator: "\n").filter { $0.contains("cause=\"\(Self.cause)\"") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    private func expectToldToWait(_ client: RawClient, at location: SourceLocation = #_sourceLocation) throws {
        let answer = try client.response()
        #expect(answer.status == 429, "\(answer.headText)", sourceLocation: location)
        #expect(answer.fields.only("retry-after") == "1", sourceLocation: location)
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"))
    func `one client has half of them, and is told when it asks for more`() throws {
        let stage = try stage("upstream_connections: 8")
        let gate = Gate()
        stage.upstream.answerAll(with: WireScript(.wait(gate), Self.done))
        let slow = try (0..<4).map { try send(request("GET", "/open/\($0)"), to: stage.gateway) }
        #expect(stage.upstream.waits { $0.requests.count == 4 })
        let refused = try send(request("GET", "/open/more"), to: stage.gateway)
        try expectToldToWait(refused)
        #expect(refusals(stage.gateway) == 1)
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == Self.cause })
        #expect(
            line["expected"]
                == "4 connections of one client to an upstream (limits.upstream_connections_per_client)")
        #expect(line["found"] == "more of \(Self.hostile)")
        let other = try send(request("GET", "/open/other"), to: stage.gateway, from: "127.0.0.3")
        #expect(stage.upstream.waits { $0.requests.contains { $0.path == "/open/other" } })
        // Nothing of what was refused was forwarded, and its connection goes on.
        #expect(stage.upstream.requests.count == 5)
        gate.open()
        for client in slow + [other] { #expect(try client.response().status == 200) }
        try refused.send(request("GET", "/open/more"))
        #expect(try refused.response().status == 200)
    }

    @Test(.holds("OPS-05")) func `bodies that come slowly and WebSockets are of the same share, until they end`() throws
    {
        let stage = try stage("upstream_connections: 4")
        stage.upstream.answer("/socket/a", with: WireScript(.text(Self.switching), .tunnel))
        let tunnel = try send(Self.handshake, to: stage.gateway)
        #expect(try tunnel.response().status == 101)
        let head = "POST /open/slow HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 2\r\n\r\n"
        let slow = try send(head + "a", to: stage.gateway)
        #expect(stage.upstream.waits { $0.requests.contains { $0.path == "/open/slow" } })
        try expectToldToWait(send(request("GET", "/open/a"), to: stage.gateway))
        try expectToldToWait(send(Self.handshake, to: stage.gateway))
        try slow.send("b")
        #expect(try slow.response().status == 200)
        // The body's place is free again, and the tunnel's only when that has ended.
        let again = try send(head + "a", to: stage.gateway)
        #expect(stage.upstream.waits { $0.requests.count { $0.path == "/open/slow" } == 2 })
        try expectToldToWait(send(request("GET", "/open/a"), to: stage.gateway))
        tunnel.close()
        #expect(
            eventually {
                (try? send(request("GET", "/open/a"), to: stage.gateway).response().status) == 200
            })
        try again.send("b")
        #expect(try again.response().status == 200)
    }

    @Test(.refuses("OPS-05")) func `when several have all of them, others hear that there are none`() throws {
        let stage = try stage("upstream_connections: 3")
        let gate = Gate()
        stage.upstream.answerAll(with: WireScript(.wait(gate), Self.done))
        let slow = try (2...4).map {
            try send(request("GET", "/open/a"), to: stage.gateway, from: "127.0.0.\($0)")
        }
        #expect(stage.upstream.waits { $0.requests.count == 3 })
        for address in ["127.0.0.2", "127.0.0.5"] {
            let answer = try send(request("GET", "/open/b"), to: stage.gateway, from: address).response()
            #expect(answer.status == 503, "\(answer.headText)")
        }
        #expect(stage.gateway.operatorLine { $0["cause"] == "upstream_connections_exhausted" } != nil)
        #expect(refusals(stage.gateway) == 0)
        gate.open()
        for client in slow { #expect(try client.response().status == 200) }
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `a request that is sent once more takes no second place`() throws {
        let stage = try stage("upstream_connections: 2")
        let gate = Gate()
        stage.upstream.answerAll(with: WireScript(.wait(gate), Self.done))
        let other = try send(request("GET", "/open/slow"), to: stage.gateway, from: "127.0.0.3")
        #expect(stage.upstream.waits { $0.requests.count == 1 })
        for _ in 0..<5 {
            stage.upstream.forget()
            #expect(try send(request("GET", "/open/a"), to: stage.gateway).response().status == 200)
            let first = try #require(stage.upstream.requests.first)
            stage.upstream.answerAll(with: .closing(on: first.connection))
            #expect(try send(request("GET", "/open/b"), to: stage.gateway).response().status == 200)
            #expect(stage.upstream.requests.count == 3)
        }
        gate.open()
        #expect(try other.response().status == 200)
    }

    private func gateway(_ upstream: String, listener: String = "", limits: String) throws -> GatewayProcess {
        try GatewayProcess(
            """
            workers: 1
            listeners:
              - { address: "127.0.0.1:0", public_url: "https://gateway.test"\(listener) }
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, upstream: "\(upstream)", public: true }]
            limits: { \(limits) }

            """)
    }

    @Test(.refuses("OPS-05")) func `it is as large as is said, at a Unix socket too`() throws {
        let folder = try TemporaryFolder.make(for: "upstream")
        defer { TemporaryFolder.remove(folder) }
        let upstream = try RecordingUpstream(unixPath: "\(folder)/app.sock")
        let gateway = try gateway("unix:\(folder)/app.sock", limits: "upstream_connections_per_client: 2")
        let gate = Gate()
        upstream.answerAll(with: WireScript(.wait(gate), Self.done))
        let slow = try (0..<2).map { _ in try send(request("GET", "/a"), to: gateway) }
        #expect(upstream.waits { $0.requests.count == 2 })
        try expectToldToWait(send(request("GET", "/b"), to: gateway))
        let other = try send(request("GET", "/c"), to: gateway, from: "127.0.0.3")
        #expect(upstream.waits { $0.requests.count == 3 })
        gate.open()
        for client in slow + [other] { #expect(try client.response().status == 200) }
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05"))
    func `behind a proxy each client has its own, and who is named by none has no bound`() throws {
        let upstream = try RecordingUpstream()
        let gateway = try gateway(
            upstream.url, listener: ", trusted_proxies: [127.0.0.2/32]", limits: "upstream_connections_per_client: 2")
        let gate = Gate()
        upstream.answerAll(with: WireScript(.wait(gate), Self.done))
        var slow: [RawClient] = []
        func hold(_ client: String?, _ count: Int) throws {
            let fields = client.map { ["X-Forwarded-For: \($0)"] } ?? []
            let before = slow.count
            slow += try (0..<count).map { _ in try send(request("GET", "/a", fields: fields), to: gateway) }
            #expect(upstream.waits { $0.requests.count == before + count })
        }
        try hold("192.0.2.1", 2)
        try expectToldToWait(send(request("GET", "/b", fields: ["X-Forwarded-For: 192.0.2.1"]), to: gateway))
        try hold("192.0.2.2", 2)
        try hold(nil, 5)
        // A whole /64 is one subscriber's.
        try hold("2001:db8:1:2::1", 2)
        try expectToldToWait(send(request("GET", "/b", fields: ["X-Forwarded-For: 2001:db8:1:2::2"]), to: gateway))
        try hold("2001:db8:1:3::1", 1)
        gate.open()
        for client in slow { #expect(try client.response().status == 200) }
    }
}
