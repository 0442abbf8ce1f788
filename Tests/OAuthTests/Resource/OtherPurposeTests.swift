import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

/// A JWT of each purpose by the same issuer and key, as its specification writes it.
private struct Purpose: Sendable, CustomTestStringConvertible {
    var name: String
    var type: String?
    var claims: [String: String?]

    var testDescription: String { name }

    var token: String {
        TokenMint().accessToken(header: ["typ": type.map { "\"\($0)\"" }], claims: claims)
    }
}

private let purposes: [Purpose] = [
    Purpose(
        name: "DPoP proof", type: "dpop+jwt",
        claims: ["htm": "\"GET\"", "htu": "\"https://api.example/\"", "ath": "\"x\""]),
    Purpose(
        name: "logout token", type: "logout+jwt",
        claims: ["events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#, "sid": "\"1\""]),
    Purpose(
        name: "request object", type: "oauth-authz-req+jwt",
        claims: ["response_type": "\"code\"", "redirect_uri": "\"https://app.example/cb\""]),
    Purpose(
        name: "client assertion", type: "client-authentication+jwt", claims: ["sub": "\"https://issuer.example/\""]),
    Purpose(
        name: "introspection response", type: "token-introspection+jwt",
        claims: ["token_introspection": #"{"active":true}"#]),
    Purpose(name: "ID token", type: "JWT", claims: ["nonce": "\"n-0S6_WzA2Mj\"", "auth_time": "\(now)"]),
    Purpose(name: "JARM response", type: "JWT", claims: ["code": "\"c\"", "state": "\"s\""]),
]

@Suite struct `tokens for another purpose` {
    @Test(.refuses("JOSE-20"), arguments: purposes)
    fileprivate func `a JWT of another purpose by the same key is no access token`(purpose: Purpose) {
        #expect(refusal(purpose.token) == .typeNotAccepted)
        // Only its type stands between it and being one: the same claims under at+jwt are the issuer's own doing.
        #expect(refusal(TokenMint().accessToken(claims: purpose.claims)) == nil)
    }

    @Test(.refuses("JOSE-20"), arguments: purposes)
    fileprivate func `a lenient issuer refuses it by its type`(purpose: Purpose) {
        let lenient = rules(types: [.plainJWT, .absent], profile: .legacy)
        #expect(refusal(purpose.token, rules: lenient) != nil)
    }

    // A client's assertion is left out: its `iss` is the client, which is no issuer of ours (JOSE-21).
    @Test(.refuses("JOSE-20"), arguments: purposes.filter { $0.name != "client assertion" })
    fileprivate func `a lenient issuer refuses it by its claims where the type is left out`(purpose: Purpose) {
        var untyped = purpose
        for type in ["JWT", nil] {
            untyped.type = type
            #expect(refusal(untyped.token, rules: legacyRules) != nil)
            #expect(refusal(untyped.token, rules: rules(types: [.plainJWT, .absent])) != nil)
        }
    }

    @Test(.refuses("RS-18"), arguments: ["nonce", "at_hash", "c_hash"])
    func `a claim that only ID tokens have is refused in the legacy profile`(claim: String) {
        #expect(refusal(legacyToken([claim: "\"x\""]), rules: legacyRules) == .looksLikeIDToken)
        #expect(refusal(legacyToken([claim: "null"]), rules: legacyRules) == .looksLikeIDToken)
    }

    @Test(.holds("RS-18"), .refuses("RS-18")) func `auth_time is refused where the audience is the client`() {
        for client in ["client_id", "azp"] {
            let toClient = ["auth_time": "\(now)", "aud": #"["x","c"]"#, client: #""c""#]
            #expect(refusal(legacyToken(toClient), rules: legacyRules) == .looksLikeIDToken)
            let toAPI = ["auth_time": "\(now)", client: #""c""#]
            #expect(refusal(legacyToken(toAPI), rules: legacyRules) == nil)
            #expect(refusal(legacyToken(["aud": #""c""#, client: #""c""#]), rules: legacyRules) == nil)
        }
    }

    @Test(.refuses("RS-18")) func `the ID token of OpenID Connect's appendix A_3 is refused`() throws {
        let key = PublishedTokens.openIDKey
        let issuer = "https://server.example.com"
        let time: Int64 = 1_311_280_970
        #expect(
            refusal(PublishedTokens.idToken, keys: [key], rules: rules(issuer: issuer), at: time) == .typeNotAccepted)
        let lenient = rules(issuer: issuer, types: [.plainJWT, .absent], profile: .legacy)
        #expect(refusal(PublishedTokens.idToken, keys: [key], rules: lenient, at: time) == .looksLikeIDToken)
    }

    @Test(
        .refuses("JOSE-20", "RS-11"),
        arguments: [
            PublishedTokens.dpopProof, PublishedTokens.introspectionResponse, PublishedTokens.exchangedToken,
            PublishedTokens.authorizationResponse,
        ])
    func `what specifications print for other purposes is refused by its type`(token: String) {
        #expect(refusal(token) == .typeNotAccepted)
    }

    @Test(.refuses("JOSE-20")) func `the logout token of OpenID Connect without a type is refused by its events`()
        throws
    {
        let claims = PublishedTokens.logoutClaims
        let untyped = TokenMint.sign(
            header: #"{"alg":"ES256","kid":"p256-1"}"#, claims: claims, key: .p256, algorithm: .es256)
        let lenient = rules(issuer: "https://server.example.com", types: [.absent], profile: .legacy)
        #expect(refusal(untyped, rules: lenient, at: 1_471_566_154) == .claim(.otherPurpose(claim: "events")))
    }

    @Test func `a claim named code alone is no authorization response`() {
        #expect(refusal(legacyToken(["code": #""DE""#]), rules: legacyRules) == nil)
        #expect(
            refusal(legacyToken(["code": #""c""#, "state": #""s""#]), rules: legacyRules)
                == .claim(.otherPurpose(claim: "code")))
    }
}
