import Crypto
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private let event = "http://schemas.openid.net/event/backchannel-logout"

private let members: [String: String] = [
    "iss": "\"https://issuer.example/\"", "sub": "\"user-1\"", "aud": "\"client-1\"", "iat": "\(now)",
    "exp": "\(now + 120)", "jti": "\"token-1\"", "sid": "\"session-1\"", "events": "{\"\(event)\":{}}",
]

private func logoutToken(
    _ changes: [String: String?] = [:], type: String? = "\"logout+jwt\"", key: SigningKey = .p256
) -> String {
    signed(members, changes, header: ["typ": type], key: key)
}

private func verify(
    _ token: String, rules: LogoutTokenRules = LogoutTokenRules(idTokenRules()), at time: Int64 = now
) throws(LogoutTokenRefusal) -> LogoutToken {
    let bytes = Array(token.utf8)
    return try LogoutToken.verify(
        bytes.span, rules: rules, keys: try? keys([SigningKey.p256.publicJWK()]), now: time)
}

private func refusal(
    _ token: String, rules: LogoutTokenRules = LogoutTokenRules(idTokenRules()), at time: Int64 = now
) -> LogoutTokenRefusal? {
    do throws(LogoutTokenRefusal) {
        _ = try verify(token, rules: rules, at: time)
        return nil
    } catch {
        return error
    }
}

private func found(_ body: String, contentType: String? = "application/x-www-form-urlencoded") -> String? {
    (try? LogoutToken.find(in: Array(body.utf8), contentType: contentType)).map { String(decoding: $0, as: UTF8.self) }
}

private func formRefusal(
    _ body: String, contentType: String? = "application/x-www-form-urlencoded"
) -> LogoutTokenRefusal? {
    do throws(LogoutTokenRefusal) {
        _ = try LogoutToken.find(in: Array(body.utf8), contentType: contentType)
        return nil
    } catch {
        return error
    }
}

@Suite struct `a back-channel logout request` {
    @Test(
        .holds("LO-05"),
        arguments: [
            "logout_token=a.b.c", "logout_token=a%2Eb%2ec", "x=1&logout_token=a.b.c&logout_token_hint=2&%zz=%&=&&y",
            "logout%5Ftoken=a.b.c", "x&logout_token=a.b.c&",
        ])
    func `has a logout token among parameters that do not matter`(body: String) {
        #expect(found(body) == "a.b.c")
        #expect(found(body, contentType: "Application/X-WWW-Form-URLEncoded; charset=utf-8") == "a.b.c")
    }

    @Test(
        .refuses("LO-05"),
        arguments: [
            ("", .missing), ("x=1", .missing), ("logout_token", .missing), ("logout_token=", .missing),
            ("Logout_Token=a.b.c", .missing), ("logout_token=a&logout_token=b", .formMalformed),
            ("logout_token=a&logout%5ftoken=a", .formMalformed), ("logout_token=a%2", .formMalformed),
            ("logout_token=%zz", .formMalformed), ("logout_token=%", .formMalformed),
        ] as [(String, LogoutTokenRefusal)])
    func `without one, or with two, is refused`(body: String, refusal: LogoutTokenRefusal) {
        #expect(formRefusal(body) == refusal && refusal.check == "LO-05")
    }

    @Test(
        .refuses("LO-05"), arguments: [nil, "", "application/json", "multipart/form-data", "text/plain"] as [String?])
    func `in another form is refused`(contentType: String?) {
        #expect(formRefusal("logout_token=a.b.c", contentType: contentType) == .contentType(contentType))
        #expect(formRefusal("{\"logout_token\":\"a.b.c\"}", contentType: contentType) == .contentType(contentType))
    }

    @Test(.refuses("LO-05")) func `longer than anybody needs is refused`() {
        #expect(formRefusal("logout_token=" + String(repeating: "a", count: 200_000)) == .formMalformed)
    }
}

@Suite struct `a logout token` {
    @Test(.holds("LO-06")) func `says whose session ended`() throws {
        let token = try verify(logoutToken())
        #expect(token.issuer == "https://issuer.example/" && token.subject == "user-1" && token.sid == "session-1")
        #expect(token.tokenID == "token-1" && token.issuedAt == now && token.usableUntil == now + 150)
        #expect(try verify(logoutToken(["sub": nil])).subject == nil)
        #expect(try verify(logoutToken(["sid": nil])).sid == nil)
    }

    @Test(.holds("LO-06"), .refuses("LO-06")) func `is what the specification prints, for as long as it is fresh`()
        throws
    {
        let claims = PublishedTokens.logoutClaims
        let header = "{\"alg\":\"ES256\",\"kid\":\"p256-1\",\"typ\":\"logout+jwt\"}"
        let token = TokenMint.sign(header: header, claims: claims, key: .p256, algorithm: .es256)
        let rules = LogoutTokenRules(idTokenRules(issuer: "https://server.example.com", clientID: "s6BhdRkqt3"))
        let verified = try verify(token, rules: rules, at: 1_471_566_154)
        #expect(verified.subject == "248289761001" && verified.sid == "08a5019c-17e1-4977-8f42-65a12843ea02")
        #expect(verified.usableUntil == 1_471_566_154 + 330)
        #expect(refusal(token, rules: rules, at: 1_471_566_154 + 329) == nil)
        #expect(refusal(token, rules: rules, at: 1_471_566_154 + 330) == .claim(.expired(secondsAgo: 30)))
    }

    @Test(
        .refuses("LO-06"),
        arguments: [
            (["iss": nil], .claim(.missing("iss"))),
            (["iss": "\"https://issuer.example\""], .claim(.issuerMismatch("https://issuer.example"))),
            (["iss": "\"http://10.0.0.1\""], .claim(.issuerMismatch("http://10.0.0.1"))),
            (["aud": nil], .claim(.missing("aud"))), (["aud": "\"client-2\""], .claim(.audienceMismatch)),
            (["aud": "[\"client-1\",\"client-2\"]"], .claim(.audienceNotTrusted("client-2"))),
            (["aud": "[]"], .claim(.malformed("aud"))),
            (["iat": nil], .claim(.missing("iat"))), (["iat": "\"\(now)\""], .claim(.malformed("iat"))),
            (["iat": "\(now + 31)"], .claim(.issuedInFuture(secondsLeft: 31))),
            (["exp": nil], .claim(.missing("exp"))), (["exp": "true"], .claim(.malformed("exp"))),
            (["exp": "\(now - 30)"], .claim(.expired(secondsAgo: 30))),
            (["jti": nil], .claim(.missing("jti"))), (["jti": "\"\""], .claim(.malformed("jti"))),
            (["jti": "1"], .claim(.malformed("jti"))),
            (["jti": "\"\(String(repeating: "j", count: 257))\""], .claim(.malformed("jti"))),
            (["sub": nil, "sid": nil], .claim(.missing("sub"))),
            (["sub": "\"\""], .claim(.malformed("sub"))), (["sub": "null"], .claim(.malformed("sub"))),
            (["sub": #""user-1\u0000""#], .claim(.malformed("sub"))),
            (["sid": "\"\"", "sub": nil], .claim(.malformed("sid"))), (["sid": "null"], .claim(.malformed("sid"))),
            (["sid": "[\"session-1\"]"], .claim(.malformed("sid"))),
            (["nonce": "\"n\""], .hasNonce), (["nonce": "null"], .hasNonce), (["nonce": "\"\""], .hasNonce),
            (["events": nil], .noLogoutEvent), (["events": "{}"], .noLogoutEvent),
            (["events": "\"\(event)\""], .noLogoutEvent), (["events": "[\"\(event)\"]"], .noLogoutEvent),
            (["events": "{\"\(event)\":\"\"}"], .noLogoutEvent), (["events": "{\"\(event)\":null}"], .noLogoutEvent),
            (["events": "{\"\(event)\":[]}"], .noLogoutEvent), (["events": "{\"\(event)/\":{}}"], .noLogoutEvent),
            (["events": "{\"\(event.uppercased())\":{}}"], .noLogoutEvent),
        ] as [([String: String?], LogoutTokenRefusal)])
    func `with a claim missing or wrong is refused`(changes: [String: String?], expected: LogoutTokenRefusal) {
        #expect(refusal(logoutToken(changes)) == expected)
    }

    @Test(.refuses("LO-12")) func `of another issuer has nobody read keys, whoever signed it`() {
        let stranger = refusal(logoutToken(["iss": "\"http://10.0.0.1\""], key: .otherP256))
        #expect(stranger == .claim(.issuerMismatch("http://10.0.0.1")) && stranger?.wantsKeysReadAgain == false)
        #expect(refusal(logoutToken(["iss": nil], key: .otherP256)) == .claim(.missing("iss")))
        #expect(refusal(logoutToken(key: .otherP256))?.wantsKeysReadAgain == true)
    }

    @Test(.holds("LO-06")) func `may speak of other events too`() {
        #expect(refusal(logoutToken(["events": "{\"x\":1,\"\(event)\":{\"a\":1}}"])) == nil)
    }

    @Test(.refuses("LO-06")) func `is signed as the issuer's ID tokens are`() throws {
        #expect(refusal(logoutToken(key: .rsa)) == .envelope(.algorithmNotAllowed("RS256")))
        #expect(refusal(logoutToken(key: .otherP256)) == .envelope(.unknownKey(keyID: "p256-2")))
        #expect(refusal(logoutToken(key: .otherP256))?.wantsKeysReadAgain == true)
        let header = "{\"alg\":\"none\",\"typ\":\"logout+jwt\"}"
        let unsigned = TokenMint.signingInput(header: header, payload: Array(object(members).utf8)) + "."
        #expect(refusal(unsigned) == .envelope(.algorithmNotAllowed("none")))
        let bytes = Array(logoutToken().utf8)
        let lacking = #expect(throws: LogoutTokenRefusal.self) {
            try LogoutToken.verify(bytes.span, rules: LogoutTokenRules(idTokenRules()), keys: nil, now: now)
        }
        #expect(lacking?.lacksKeys == true)
    }

    @Test(.holds("LO-06", "OIDC-06"), .refuses("LO-06", "OIDC-06")) func `may have an HMAC where ID tokens do`() {
        let rules = LogoutTokenRules(idTokenRules(signature: .secret(.hs256, clientSecret)))
        let token = TokenMint.authenticate(
            header: "{\"alg\":\"HS256\",\"typ\":\"logout+jwt\"}", claims: object(members),
            secret: clientSecret.reveal(), hash: .sha256)
        #expect(refusal(token, rules: rules) == nil)
        #expect(refusal(token) == .envelope(.algorithmNotAllowed("HS256")))
        #expect(refusal(logoutToken(), rules: rules) == .envelope(.algorithmNotAllowed("ES256")))
        let shared = TokenMint.authenticate(
            header: "{\"alg\":\"HS256\"}", claims: object(members, ["aud": "[\"client-1\",\"client-2\"]"]),
            secret: clientSecret.reveal(), hash: .sha256)
        let trusting = LogoutTokenRules(idTokenRules(trusted: ["client-2"], signature: .secret(.hs256, clientSecret)))
        #expect(refusal(shared, rules: trusting) == .claim(.secretShared))
    }

    @Test(
        .holds("LO-07"), .refuses("LO-07"),
        arguments: [nil, "\"JWT\"", "\"jwt\"", "\"logout+jwt\"", "\"application/logout+jwt\"", "\"Logout+JWT\""])
    func `has its own type, that of every JWT, or none`(type: String?) {
        #expect(refusal(logoutToken(type: type)) == nil)
        let strict = LogoutTokenRules(idTokenRules(), requiresType: true)
        let isOwn = type?.lowercased().contains("logout+jwt") == true
        #expect((refusal(logoutToken(type: type), rules: strict) == nil) == isOwn)
    }

    @Test(
        .refuses("LO-07"), arguments: ["at+jwt", "dpop+jwt", "secevent+jwt", "token-introspection+jwt", "logout", ""])
    func `of any other type is refused`(type: String) {
        let found = refusal(logoutToken(type: "\"\(type)\""))
        #expect(found == .envelope(.typeNotAccepted(type)) && found?.check == "LO-07")
    }

    @Test(.holds("LO-07"), .refuses("LO-07")) func `is good for minutes, whatever it says of its own life`() throws {
        let long = logoutToken(["exp": "\(now + 86_400)"])
        #expect(try verify(long).usableUntil == now + 330)
        #expect(refusal(long, at: now + 329) == nil)
        #expect(refusal(long, at: now + 330) == .claim(.expired(secondsAgo: 30)))
        #expect(
            refusal(logoutToken(["exp": "9007199254740992", "iat": "0"])) == .claim(.expired(secondsAgo: now - 300)))
    }

    @Test(.holds("LO-07"), .refuses("LO-07"))
    func `without exp is good for two minutes where the server is known for it`() throws {
        let token = logoutToken(["exp": nil], type: "\"JWT\"")
        #expect(refusal(token) == .claim(.missing("exp")))
        let rules = LogoutTokenRules(idTokenRules(), acceptsWithoutExpiry: true)
        #expect(try verify(token, rules: rules).usableUntil == now + 150)
        #expect(refusal(token, rules: rules, at: now + 149) == nil)
        #expect(refusal(token, rules: rules, at: now + 150) == .claim(.expired(secondsAgo: 30)))
        #expect(refusal(logoutToken(["exp": "null"]), rules: rules) == .claim(.malformed("exp")))
        #expect(refusal(logoutToken(["exp": "\(now - 30)"]), rules: rules) == .claim(.expired(secondsAgo: 30)))
    }

    @Test(.refuses("LO-06", "JOSE-20")) func `is no ID token of this client, nor one of its access tokens`() {
        #expect(refusal(idToken()) == .hasNonce)
        #expect(refusal(idToken(["nonce": nil])) == .noLogoutEvent)
        #expect(refusal(TokenMint(audience: "client-1").accessToken()) == .envelope(.typeNotAccepted("at+jwt")))
        #expect(refusal(TokenMint(audience: "client-1").accessToken(header: ["typ": nil])) == .noLogoutEvent)
    }

    @Test(.refuses("LO-06")) func `cut anywhere is refused`() {
        let token = logoutToken()
        for cut in everyStart(of: Array(token.utf8)) { #expect(refusal(String(decoding: cut, as: UTF8.self)) != nil) }
    }
}
