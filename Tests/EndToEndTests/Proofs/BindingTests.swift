import Glibc
import TestSupport
import TestTraits
import Testing

/// Rows DPOP-15, DPOP-17 and DPOP-19 to DPOP-27: whose token it is, and that a proof counts once.
@Suite(.serialized, .byEachProtocol) struct `a token bound to a key` {
    private static let shared = Shared {
        var plan = StagePlan()
        plan.workers = 2
        plan.routes =
            Stage.ordinaryRoutes + [
                """
                { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
                audience: "\(TokenForge.audience)", scopes: { POST: ["orders:write"], GET: [] } }, \
                identity: { X-User: sub } }
                """,
                """
                { path: /only/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                audience: "\(TokenForge.audience)" } }
                """,
            ]
        return try Stage(plan)
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("DPOP-15")) func `the same proof is accepted once`() throws {
        let fields = ProofCall().fields(stage)
        #expect(try stage.exchange("GET", "/bound/a", fields: fields).status == 200)
        let again = try stage.exchange("GET", "/bound/a", fields: fields)
        try expectInvalidProof(again, stage, check: "DPOP-15", cause: "proof_replayed")
        #expect(stage.upstream.now.requests.count == 1)
    }

    @Test(.holds("DPOP-15")) func `the same jti under another time or by another key is judged by key and jti alone`()
        throws
    {
        let jti = quoted("shared-\(UInt64.random(in: 0...UInt64.max))")
        #expect(try ProofCall(claims: ["jti": jti]).send(stage).status == 200)
        try expectInvalidProof(ProofCall(claims: ["jti": jti], clock: -5).send(stage), stage, check: "DPOP-15")
        #expect(try ProofCall(client: ProofMint(key: .p256), claims: ["jti": jti]).send(stage).status == 200)
    }

    @Test(.holds("DPOP-15"), .refuses("DPOP-15"))
    func `of one proof sent on many connections at once exactly one is accepted, over all workers`()
        throws
    {
        let clients = try (0..<16).map { _ in try stage.gateway.client() }
        for _ in 0..<150 {
            let message = request("GET", "/bound/a", fields: ProofCall().fields(stage))
            for client in clients { try client.send(message) }
            let statuses = try clients.map { try $0.response().status }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 401 }.count == 15)
        }
    }

    @Test(.holds("H2-68"), .refuses("H2-68")) func `of one proof sent twice on one connection one is accepted`()
        throws
    {
        let message = request("GET", "/bound/a", fields: ProofCall().fields(stage))
        let client = try stage.gateway.client()
        try client.send(message + message)
        #expect(try client.responses(2).map(\.status).sorted() == [200, 401])
        #expect(stage.upstream.now.requests.count == 1)
    }

    @Test(.refuses("DPOP-17")) func `a proof that was refused for anything else is not used up`() throws {
        let jti = quoted("burnt-\(UInt64.random(in: 0...UInt64.max))")
        try expectInvalidProof(ProofCall(claims: ["jti": jti], signer: .p256).send(stage), stage, check: "DPOP-05")
        try expectInvalidProof(
            ProofCall(claims: ["jti": jti, "htm": quoted("PUT")]).send(stage), stage, check: "DPOP-07")
        #expect(try ProofCall(claims: ["jti": jti]).send(stage).status == 200)
    }

    @Test(.refuses("DPOP-17")) func `a proof is not used up by a request that lacks a scope`() throws {
        let fields = ProofCall(method: "POST").fields(stage)
        // Were it used up by the first request, the second would be told of a proof that was used before.
        for _ in 0..<2 {
            let poor = try stage.exchange("POST", "/bound/a", fields: fields)
            #expect(poor.status == 403)
            #expect(try challenge(poor).scheme == "DPoP")
            #expect(try challenge(poor)["error"] == "insufficient_scope")
            #expect(try challenge(poor)["scope"] == "orders:write")
        }
        #expect(stage.upstream.now.requests.isEmpty)
    }

    @Test(.holds("DPOP-19")) func `the key of the token is accepted`() throws {
        #expect(try ProofCall(client: ProofMint(key: .ed25519)).send(stage).status == 200)
    }

    @Test(.refuses("DPOP-19")) func `a good proof by another key is an invalid token`() throws {
        let response = try ProofCall(token: ["cnf": ProofMint(key: .p256).confirmation]).send(stage)
        try expectInvalidToken(response, stage, scheme: "DPoP", check: "DPOP-19")
        #expect(try challenges(response)["DPoP"]?["error_description"] == "Invalid DPoP key binding")
        #expect(try challenges(response)["DPoP"]?["algs"] == "ES256 PS256 EdDSA")
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("DPOP-20"), arguments: ["/bound/a", "/orders/a"])
    func `a bound token as Bearer is refused, with a proof or without, whatever the route takes`(
        path: String
    ) throws {
        for lines: ((String) -> [String])? in [nil, { _ in [] }] {
            let call = ProofCall(path: path, scheme: "Bearer", proofLines: lines)
            let response = try call.send(stage)
            try expectInvalidToken(response, stage, scheme: "Bearer", check: "DPOP-20")
            if path == "/bound/a" { #expect(try challenges(response)["DPoP"]?["algs"] == "ES256 PS256 EdDSA") }
        }
        try stage.expectNothingForwarded()
    }

    @Test(.holds("DPOP-20")) func `an unbound token as Bearer is accepted beside it`() throws {
        let response = try stage.exchange("GET", "/bound/a", fields: [stage.tokens.bearer()])
        #expect(response.status == 200)
    }

    @Test(.refuses("DPOP-21")) func `a token bound to no key is refused with the scheme DPoP`() throws {
        let response = try ProofCall(token: ["cnf": nil]).send(stage)
        try expectInvalidToken(response, stage, scheme: "DPoP", check: "DPOP-21")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("DPOP-21")) func `a bound one is accepted`() throws {
        #expect(try ProofCall().send(stage).status == 200)
    }

    @Test(.refuses("DPOP-22")) func `a proof beside an unbound Bearer token is ignored and stripped`() throws {
        let response = try ProofCall(token: ["cnf": nil], scheme: "Bearer").send(stage)
        #expect(response.status == 200)
        let seen = try #require(stage.upstream.onlyRequest(for: "/bound/a"))
        #expect(seen.fields["dpop"].isEmpty)
        #expect(seen.fields["authorization"].isEmpty)
    }

    @Test(.holds("DPOP-22"), .refuses("DPOP-22")) func `a route for DPoP alone does not offer Bearer and takes none`()
        throws
    {
        let response = try stage.exchange("GET", "/only/a", fields: [stage.tokens.bearer()])
        expectTemplate(response, status: 401)
        #expect(try challenges(response).keys.sorted() == ["DPoP"])
        #expect(!response.headText.contains("error"))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("DPOP-23")) func `the challenge names the algorithms, in a line of its own behind Bearer's`() throws {
        let response = try stage.exchange("GET", "/bound/a")
        expectTemplate(response, status: 401)
        #expect(
            response.fields["www-authenticate"] == [
                "Bearer realm=\"portcullis\"", "DPoP realm=\"portcullis\", algs=\"ES256 PS256 EdDSA\"",
            ])
    }

    @Test(.holds("DPOP-23"), .refuses("DPOP-23"))
    func `a route for Bearer alone has no DPoP challenge and takes no such scheme`() throws {
        let response = try ProofCall(path: "/orders/a").send(stage)
        try expectNoCredentials(response)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("DPOP-24")) func `credentials for a proxy are none for the origin`() throws {
        let fields = ProofCall().fields(stage).map {
            $0.replacingOccurrences("Authorization:", with: "Proxy-Authorization:")
        }
        let response = try stage.exchange("GET", "/bound/a", fields: fields)
        expectTemplate(response, status: 401)
        #expect(!response.headText.contains("error"))
        #expect(!response.fields.contains("proxy-authenticate"))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("DPOP-24")) func `they do not harm where the right ones are there too`() throws {
        let fields = ProofCall().fields(stage) + ["Proxy-Authorization: DPoP abc"]
        #expect(try stage.exchange("GET", "/bound/a", fields: fields).status == 200)
        #expect(stage.upstream.onlyRequest(for: "/bound/a")?.fields["proxy-authorization"].isEmpty == true)
    }

    @Test(.holds("DPOP-25"), .refuses("DPOP-25")) func `two requests in one write need two proofs`() throws {
        let one = request("GET", "/bound/a", fields: ProofCall().fields(stage))
        let other = request("GET", "/bound/a", fields: ProofCall().fields(stage))
        let client = try stage.gateway.client()
        try client.send(one + one + other)
        #expect(try [client.response().status, client.response().status, client.response().status] == [200, 401, 200])
    }

    @Test(.holds("DPOP-25")) func `each request of a connection is proved anew`() throws {
        let token = stage.tokens.token(["cnf": ProofCall().client.confirmation])
        let client = try stage.gateway.client()
        for _ in 0..<5 {
            try client.send(request("GET", "/bound/a", fields: ProofCall().fields(token: token)))
            #expect(try client.response().status == 200)
        }
        try client.send(request("GET", "/bound/a", fields: ["Authorization: DPoP \(token)"]))
        #expect(try client.response().status == 401)
    }

    @Test(.holds("DPOP-27")) func `neither proof nor token reaches the upstream or a log`() throws {
        let call = ProofCall()
        let fields = call.fields(stage)
        #expect(try stage.exchange("GET", "/bound/a", fields: fields).status == 200)
        #expect(try stage.exchange("GET", "/bound/a", fields: fields).status == 401)
        let seen = try #require(stage.upstream.onlyRequest(for: "/bound/a"))
        #expect(seen.fields["dpop"].isEmpty && seen.fields["authorization"].isEmpty)
        let said = (stage.gateway.process.output.now + stage.gateway.process.errors.now).joined(separator: "\n")
        for field in fields {
            for segment in field.split(separator: " ").last.map(String.init)?.split(separator: ".") ?? [] {
                #expect(!said.contains(segment))
            }
        }
    }

    @Test(.refuses("DPOP-27")) func `other spellings of the field do not reach the upstream either`() throws {
        let response = try stage.exchange("GET", "/bound/a", fields: ProofCall().fields(stage) + ["dpop-extra: 1"])
        #expect(response.status == 200)
        let two = try stage.exchange("GET", "/open/a", fields: ["DPoP: abc", "dPoP: abc"])
        #expect(two.status == 200)
        #expect(stage.upstream.now.requests.last?.fields["dpop"].isEmpty == true)
    }

    @Test(.holds("DPOP-10")) func `a proof of up to a minute ago or ten seconds ahead is accepted`() throws {
        #expect(try withinASecond { try ProofCall(clock: -58).send(stage) }.status == 200)
        #expect(try ProofCall(clock: 9).send(stage).status == 200)
    }

    @Test(.refuses("DPOP-10"), arguments: [-62, -3600, 13, 3600])
    func `an older one or one further ahead is refused`(clock: Int) throws {
        // A proof from ahead is less so with each second that passes before it is judged.
        let response = try withinASecond {
            stage.reset()
            return try ProofCall(clock: clock).send(stage)
        }
        try expectInvalidProof(response, stage, check: "DPOP-10", cause: "proof_out_of_time")
        try stage.expectNothingForwarded()
    }
}
