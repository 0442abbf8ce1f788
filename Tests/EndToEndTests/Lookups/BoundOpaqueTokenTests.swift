import TestSupport
import TestTraits
import Testing

/// Rows INT-04, DPOP-19 and DPOP-20 for opaque tokens that are bound to a key.
@Suite(.serialized, .byEachProtocol) struct `an opaque token bound to a key` {
    private static let shared = Shared {
        var plan = StagePlan.lookups()
        plan.routes =
            Stage.ordinaryRoutes + [
                """
                { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
                audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
                """
            ]
        return try Stage(plan)
    }
    let stage: Stage
    let call = ProofCall()
    let token = opaqueToken()

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        stage.issuer.introspect(introspected(["cnf": call.client.confirmation, "token_type": quoted("DPoP")]))
    }

    @Test(.holds("INT-04", "DPOP-19")) func `passes with a proof by its key`() throws {
        let response = try stage.exchange("GET", "/bound/a", fields: call.fields(token: token))
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let seen = try #require(stage.upstream.onlyRequest(for: "/bound/a"))
        #expect(seen.fields.only("x-user") == "alice")
        #expect(!seen.fields.contains("dpop") && !seen.fields.contains("authorization"))
    }

    @Test(.holds("DPOP-15")) func `passes once with one proof, though it waits before the proof counts`() throws {
        let fields = call.fields(token: token)
        #expect(try stage.exchange("GET", "/bound/a", fields: fields).status == 200)
        try expectInvalidProof(
            stage.exchange("GET", "/bound/a", fields: fields), stage, check: "DPOP-15", cause: "proof_replayed")
    }

    @Test(.holds("DPOP-15")) func `passes once of two requests with one proof that wait for one answer`() throws {
        let gate = Gate()
        stage.introspect(
            behind: gate, introspected(["cnf": call.client.confirmation, "token_type": quoted("DPoP")]))
        let message = request("GET", "/bound/a", fields: call.fields(token: token))
        let clients = try (0..<8).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(message) }
        #expect(stage.waitsForParked(8))
        gate.open()
        let statuses = try clients.map { try $0.response().status }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 401 }.count == 7)
        #expect(stage.upstream.requests.count == 1)
    }

    @Test(.refuses("DPOP-19")) func `is refused with a proof by another key`() throws {
        stage.issuer.introspect(introspected(["cnf": ProofMint(key: .p256).confirmation]))
        let response = try stage.exchange("GET", "/bound/a", fields: call.fields(token: token))
        try expectInvalidToken(response, stage, scheme: "DPoP", check: "DPOP-19")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("DPOP-20"), arguments: ["/bound/a", "/orders/a"])
    func `is refused as Bearer`(path: String) throws {
        let response = try stage.ask(token, path)
        try expectInvalidToken(response, stage, scheme: "Bearer", check: "DPOP-20")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("DPOP-21")) func `is refused with a proof where the server does not say that it is bound`() throws {
        stage.issuer.introspect(introspected())
        let response = try stage.exchange("GET", "/bound/a", fields: call.fields(token: token))
        try expectInvalidToken(response, stage, scheme: "DPoP", check: "DPOP-21")
        stage.issuer.introspect(introspected(["token_type": quoted("DPoP")]))
        let other = try stage.exchange("GET", "/bound/a", fields: call.fields(token: token))
        try expectInvalidToken(other, stage, scheme: "DPoP", check: "RS-22")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-04"), arguments: [#"{"jkt":7}"#, #"{"jkt":"short"}"#, "[]", quoted("x"), #"{"unknown":"x"}"#])
    func `is refused when what it is bound to cannot be read`(confirmation: String) throws {
        stage.issuer.introspect(introspected(["cnf": confirmation]))
        let response = try stage.ask(token)
        expectTemplate(response, status: 401)
        try stage.expectNothingForwarded()
    }
}
