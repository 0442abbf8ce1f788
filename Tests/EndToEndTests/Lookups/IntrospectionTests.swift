import TestSupport
import TestTraits
import Testing

/// Rows INT-01 to INT-05 and INT-09: what is asked about an opaque token, and what the answers are worth.
@Suite(.serialized, .byEachProtocol) struct `an opaque token` {
    private static let shared = Shared {
        var plan = StagePlan.lookups("cache: 0s, negative_cache: 0s")
        plan.issuers = """
              jwt: { url: "$ISSUER/jwt", discovery: none, jwks_uri: "$ISSUER/jwks.json", insecure_allow_http: true }
            """
        plan.routes =
            Stage.ordinaryRoutes + [
                """
                { path: /jwt/, upstream: $UPSTREAM, token: { issuers: [jwt], audience: "\(TokenForge.audience)" } }
                """
            ]
        return try Stage(plan)
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        stage.issuer.introspect(introspected())
    }

    @Test(.holds("INT-01")) func `is asked about in an authenticated form, and passes`() throws {
        let token = "a+b/c-._~=="
        let response = try stage.ask(token)
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let asked = try #require(stage.lastLookup)
        #expect(asked.method == "POST")
        #expect(try form(asked) == ["token": token, "token_type_hint": "access_token"])
        #expect(asked.fields["accept"] == ["application/json"])
        #expect(asked.fields["authorization"] == ["Basic YSUzQWI6cCUyNSUyRiVDMyVCQw=="])
        let forwarded = try #require(stage.upstream.onlyRequest(for: "/orders/a"))
        #expect(forwarded.fields.only("x-user") == "alice")
        #expect(forwarded.fields.only("x-scopes") == "orders:read")
        #expect(!forwarded.fields.contains("authorization"))
        #expect(!forwarded.headText.contains(token))
        #expect(!stage.gateway.allLogText.contains(token))
    }

    @Test(.refuses("INT-01"), arguments: [301, 302, 307, 308])
    func `is sent nowhere but to the endpoint: a redirect is no answer`(status: Int) throws {
        let before = stage.issuer.fetches("/elsewhere")
        stage.issuer.answer("/elsewhere", with: ScriptedIssuer.json(introspected()))
        stage.issuer.answer(
            ScriptedIssuer.introspectionPath,
            with: .answer(status, "", fields: ["Location: \(stage.issuer.url)/elsewhere"]))
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        #expect(stage.issuer.fetches("/elsewhere") == before)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-02")) func `is good when active is true`() throws {
        #expect(try stage.ask(opaqueToken()).status == 200)
    }

    @Test(.holds("INT-02"), arguments: ["\"true\"", "1", "null", "[true]", "{}", nil])
    func `is bad when active is anything but true`(active: String?) throws {
        stage.issuer.introspect(introspected(["active": active]))
        let response = try stage.ask(opaqueToken())
        try expectInvalidToken(response)
        try expectLogged(response, stage, check: "INT-03", cause: "token_inactive")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-03")) func `is bad without a reason when the server does not call it active`() throws {
        stage.issuer.introspect(#"{"active":false,"error_description":"revoked by the user"}"#)
        let response = try stage.ask(opaqueToken())
        try expectInvalidToken(response)
        #expect(try challenge(response)["error_description"] == "The access token is invalid")
        #expect(!response.headText.contains("revoked"))
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("INT-04"),
        arguments: [
            ("exp", moment(-400), "RS-15"), ("nbf", moment(400_000), "JOSE-28"),
            ("iss", quoted("https://other.example"), "RS-12"), ("aud", quoted("https://api.test/other"), "RS-13"),
            ("aud", nil, "RS-13"), ("token_type", quoted("refresh_token"), "JOSE-20"), ("scope", "17", "RS-16"),
        ])
    func `is bad when what the server says of it is wrong, active or not`(
        name: String, value: String?, check: String
    ) throws {
        stage.issuer.introspect(introspected([name: value]))
        let response = try stage.ask(opaqueToken())
        try expectInvalidToken(response)
        try expectLogged(response, stage, check: check)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-04")) func `needs the route's scopes`() throws {
        stage.issuer.introspect(introspected(["scope": quoted("orders:list")]))
        let response = try stage.ask(opaqueToken())
        expectTemplate(response, status: 403)
        #expect(try challenge(response)["error"] == "insufficient_scope")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-04")) func `is good with the right issuer, a list of audiences and its kind named`() throws {
        stage.issuer.introspect(
            introspected([
                "iss": quoted(stage.tokens.issuer), "aud": "[\"x\",\(quoted(TokenForge.audience))]",
                "token_type": quoted("bearer"), "nbf": moment(-5), "iat": moment(-5),
            ]))
        #expect(try stage.ask(opaqueToken()).status == 200)
    }

    @Test(.holds("INT-05"), arguments: [400, 401, 403, 404, 429, 500, 503])
    func `is neither good nor bad when the server answers with an error`(status: Int) throws {
        stage.issuer.introspect(introspected(), status: status)
        let response = try stage.ask(opaqueToken())
        expectAuthorizationDown(response)
        try expectLogged(response, stage, check: "INT-05", cause: "introspection_unavailable")
        try stage.expectNothingForwarded()
        if status == 401 {
            stage.expectOperatorTold("client_refused") { $0["setting"] == "clients.asker" && $0["status"] == "401" }
        }
    }

    @Test(
        .refuses("INT-05"),
        arguments: [
            "", "{", "[]", "true", "<html>", #"{"active":true,"active":false}"#,
        ])
    func `is neither good nor bad when the answer cannot be read`(answer: String) throws {
        stage.issuer.introspect(answer)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-05"))
    func `an answer beyond the bound is refused with a status that promises nothing of waiting`() throws {
        stage.issuer.introspect("{\"active\":true,\"x\":\"" + String(repeating: "x", count: 300_000) + "\"}")
        let response = try stage.ask(opaqueToken())
        expectTemplate(response, status: 502)
        #expect(!response.fields.contains("retry-after"))
        try expectLogged(response, stage, check: "INT-05", cause: "introspection_answer_too_large")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-05")) func `is neither good nor bad when the answer is of another type`() throws {
        stage.issuer.introspect(introspected(), contentType: "text/html")
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-05")) func `is neither good nor bad when there is no answer, or none in time`() throws {
        stage.issuer.answer(ScriptedIssuer.introspectionPath, with: WireScript(.reset))
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
        stage.expectOperatorTold("introspection_failed")
        // A stage of its own: the others' time is not to be short.
        let hasty = try Stage(.lookups("cache: 0s, negative_cache: 0s, timeout: 1s"))
        let gate = Gate()
        defer { gate.open() }
        hasty.introspect(behind: gate)
        expectAuthorizationDown(try hasty.ask(opaqueToken()))
        try hasty.expectNothingForwarded()
        hasty.expectOperatorTold("introspection_failed")
    }

    @Test(.holds("INT-05")) func `is good again as soon as the server is`() throws {
        let token = opaqueToken()
        stage.issuer.introspect("", status: 502)
        expectAuthorizationDown(try stage.ask(token))
        stage.issuer.introspect(introspected())
        #expect(try stage.ask(token).status == 200)
    }

    @Test(.refuses("INT-09")) func `an answer about a token is no token`() throws {
        let answer = TokenMint.sign(
            header: "{\"typ\":\"token-introspection+jwt\",\"alg\":\"ES256\",\"kid\":\"main-1\"}",
            claims: """
                {"iss":\(quoted(stage.tokens.issuer)),"aud":\(quoted(TokenForge.audience)),"iat":\(moment(0)),\
                "exp":\(moment(300)),"sub":"alice","client_id":"c","jti":"1","scope":"orders:read",\
                "token_introspection":\(introspected())}
                """, key: stage.tokens.key, algorithm: stage.tokens.key.algorithm)
        let before = stage.lookups
        let response = try stage.ask(answer)
        try expectInvalidToken(response)
        try expectLogged(response, stage, check: "RS-11")
        #expect(stage.lookups == before)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-09")) func `a JWT access token is verified without asking`() throws {
        let before = stage.lookups
        #expect(try stage.ask(stage.tokens.token()).status == 200)
        #expect(stage.lookups == before)
    }

    @Test(.refuses("INT-07")) func `is malformed where no issuer of the route is asked`() throws {
        let before = stage.lookups
        let response = try stage.ask(opaqueToken(), "/jwt/a")
        try expectInvalidToken(response)
        try expectLogged(response, stage, check: "JOSE-01")
        #expect(stage.lookups == before)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-07"), arguments: ["a b", "a,b", "a%20b", "ä"])
    func `is not asked about when it is no token at all`(token: String) throws {
        let before = stage.lookups
        let response = try stage.ask(token)
        try expectInvalidRequest(response)
        #expect(stage.lookups == before)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-07")) func `is not asked about when it is too large`() throws {
        let before = stage.lookups
        try expectInvalidToken(try stage.ask(String(repeating: "a", count: 17 << 10)))
        #expect(stage.lookups == before)
        try stage.expectNothingForwarded()
    }
}
