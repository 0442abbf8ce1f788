import TestSupport
import TestTraits
import Testing

/// Row ECO-51: what authorization servers are told of the requests that they are asked for.
@Suite struct `the trace of a question to an authorization server` {
    private static let wanted = "ratio: 100%, trace_outbound: true"

    /// Tokens are asked about, and exchanged for those of the upstream.
    private static func plan() -> StagePlan {
        var plan = StagePlan.lookups("cache: 30s")
        plan.routes = [
            """
            { path: /orders/, upstream: $UPSTREAM, token: { issuers: [main], audience: "\(TokenForge.audience)" }, \
            upstream_credential: { exchange: { client: asker, audience: stock } } }
            """
        ]
        plan.prepare = { issuer in
            issuer.introspect(introspected())
            issuer.answer(
                ScriptedIssuer.tokenPath,
                with: ScriptedIssuer.json(
                    """
                    {"access_token":"for-stock","issued_token_type":"urn:ietf:params:oauth:token-type:access_token",\
                    "token_type":"Bearer","expires_in":300}
                    """))
        }
        return plan
    }

    /// What the last request to a path of the issuer says of its trace.
    private func told(_ issuer: ScriptedIssuer, _ path: String) throws -> [String] {
        try #require(issuer.server.requests.last { $0.path == path }, "nobody asked \(path)").fields["traceparent"]
    }

    @Test(.holds("ECO-51")) func `is that of the request that waits, below the span of its wait`() throws {
        let traces = try TraceStage(Self.wanted, plan: Self.plan())
        let response = try traces.stage.ask(opaqueToken())
        #expect(response.status == 200, "\(traces.stage.gateway.diagnosis)")
        let id = try traces.id(of: response)
        let spans = traces.spans(ofRequest: id, count: 4)
        let issuer = traces.stage.issuer
        for (path, name) in [(ScriptedIssuer.introspectionPath, "introspect"), (ScriptedIssuer.tokenPath, "exchange")] {
            let wait = try #require(spans.first { $0.name == name }, "\(spans)")
            #expect(try told(issuer, path) == ["00-\(id)-\(wait.id)-01"])
        }
        // What the gateway read before anybody asked for anything is nobody's.
        for path in [ScriptedIssuer.openIDPath, ScriptedIssuer.keysPath] { #expect(try told(issuer, path) == []) }
    }

    @Test(.holds("ECO-51")) func `is told with the gateway's decision, and goes along with keys that are read for it`()
        throws
    {
        for (settings, flag) in [(Self.wanted, "01"), ("ratio: 0%, trace_outbound: true", "00")] {
            let traces = try TraceStage(settings)
            let stage = traces.stage
            let fresh = SigningKey(.p256, keyID: "main-2")
            stage.issuer.publish(keys: SigningKey.keySet([fresh, stage.tokens.key]))
            let response = try stage.ask(stage.tokens.token(signedBy: fresh))
            #expect(response.status == 200, "\(stage.gateway.diagnosis)")
            let id = try traces.id(of: response)
            let parents = try told(stage.issuer, ScriptedIssuer.keysPath)
            #expect(parents.count == 1)
            let parent = try #require(parents.first)
            #expect(parent.hasPrefix("00-\(id)-") && parent.hasSuffix("-\(flag)"), "\(parent)")
            guard flag == "01" else { continue }
            let wait = try #require(traces.spans(ofRequest: id, count: 3).first { $0.name == "authenticate" })
            #expect(parent == "00-\(id)-\(wait.id)-01")
        }
    }

    @Test(.holds("ECO-51")) func `is the first one's where several wait for one answer`() throws {
        let traces = try TraceStage(Self.wanted, plan: .lookups())
        let stage = traces.stage
        let gate = Gate()
        stage.introspect(behind: gate)
        let token = opaqueToken()
        let clients = try (0..<3).map { _ in try stage.gateway.client() }
        for (number, client) in clients.enumerated() {
            try client.send(request("GET", "/orders/\(number)", fields: ["Authorization: Bearer \(token)"]))
            #expect(stage.waitsForParked(number + 1))
        }
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        #expect(stage.lookups == 1)
        let first = try #require(stage.upstream.onlyRequest(for: "/orders/0")?.fields.only("x-request-id"))
        let parents = try told(stage.issuer, ScriptedIssuer.introspectionPath)
        #expect(parents.count == 1 && parents.allSatisfy { $0.hasPrefix("00-\(first)-") }, "\(parents)")
    }

    @Test(.refuses("ECO-51")) func `is not told unless the operator wants that`() throws {
        let traces = try TraceStage("ratio: 100%", trusts: true, plan: Self.plan())
        let stage = traces.stage
        let response = try stage.exchange(
            "GET", "/orders/a",
            fields: [
                "Authorization: Bearer \(opaqueToken())", "tracestate: a=1",
                "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            ])
        #expect(response.status == 200, "\(stage.gateway.diagnosis)")
        let asked = stage.issuer.server.requests
        #expect(Set(asked.map(\.path)).isSuperset(of: [ScriptedIssuer.introspectionPath, ScriptedIssuer.tokenPath]))
        for one in asked { #expect(!one.fields.contains("traceparent") && !one.fields.contains("tracestate")) }
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.fields.contains("traceparent") == true)
    }

    @Test(.holds("ECO-51"), .refuses("ECO-51"), arguments: [true, false])
    func `is told at each step of a login where the operator wants that`(isWanted: Bool) throws {
        let collector = try RecordingUpstream(fallback: .answer(200, "{}"))
        let settings = isWanted ? Self.wanted : "ratio: 100%"
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"],
                client: ["authorization_request: pushed"],
                settings: "tracing: { endpoint: \"\(collector.url)\", \(settings) }"))
        stage.server.change { $0.tokenSeconds = 5 }
        var browser = try stage.login()
        #expect(
            eventually {
                guard let answer = try? stage.exchange("GET", "/app/poll", browser: browser) else { return false }
                browser.take(answer)
                return !stage.server.requests(for: "refresh_token").isEmpty
            })
        let logout = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect(logout.status == 200 && eventually { !stage.server.revoked.isEmpty })
        let asked = stage.server.issuer.server.requests.filter { $0.method == "POST" && $0.isComplete }
        guard isWanted else {
            return #expect(asked.count >= 4 && asked.allSatisfy { !$0.fields.contains("traceparent") })
        }
        // What is asked, and the span that it is asked in.
        var parents: [String: String] = [:]
        for one in asked {
            let parent = try #require(one.fields.only("traceparent"), "\(one.headText)")
            let grant = WireForm.parameters(one.bodyText)["grant_type"] ?? ""
            parents["\(one.path) \(grant)"] = String(parent.split(separator: "-")[2])
        }
        let names = [
            "/par ": "login.start", "/token authorization_code": "login.callback", "/token refresh_token": "refresh",
            "/revoke ": "login.logout",
        ]
        #expect(Set(parents.keys) == Set(names.keys), "\(parents)")
        #expect(
            collector.waits { record in
                let known = Set(TraceStage.spans(in: record).map(\.id))
                return parents.values.allSatisfy { known.contains($0) }
            })
        let spans = TraceStage.spans(in: collector.now)
        for (question, name) in names {
            #expect(spans.first { $0.id == parents[question] }?.name == name, "\(question)")
        }
    }
}
