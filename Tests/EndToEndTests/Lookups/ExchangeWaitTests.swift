import TestSupport
import TestTraits
import Testing

/// Row TX-04 while the authorization server takes its time: what a waiting request is given is what it is sent with.
@Suite(.byEachProtocol) struct `a request that waits for a token in exchange` {
    /// A route that exchanges, in a gateway that remembers one token.
    private static func plan(_ scheme: String) -> StagePlan {
        StagePlan(
            routes: [
                """
                { path: /exchanged/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [\(scheme)], \
                audience: "\(TokenForge.audience)" }, identity: { X-User: sub }, \
                upstream_credential: { exchange: { client: shop, audience: stock } } }
                """
            ],
            settings: """
                clients:
                  shop:
                    issuer: main
                    id: shop
                    authentication: { method: client_secret_basic, secret: { file: $FOLDER/client.secret } }
                token_cache: { entries: 1 }
                """, files: ["client.secret": "a secret of some length, for this test"])
    }

    /// Lets the authorization server answer when the gate is open.
    private static func grant(_ stage: Stage, behind gate: Gate) {
        let answer = """
            {"access_token":"in-exchange","issued_token_type":"urn:ietf:params:oauth:token-type:access_token",\
            "token_type":"Bearer","expires_in":300}
            """
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n\r\n"
        stage.issuer.answer(ScriptedIssuer.tokenPath, with: WireScript(.wait(gate), .text(head + answer)))
    }

    @Test(.holds("TX-04")) func `it gets that token even where its caller's record has made room for another`() throws {
        let stage = try Stage(Self.plan("Bearer"))
        let gate = Gate()
        Self.grant(stage, behind: gate)
        let callers = ["one", "two", "three"]
        var clients: [RawClient] = []
        for caller in callers {
            let client = try stage.gateway.client()
            let token = stage.tokens.bearer(["sub": quoted(caller)])
            try client.send(request("GET", "/exchanged/\(caller)", fields: [token]))
            clients.append(client)
        }
        // All but the last caller's records have left the cache by now.
        #expect(eventually { stage.issuer.fetches(ScriptedIssuer.tokenPath) == callers.count })
        gate.open()
        for (caller, client) in zip(callers, clients) {
            #expect(try client.response().status == 200)
            let sent = try #require(stage.upstream.onlyRequest(for: "/exchanged/\(caller)"))
            #expect(sent.fields["authorization"] == ["Bearer in-exchange"])
            #expect(sent.fields["x-user"] == [caller])
        }
    }

    @Test(.holds("TX-04", "DPOP-17"))
    func `it has its token and its proof verified once, and neither again when the answer is there`() throws {
        let stage = try Stage(Self.plan("DPoP"))
        let gate = Gate()
        Self.grant(stage, behind: gate)
        var clients: [RawClient] = []
        for caller in ["one", "two"] {
            var call = ProofCall()
            call.path = "/exchanged/\(caller)"
            call.token = ["sub": quoted(caller)]
            let client = try stage.gateway.client()
            try client.send(request("GET", call.path, fields: call.fields(stage)))
            clients.append(client)
        }
        // The first caller's record has left the cache by now.
        #expect(eventually { stage.issuer.fetches(ScriptedIssuer.tokenPath) == clients.count })
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        let page = try stage.gateway.admin("/metrics").bodyText
        let verifications = page.split(separator: "\n").filter { line in
            line.hasPrefix("portcullis_signature_verifications_total") && !line.hasSuffix(" 0")
        }
        #expect(verifications.map { $0.split(separator: " ").last } == ["2"], "\(verifications)")
        #expect(page.contains("portcullis_dpop_proofs_verified_total 2\n"))
    }
}
