import TestSupport
import TestTraits
import Testing

/// Row OPS-07: requests that wait for an authorization server while another configuration is put in place.
@Suite(.serialized, .byEachProtocol) struct `a request that waits during a reload` {
    private static let audience = "audience: \"\(TokenForge.audience)\""

    private func bearer() -> String { "Authorization: Bearer \(opaqueToken())" }

    @Test(.refuses("OPS-07", "HTTP-65"))
    func `is answered 431 where a limit is lower by then than its head, and its client is not blamed for leaving`()
        throws
    {
        let gate = Gate()
        defer { gate.open() }
        var plan = StagePlan.lookups()
        let stage = try Stage(plan)
        stage.introspect(behind: gate)
        let padding = (1...3).map { "X-Padding-\($0): " + String(repeating: "a", count: 2000) }
        let client = try stage.gateway.client()
        try client.send(request("GET", "/orders/a", fields: [bearer()] + padding))
        #expect(stage.waitsForParked(1))
        plan.settings += "\nlimits: { header_section: 4KiB, field_line: 4KiB, access_token: 2KiB, request_line: 2KiB }"
        try stage.rewrite(plan)
        try stage.reload()
        #expect(try client.response().status == 431)
        #expect(client.isOver())
        let refused = try #require(stage.gateway.operatorLine { $0["cause"] == "header_section_too_large" })
        #expect(refused["expected"] == "at most 4096 bytes (limits.header_section)")
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/orders/a" })
        #expect(line["status"] == "431" && line["ended"] == nil, "\(line.raw)")
        #expect(stage.waitsForParked(0))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("OPS-07")) func `is judged by the routes that are served by then`() throws {
        let gate = Gate()
        defer { gate.open() }
        var plan = StagePlan.lookups()
        let stage = try Stage(plan)
        stage.introspect(behind: gate)
        let clients = try (0..<2).map { _ in try stage.gateway.client() }
        for (client, path) in zip(clients, ["/orders/a", "/orders/b"]) {
            try client.send(request("GET", path, fields: [bearer()]))
        }
        #expect(stage.waitsForParked(2))
        plan.routes = ["{ path: /orders/a, upstream: $UPSTREAM, public: true }"]
        try stage.rewrite(plan)
        try stage.reload()
        #expect(try clients[0].response().status == 200)
        #expect(try clients[1].response().status == 404)
    }

    @Test(.refuses("OPS-07", "OPS-05"))
    func `is not counted by what others waited for that the configuration no longer has`() throws {
        let gate = Gate()
        var plan = StagePlan.lookups()
        let token = "token: { issuers: [main], \(Self.audience) }"
        plan.routes = [
            "{ path: /orders/, upstream: $UPSTREAM, \(token) }",
            "{ path: /stock/, upstream: $UPSTREAM, \(token), "
                + "upstream_credential: { exchange: { client: asker, audience: stock } } }",
        ]
        plan.issuers = "  silent: { url: \"http://127.0.0.1:1/\", insecure_allow_http: true, discovery: openid }"
        plan.settings += "\nlimits: { parked_requests: 8 }\ntimeouts: { key_wait: 200ms }"
        plan.milestone = .listening
        let stage = try Stage(plan)
        #expect(eventually { stage.gateway.reading("portcullis_issuer_ready{issuer=\"main\"}") == 1 })
        stage.introspect(behind: gate)
        stage.issuer.answer(ScriptedIssuer.tokenPath, with: WireScript(.wait(gate), .close))
        // The one that waits first is judged first, while the others still wait for a token for the upstream.
        let clients = try (0..<6).map { number in
            let client = try RawClient(port: stage.gateway.port, from: "127.0.0.\(number + 2)")
            let field = number == 0 ? bearer() : stage.tokens.bearer()
            try client.send(request("GET", number == 0 ? "/orders/a" : "/stock/a", fields: [field]))
            #expect(stage.waitsForParked(number + 1))
            return client
        }
        plan.routes = ["/orders/", "/stock/"].map { "{ path: \($0), upstream: $UPSTREAM, \(token) }" }
        try stage.rewrite(plan)
        try stage.reload()
        for client in clients.dropFirst() { #expect(try client.response().status == 200) }
        gate.open()
        #expect(try clients[0].response().status == 200)
        #expect(stage.gateway.process.isRunning)
    }

    @Test(.byHTTP1(because: "it comes by a Unix socket"), .refuses("OPS-07"))
    func `is answered 503 where its listener is gone by then`() throws {
        let folder = try TemporaryFolder.make(for: "waiting")
        defer { TemporaryFolder.remove(folder) }
        let gate = Gate()
        defer { gate.open() }
        var plan = StagePlan.lookups()
        plan.publicURL += "\n  - { address: \"unix:\(folder)/web.sock\", public_url: \"http://second.test\" }"
        let stage = try Stage(plan)
        stage.introspect(behind: gate)
        let client = try RawClient(unixPath: "\(folder)/web.sock")
        try client.send("GET /orders/a HTTP/1.1\r\nHost: second.test\r\n\(bearer())\r\n\r\n")
        #expect(stage.waitsForParked(1))
        try stage.rewrite(StagePlan.lookups())
        try stage.reload()
        let response = try client.response()
        #expect(response.status == 503 && response.fields.only("retry-after") == "5", "\(response.headText)")
        #expect(client.isClosedByPeer())
        let refused = try #require(stage.gateway.operatorLine { $0["cause"] == "introspection_unavailable" })
        #expect(refused["expected"] == "an answer before a reload removed the listener")
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/orders/a" })
        #expect(line["status"] == "503" && line["ended"] == nil, "\(line.raw)")
        #expect(stage.waitsForParked(0))
    }

    @Test(.holds("INT-07")) func `keeps what is known of a good token for a client that has no bad ones left`() throws {
        var plan = StagePlan.lookups("cache: 0s, negative_cache: 5m")
        plan.settings += "\nlimits: { bad_token_rate_per_client: 1, bad_token_burst_per_client: 4 }"
        let stage = try Stage(plan)
        let good = opaqueToken()
        #expect(try stage.ask(good).status == 200)
        stage.issuer.introspect(introspected(["active": "false"]))
        // One bad token a second is left: others are asked about as long as the machine takes for that.
        func exhaust() throws { #expect(try eventually { try stage.ask(opaqueToken()).status == 429 }) }
        try exhaust()
        try stage.reload()
        try exhaust()
        stage.issuer.introspect(introspected())
        #expect(try stage.ask(good).status == 200)
    }
}
