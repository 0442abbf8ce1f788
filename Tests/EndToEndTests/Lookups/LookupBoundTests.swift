import TestSupport
import TestTraits
import Testing

/// Rows INT-06 and INT-07: what an authorization server is asked about at once, and what never.
@Suite(.byEachProtocol) struct `questions about tokens` {
    private func makeStage() throws -> Stage {
        try Stage(
            StagePlan(
                routes: [
                    """
                    { path: /asked/, upstream: $UPSTREAM, identity: { X-User: sub }, \
                    token: { issuers: [main], audience: "\(TokenForge.audience)" } }
                    """
                ],
                settings: """
                    clients:
                      shop:
                        issuer: main
                        id: shop
                        authentication: { method: client_secret_basic, secret: { file: $FOLDER/client.secret } }
                    """,
                issuer: "discovery: openid, introspection: { client: shop, timeout: 30s }",
                files: ["client.secret": "a secret of some length, for this test"]))
    }

    private func active(_ stage: Stage) -> String {
        #"{"active":true,"sub":"u","client_id":"c","aud":"\#(TokenForge.audience)","exp":\#(moment(300))}"#
    }

    @Test(.refuses("INT-07")) func `a token beyond the limit is refused and nobody is asked about it`() throws {
        let stage = try makeStage()
        stage.issuer.introspect(active(stage))
        let longest = String(repeating: "t", count: 16 << 10)
        let good = try stage.exchange("GET", "/asked/a", fields: ["Authorization: Bearer \(longest)"])
        #expect(good.status == 200)
        #expect(stage.issuer.fetches(ScriptedIssuer.introspectionPath) == 1)
        try expectInvalidToken(stage.exchange("GET", "/asked/a", fields: ["Authorization: Bearer \(longest)t"]))
        #expect(stage.issuer.fetches(ScriptedIssuer.introspectionPath) == 1)
    }

    @Test(.holds("INT-06")) func `a slow server is asked about many tokens at once`() throws {
        let stage = try makeStage()
        let gate = Gate()
        let answer = active(stage)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n\r\n"
        stage.issuer.answer(ScriptedIssuer.introspectionPath, with: WireScript(.wait(gate), .text(head + answer)))
        let clients = try (0..<32).map { number in
            let client = try stage.gateway.client()
            try client.send(request("GET", "/asked/a", fields: ["Authorization: Bearer opaque-\(number)"]))
            return client
        }
        // Each waits for an answer that comes only when all have been asked.
        #expect(eventually { stage.issuer.fetches(ScriptedIssuer.introspectionPath) == clients.count })
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
    }
}
