import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

/// Rows RS-25 and DPOP-27: what of credentials an upstream ever sees.
@Suite(.serialized, .byEachProtocol) struct `upstream credentials` {
    private static let shared = Shared {
        let audience = #"audience: "https://api.test/orders""#
        return try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    """
                    { path: /pass/, upstream: $UPSTREAM, upstream_credential: pass, \
                    token: { issuers: [main], \(audience), optional: true } }
                    """,
                    """
                    { path: /fixed/, upstream: $UPSTREAM, token: { issuers: [main], \(audience) }, \
                    upstream_credential: { static: { file: $FOLDER/upstream.secret, scheme: Basic } } }
                    """,
                    """
                    { path: /asserted/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), optional: true }, \
                    upstream_credential: { assertion: { audience: orders, lifetime: 10s, claims: [email, roles] } } }
                    """,
                    """
                    { path: /field/, upstream: $UPSTREAM, token: { issuers: [main], \(audience) }, \
                    upstream_credential: { assertion: { audience: stock, field: X-Identity } } }
                    """,
                ], files: ["upstream.secret": "x:y\n"]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func forwarded(_ path: String, _ fields: [String]) throws -> WireRequest {
        stage.reset()
        return try stage.expectForwarded(request("GET", path, fields: fields), path: path)
    }

    /// The claims of a JWT whose signature the published keys verify.
    private func verified(_ token: String) throws -> JSONValue {
        let published = try stage.exchange("GET", "/.portcullis/jwks.json").body
        let keys = try KeySet.parse(published.span)
        let parts = token.split(separator: ".")
        let header = try JSONValue.parse(owned: try #require(decoded(parts[0])))
        #expect(header["typ"]?.string == "portcullis-identity+jwt")
        #expect(header["alg"]?.string == "ES256")
        let key = try #require(keys.keys.first { $0.keyID == header["kid"]?.string })
        guard case .ellipticCurve(let curve, let x, let y) = key.material else { throw WireFailure.closed("key") }
        let verifier = try VerificationKey(curve: curve, x: x.span, y: y.span)
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        let signature = try #require(decoded(parts[2]))
        let isSigned = verifier.verify(signature.span, of: input.span, by: .ecdsa(.sha256))
        #expect(isSigned)
        return try JSONValue.parse(owned: try #require(decoded(parts[1])))
    }

    private func decoded(_ part: Substring) -> [UInt8]? {
        let text = Array(part.utf8)
        return Base64URL.decode(text.span)
    }

    @Test(.refuses("RS-25", "DPOP-27")) func `nothing of the client's credentials is forwarded by default`() throws {
        let token = stage.tokens.token()
        let recorded = try forwarded(
            "/orders/a", ["Authorization: Bearer \(token)", "DPoP: \(token)", "Proxy-Authorization: Bearer \(token)"])
        for name in ["authorization", "dpop", "proxy-authorization"] { #expect(!recorded.fields.contains(name)) }
        #expect(!recorded.headText.contains(token))
    }

    @Test(.holds("RS-25")) func `a token is passed on once, in a line of ours, where the route says so`() throws {
        let token = stage.tokens.token()
        let recorded = try forwarded("/pass/a", ["authorization:   bEaReR   \(token)  ", "DPoP: x"])
        #expect(recorded.fields["authorization"] == ["Bearer \(token)"])
        #expect(!recorded.fields.contains("dpop"))
    }

    @Test(.refuses("RS-25")) func `nothing is passed on without a token, and no bad one is`() throws {
        #expect(!(try forwarded("/pass/a", []).fields.contains("authorization")))
        stage.reset()
        let bad = stage.tokens.bearer(["exp": moment(-400)])
        try expectInvalidToken(stage.exchange("GET", "/pass/a", fields: [bad]))
        let bound = stage.tokens.bearer(["cnf": #"{"jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}"#])
        try expectInvalidToken(stage.exchange("GET", "/pass/a", fields: [bound]))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("RS-25")) func `a fixed credential takes the place of the client's, and is never logged`() throws {
        let token = stage.tokens.token()
        let recorded = try forwarded("/fixed/a", ["Authorization: Bearer \(token)"])
        #expect(recorded.fields["authorization"] == ["Basic eDp5"])
        #expect(!recorded.headText.contains(token))
        expectTemplate(try stage.exchange("GET", "/fixed/a"), status: 401)
        #expect(!stage.gateway.allLogText.contains("eDp5"))
    }

    @Test(.holds("RS-25")) func `an assertion says who the caller is, for one audience and a short time`() throws {
        let token = stage.tokens.token([
            "email": quoted("alice@example.test"), "roles": #"["a","b"]"#, "secret": quoted("no"),
        ])
        let recorded = try forwarded("/asserted/a", ["Authorization: Bearer \(token)"])
        let field = try #require(recorded.fields.only("authorization"))
        #expect(field.hasPrefix("Bearer "))
        #expect(!field.contains(token))
        let claims = try verified(String(field.dropFirst(7)))
        #expect(claims["iss"]?.string == "http://gateway.test")
        #expect(claims["aud"]?.string == "orders")
        #expect(claims["sub"]?.string == "alice")
        #expect(claims["client_id"]?.string == "client-1")
        #expect(claims["scope"]?.string == "orders:read")
        #expect(claims["email"]?.string == "alice@example.test")
        #expect(claims["roles"]?.count == 2)
        #expect(claims["secret"] == nil)
        #expect(claims["sub_id"]?["iss"]?.string == stage.tokens.issuer)
        let issued = try #require(claims["iat"]?.integer)
        #expect(claims["exp"]?.integer == issued + 10)
    }

    @Test(.holds("RS-25"), .refuses("RS-25"))
    func `an assertion is used again, and made anew when half of its time is over`() throws {
        let line = stage.tokens.bearer()
        let first = try forwarded("/asserted/a", [line]).fields.only("authorization")
        #expect(try forwarded("/asserted/a", [line]).fields.only("authorization") == first)
        #expect(try forwarded("/field/a", [line]).fields.only("x-identity").map { "Bearer \($0)" } != first)
        let other = try forwarded("/asserted/a", [stage.tokens.bearer()]).fields.only("authorization")
        #expect(other != first, "another token is another caller")
        var latest = first
        let isRenewed = eventually {
            latest = (try? self.forwarded("/asserted/a", [line]))?.fields.only("authorization")
            return latest != nil && latest != first
        }
        #expect(isRenewed)
        let renewed = try verified(String(try #require(latest).dropFirst(7)))
        let before = try verified(String(try #require(first).dropFirst(7)))
        #expect(try #require(renewed["iat"]?.integer) >= (try #require(before["iat"]?.integer)) + 5)
        #expect(renewed["jti"]?.string != before["jti"]?.string)
    }

    @Test(.holds("RS-25")) func `an assertion ends with the token that it tells of`() throws {
        // Within the leeway, which leaves it 20 seconds of the 60 that an assertion would have.
        let line = stage.tokens.bearer(["exp": moment(-10)])
        let claims = try verified(try #require(try forwarded("/field/a", [line]).fields.only("x-identity")))
        let lifetime = try #require(claims["exp"]?.integer) - (try #require(claims["iat"]?.integer))
        #expect(lifetime > 0 && lifetime <= 20, "\(lifetime) s")
    }

    @Test(.refuses("RS-25")) func `nobody is asserted without a token`() throws {
        let recorded = try forwarded("/asserted/a", ["X-Identity: forged"])
        #expect(!recorded.fields.contains("authorization"))
    }

    @Test(.refuses("RS-25"), arguments: ["X-Identity", "x-identity", "X_Identity", "X.IDENTITY"])
    func `an assertion's own field is nobody else's`(name: String) throws {
        for path in ["/field/a", "/open/a"] {
            let recorded = try forwarded(path, ["\(name): forged", stage.tokens.bearer()])
            #expect(!recorded.headText.contains("forged"), "\(recorded.headText)")
        }
        let recorded = try forwarded("/field/a", [stage.tokens.bearer()])
        #expect(!recorded.fields.contains("authorization"))
        let claims = try verified(try #require(recorded.fields.only("x-identity")))
        #expect(claims["aud"]?.string == "stock")
    }

    @Test(.holds("RS-25")) func `the keys of assertions are published, public halves alone`() throws {
        let response = try stage.exchange("GET", "/.portcullis/jwks.json")
        #expect(response.fields.only("content-type") == "application/json")
        #expect(response.fields.only("cache-control") == "max-age=300")
        let keys = try JSONValue.parse(owned: response.body)["keys"]?.elements ?? []
        #expect(keys.count == 2)
        for key in keys {
            for member in ["d", "p", "q", "k"] { #expect(key[member] == nil) }
            #expect(key["use"]?.string == "sig")
        }
        expectTemplate(try stage.exchange("GET", "/.portcullis/other"), status: 404)
        expectTemplate(try stage.exchange("POST", "/.portcullis/jwks.json"), status: 405)
        try stage.expectNothingForwarded()
    }
}
