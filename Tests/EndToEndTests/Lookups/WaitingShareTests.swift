import TestSupport
import TestTraits
import Testing

/// Row OPS-05: who waits for an authorization server leaves places to other clients and other issuers.
@Suite(.serialized, .byEachProtocol) struct `places to wait for an authorization server` {
    private func ask(_ stage: Stage, from address: String, _ token: String = opaqueToken()) throws -> RawClient {
        let client = try RawClient(port: stage.gateway.port, from: address)
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
        return client
    }

    @Test(.holds("OPS-05")) func `one client has half of them, and is told when it asks for more`() throws {
        var plan = StagePlan.lookups()
        plan.settings += "\nlimits: { parked_requests: 8 }"
        let stage = try Stage(plan)
        let gate = Gate()
        stage.introspect(behind: gate)
        let waiting = try (0..<4).map { _ in try ask(stage, from: "127.0.0.2") }
        #expect(stage.waitsForParked(4))
        let refused = try ask(stage, from: "127.0.0.2").response()
        #expect(refused.status == 429 && refused.fields.only("retry-after") == "1", "\(refused.headText)")
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "client_waiters_too_many" })
        #expect(line["expected"] == "4 waiting of one client (limits.parked_requests_per_client)")
        #expect(line["found"] == "more of 127.0.0.2")
        // They wait before they are sent.
        #expect(eventually { stage.lookups >= 4 } && stage.lookups == 4)
        let other = try ask(stage, from: "127.0.0.1")
        #expect(stage.waitsForParked(5))
        gate.open()
        for client in waiting + [other] { #expect(try client.response().status == 200) }
        #expect(stage.waitsForParked(0))
        // And its share is whole again.
        #expect(try ask(stage, from: "127.0.0.2").response().status == 200)
    }

    @Test(.refuses("OPS-05"))
    func `one client that has its half is told so also while all places are taken, and others find none`()
        throws
    {
        var plan = StagePlan.lookups()
        plan.settings += "\nlimits: { parked_requests: 8 }"
        let stage = try Stage(plan)
        let gate = Gate()
        stage.introspect(behind: gate)
        let addresses = ["127.0.0.2", "127.0.0.2", "127.0.0.2", "127.0.0.2"] + (3...6).map { "127.0.0.\($0)" }
        let waiting = try addresses.enumerated().map { number, address in
            let client = try ask(stage, from: address)
            #expect(stage.waitsForParked(number + 1))
            return client
        }
        let own = try ask(stage, from: "127.0.0.2").response()
        #expect(own.status == 429 && own.fields.only("retry-after") == "1", "\(own.headText)")
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "client_waiters_too_many" })
        #expect(line["blame"] == "client" && line["found"] == "more of 127.0.0.2")
        #expect(try ask(stage, from: "127.0.0.7").response().status == 503)
        #expect(stage.gateway.operatorLine { $0["cause"] == "key_waiters_too_many" } != nil)
        gate.open()
        for client in waiting { #expect(try client.response().status == 200) }
    }

    @Test(.refuses("OPS-05")) func `one client has half of the questions that wait, and no issuer is blamed for more`()
        throws
    {
        var plan = StagePlan.lookups()
        plan.settings += "\nlimits: { parked_requests: 4096, lookups_per_client: 1 }"
        let stage = try Stage(plan)
        let gate = Gate()
        stage.introspect(behind: gate)
        // One is under way, 512 wait for it, and there are some more.
        let clients = try (0..<520).map { _ in try ask(stage, from: "127.0.0.2") }
        let line = try #require(
            stage.gateway.operatorLine { $0["cause"] == "client_waiters_too_many" }, "\(stage.gateway.diagnosis)")
        #expect(line["blame"] == "client" && line["found"] == "more questions")
        #expect(
            line["expected"]
                == "512 questions about tokens of one client waiting to be asked, and no more than it leaves")
        // Another client's question waits behind one of these alone, and is asked next.
        let other = try ask(stage, from: "127.0.0.1")
        gate.open()
        #expect(try other.response().status == 200)
        // Which of them had no room they say themselves.
        let told = try clients.map { try $0.response() }.filter { $0.status == 429 }
        #expect((1...7).contains(told.count))
        #expect(told.allSatisfy { $0.fields.only("retry-after") == "1" })
        #expect(!stage.gateway.operatorLog.contains { $0["found"] == "too_many_lookups" })
        #expect(!stage.gateway.operatorLog.contains { $0["reason"]?.hasPrefix("too_many_lookups") == true })
    }

    @Test(.holds("OPS-05")) func `one issuer that hangs leaves the others theirs`() throws {
        var plan = StagePlan.lookups()
        let silent = "http://127.0.0.1:1/"
        plan.routes = [
            "{ path: /orders/, upstream: $UPSTREAM, token: { issuers: [main], audience: \"\(TokenForge.audience)\" } }",
            "{ path: /silent/, upstream: $UPSTREAM, token: { issuers: [silent], audience: \"\(TokenForge.audience)\" } }",
        ]
        plan.issuers = "  silent: { url: \"\(silent)\", insecure_allow_http: true, discovery: openid }"
        plan.settings += "\nlimits: { parked_requests: 8 }\ntimeouts: { key_wait: 200ms }"
        plan.milestone = .listening
        let stage = try Stage(plan)
        #expect(eventually { stage.gateway.reading("portcullis_issuer_ready{issuer=\"main\"}") == 1 })
        let gate = Gate()
        stage.introspect(behind: gate)
        // Each of a client of its own: it is the issuer that has too many.
        let waiting = try (0..<6).map { number in
            let client = try ask(stage, from: "127.0.0.\(number + 2)")
            #expect(stage.waitsForParked(number + 1))
            return client
        }
        #expect(try ask(stage, from: "127.0.0.9").response().status == 503)
        let token = TokenForge(issuer: silent, key: stage.tokens.key).token()
        let other = try RawClient(port: stage.gateway.port, from: "127.0.0.10")
        try other.send(request("GET", "/silent/a", fields: ["Authorization: Bearer \(token)"]))
        #expect(try other.response().status == 503, "its keys cannot be had")
        #expect(stage.gateway.operatorLine { $0["cause"] == "issuer_keys_unavailable" } != nil)
        #expect(stage.gateway.lines("refused") == 2)
        gate.open()
        for client in waiting { #expect(try client.response().status == 200) }
    }
}
