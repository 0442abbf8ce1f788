import Bytes
import Crypto
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private let publishedRules = IDTokenRules(issuer: "https://server.example.com", clientID: "s6BhdRkqt3")

private func publishedRefusal(
    _ token: String, accessToken: String? = nil, code: String? = nil, nonce: String = "n-0S6_WzA2Mj",
    rules: IDTokenRules = publishedRules
) -> IDTokenRefusal? {
    do throws(IDTokenRefusal) {
        _ = try IDToken.verify(
            Secret(Array(token.utf8)),
            of: IDToken.Login(
                nonce: nonce, accessToken: accessToken.map { Secret(Array($0.utf8)) },
                code: code.map { Secret(Array($0.utf8)) }),
            rules: rules, keys: try? keys([PublishedTokens.openIDKey]), now: 1_311_281_000)
        return nil
    } catch {
        return error
    }
}

/// An ID token with an HMAC by the client's secret.
private func authenticated(
    _ changes: [String: String?] = [:], algorithm: String = "HS256", secret: Secret = clientSecret,
    hash: HashFunction = .sha256
) -> String {
    TokenMint.authenticate(
        header: "{\"alg\":\"\(algorithm)\"}", claims: object(idTokenMembers, changes), secret: secret.reveal(),
        hash: hash)
}

@Suite struct `the signature of an ID token` {
    @Test(
        .holds("OIDC-05", "OIDC-10"), .refuses("OIDC-05", "OIDC-10"),
        arguments: [
            (PublishedIDTokens.plain, nil, nil), (PublishedTokens.idToken, PublishedIDTokens.accessToken, nil),
            (PublishedIDTokens.withCode, nil, PublishedIDTokens.code),
            (PublishedIDTokens.withBoth, PublishedIDTokens.accessToken, PublishedIDTokens.code),
        ] as [(String, String?, String?)])
    func `holds for what the specification prints`(
        token: String, accessToken: String?, code: String?
    ) {
        #expect(publishedRefusal(token, accessToken: accessToken, code: code) == nil)
        #expect(publishedRefusal(token, accessToken: accessToken, code: code, nonce: "n-1") == .nonceMismatch)
        var others = publishedRules
        others.signature = .algorithms([.ps256, .es256])
        #expect(publishedRefusal(token, rules: others) == .envelope(.algorithmNotAllowed("RS256")))
    }

    @Test(
        .holds("OIDC-05"), .refuses("OIDC-05"),
        arguments: [(SigningKey.rsa, SignatureAlgorithm.ps384), (.p384, .es384), (.ed25519, .edDSA)])
    func `is by the registered algorithm and no other`(key: SigningKey, algorithm: SignatureAlgorithm) {
        let token = signed(idTokenMembers, key: key, algorithm: algorithm)
        let registered = idTokenRules(signature: .algorithms([algorithm]))
        #expect(idTokenRefusal(token, rules: registered, keys: [key]) == nil)
        #expect(idTokenRefusal(token, keys: [key]) == .envelope(.algorithmNotAllowed(algorithm.name)))
    }

    @Test(.holds("OIDC-05"), .refuses("OIDC-05")) func `is RS256 unless another algorithm was registered`() {
        let rules = IDTokenRules(issuer: "https://issuer.example/", clientID: "client-1")
        #expect(idTokenRefusal(idToken(key: .rsa), rules: rules, keys: [.rsa]) == nil)
        #expect(idTokenRefusal(idToken(), rules: rules) == .envelope(.algorithmNotAllowed("ES256")))
    }

    @Test(.refuses("OIDC-05"), arguments: ["none", "None", "nOnE", "NONE", "", "es256", "ES256 "])
    func `is never missing, whatever alg says`(algorithm: String) {
        let header = "{\"alg\":\"\(algorithm)\"}"
        let unsigned = TokenMint.signingInput(header: header, payload: Array(object(idTokenMembers).utf8)) + "."
        #expect(idTokenRefusal(unsigned) == .envelope(.algorithmNotAllowed(algorithm)))
        let secret = idTokenRules(signature: .secret(.hs256, clientSecret))
        #expect(idTokenRefusal(unsigned, rules: secret) == .envelope(.algorithmNotAllowed(algorithm)))
    }

    @Test(.refuses("OIDC-05")) func `by HMAC with the public key for a secret is refused`() {
        for secret in [SigningKey.rsa.publicJWK(), SigningKey.keySet([.rsa]), ""] {
            let token = authenticated(secret: Secret(Array(secret.utf8)))
            let rules = idTokenRules(signature: .algorithms([.rs256]))
            #expect(idTokenRefusal(token, rules: rules, keys: [.rsa]) == .envelope(.algorithmNotAllowed("HS256")))
        }
    }

    @Test(.refuses("OIDC-05")) func `by another key is refused, by an unknown one the keys are read again`() throws {
        let forged = TokenMint.sign(
            header: "{\"alg\":\"ES256\",\"kid\":\"p256-1\"}", claims: object(idTokenMembers), key: .otherP256,
            algorithm: .es256)
        #expect(idTokenRefusal(forged) == .envelope(.signatureInvalid))
        let unknown = try #require(idTokenRefusal(idToken(key: .otherP256)))
        #expect(unknown == .envelope(.unknownKey(keyID: "p256-2")) && unknown.wantsKeysReadAgain)
        #expect(!unknown.lacksKeys && unknown.check == "OIDC-17")
        let none = try #require(idTokenRefusal(idToken(), keys: []))
        #expect(none == .envelope(.unknownKey(keyID: "p256-1")))
        let lacking = #expect(throws: IDTokenRefusal.self) {
            try IDToken.verify(
                Secret(Array(idToken().utf8)), of: IDToken.Login(nonce: "nonce-1"), rules: idTokenRules(), keys: nil,
                now: now)
        }
        #expect(lacking == .envelope(.keysMissing) && lacking?.lacksKeys == true)
        #expect(lacking?.wantsKeysReadAgain == false)
    }

    @Test(.refuses("JOSE-13")) func `by a key that the token brings is refused`() {
        let header = ["jwk": SigningKey.otherP256.publicJWK(), "jku": "\"https://evil.example/\"", "kid": nil]
        #expect(idTokenRefusal(idToken(header: header, key: .otherP256)) == .envelope(.signatureInvalid))
    }

    @Test(
        .holds("OIDC-06"), .refuses("OIDC-06"),
        arguments: [(MACAlgorithm.hs256, HashFunction.sha256), (.hs384, .sha384), (.hs512, .sha512)])
    func `is an HMAC with the client's secret where that was registered`(
        algorithm: MACAlgorithm, hash: HashFunction
    ) {
        let secret = Secret(Array(String(repeating: "secret..", count: 8).utf8))
        let rules = idTokenRules(signature: .secret(algorithm, secret))
        let token = authenticated(algorithm: algorithm.name, secret: secret, hash: hash)
        #expect(idTokenRefusal(token, rules: rules) == nil)
        #expect(idTokenRefusal(token) == .envelope(.algorithmNotAllowed(algorithm.name)))
        let guessed = authenticated(algorithm: algorithm.name, secret: clientSecret, hash: hash)
        #expect(idTokenRefusal(guessed, rules: rules) == .envelope(.signatureInvalid))
        #expect(idTokenRefusal(idToken(), rules: rules) == .envelope(.algorithmNotAllowed("ES256")))
    }

    @Test(.refuses("OIDC-06")) func `by a secret that an audience shares is refused`() {
        let rules = idTokenRules(trusted: ["client-2"], signature: .secret(.hs256, clientSecret))
        let several = ["aud": "[\"client-1\",\"client-2\"]", "azp": "\"client-1\""]
        #expect(idTokenRefusal(authenticated(several), rules: rules) == .claim(.secretShared))
        #expect(idTokenRefusal(authenticated(["aud": "[\"client-1\"]"]), rules: rules) == nil)
    }

    @Test(.refuses("OIDC-06")) func `by a secret that can be guessed is refused`() {
        let short = Secret(Array("thirty-one bytes are one short.".utf8))
        let rules = idTokenRules(signature: .secret(.hs256, short))
        #expect(idTokenRefusal(authenticated(secret: short), rules: rules) == .envelope(.secretTooShort))
    }

    @Test(.holds("JOSE-19"), arguments: [nil, "\"JWT\"", "\"jwt\"", "\"application/JWT\""] as [String?])
    func `has no type, or the one of every JWT`(type: String?) {
        #expect(idTokenRefusal(idToken(header: ["typ": type])) == nil)
    }

    @Test(
        .refuses("JOSE-19", "JOSE-20"),
        arguments: [
            "at+jwt", "logout+jwt", "dpop+jwt", "token-introspection+jwt", "oauth-authz-req+jwt", "JWTs", "",
            "application/logout+jwt", "JWT\\u0000",
        ])
    func `of a token of another kind does not make it an ID token`(type: String) {
        let found = type.replacing("\\u0000", with: "\0")
        #expect(idTokenRefusal(idToken(header: ["typ": "\"\(type)\""])) == .envelope(.typeNotAccepted(found)))
    }

    @Test(.refuses("JOSE-20", "LO-06")) func `over a logout token does not make it one of a refresh`() {
        let events = #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#
        let token = idToken(["events": events, "nonce": nil, "jti": "\"1\""])
        #expect(idTokenRefusal(token, nonce: nil) == .claim(.otherPurpose(claim: "events")))
        #expect(idTokenRefusal(idToken(["events": "{}", "nonce": nil]), nonce: nil) == nil)
    }

    @Test(
        .holds("OIDC-10"), .refuses("OIDC-10"),
        arguments: [
            (SigningKey.p256, SignatureAlgorithm.es256, HashFunction.sha256), (.rsa, .rs256, .sha256),
            (.rsa, .ps384, .sha384), (.p384, .es384, .sha384), (.rsa, .rs512, .sha512), (.p521, .es512, .sha512),
            (.ed25519, .edDSA, .sha512),
        ])
    func `covers the access token and the code by the hash of its algorithm`(
        key: SigningKey, algorithm: SignatureAlgorithm, hash: HashFunction
    ) {
        let rules = idTokenRules(signature: .algorithms([algorithm]))
        let half = leftHalf(hash, "2YotnFZFEjr1zCsicMWpAA"), other = leftHalf(hash, "another token")
        let good = signed(
            idTokenMembers, ["at_hash": "\"\(half)\"", "c_hash": "\"\(half)\""], key: key, algorithm: algorithm)
        #expect(idTokenRefusal(good, rules: rules, keys: [key], accessToken: accessToken, code: accessToken) == nil)
        for claim in ["at_hash", "c_hash"] {
            let swapped = signed(idTokenMembers, [claim: "\"\(other)\""], key: key, algorithm: algorithm)
            #expect(
                idTokenRefusal(swapped, rules: rules, keys: [key], accessToken: accessToken, code: accessToken)
                    == .hashMismatch(claim: claim))
        }
    }

    @Test(.refuses("OIDC-10"), arguments: ["at_hash", "c_hash"])
    func `does not cover what was cut, made longer or is no string`(claim: String) {
        let half = leftHalf(.sha256, "2YotnFZFEjr1zCsicMWpAA")
        for value in ["\"\"", "\"\(half.dropLast())\"", "\"\(half)=\"", "\"\(half)A\"", #""\#(half)\u0000""#] {
            #expect(
                idTokenRefusal(idToken([claim: value]), accessToken: accessToken, code: accessToken)
                    == .hashMismatch(claim: claim))
        }
        #expect(idTokenRefusal(idToken([claim: "null"]), accessToken: accessToken) == .claim(.malformed(claim)))
        // Without the thing itself there is nothing to compare with.
        #expect(idTokenRefusal(idToken([claim: "\"\(half)\""])) == nil)
    }
}

private func leftHalf(_ hash: HashFunction, _ text: String) -> String {
    let bytes = Array(text.utf8)
    let half = Array(hash.hash(bytes.span).prefix(hash.length / 2))
    return Base64URL.encode(half.span)
}
