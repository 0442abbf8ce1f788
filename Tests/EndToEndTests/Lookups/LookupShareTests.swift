import TestSupport
import TestTraits
import Testing

/// Rows INT-07, OPS-05: a client that tries tokens takes neither the server's connections nor anybody's turn.
@Suite(.serialized, .byEachProtocol) struct `questions of one client` {
    private func ask(_ stage: Stage, from address: String, _ token: String = opaqueToken()) throws -> RawClient {
        let client = try RawClient(port: stage.gateway.port, from: address)
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
        return client
    }

    private func stage(_ limits: String) throws -> Stage {
        var plan = StagePlan.lookups("cache: 0s, negative_cache: 5m")
        plan.settings += "\nlimits: { \(limits) }"
        return try Stage(plan)
    }

    @Test(.holds("OPS-05")) func `are so many at a time, and another client's is asked at once beside them`() throws {
        let stage = try stage("lookups_per_client: 3")
        let gate = Gate()
        stage.introspect(behind: gate)
        let flood = try (0..<20).map { _ in try ask(stage, from: "127.0.0.2") }
        #expect(stage.waitsForParked(20))
        #expect(eventually { stage.lookups == 3 })
        let token = opaqueToken()
        let other = try ask(stage, from: "127.0.0.1", token)
        // It is asked while nothing of the flood is answered.
        #expect(eventually { stage.lookups == 4 })
        #expect(try form(#require(stage.lastLookup))["token"] == token)
        gate.open()
        for client in flood + [other] { #expect(try client.response().status == 200) }
        #expect(stage.lookups == 21)
    }

    @Test(.holds("INT-07")) func `that may all be bad are asked one behind the other once few are left to it`() throws {
        let stage = try stage("bad_token_rate_per_client: 1, bad_token_burst_per_client: 4")
        let good = opaqueToken()
        #expect(try ask(stage, from: "127.0.0.2", good).response().status == 200)
        let before = stage.lookups
        let gate = Gate()
        stage.introspect(behind: gate, introspected(["active": "false"]))
        let began = ContinuousClock.now
        let flood = try (0..<60).map { _ in try ask(stage, from: "127.0.0.2") }
        #expect(stage.waitsForParked(60))
        #expect(eventually { stage.lookups - before >= 4 }, "\(stage.lookups)")
        let asked = stage.lookups - before
        // One more for each second since the first of them.
        var seconds = Int((ContinuousClock.now - began) / Duration.seconds(1))
        #expect(asked <= 6 + seconds, "\(asked) in \(seconds) s")
        gate.open()
        var statuses: [Int: Int] = [:]
        for client in flood { statuses[try client.response().status, default: 0] += 1 }
        #expect(Set(statuses.keys) == [401, 429], "\(statuses)")
        let all = stage.lookups - before
        seconds = Int((ContinuousClock.now - began) / Duration.seconds(1))
        #expect(all == statuses[401] && all < 12 + seconds, "\(statuses) in \(seconds) s")
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "unknown_tokens_too_many" })
        #expect(line["expected"] == "1 bad tokens a second of one client (limits.bad_token_rate_per_client)")
        // Others' tokens and its own good one are asked about all the same.
        stage.issuer.introspect(introspected())
        #expect(try ask(stage, from: "127.0.0.2", good).response().status == 200)
        #expect(try ask(stage, from: "127.0.0.1").response().status == 200)
        #expect(stage.gateway.lines("introspection_failed") == 0)
    }
}
