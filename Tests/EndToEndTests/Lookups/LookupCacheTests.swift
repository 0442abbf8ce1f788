import TestSupport
import TestTraits
import Testing

/// Rows INT-06 and INT-07: how often a server is asked, and how long its word is believed.
@Suite(.serialized, .byEachProtocol) struct `an answer about a token` {
    @Test(.holds("INT-06")) func `is asked for once, however many requests and workers wait for it`() throws {
        var plan = StagePlan.lookups("cache: 5m")
        plan.workers = 2
        let stage = try Stage(plan)
        let gate = Gate()
        stage.introspect(behind: gate)
        let message = request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"])
        let clients = try (0..<50).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(message) }
        #expect(stage.waitsForParked(50))
        gate.open()
        #expect(try clients.map { try $0.response().status } == Array(repeating: 200, count: 50))
        #expect(stage.lookups == 1)
        #expect(stage.upstream.requests.count == 50)
        for client in clients {
            try client.send(message)
            #expect(try client.response().status == 200)
        }
        #expect(stage.lookups == 1)
    }

    @Test(.holds("INT-06")) func `is asked for anew by every request where the cache is 0`() throws {
        let stage = try Stage(.lookups())
        let token = opaqueToken()
        let client = try stage.gateway.client()
        for number in 1...5 {
            try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
            #expect(try client.response().status == 200)
            #expect(stage.lookups == number)
        }
        stage.issuer.introspect(introspected(["active": "false"]))
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
        try expectInvalidToken(try client.response())
        stage.issuer.introspect(introspected())
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
        #expect(try client.response().status == 200)
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 is behind another one"), .holds("INT-06"))
    func `is asked for anew by the request behind in the same connection where the cache is 0`() throws {
        let stage = try Stage(.lookups())
        let one = request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"])
        let client = try stage.gateway.client()
        try client.send(one + one + one)
        #expect(try client.responses(3).map(\.status) == [200, 200, 200])
        #expect(stage.lookups == 3)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("INT-06"), .refuses("INT-06"))
    func `is believed for as long as the cache says, and a revoked token no longer`() throws {
        let stage = try Stage(.lookups("cache: 15s, negative_cache: 0s"))
        let token = opaqueToken()
        #expect(try stage.ask(token).status == 200)
        stage.issuer.introspect(introspected(["active": "false"]))
        #expect(try stage.ask(token).status == 200)
        #expect(stage.lookups == 1)
        var last: WireResponse?
        #expect(
            try eventually(within: .seconds(120)) {
                last = try stage.ask(token)
                return last?.status == 401
            })
        try expectInvalidToken(try #require(last))
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("INT-06"), .refuses("INT-06"))
    func `is believed no longer than the token lives`() throws {
        var plan = StagePlan.lookups("cache: 5m, negative_cache: 0s")
        plan.issuer += ", leeway: 0s"
        let stage = try Stage(plan)
        let token = opaqueToken()
        stage.issuer.introspect(introspected(["exp": moment(15)]))
        #expect(try stage.ask(token).status == 200)
        #expect(try eventually(within: .seconds(120)) { try stage.ask(token).status == 401 })
        #expect(stage.lookups >= 2)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("INT-06"))
    func `that a token is bad is believed for a moment`() throws {
        let stage = try Stage(.lookups("cache: 5m, negative_cache: 15s"))
        let token = opaqueToken()
        stage.issuer.introspect(introspected(["active": "false"]))
        try expectInvalidToken(try stage.ask(token))
        stage.issuer.introspect(introspected())
        try expectInvalidToken(try stage.ask(token))
        #expect(stage.lookups == 1)
        #expect(try eventually(within: .seconds(120)) { try stage.ask(token).status == 200 })
    }

    @Test(.holds("INT-06")) func `that was not to be had is not remembered, not even for a good token`() throws {
        let stage = try Stage(.lookups("cache: 5m, negative_cache: 5m"))
        let token = opaqueToken()
        stage.issuer.introspect("", status: 500)
        expectAuthorizationDown(try stage.ask(token))
        expectAuthorizationDown(try stage.ask(token))
        #expect(stage.lookups == 2)
        stage.issuer.introspect(introspected())
        #expect(try stage.ask(token).status == 200)
        stage.issuer.introspect("", status: 500)
        #expect(try stage.ask(token).status == 200)
    }

    @Test(.refuses("INT-06"))
    func `is needed for JWTs too where all tokens are asked about, but not for another issuer's`() throws {
        var plan = StagePlan.lookups("cache: 0s, negative_cache: 0s, tokens: all")
        plan.issuers = """
              jwt: { url: "$ISSUER/jwt", discovery: none, jwks_uri: "$ISSUER/jwks.json", insecure_allow_http: true }
            """
        plan.routes = [
            "{ path: /open/, upstream: $UPSTREAM, public: true }",
            """
            { path: /orders/, upstream: $UPSTREAM, token: { issuers: [main, jwt], \
            audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
            """,
            """
            { path: /jwt/, upstream: $UPSTREAM, token: { issuers: [jwt], audience: "\(TokenForge.audience)" } }
            """,
        ]
        let stage = try Stage(plan)
        let token = stage.tokens.token()
        #expect(try stage.ask(token).status == 200)
        #expect(stage.lookups == 1)
        stage.issuer.introspect(introspected(["active": "false"]))
        try expectInvalidToken(try stage.ask(token))
        #expect(stage.lookups == 2)
        let other = TokenForge(issuer: stage.issuer.url + "/jwt", key: stage.tokens.key)
        let good = other.token()
        #expect(try stage.ask(good).status == 200, "\(stage.gateway.diagnosis)")
        #expect(try stage.ask(good).status == 200)
        try expectInvalidToken(try stage.ask(other.token(["exp": moment(-400)])))
        #expect(stage.lookups == 2)
        // A route of the other issuer alone has verified it: no reason for the first to let it pass unasked.
        try expectInvalidToken(try stage.ask(token, "/jwt/a"))
        stage.reset()
        try expectInvalidToken(try stage.ask(token))
        #expect(stage.lookups == 3)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-05")) func `an answer that is too long is remembered, and not asked for again`() throws {
        let stage = try Stage(.lookups("cache: 5m"))
        stage.issuer.introspect("{\"active\":true,\"x\":\"" + String(repeating: "x", count: 300_000) + "\"}")
        let token = opaqueToken()
        for _ in 0..<3 { expectTemplate(try stage.ask(token), status: 502) }
        #expect(stage.lookups == 1)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-07")) func `is not asked for without end by one address that tries tokens`() throws {
        // Few a second, so that the slowest machine asks for more.
        var plan = StagePlan.lookups("cache: 5m, negative_cache: 5m")
        plan.settings += "\nlimits: { bad_token_rate_per_client: 2, bad_token_burst_per_client: 100 }"
        let stage = try Stage(plan)
        let good = opaqueToken()
        #expect(try stage.ask(good).status == 200)
        stage.issuer.introspect(introspected(["active": "false"]))
        stage.reset()
        let client = try stage.gateway.client()
        var statuses: [Int: Int] = [:]
        var refused: WireResponse?
        let elapsed = try ContinuousClock().measure {
            for _ in 0..<1000 {
                try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"]))
                let response = try client.response()
                statuses[response.status, default: 0] += 1
                // One of the first: the lines of so many are paced.
                if response.status == 429, refused == nil { refused = response }
            }
        }
        let allowed = 102 + 2 * (Int(elapsed.components.seconds) + 1)
        #expect(stage.lookups <= allowed, "\(stage.lookups) in \(elapsed)")
        #expect(Set(statuses.keys) == [401, 429], "\(statuses) in \(elapsed)")
        let response = try #require(refused)
        expectTemplate(response, status: 429)
        #expect(response.fields.only("retry-after") == "1")
        #expect(!response.fields.contains("www-authenticate"))
        try expectLogged(response, stage, check: "INT-07", cause: "unknown_tokens_too_many")
        // A token that is known costs nothing.
        #expect(try stage.ask(good).status == 200)
    }

    @Test(.refuses("INT-07")) func `does not stand before a token that was good, however many a neighbour tries`()
        throws
    {
        var plan = StagePlan.lookups("cache: 0s, negative_cache: 5m")
        plan.settings += "\nlimits: { bad_token_rate_per_client: 2, bad_token_burst_per_client: 100 }"
        let stage = try Stage(plan)
        let good = opaqueToken()
        #expect(try stage.ask(good).status == 200)
        stage.issuer.introspect(introspected(["active": "false"]))
        let client = try stage.gateway.client()
        var status = 401
        for _ in 0..<1000 where status == 401 {
            try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"]))
            status = try client.response().status
        }
        #expect(status == 429)
        stage.issuer.introspect(introspected())
        // Nothing is kept of its answers: it has to be asked about again, and is.
        let before = stage.lookups
        #expect(try stage.ask(good).status == 200)
        #expect(stage.lookups == before + 1)
    }

    @Test(.holds("INT-07")) func `costs an honest client nothing, however many tokens it has`() throws {
        let stage = try Stage(.lookups("cache: 5m"))
        let client = try stage.gateway.client()
        for _ in 0..<400 {
            try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"]))
            #expect(try client.response().status == 200)
        }
        #expect(stage.lookups == 400)
    }
}

/// What becomes of requests, and of those around them, while a server is asked.
@Suite(.serialized, .byEachProtocol) struct `a request that waits for an answer` {
    @Test(.byHTTP1(because: "no request of HTTP/2 is behind another one"), .holds("INT-06"))
    func `is followed by the requests behind it, in their order`() throws {
        let stage = try Stage(.lookups("cache: 5m"))
        let gate = Gate()
        stage.introspect(behind: gate)
        let client = try stage.gateway.client()
        let asked = request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"])
        let other = request(
            "POST", "/orders/b", fields: ["Authorization: Bearer \(opaqueToken())"], body: "the body")
        try client.send(asked + request("GET", "/open/c") + other + asked)
        #expect(stage.waitsForParked(1))
        #expect(stage.upstream.requests.isEmpty)
        gate.open()
        #expect(try client.responses(4).map(\.status) == [200, 200, 200, 200])
        #expect(stage.upstream.requests.map(\.path) == ["/orders/a", "/open/c", "/orders/b", "/orders/a"])
        #expect(stage.upstream.requests[2].bodyText == "the body")
        #expect(stage.lookups == 2)
        try client.send(asked)
        #expect(try client.response().status == 200)
    }

    @Test(.holds("INT-06")) func `keeps its body for the upstream`() throws {
        let stage = try Stage(.lookups("cache: 5m"))
        let gate = Gate()
        stage.introspect(behind: gate)
        let client = try stage.gateway.client()
        let body = String(repeating: "0123456789", count: 30_000)
        let message = request("POST", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"], body: body)
        // Little enough for the window that HTTP/2 gives a request which waits.
        try client.send(String(message.prefix(message.count - 280_000)))
        #expect(stage.waitsForParked(1))
        gate.open()
        try client.send(String(message.suffix(280_000)))
        #expect(try client.response(to: "POST").status == 200)
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.bodyText == body)
    }

    @Test(.refuses("INT-06"), arguments: [false, true])
    func `may lose its client: nobody else is harmed`(isReset: Bool) throws {
        let stage = try Stage(.lookups("cache: 5m"))
        let gate = Gate()
        stage.introspect(behind: gate)
        let message = request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"])
        let clients = try (0..<6).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(message) }
        #expect(stage.waitsForParked(6))
        for client in clients.prefix(3) { if isReset { client.reset() } else { client.close() } }
        gate.open()
        for client in clients.suffix(3) { #expect(try client.response().status == 200) }
        #expect(stage.waitsForParked(0))
        #expect(try stage.gateway.exchange(message).status == 200)
        #expect(stage.lookups == 1)
    }

    @Test(.refuses("INT-05")) func `is answered 503 in time when the server is silent, and its connection goes on`()
        throws
    {
        let stage = try Stage(.lookups("cache: 30s, timeout: 200ms"))
        let gate = Gate()
        defer { gate.open() }
        stage.introspect(behind: gate)
        let client = try stage.gateway.client()
        let message = request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"])
        try client.send(message + message)
        expectAuthorizationDown(try client.response())
        stage.issuer.introspect(introspected())
        let second = try client.response()
        #expect(second.status == 200 || second.status == 503)
        // The server is to answer within 200 ms, which it may not do each time.
        #expect(
            try eventually {
                try client.send(message)
                return try client.response().status == 200
            })
        #expect(stage.waitsForParked(0))
    }

    @Test(.holds("INT-05")) func `waits for the metadata at a start, which says where to ask`() throws {
        let gate = Gate()
        var plan = StagePlan.lookups("cache: 5m")
        plan.milestone = .listening
        plan.prepare = { issuer in
            issuer.introspect(introspected())
            let metadata = Stage.document(issuer.metadata())
            issuer.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .text(metadata)))
        }
        let stage = try Stage(plan)
        let client = try stage.gateway.client()
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"]))
        #expect(stage.waitsForParked(1))
        gate.open()
        let response = try client.response()
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
    }

    @Test(.refuses("INT-05")) func `is answered 503 when there is no metadata`() throws {
        var plan = StagePlan.lookups("cache: 5m")
        plan.milestone = .listening
        plan.prepare = { issuer in
            issuer.introspect(introspected())
            issuer.answer(ScriptedIssuer.openIDPath, with: .answer(500, "down"))
        }
        plan.settings += "\ntimeouts: { key_wait: 300ms }"
        let stage = try Stage(plan)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        #expect(stage.lookups == 0)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-06")) func `is answered before the gateway ends`() throws {
        let stage = try Stage(.lookups("cache: 5m"))
        let gate = Gate()
        stage.introspect(behind: gate)
        let client = try stage.gateway.client()
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(opaqueToken())"]))
        #expect(stage.waitsForParked(1))
        stage.gateway.terminate()
        stage.expectOperatorTold("stopping")
        gate.open()
        #expect(try client.response().status == 200)
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
    }
}
