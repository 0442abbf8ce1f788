import TestSupport
import TestTraits
import Testing

/// Row ECO-81: whoever sends tokens that are no good has few of them verified.
@Suite(.byEachProtocol) struct `tokens that are verified in vain` {
    private let stage: Stage

    init() throws {
        stage = try Stage(StagePlan(settings: "limits: { failed_verification_rate_per_client: 1 }"))
    }

    private func ask(_ token: String, from source: String) throws -> WireResponse {
        let client = try RawClient(port: stage.gateway.port, from: source)
        defer { client.close() }
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
        return try client.response()
    }

    /// Made up; or the issuer's own, which somebody once had, and sends again and again.
    private func bad(_ isOld: Bool) -> String {
        guard !isOld else { return stage.tokens.token(["exp": "1700000000", "iat": "1699999000"]) }
        return stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: stage.tokens.key.keyID))
    }

    @Test(.holds("ECO-81"), .refuses("ECO-81"), arguments: [false, true])
    func `have others of their address wait, and nobody else`(isOld: Bool) throws {
        let bad = bad(isOld)
        let good = stage.tokens.token()
        #expect(try ask(good, from: "127.0.0.61").status == 200)
        // Another is verified each second: the two of a pair may be on its two sides, and all pairs cannot.
        let deadline = Deadline.patient
        var refused: WireResponse?
        while refused == nil, !deadline.hasPassed {
            let answer = try ask(bad, from: "127.0.0.61")
            guard answer.status == 429 else {
                try expectInvalidToken(answer)
                continue
            }
            let fresh = try ask(stage.tokens.token(), from: "127.0.0.61")
            if fresh.status == 429 { refused = fresh }
        }
        let response = try #require(refused)
        expectTemplate(response, status: 429)
        #expect(response.fields.only("retry-after") == "1")
        try expectLogged(response, stage, check: "ECO-81", cause: "failed_verifications_too_many")
        #expect(try ask(good, from: "127.0.0.61").status == 200, "what was verified before passes")
        #expect(try ask(stage.tokens.token(), from: "127.0.0.62").status == 200, "others are verified")
        let recovers = eventually { (try? ask(stage.tokens.token(), from: "127.0.0.61"))?.status == 200 }
        #expect(recovers, "and so is it again")
    }
}
