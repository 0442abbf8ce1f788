// SPDX-License-Identifier: Apache-2.0
import Testing
import TestSupport

/// Row INT-07: what no authorization server is asked about.
@Suite struct `questions about tokens` {
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
                issuer: "discovery: openid, introspection: { client: shop }",
                files: ["client.secret": "a secret of some length, for this test"]))
    }

    private func active(_ stage: Stage) -> String {
        #"{"active":true,"sub":"u","client_id":"c","aud":"\#(TokenForge.audience)","exp":\#(moment(300))}"#
    }

    @Test func `INT-07 a token beyond the limit is refused and nobody is asked about it`() throws {
        let stage = try makeStage()
        stage.issuer.introspect(active(stage))
        let longest = String(repeating: "t", count: 16 << 10)
        let good = try stage.exchange("GET", "/asked/a", fields: ["Authorization: Bearer \(longest)"])
        #expect(good.status == 200)
        #expect(stage.issuer.fetches(ScriptedIssuer.introspectionPath) == 1)
        try expectInvalidToken(stage.exchange("GET", "/asked/a", fields: ["Authorization: Bearer \(longest)t"]))
        #expect(stage.issuer.fetches(ScriptedIssuer.introspectionPath) == 1)
    }
}
