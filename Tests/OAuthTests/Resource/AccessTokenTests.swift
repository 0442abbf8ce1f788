import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `an access token` {
    @Test(.holds("RS-11", "RS-12", "RS-14", "RS-16"), arguments: [SigningKey.rsa, .p256, .p384, .p521, .ed25519])
    func `a token of RFC 9068 is accepted and says who and what`(key: SigningKey) throws {
        let token = try verify(TokenMint(key: key).accessToken(), keys: [key.publicJWK()])
        #expect(token.issuer == "https://issuer.example/")
        #expect(token.subject == "user-1")
        #expect(token.clientID == "client-1")
        #expect(token.tokenID == "token-1")
        #expect(token.audiences == ["https://api.example/"])
        #expect(token.scopes == ["orders:read", "orders:write"])
        #expect(token.expiresAt == now + 300)
        #expect(token.times.notBefore == nil)
        #expect(token.times.issuedAt == now)
        #expect(token.keyID == key.keyID)
        #expect(token.claims["sub"]?.string == "user-1")
    }

    @Test(.holds("RS-11", "JOSE-33"))
    func `the figures of RFC 9068 and RFC 9470 are accepted with their type in capitals`() throws {
        for (header, claims, algorithm) in [
            (PublishedTokens.rfc9068Header, PublishedTokens.rfc9068Claims, SignatureAlgorithm.rs256),
            (PublishedTokens.rfc9470Header, PublishedTokens.rfc9470Claims, .es256),
        ] {
            let keyID = try #require(readJSON(header)["kid"]?.string)
            let value = try readJSON(claims)
            let issuer = try #require(value["iss"]?.string)
            let time = try #require(value["iat"]?.integer)
            let key = SigningKey(renaming: algorithm == .rs256 ? .rsa : .p256, keyID: keyID)
            let token = TokenMint.sign(header: header, claims: claims, key: key, algorithm: algorithm)
            let verified = try verify(token, keys: [key.publicJWK()], rules: rules(issuer: issuer), at: time)
            #expect(verified.clientID == "s6BhdRkqt3")
        }
    }

    @Test(
        .holds("RS-11"),
        arguments: [
            "at+jwt", "at+JWT", "AT+JWT", "application/at+jwt", "Application/AT+JWT",
        ])
    func `every spelling of the type is accepted`(type: String) {
        #expect(refusal(TokenMint().accessToken(header: ["typ": "\"\(type)\""])) == nil)
    }

    @Test(
        .refuses("RS-11"),
        arguments: [
            "\"JWT\"", "\"jwt\"", "\"at+jwt2\"", "\"application/jwt\"", "\"dpop+jwt\"", "\"logout+jwt\"", "\"\"",
            "\"at+jwt \"", nil,
        ] as [String?])
    func `another type, or none, is refused by a strict issuer`(type: String?) {
        #expect(refusal(TokenMint().accessToken(header: ["typ": type])) == .typeNotAccepted)
    }

    @Test(.holds("RS-11"), .refuses("RS-11")) func `JWT and a missing type are accepted where each was opted into`() {
        let plain = TokenMint().accessToken(header: ["typ": "\"jwt\""])
        let none = TokenMint().accessToken(header: ["typ": nil])
        let explicit = TokenMint().accessToken()
        #expect(refusal(plain, rules: rules(types: [.plainJWT])) == nil)
        #expect(refusal(none, rules: rules(types: [.plainJWT])) == .typeNotAccepted)
        #expect(refusal(none, rules: rules(types: [.absent])) == nil)
        #expect(refusal(plain, rules: rules(types: [.absent])) == .typeNotAccepted)
        #expect(refusal(explicit, rules: rules(types: [.absent])) == nil)
    }

    @Test(.refuses("RS-11"), arguments: ["logout+jwt", "dpop+jwt", "secevent+jwt", "application/logout+jwt", "id+jwt"])
    func `a lenient issuer accepts no other explicit type`(type: String) {
        #expect(refusal(legacyToken(type: "\"\(type)\""), rules: legacyRules) == .typeNotAccepted)
        #expect(refusal(legacyToken(), rules: legacyRules) == nil)
    }

    @Test(
        .refuses("RS-12", "JOSE-29"),
        arguments: [
            "https://issuer.example", "https://issuer.example//", "https://ISSUER.example/", "HTTPS://issuer.example/",
            "https://issuer.example/\\u0000", "http://issuer.example/", "https://issuer.example:443/",
            " https://issuer.example/",
            "https://issuer.example/?", "https://other.example/",
        ])
    func `an issuer that differs in a byte is refused`(issuer: String) {
        #expect(refusal(token(["iss": "\"\(issuer)\""])) == .issuerMismatch)
    }

    @Test(.holds("JOSE-29"), .refuses("JOSE-29")) func `names that only Unicode holds for equal are different issuers`()
    {
        let composed = rules(issuer: "https://caf\u{E9}.example/")
        #expect(refusal(token(["iss": "\"https://caf\u{E9}.example/\""]), rules: composed) == nil)
        #expect(refusal(token(["iss": "\"https://cafe\u{301}.example/\""]), rules: composed) == .issuerMismatch)
    }

    @Test(.refuses("JOSE-29"), arguments: ["1", "null", "[\"https://issuer.example/\"]", "{}", "\"\""])
    func `an issuer that is no name is refused`(value: String) {
        #expect(refusal(token(["iss": value])) == .claim(.malformed("iss")))
    }

    @Test(.refuses("JOSE-21"))
    func `a token of one issuer signed with another's key is refused, with the same kid too`() {
        let theirs = SigningKey(renaming: .otherP256, keyID: "p256-1")
        #expect(refusal(TokenMint(key: theirs).accessToken()) == .signatureInvalid)
        #expect(refusal(TokenMint(issuer: "https://b.example/", key: theirs).accessToken()) == .signatureInvalid)
        // Signed with the right key, but it names the other issuer.
        #expect(refusal(TokenMint(issuer: "https://b.example/").accessToken()) == .issuerMismatch)
    }

    @Test(.refuses("RS-14")) func `a token with any character changed is refused`() throws {
        let letters = Array(TokenMint().accessToken().utf8)
        let keys = try keys([SigningKey.p256.publicJWK()])
        for index in letters.indices {
            var changed = letters
            changed[index] = changed[index] == UInt8(ascii: "Q") ? UInt8(ascii: "g") : UInt8(ascii: "Q")
            #expect(throws: AccessTokenRefusal.self) {
                let unchecked = try UncheckedAccessToken(changed.span, maximumBytes: 16_384)
                _ = try unchecked.verify(with: keys, rules: rules(), now: now)
            }
        }
    }

    @Test(.refuses("RS-14")) func `an algorithm off the issuer's list is refused`() {
        let token = TokenMint().accessToken()
        #expect(refusal(token, rules: rules(algorithms: [.rs256, .es384])) == .algorithmNotAllowed)
        #expect(refusal(token, rules: rules(algorithms: [])) == .algorithmNotAllowed)
        let unsecured = TokenMint.signingInput(
            header: #"{"typ":"at+jwt","alg":"none"}"#, payload: Array(TokenMint().claimsText().utf8))
        #expect(refusal(unsecured + ".") == .algorithmNotAllowed)
        #expect(refusal(PublishedTokens.unsecured, rules: legacyRules) == .algorithmNotAllowed)
    }

    @Test(.refuses("JOSE-17")) func `a kid that nobody knows is told apart, for a refetch`() {
        let other = SigningKey(renaming: .p256, keyID: "rotated")
        #expect(refusal(TokenMint(key: other).accessToken()) == .unknownKey)
    }

    @Test(.refuses("JOSE-15")) func `too many candidates are refused`() {
        let bare = SigningKey(renaming: .p256, keyID: nil)
        let jwks = Array(repeating: bare.publicJWK(), count: 4)
        #expect(refusal(TokenMint(key: bare).accessToken(), keys: jwks) == .tooManyKeys)
    }

    @Test(.refuses("JOSE-26")) func `a token longer than the issuer allows is refused`() throws {
        var short = rules()
        short.maximumTokenBytes = 300
        #expect(refusal(TokenMint().accessToken(), rules: short) == .tooLarge)
        let bytes = Array(TokenMint().accessToken().utf8)
        let unchecked = try UncheckedAccessToken(bytes.span, maximumBytes: 16_384)
        let keys = try keys([SigningKey.p256.publicJWK()])
        #expect(throws: AccessTokenRefusal.tooLarge) { try unchecked.verify(with: keys, rules: short, now: now) }
        let large = token(["filler": "\"\(String(repeating: "x", count: 12_500))\""])
        #expect(large.utf8.count > 16_384)
        #expect(refusal(large) == .tooLarge)
    }

    @Test func `what is no signed JWT is refused with its cause`() {
        #expect(refusal("abc") == .malformed(.notCompact))
        #expect(refusal(TokenMint().accessToken() + "=") == .malformed(.notBase64URL))
        #expect(refusal(token(["sub\":\"x\",\"sub": "1"])) == .malformed(.claimsNotJSON(.duplicateMember)))
        #expect(refusal(TokenMint().accessToken(header: ["crit": "[]"])) == .malformed(.criticalInvalid))
        #expect(refusal(PublishedTokens.encrypted) == .encrypted)
    }

    @Test func `the first failure of the order wins`() {
        let wrong: [String: String?] = ["iss": "\"x\"", "exp": "1", "sub": nil, "cnf": "{}"]
        let forged = TokenMint(key: SigningKey(renaming: .otherP256, keyID: "p256-1"))
        let unknown = TokenMint(key: SigningKey(renaming: .otherP256, keyID: "other"))
        let strict = rules(algorithms: [.rs256])
        #expect(
            refusal(unknown.accessToken(header: ["typ": "\"x\""], claims: wrong), rules: strict) == .typeNotAccepted)
        #expect(refusal(unknown.accessToken(claims: wrong), rules: strict) == .algorithmNotAllowed)
        #expect(refusal(unknown.accessToken(claims: wrong)) == .unknownKey)
        #expect(refusal(forged.accessToken(claims: wrong)) == .signatureInvalid)
        #expect(refusal(token(wrong)) == .issuerMismatch)
        #expect(refusal(token(wrong.filter { $0.key != "iss" })) == .claim(.expired(secondsAgo: now - 1)))
        #expect(refusal(token(["sub": nil, "cnf": "{}"])) == .claim(.missing("sub")))
        #expect(refusal(token(["cnf": "{}"])) == .boundToKey)
    }

    @Test(.refuses("RS-17")) func `an encrypted token is refused while no key is there to read it, whatever is in it`()
        throws
    {
        let inner = TokenMint().accessToken()
        let value = try readJSON(SigningKey.otherP256.publicJWK())
        let bytes = Array(inner.utf8)
        let sealed = try CompactJWE.encrypt(
            bytes.span, to: try JWK(value), algorithm: "ECDH-ES", encoding: "A256GCM", contentType: "JWT")
        #expect(refusal(String(decoding: sealed, as: UTF8.self)) == .encrypted)
        // Encryption says nothing of who sent it.
        let own = try CompactJWE.encrypt(
            bytes.span, to: try JWK(try readJSON(SigningKey.p256.publicJWK())), algorithm: "ECDH-ES",
            encoding: "A256GCM", contentType: "JWT")
        #expect(refusal(String(decoding: own, as: UTF8.self)) == .encrypted)
    }

    @Test(.holds("RS-17")) func `the same token is taken without its envelope, which nobody asked for`() {
        #expect(refusal(TokenMint().accessToken()) == nil)
    }
}
