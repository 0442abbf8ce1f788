import TestSupport
import TestTraits
import Testing

/// Rows TX-01 to TX-04: upstreams that get a token of their own in exchange for the caller's (RFC 8693).
@Suite(.serialized, .byEachProtocol) struct `a token for the upstream` {
    private static let type = "urn:ietf:params:oauth:token-type:access_token"
    private static let shared = Shared { try Stage(plan()) }
    let stage: Stage

    private static func plan(_ introspection: String? = nil) -> StagePlan {
        var plan = introspection.map { StagePlan.lookups($0) } ?? StagePlan.lookups("cache: 30s")
        plan.routes = [
            "{ path: /open/, upstream: $UPSTREAM, public: true }",
            """
            { path: /orders/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [Bearer, DPoP], \
            audience: "\(TokenForge.audience)", scopes: ["orders:read"] }, upstream_credential: { exchange: { \
            client: asker, audience: stock, resource: "https://stock.test/", scopes: [stock:read] } } }
            """,
            """
            { path: /other/, upstream: $UPSTREAM, token: { issuers: [main], audience: "\(TokenForge.audience)", \
            optional: true }, upstream_credential: { exchange: { client: asker, audience: other } } }
            """,
        ]
        return plan
    }

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        grant(stage, "for-stock")
    }

    /// An answer of the token endpoint, with members changed or left out.
    private func granted(_ token: String, _ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "access_token": quoted(token), "issued_token_type": quoted(Self.type), "token_type": quoted("Bearer"),
            "expires_in": "300",
        ]
        members.merge(changes) { $1 }
        return "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    private func grant(_ stage: Stage, _ token: String, _ changes: [String: String?] = [:]) {
        stage.issuer.answer(ScriptedIssuer.tokenPath, with: ScriptedIssuer.json(granted(token, changes)))
    }

    private func refuse(_ error: String, status: Int = 400) {
        stage.issuer.answer(
            ScriptedIssuer.tokenPath,
            with: .answer(status, "{\"error\":\"\(error)\"}", fields: ["Content-Type: application/json"]))
    }

    /// The credentials that the upstream was sent.
    private var seen: [[String]] { stage.upstream.requests.map { $0.fields["authorization"] } }

    private func lastExchange(_ stage: Stage) throws -> WireRequest {
        try #require(stage.issuer.server.requests.last { $0.path == ScriptedIssuer.tokenPath })
    }

    @Test(.holds("TX-01")) func `is asked for in an authenticated form, and all that the upstream sees`() throws {
        let token = stage.tokens.token()
        let response = try stage.ask(token)
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let asked = try lastExchange(stage)
        #expect(asked.method == "POST")
        #expect(asked.fields["authorization"] == ["Basic YSUzQWI6cCUyNSUyRiVDMyVCQw=="])
        #expect(
            try form(asked) == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": "stock",
                "resource": "https://stock.test/", "scope": "stock:read", "subject_token": token,
                "subject_token_type": Self.type,
            ])
        let seen = try #require(stage.upstream.onlyRequest(for: "/orders/a"))
        #expect(seen.fields["authorization"] == ["Bearer for-stock"])
        #expect(!seen.headText.contains(token))
        #expect(!stage.gateway.allLogText.contains("for-stock"))
    }

    @Test(.refuses("TX-01")) func `is asked for with a token whose characters cannot add a parameter`() throws {
        let token = "a+b/c~._-=="
        #expect(try stage.ask(token).status == 200)
        let asked = try lastExchange(stage)
        #expect(try form(asked)["subject_token"] == token)
        #expect(asked.bodyText.contains("subject_token=a%2Bb%2Fc"))
    }

    @Test(.refuses("TX-01")) func `is not asked for by a request that is refused or that has no token`() throws {
        let before = stage.exchanges
        try expectInvalidToken(
            stage.ask(stage.tokens.token(["exp": moment(-400)])), stage, scheme: "Bearer", check: "RS-15")
        #expect(try stage.ask(stage.tokens.token(["scope": quoted("none")])).status == 403)
        #expect(try stage.exchange("GET", "/other/a").status == 200)
        #expect(stage.exchanges == before)
        #expect(stage.upstream.onlyRequest(for: "/other/a")?.fields.contains("authorization") == false)
    }

    @Test(
        .holds("TX-02"),
        arguments: [
            ("issued_token_type", quoted("urn:ietf:params:oauth:token-type:jwt")), ("token_type", quoted("bearer")),
            ("expires_in", nil), ("scope", quoted("stock:read")),
        ])
    func `is taken when it is one that can be presented`(name: String, value: String?) throws {
        grant(stage, "fine", [name: value])
        #expect(try stage.ask(stage.tokens.token()).status == 200)
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.fields["authorization"] == ["Bearer fine"])
    }

    @Test(
        .refuses("TX-02"),
        arguments: [
            ("token_type", quoted("N_A")), ("token_type", quoted("DPoP")), ("token_type", nil),
            ("issued_token_type", nil), ("issued_token_type", quoted("urn:ietf:params:oauth:token-type:refresh_token")),
            ("access_token", nil), ("access_token", quoted("a b")), ("access_token", quoted("a\\r\\nX: y")),
            ("expires_in", quoted("soon")),
        ])
    func `is not taken when it is no such token`(name: String, value: String?) throws {
        grant(stage, "bad", [name: value])
        let response = try stage.ask(stage.tokens.token())
        expectAuthorizationDown(response)
        try expectLogged(response, stage, check: "TX-01", cause: "exchange_unavailable")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("TX-03"), arguments: ["invalid_request", "invalid_grant"])
    func `that is refused for the caller's token makes that one invalid`(error: String) throws {
        refuse(error)
        let response = try stage.ask(stage.tokens.token())
        try expectInvalidToken(response, stage, scheme: "Bearer", check: "TX-03")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("TX-03")) func `that is refused for its target is the operator's trouble`() throws {
        refuse("invalid_target")
        let response = try stage.ask(stage.tokens.token())
        expectTemplate(response, status: 502)
        #expect(!response.fields.contains("www-authenticate"))
        try expectLogged(response, stage, check: "TX-03", cause: "exchange_target_refused")
        stage.expectOperatorTold("exchange_target_refused")
        try stage.expectNothingForwarded()
        grant(stage, "later")
        #expect(try stage.ask(stage.tokens.token()).status == 200)
    }

    @Test(
        .refuses("TX-04"),
        arguments: [(401, "invalid_client"), (403, "access_denied"), (400, "unauthorized_client"), (500, "x")])
    func `that cannot be had is not replaced by the caller's`(status: Int, error: String) throws {
        refuse(error, status: status)
        expectAuthorizationDown(try stage.ask(stage.tokens.token()))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("TX-04")) func `that cannot be had from a server that is down is not replaced either`() throws {
        for script in [WireScript(.reset), WireScript(.close), .answer(200, "<html>"), .answer(503, "")] {
            stage.reset()
            stage.issuer.answer(ScriptedIssuer.tokenPath, with: script)
            expectAuthorizationDown(try stage.ask(stage.tokens.token()))
            try stage.expectNothingForwarded()
        }
        let token = stage.tokens.token()
        expectAuthorizationDown(try stage.ask(token))
        grant(stage, "again")
        stage.reset()
        #expect(try stage.ask(token).status == 200)
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.fields["authorization"] == ["Bearer again"])
    }

    @Test(.holds("TX-04"), .refuses("TX-04")) func `is used again for the same caller and upstream, and for no other`()
        throws
    {
        let token = stage.tokens.token()
        let before = stage.exchanges
        #expect(try stage.ask(token).status == 200)
        grant(stage, "second")
        #expect(try stage.ask(token).status == 200)
        #expect(seen == [["Bearer for-stock"], ["Bearer for-stock"]])
        #expect(stage.exchanges == before + 1)
        stage.reset()
        #expect(try stage.ask(token, "/other/a").status == 200)
        #expect(try stage.ask(stage.tokens.token()).status == 200)
        #expect(seen == [["Bearer second"], ["Bearer second"]])
        #expect(stage.exchanges == before + 3)
        stage.reset()
        #expect(try stage.ask(token).status == 200)
        #expect(seen == [["Bearer for-stock"]])
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("TX-04"))
    func `is exchanged anew half a minute before it ends`() throws {
        let token = stage.tokens.token()
        grant(stage, "first", ["expires_in": "32"])
        #expect(try stage.ask(token).status == 200)
        grant(stage, "second")
        let isRenewed = try eventually(within: .seconds(120)) {
            stage.reset()
            let status = try stage.ask(token).status
            #expect(status == 200)
            return stage.upstream.requests.last?.fields["authorization"] == ["Bearer second"]
        }
        #expect(isRenewed)
    }

    @Test(.refuses("TX-04")) func `is asked for each time when it lives too short to be kept`() throws {
        let token = stage.tokens.token()
        grant(stage, "short", ["expires_in": "20"])
        let before = stage.exchanges
        for _ in 0..<3 { #expect(try stage.ask(token).status == 200) }
        #expect(stage.exchanges == before + 3)
        #expect(stage.upstream.requests.allSatisfy { $0.fields["authorization"] == ["Bearer short"] })
    }

    @Test(.holds("TX-04")) func `is asked for once by all who want it at the same time`() throws {
        var plan = Self.plan()
        plan.workers = 2
        let stage = try Stage(plan)
        let gate = Gate()
        stage.issuer.answer(
            ScriptedIssuer.tokenPath, with: WireScript(.wait(gate), .text(Stage.document(granted("shared")))))
        let message = request("GET", "/orders/a", fields: [stage.tokens.bearer()])
        let clients = try (0..<50).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(message + message) }
        // In HTTP/2 the second request of each connection waits beside the first.
        #expect(stage.waitsForParked(WireProtocol.current == .http1 ? 50 : 100))
        for client in clients.prefix(5) { client.close() }
        for client in clients[5..<10] { client.reset() }
        gate.open()
        for client in clients.dropFirst(10) {
            #expect(try client.responses(2).map(\.status) == [200, 200])
            try client.send(message)
            #expect(try client.response().status == 200)
        }
        #expect(stage.exchanges == 1)
        #expect(stage.upstream.requests.allSatisfy { $0.fields["authorization"] == ["Bearer shared"] })
        #expect(stage.waitsForParked(0))
    }

    @Test(.holds("TX-01"), arguments: ["cache: 30s", "cache: 0s"])
    func `follows the server's word on an opaque token, in one request`(cache: String) throws {
        let stage = try Stage(Self.plan(cache))
        grant(stage, "after-both")
        let gate = Gate()
        stage.introspect(behind: gate)
        let token = opaqueToken()
        let message = request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"])
        let clients = try (0..<10).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(message + message) }
        #expect(stage.waitsForParked(WireProtocol.current == .http1 ? 10 : 20))
        gate.open()
        for client in clients { #expect(try client.responses(2).map(\.status) == [200, 200]) }
        #expect(stage.upstream.requests.count == 20)
        #expect(stage.upstream.requests.allSatisfy { $0.fields["authorization"] == ["Bearer after-both"] })
        #expect(try form(try lastExchange(stage))["subject_token"] == token)
        if cache == "cache: 30s" {
            #expect(stage.lookups == 1)
            #expect(stage.exchanges == 1)
        }
        #expect(stage.waitsForParked(0))
    }

    @Test(.holds("TX-04")) func `outlives the record of the caller's token, which gave way to others meanwhile`() throws
    {
        var plan = Self.plan()
        plan.settings += "\ntoken_cache: { entries: 1 }"
        let stage = try Stage(plan)
        let gate = Gate()
        stage.issuer.answer(
            ScriptedIssuer.tokenPath, with: WireScript(.wait(gate), .text(Stage.document(granted("kept")))))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/orders/a", fields: [stage.tokens.bearer()]))
        #expect(stage.waitsForParked(1))
        // Others take its place in the cache.
        for _ in 0..<3 { #expect(try stage.ask(stage.tokens.token(["scope": quoted("none")])).status == 403) }
        gate.open()
        #expect(try client.response().status == 200)
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.fields["authorization"] == ["Bearer kept"])
    }

    @Test(.holds("TX-01")) func `is for the upstream of a caller whose own token is bound to a key`() throws {
        var call = ProofCall()
        call.path = "/orders/a"
        let fields = call.fields(stage)
        let response = try stage.exchange("GET", "/orders/a", fields: fields)
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let seen = try #require(stage.upstream.onlyRequest(for: "/orders/a"))
        #expect(seen.fields["authorization"] == ["Bearer for-stock"])
        #expect(!seen.fields.contains("dpop"))
        try expectInvalidProof(
            stage.exchange("GET", "/orders/a", fields: fields), stage, check: "DPOP-15", cause: "proof_replayed")
    }

    @Test(.holds("TX-01")) func `waits for the metadata at a start, which says where to ask`() throws {
        let gate = Gate()
        var plan = Self.plan()
        plan.milestone = .listening
        // The keys are at hand: the metadata is needed for nothing else.
        plan.issuer += ", jwks_uri: \"$ISSUER/jwks.json\", discovery: openid"
        plan.issuer = plan.issuer.replacingOccurrences("discovery: openid, ", with: "")
        plan.prepare = { issuer in
            let metadata = Stage.document(issuer.metadata())
            issuer.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .text(metadata)))
        }
        let stage = try Stage(plan)
        grant(stage, "at-last")
        let client = try stage.gateway.client()
        try client.send(request("GET", "/orders/a", fields: [stage.tokens.bearer()]))
        #expect(stage.waitsForParked(1))
        gate.open()
        let response = try client.response()
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
    }
}
