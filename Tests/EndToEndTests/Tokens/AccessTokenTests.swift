import TestSupport
import TestTraits
import Testing

/// Rows RS-11 to RS-25: which tokens open which route.
@Suite(.serialized, .byEachProtocol) struct `access tokens` {
    private static let old = TokenForge(issuer: "https://old.test", key: SigningKey(.p256, keyID: "old-1"))
    private static let other = TokenForge(issuer: "https://other.test/", key: SigningKey(.p256, keyID: "main-1"))
    private static let shared = Shared {
        let audience = #"audience: "https://api.test/orders""#
        return try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /old/, upstream: $UPSTREAM, token: { issuers: [old, other], \(audience) } }",
                    """
                    { path: /both/, upstream: $UPSTREAM, token: { issuers: [main], \
                    audience: ["https://api.test/both", "https://api.test/orders"] } }
                    """,
                    """
                    { path: /methods/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), \
                    scopes: { GET: ["orders:read"], POST: ["orders:read", "orders:write"] } } }
                    """,
                    """
                    { path: /clerks/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), \
                    claims: { realm_access.roles: [clerk, admin], tenant: [acme] } } }
                    """,
                    "{ path: /users/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), user_only: true } }",
                ],
                issuers: """
                      old: { url: "https://old.test", jwks: { file: $FOLDER/old.json }, accept_typ: [at+jwt, JWT, none], profile: legacy }
                      other: { url: "https://other.test/", jwks: { file: $FOLDER/other.json } }
                    """,
                files: [
                    "old.json": SigningKey.keySet([old.key]), "other.json": SigningKey.keySet([other.key]),
                ]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func ask(
        _ token: String, _ path: String = "/orders/a", method: String = "GET"
    ) throws -> WireResponse {
        try stage.exchange(method, path, fields: ["Authorization: Bearer \(token)"])
    }

    private func expectRefused(
        _ token: String, _ path: String = "/orders/a", at location: SourceLocation = #_sourceLocation
    ) throws {
        stage.reset()
        try expectInvalidToken(try ask(token, path), at: location)
        try stage.expectNothingForwarded(at: location)
    }

    @Test(.holds("RS-11"), arguments: ["at+jwt", "at+JWT", "application/at+jwt", "AT+JWT"])
    func `an access token's type is accepted`(type: String) throws {
        #expect(try ask(stage.tokens.token(header: ["typ": quoted(type)])).status == 200)
    }

    @Test(
        .refuses("RS-11"),
        arguments: ["JWT", "logout+jwt", "dpop+jwt", "at+jwt2", "", "application/jwt", "token-introspection+jwt"])
    func `another type is refused by a strict issuer`(type: String) throws {
        try expectRefused(stage.tokens.token(header: ["typ": quoted(type)]))
    }

    @Test(.refuses("RS-11")) func `no type is refused by a strict issuer`() throws {
        try expectRefused(stage.tokens.token(header: ["typ": nil]))
        try expectRefused(stage.tokens.token(header: ["typ": "1"]))
    }

    @Test(.refuses("RS-11")) func `an older issuer may leave the type out but not write another`() throws {
        #expect(try ask(Self.old.token(header: ["typ": quoted("JWT")]), "/old/a").status == 200)
        #expect(try ask(Self.old.token(header: ["typ": nil]), "/old/a").status == 200)
        #expect(try ask(Self.old.token(), "/old/a").status == 200)
        for type in ["logout+jwt", "dpop+jwt", "oauth-authz-req+jwt", "secevent+jwt"] {
            try expectRefused(Self.old.token(header: ["typ": quoted(type)]), "/old/a")
        }
    }

    @Test(.refuses("RS-12")) func `a route's issuers are the only ones`() throws {
        #expect(try ask(Self.old.token(), "/old/a").status == 200)
        try expectRefused(Self.old.token())
        try expectRefused(stage.tokens.token(), "/old/a")
        try expectRefused(TokenForge(issuer: "https://unknown.test", key: stage.tokens.key).token())
    }

    @Test(.holds("RS-12")) func `an issuer is compared byte for byte`() throws {
        for issuer in [stage.issuer.url + "/", stage.issuer.url.uppercased(), stage.issuer.url + "#"] {
            try expectRefused(TokenForge(issuer: issuer, key: stage.tokens.key).token())
        }
        try expectRefused(stage.tokens.token(["iss": nil]))
        try expectRefused(stage.tokens.token(["iss": "[\(quoted(stage.issuer.url))]"]))
    }

    @Test(.holds("RS-13")) func `one of several audiences is enough`() throws {
        let audiences = #"["https://api.test/x","https://api.test/orders"]"#
        #expect(try ask(stage.tokens.token(["aud": audiences])).status == 200)
        #expect(try ask(stage.tokens.token(["aud": quoted("https://api.test/both")]), "/both/a").status == 200)
    }

    @Test(
        .refuses("RS-13", "RS-25"),
        arguments: [
            nil, #""https://api.test/orders/""#, #""https://api.test""#, #""HTTPS://api.test/orders""#, "[]", "{}", "1",
            #"["https://api.test/x"]"#, #""https://api.test/*""#, #"["https://api.test/orders",1]"#, "null",
        ])
    func `another audience is refused before anything is forwarded`(audience: String?) throws {
        try expectRefused(stage.tokens.token(["aud": audience]))
    }

    @Test(.refuses("RS-14")) func `a changed signature, payload or header is refused`() throws {
        let token = stage.tokens.token()
        #expect(try ask(token).status == 200)
        let parts = token.split(separator: ".").map(String.init)
        let other = stage.tokens.token(["sub": quoted("mallory")]).split(separator: ".").map(String.init)
        try expectRefused("\(parts[0]).\(other[1]).\(parts[2])")
        try expectRefused("\(parts[0]).\(parts[1]).\(other[2])")
        try expectRefused("\(parts[0]).\(parts[1]).")
        try expectRefused("\(parts[0]).\(parts[1])")
        let flipped = parts[2].first == "A" ? "B" : "A"
        try expectRefused("\(parts[0]).\(parts[1]).\(flipped)\(parts[2].dropFirst())")
        let stranger = SigningKey(renaming: .otherP256, keyID: "main-1")
        try expectRefused(stage.tokens.token(signedBy: stranger))
    }

    @Test(.refuses("RS-14", "JOSE-05"), arguments: ["none", "None", "nOnE", "", "HS256", "RS256", "ES384"])
    func `another algorithm in the header is refused`(algorithm: String) throws {
        let token = stage.tokens.token(header: ["alg": quoted(algorithm)])
        try expectRefused(token)
        try expectRefused(token.split(separator: ".").dropLast().joined(separator: ".") + ".")
    }

    @Test(.refuses("RS-15"), arguments: [-31, -60, -3600, -1_000_000])
    func `an expired token is refused`(seconds: Int) throws {
        try expectRefused(stage.tokens.token(["exp": moment(seconds), "iat": moment(seconds - 300)]))
    }

    @Test(.holds("RS-15"), .refuses("RS-15")) func `expiry has its leeway and is not optional`() throws {
        #expect(try ask(stage.tokens.token(["exp": moment(-20)])).status == 200)
        try expectRefused(stage.tokens.token(["exp": nil]))
        try expectRefused(stage.tokens.token(["exp": quoted("9999999999")]))
        try expectRefused(stage.tokens.token(["nbf": moment(60)]))
        try expectRefused(stage.tokens.token(["iat": moment(60)]))
        #expect(try ask(stage.tokens.token(["nbf": moment(20)])).status == 200)
    }

    @Test(.holds("RS-16"), arguments: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"])
    func `each claim of RFC 9068 is required`(claim: String) throws {
        try expectRefused(stage.tokens.token([claim: nil]))
    }

    @Test(.holds("RS-16")) func `an older issuer's tokens need three claims`() throws {
        let bare: [String: String?] = ["sub": nil, "client_id": nil, "iat": nil, "jti": nil, "scope": nil]
        #expect(try ask(Self.old.token(bare), "/old/a").status == 200)
        for claim in ["iss", "exp", "aud"] {
            try expectRefused(Self.old.token(bare.merging([claim: nil]) { $1 }), "/old/a")
        }
    }

    @Test(.refuses("RS-18"), arguments: ["nonce", "at_hash", "c_hash"])
    func `a token that looks like an ID token is refused`(claim: String) throws {
        let claims: [String: String?] = [
            claim: quoted("x"), "aud": #"["shop","https://api.test/orders"]"#, "client_id": nil, "azp": quoted("shop"),
        ]
        try expectRefused(Self.old.token(claims, header: ["typ": quoted("JWT")]), "/old/a")
    }

    @Test(.holds("RS-19")) func `scopes are words with a case and all of them count`() throws {
        #expect(try ask(stage.tokens.token(["scope": quoted("a orders:read b")])).status == 200)
        for scope in [quoted("Orders:read"), quoted("orders:reader"), quoted(""), nil, quoted("orders:read,b")] {
            stage.reset()
            let response = try ask(stage.tokens.token(["scope": scope]))
            expectTemplate(response, status: 403)
            let found = try challenge(response)
            #expect(found["error"] == "insufficient_scope")
            #expect(found["scope"] == "orders:read")
            try stage.expectNothingForwarded()
        }
    }

    @Test(.refuses("RS-19")) func `each method has its scopes and a refusal names all of them`() throws {
        let reading = stage.tokens.token()
        #expect(try ask(reading, "/methods/a").status == 200)
        let refused = try ask(reading, "/methods/a", method: "POST")
        expectTemplate(refused, status: 403)
        #expect(try challenge(refused)["scope"] == "orders:read orders:write")
        let writing = stage.tokens.token(["scope": quoted("orders:write orders:read")])
        #expect(try ask(writing, "/methods/a", method: "POST").status == 200)
        #expect(try ask(writing, "/methods/a", method: "DELETE").status == 405)
    }

    @Test(.holds("RS-20")) func `a claim rule that holds lets the request through`() throws {
        for roles in [#"{"roles":["x","clerk"]}"#, #"{"roles":"admin"}"#] {
            let token = stage.tokens.token(["realm_access": roles, "tenant": quoted("acme")])
            #expect(try ask(token, "/clerks/a").status == 200)
        }
    }

    @Test(
        .refuses("RS-20"),
        arguments: [
            [:], ["tenant": quoted("acme")], ["realm_access": #"{"roles":["clerk"]}"#],
            ["realm_access": #"{"roles":["Clerk"]}"#, "tenant": quoted("acme")],
            ["realm_access": #"{"roles":["clerks"]}"#, "tenant": quoted("acme")],
            ["realm_access": #"["clerk"]"#, "tenant": quoted("acme")],
            ["realm_access.roles": quoted("clerk"), "tenant": quoted("acme")],
            ["realm_access": #"{"roles":{"clerk":true}}"#, "tenant": quoted("acme")],
        ])
    func `a claim rule that fails is 403 without a challenge`(claims: [String: String]) throws {
        let response = try ask(stage.tokens.token(claims.mapValues { $0 }), "/clerks/a")
        expectTemplate(response, status: 403)
        #expect(!response.fields.contains("www-authenticate"))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("RS-21")) func `a client that acts for itself is no user`() throws {
        #expect(try ask(stage.tokens.token(), "/users/a").status == 200)
        let machine = stage.tokens.token(["sub": quoted("shop"), "client_id": quoted("shop")])
        let response = try ask(machine, "/users/a")
        expectTemplate(response, status: 403)
        #expect(!response.fields.contains("www-authenticate"))
        #expect(try ask(machine).status == 200)
    }

    @Test(
        .refuses("RS-22"),
        arguments: [#"{"kid":"x"}"#, #"{"jkt":"x"}"#, #"{"x5t#S256":"x"}"#, "{}", #"{"new":"x"}"#, "null", "1"])
    func `a token that is bound to a key is no bearer token`(confirmation: String) throws {
        try expectRefused(stage.tokens.token(["cnf": confirmation]))
    }

    @Test(.refuses("RS-25")) func `the token is not forwarded`() throws {
        let recorded = try stage.expectForwarded(
            request("GET", "/orders/a", fields: [stage.tokens.bearer()]), path: "/orders/a")
        #expect(!recorded.fields.contains("authorization"))
    }

    @Test(.refuses("JOSE-21")) func `keys of one issuer never verify tokens of another`() throws {
        // `other` publishes a key with the same kid as `main`; each must be believed for its own issuer only.
        #expect(try ask(Self.other.token(), "/old/a").status == 200)
        try expectRefused(TokenForge(issuer: Self.other.issuer, key: stage.tokens.key).token(), "/old/a")
        try expectRefused(TokenForge(issuer: stage.issuer.url, key: Self.other.key).token())
        try expectRefused(TokenForge(issuer: Self.other.issuer, key: Self.old.key).token(), "/old/a")
    }

    @Test(.holds("JOSE-26"), .refuses("JOSE-26")) func `a large token is good and a larger one is not decoded`() throws
    {
        let padding = String(repeating: "x", count: 10_500)
        let large = stage.tokens.token(["pad": quoted(padding)])
        #expect(large.utf8.count > 14_000 && large.utf8.count < 16_384)
        #expect(try ask(large).status == 200)
        try expectRefused(stage.tokens.token(["pad": quoted(padding + padding)]))
        // By its size, and not by what was found in it.
        #expect(stage.gateway.operatorLine { $0["cause"] == "token_too_large" } != nil)
    }

    @Test(.holds("JOSE-27")) func `a fractional expiry is a time`() throws {
        #expect(try ask(stage.tokens.token(["exp": moment(300) + ".5"])).status == 200)
        for value in ["1e400", "-1", "1e300", "true", "[1]"] { try expectRefused(stage.tokens.token(["exp": value])) }
    }
}
