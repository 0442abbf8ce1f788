import TestSupport
import TestTraits
import Testing

/// Rows INT-08 and INT-10: answers that the issuer signs (RFC 9701).
@Suite(.serialized, .byEachProtocol) struct `a signed answer about a token` {
    private static let shared = Shared {
        try Stage(.lookups("signed: true, audience: \"https://rs.test\", cache: 0s, negative_cache: 0s"))
    }
    private static let type = "application/token-introspection+jwt"
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func sign(
        _ claims: [String: String?] = [:], header: [String: String?] = [:], key: SigningKey? = nil,
        answer: String = introspected()
    ) -> String {
        var mint = TokenMint(issuer: stage.tokens.issuer, key: key ?? stage.tokens.key)
        mint.key = key ?? stage.tokens.key
        let ordinary: [String: String?] = [
            "iss": quoted(stage.tokens.issuer), "aud": quoted("https://rs.test"), "iat": moment(0),
            "token_introspection": answer, "exp": nil, "sub": nil, "client_id": nil, "jti": nil, "scope": nil,
        ]
        let type: [String: String?] = ["typ": quoted("token-introspection+jwt")]
        return mint.accessToken(header: type.merging(header) { $1 }, claims: ordinary.merging(claims) { $1 })
    }

    @Test(.holds("INT-08", "INT-10")) func `is asked for, verified and believed`() throws {
        stage.issuer.introspect(sign(), contentType: Self.type)
        let response = try stage.ask(opaqueToken())
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        #expect(stage.lastLookup?.fields["accept"] == [Self.type])
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.fields.only("x-user") == "alice")
    }

    @Test(.refuses("INT-08")) func `that says inactive is believed too`() throws {
        stage.issuer.introspect(sign(answer: #"{"active":false}"#), contentType: Self.type)
        try expectInvalidToken(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("INT-08"),
        arguments: [
            ("iss", quoted("https://other.example")), ("iss", nil), ("aud", quoted("a:b")), ("aud", nil),
            ("iat", nil), ("iat", moment(400_000)), ("iat", moment(-4000)), ("token_introspection", nil),
            ("token_introspection", quoted("yes")),
        ])
    func `is worth nothing with a claim that is wrong or missing`(name: String, value: String?) throws {
        stage.issuer.introspect(sign([name: value]), contentType: Self.type)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-08")) func `speaks of the token in token_introspection alone`() throws {
        let claims: [String: String?] = [
            "active": "true", "sub": quoted("mallory"), "scope": quoted("orders:read"), "client_id": quoted("c"),
        ]
        stage.issuer.introspect(sign(claims, answer: #"{"active":false}"#), contentType: Self.type)
        try expectInvalidToken(try stage.ask(opaqueToken()))
        stage.issuer.introspect(sign(claims), contentType: Self.type)
        #expect(try stage.ask(opaqueToken()).status == 200)
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.fields.only("x-user") == "alice")
    }

    @Test(.refuses("INT-08"), arguments: ["at+jwt", "JWT"])
    func `of another type is worth nothing`(name: String) throws {
        stage.issuer.introspect(sign(header: ["typ": quoted(name)]), contentType: Self.type)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-10")) func `that is not signed is worth nothing`() throws {
        stage.issuer.introspect(introspected())
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        stage.issuer.introspect(introspected(), contentType: Self.type)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        stage.issuer.introspect(sign(), contentType: "application/jwt")
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("INT-10")) func `that is signed by somebody else is worth nothing`() throws {
        let impostor = SigningKey(renaming: .otherP256, keyID: "main-1")
        stage.issuer.introspect(sign(key: impostor), contentType: Self.type)
        let response = try stage.ask(opaqueToken())
        expectAuthorizationDown(response)
        let id = response.fields.only("x-request-id")
        stage.expectOperatorTold("refused") { $0["request_id"] == id && $0["found"] == "answer_signature_invalid" }
        try stage.expectNothingForwarded()
    }

    @Test(.holds("INT-10")) func `by a key that is new is verified once the keys were read again`() throws {
        let stage = try Stage(.lookups("signed: true, audience: \"https://rs.test\", cache: 0s"))
        let next = SigningKey(.p256, keyID: "main-2")
        stage.issuer.publish(keys: SigningKey.keySet([stage.tokens.key, next]))
        let text = sign(["iss": quoted(stage.tokens.issuer)], key: next)
        stage.issuer.introspect(text, contentType: Self.type)
        let response = try stage.ask(opaqueToken())
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
    }

    @Test(.holds("INT-10", "JOSE-17"))
    func `by a key that was replaced under its name is verified once the keys were read again`()
        throws
    {
        let stage = try Stage(.lookups("signed: true, audience: \"https://rs.test\", cache: 0s"))
        let next = SigningKey(renaming: .otherP256, keyID: stage.tokens.key.keyID)
        stage.issuer.publish(keys: SigningKey.keySet([next]))
        stage.issuer.introspect(sign(["iss": quoted(stage.tokens.issuer)], key: next), contentType: Self.type)
        let response = try stage.ask(opaqueToken())
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        // Signed by nobody that is known: they are not read again for each of these.
        let impostor = SigningKey(renaming: .p256, keyID: stage.tokens.key.keyID)
        let readings = stage.issuer.fetches("/jwks.json")
        stage.issuer.introspect(sign(["iss": quoted(stage.tokens.issuer)], key: impostor), contentType: Self.type)
        for _ in 0..<5 { expectAuthorizationDown(try stage.ask(opaqueToken())) }
        #expect(stage.issuer.fetches("/jwks.json") == readings)
    }
}
