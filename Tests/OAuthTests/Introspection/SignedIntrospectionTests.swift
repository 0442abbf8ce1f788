import HTTPMessage
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private func keys() throws -> VerificationKeys {
    try OAuthTests.keys([SigningKey.p256.publicJWK(), SigningKey.rsa.publicJWK()])
}

private func signedRefusal(_ response: FetchResponse) throws -> IntrospectionRefusal? {
    introspectionRefusal(response, rules: signedRules, keys: try keys())
}

@Suite struct `a signed answer about a token` {
    @Test(.holds("INT-08", "INT-10")) func `is read when the issuer signed it for us just now`() throws {
        let outcome = try introspect(signedAnswer(), rules: signedRules, keys: keys())
        #expect(outcome.token?.subject == "user-1")
        #expect(outcome.token?.audiences == ["https://api.example/"])
        #expect(outcome.believedUntil == now + 30)
    }

    @Test(.holds("INT-08", "INT-10")) func `is read by each algorithm of the issuer's list`() throws {
        let outcome = try introspect(signedAnswer(key: .rsa), rules: signedRules, keys: keys())
        #expect(outcome.token != nil)
    }

    @Test(.holds("INT-03")) func `may say that the token is not active`() throws {
        let response = signedAnswer(claims: ["token_introspection": "{\"active\":false}"])
        #expect(try introspect(response, rules: signedRules, keys: keys()).isInactive)
    }

    @Test(.holds("INT-05", "INT-08")) func `has as many groups as its bytes allow`() throws {
        let groups = "[" + (0..<5000).map { "\"group-\($0)\"" }.joined(separator: ",") + "]"
        let response = signedAnswer(claims: ["token_introspection": object(activeMembers, ["groups": groups])])
        let token = try #require(try introspect(response, rules: signedRules, keys: keys()).token)
        #expect(token.claims["groups"]?.elements.count == 5000)
    }

    @Test(.holds("INT-08"), .refuses("INT-08")) func `speaks of the token in token_introspection alone`() throws {
        let response = signedAnswer(claims: [
            "active": "true", "sub": "\"admin\"", "scope": "\"admin\"", "exp": "1", "cnf": "{}",
        ])
        let token = try #require(try introspect(response, rules: signedRules, keys: keys()).token)
        #expect(token.subject == "user-1")
        #expect(token.scopes == ["orders:read", "orders:write"])
        let empty = signedAnswer(claims: ["active": "true", "token_introspection": "{}"])
        #expect(try introspect(empty, rules: signedRules, keys: keys()).isInactive)
    }

    @Test(
        .holds("INT-08"),
        arguments: [
            "application/token-introspection+jwt; charset=utf-8", "Application/Token-Introspection+JWT",
            " application/token-introspection+jwt ",
        ])
    func `is known by its media type, whatever its case and parameters`(type: String) throws {
        var response = signedAnswer()
        response.contentType = type
        #expect(try signedRefusal(response) == nil)
    }

    @Test(
        .refuses("INT-08"),
        arguments: ["application/json", "application/jwt", "text/plain", "application/token-introspection+jwtx", ""])
    func `of another media type is not read`(type: String) throws {
        var response = signedAnswer()
        response.contentType = type
        #expect(try signedRefusal(response) == .contentType(type))
    }

    @Test(.refuses("INT-08", "INT-10")) func `cannot be replaced by a plain one, under whichever type`() throws {
        #expect(try signedRefusal(answer(object(activeMembers))) == .contentType("application/json"))
        let disguised = answer("{\"active\":true}", contentType: "application/token-introspection+jwt")
        #expect(try signedRefusal(disguised) == .malformed(.notCompact))
    }

    @Test(
        .refuses("INT-08"),
        arguments: [
            (["typ": "\"at+jwt\""], .typeNotAccepted), (["typ": "\"JWT\""], .typeNotAccepted),
            (["typ": nil], .typeNotAccepted), (["kid": "\"elsewhere\""], .unknownKey),
            (["alg": "\"none\""], .algorithmNotAllowed), (["alg": "\"HS256\""], .algorithmNotAllowed),
            (["alg": nil], .malformed(.algorithmInvalid)), (["alg": "\"ES384\""], .unknownKey),
        ] as [([String: String?], IntrospectionRefusal)])
    func `with another header is not believed`(
        header: [String: String?], expected: IntrospectionRefusal
    ) throws {
        #expect(try signedRefusal(signedAnswer(header: header)) == expected)
    }

    @Test(
        .refuses("INT-08", "INT-10"),
        arguments: [
            (["iss": "\"https://issuer.example\""], .issuerMismatch), (["iss": nil], .missingClaim("iss")),
            (["iss": "[\"https://issuer.example/\"]"], .issuerMismatch),
            (["aud": "\"https://api.example/\""], .audienceMismatch), (["aud": nil], .missingClaim("aud")),
            (["aud": "[]"], .claimMalformed("aud")), (["aud": "{}"], .claimMalformed("aud")),
            (["aud": "[\"https://gateway.example/\",1]"], .claimMalformed("aud")),
            (["iat": nil], .missingClaim("iat")), (["iat": "\"now\""], .claimMalformed("iat")),
            (["iat": "\(now + 31)"], .issuedInFuture(secondsLeft: 31)),
            (["iat": "\(now - 301)"], .issuedTooEarly(secondsAgo: 301)),
            (["token_introspection": nil], .missingClaim("token_introspection")),
            (["token_introspection": "true"], .claimMalformed("token_introspection")),
            (["token_introspection": "[{\"active\":true}]"], .claimMalformed("token_introspection")),
        ] as [([String: String?], IntrospectionRefusal)])
    func `with another claim is not believed`(
        claims: [String: String?], expected: IntrospectionRefusal
    ) throws {
        #expect(try signedRefusal(signedAnswer(claims: claims)) == expected)
    }

    @Test(
        .holds("INT-08"),
        arguments: [
            ["aud": "[\"https://other.example/\",\"https://gateway.example/\"]"], ["iat": "\(now + 30)"],
            ["iat": "\(now - 300)"],
        ])
    func `for us among others, or at the edge of its time, is believed`(claims: [String: String]) throws {
        #expect(try signedRefusal(signedAnswer(claims: claims)) == nil)
    }

    @Test(.refuses("INT-08", "INT-10")) func `signed by another key under the same name is not believed`() throws {
        #expect(try signedRefusal(signedAnswer(signedBy: .otherP256)) == .signatureInvalid)
    }

    @Test(.refuses("INT-08")) func `cannot be judged without the issuer's keys`() {
        #expect(introspectionRefusal(signedAnswer(), rules: signedRules) == .keysMissing)
    }

    @Test(.refuses("INT-08")) func `with any bit flipped is never an answer`() throws {
        let good = signedAnswer()
        let keys = try keys()
        for index in good.body.indices {
            var flipped = good
            flipped.body[index] ^= 1 << UInt8(index % 8)
            #expect(introspectionRefusal(flipped, rules: signedRules, keys: keys) != nil, "byte \(index)")
        }
    }

    @Test(.refuses("INT-08")) func `cut off at any place is never an answer`() throws {
        let good = signedAnswer()
        let keys = try keys()
        for body in everyStart(of: good.body) {
            var cut = good
            cut.body = body
            #expect(introspectionRefusal(cut, rules: signedRules, keys: keys) != nil, "\(body.count) bytes")
        }
    }

    @Test(.refuses("INT-08")) func `of RFC 9701 has the shape that is asked for, and no key to believe it by`() throws {
        let rules = IntrospectionRules(
            AccessTokenRules(issuer: "https://as.example.com/"),
            form: .signed(audience: "https://rs.example.com/resource"))
        let response = answer(
            PublishedTokens.introspectionResponse, contentType: "application/token-introspection+jwt")
        #expect(introspectionRefusal(response, rules: rules, keys: try keys()) == .unknownKey)
    }
}

@Suite struct `a signed answer as an access token` {
    @Test(.refuses("INT-09"), arguments: [rules(), legacyRules])
    func `is refused by its type`(rules: AccessTokenRules) {
        let answer = String(decoding: signedAnswer().body, as: UTF8.self)
        #expect(refusal(answer, rules: rules) == .typeNotAccepted)
        #expect(refusal(PublishedTokens.introspectionResponse, rules: rules) == .typeNotAccepted)
    }

    @Test(.holds("INT-09")) func `is what is refused: the same key's access token is accepted`() {
        #expect(refusal(TokenMint().accessToken()) == nil)
    }
}
