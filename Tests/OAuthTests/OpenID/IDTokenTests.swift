import Bytes
import Crypto
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `an ID token` {
    @Test(.holds("OIDC-02", "OIDC-03", "OIDC-07", "OIDC-08")) func `says who logged in, to this client, just now`()
        throws
    {
        let token = try verifyIDToken(idToken())
        #expect(token.issuer == "https://issuer.example/" && token.subject == "user-1" && token.sid == "session-1")
        #expect(token.audiences == ["client-1"] && token.nonce == "nonce-1" && token.acr == "silver")
        #expect(token.authTime == now - 60 && token.issuedAt == now && token.expiresAt == now + 300)
        #expect(token.claims["name"]?.string == "Jane Doe")
        #expect("\(token)" == "[ID token of https://issuer.example/]")
        #expect(!String(reflecting: token).contains("user-1"))
    }

    @Test(.refuses("OIDC-01")) func `must be in the token response`() throws {
        #expect(throws: IDTokenRefusal.missing) {
            try IDToken.verify(
                nil, of: IDToken.Login(nonce: "nonce-1"), rules: idTokenRules(), keys: nil, now: now)
        }
    }

    @Test(.holds("OIDC-01"), .refuses("OIDC-01")) func `is taken from the token response when it is there`() {
        #expect(idTokenRefusal(idToken()) == nil)
        #expect(idTokenRefusal("") == .envelope(.malformed(.notCompact)))
    }

    @Test(
        .refuses("OIDC-02"),
        arguments: [
            (["iss": nil], .claim(.missing("iss"))),
            (["iss": "\"https://issuer.example\""], .claim(.issuerMismatch("https://issuer.example"))),
            (["iss": "\"https://ISSUER.example/\""], .claim(.issuerMismatch("https://ISSUER.example/"))),
            (["iss": #""https://issuer.example/\u0000""#], .claim(.issuerMismatch("https://issuer.example/\0"))),
            (["iss": "[\"https://issuer.example/\"]"], .claim(.malformed("iss"))),
            (["iss": "null"], .claim(.malformed("iss"))),
        ] as [([String: String?], IDTokenRefusal)])
    func `of another issuer, even by a slash, is refused`(
        changes: [String: String?], refusal: IDTokenRefusal
    ) {
        #expect(idTokenRefusal(idToken(changes)) == refusal)
    }

    @Test(.refuses("OIDC-02")) func `of an issuer that Unicode alone holds for ours is refused`() {
        let rules = idTokenRules(issuer: "https://issuer.example/caf\u{e9}")
        let spelt = "https://issuer.example/cafe\u{301}"
        #expect(spelt == rules.issuer, "the strings are equal to Swift")
        #expect(idTokenRefusal(idToken(["iss": "\"\(spelt)\""]), rules: rules) == .claim(.issuerMismatch(spelt)))
        #expect(idTokenRefusal(idToken(["iss": "\"\(rules.issuer)\""]), rules: rules) == nil)
    }

    @Test(.refuses("OIDC-02")) func `of another issuer is refused before its key is looked for`() {
        let token = idToken(["iss": "\"https://other.example/\""], key: .otherP256)
        #expect(idTokenRefusal(token) == .claim(.issuerMismatch("https://other.example/")))
    }

    @Test(.holds("OIDC-03"), arguments: ["\"client-1\"", "[\"client-1\"]"])
    func `may name its audience as a string or in an array`(audience: String) {
        #expect(idTokenRefusal(idToken(["aud": audience])) == nil)
    }

    @Test(
        .refuses("OIDC-03"),
        arguments: [
            (["aud": nil], .claim(.missing("aud"))),
            (["aud": "\"client-2\""], .claim(.audienceMismatch)),
            (["aud": "\"CLIENT-1\""], .claim(.audienceMismatch)),
            (["aud": #""client-1\u0000""#], .claim(.audienceMismatch)),
            (["aud": "\"client-1 client-2\""], .claim(.audienceMismatch)),
            (["aud": "[]"], .claim(.malformed("aud"))),
            (["aud": "[\"client-1\",1]"], .claim(.malformed("aud"))),
            (["aud": "[[\"client-1\"]]"], .claim(.malformed("aud"))),
            (["aud": "{\"client-1\":1}"], .claim(.malformed("aud"))),
            (["aud": "[\"client-1\",\"client-2\"]"], .claim(.audienceNotTrusted("client-2"))),
            (["aud": "[\"client-2\",\"client-1\"]", "azp": "\"client-1\""], .claim(.audienceNotTrusted("client-2"))),
            (["aud": "[\"trusted\"]"], .claim(.audienceMismatch)),
        ] as [([String: String?], IDTokenRefusal)])
    func `for somebody else, alone or beside us, is refused`(
        changes: [String: String?], refusal: IDTokenRefusal
    ) {
        #expect(idTokenRefusal(idToken(changes), rules: idTokenRules(trusted: ["trusted"])) == refusal)
    }

    @Test(.refuses("OIDC-03")) func `for more audiences than anybody needs is refused at the first stranger`() {
        let many = "[\"client-1\"," + (0..<4000).map { "\"\($0)\"" }.joined(separator: ",") + "]"
        #expect(idTokenRefusal(idToken(["aud": many])) == .claim(.audienceNotTrusted("0")))
        let tooMany = "[" + [String](repeating: "\"client-1\"", count: 4097).joined(separator: ",") + "]"
        #expect(idTokenRefusal(idToken(["aud": tooMany])) == .envelope(.malformed(.claimsNotJSON(.tooManyElements))))
    }

    @Test(.holds("OIDC-03", "OIDC-04"), .refuses("OIDC-03", "OIDC-04"))
    func `for us and a trusted audience says by azp whose it is`() throws {
        let rules = idTokenRules(trusted: ["trusted"])
        let audiences = "[\"trusted\",\"client-1\"]"
        let token = try verifyIDToken(idToken(["aud": audiences, "azp": "\"client-1\""]), rules: rules)
        #expect(token.audiences == ["trusted", "client-1"])
        #expect(idTokenRefusal(idToken(["aud": audiences]), rules: rules) == .authorizedPartyMissing)
    }

    @Test(
        .refuses("OIDC-04"),
        arguments: [
            ("\"client-2\"", .authorizedPartyMismatch("client-2")), ("1", .claim(.malformed("azp"))),
            ("null", .claim(.malformed("azp"))), ("[\"client-1\"]", .claim(.malformed("azp"))),
        ] as [(String, IDTokenRefusal)])
    func `issued to another client is refused`(party: String, refusal: IDTokenRefusal) {
        #expect(idTokenRefusal(idToken(["azp": party])) == refusal)
        #expect(idTokenRefusal(idToken(["azp": "\"client-1\""])) == nil)
    }

    @Test(.holds("OIDC-07"), .refuses("OIDC-07")) func `holds from iat to exp, with the leeway for clocks that differ`()
    {
        #expect(idTokenRefusal(idToken(["exp": "\(now - 29)"])) == nil)
        #expect(idTokenRefusal(idToken(["exp": "\(now - 30)"])) == .claim(.expired(secondsAgo: 30)))
        #expect(idTokenRefusal(idToken(["exp": "\(now - 31)"])) == .claim(.expired(secondsAgo: 31)))
        #expect(idTokenRefusal(idToken(["iat": "\(now + 30)"])) == nil)
        #expect(idTokenRefusal(idToken(["iat": "\(now + 31)"])) == .claim(.issuedInFuture(secondsLeft: 31)))
        #expect(idTokenRefusal(idToken(["iat": "\(now + 30).5"])) == .claim(.issuedInFuture(secondsLeft: 31)))
        #expect(idTokenRefusal(idToken(["iat": "\(now - 600)"])) == nil)
        #expect(idTokenRefusal(idToken(["iat": "\(now - 601)"])) == .claim(.issuedTooEarly(secondsAgo: 601)))
        #expect(idTokenRefusal(idToken(["nbf": "\(now + 30)"])) == nil)
        #expect(idTokenRefusal(idToken(["nbf": "\(now + 31)"])) == .claim(.notYetValid(secondsLeft: 31)))
    }

    @Test(.holds("OIDC-07"), .refuses("OIDC-07")) func `has a leeway of five minutes at most, and none below nothing`()
    {
        let lenient = idTokenRules(leeway: .max), strict = idTokenRules(leeway: .min)
        #expect(idTokenRefusal(idToken(["exp": "\(now - 299)"]), rules: lenient) == nil)
        #expect(idTokenRefusal(idToken(["exp": "\(now - 300)"]), rules: lenient) == .claim(.expired(secondsAgo: 300)))
        #expect(idTokenRefusal(idToken(["exp": "\(now)"]), rules: strict) == .claim(.expired(secondsAgo: 0)))
    }

    @Test(
        .refuses("OIDC-07", "JOSE-27"),
        arguments: [
            ("exp", nil, .claim(.missing("exp"))), ("iat", nil, .claim(.missing("iat"))),
            ("exp", "\"\(now + 300)\"", .claim(.malformed("exp"))), ("exp", "1e400", .claim(.malformed("exp"))),
            ("exp", "9223372036854775807", .claim(.malformed("exp"))), ("exp", "-1", .claim(.malformed("exp"))),
            ("exp", "null", .claim(.malformed("exp"))), ("iat", "true", .claim(.malformed("iat"))),
            ("iat", "0", .claim(.issuedTooEarly(secondsAgo: now))), ("nbf", "\"0\"", .claim(.malformed("nbf"))),
            ("iat", "9007199254740992", .claim(.issuedInFuture(secondsLeft: 9_007_199_254_740_992 - now))),
            ("exp", "0", .claim(.expired(secondsAgo: now))), ("iat", "9007199254740993.5", .claim(.malformed("iat"))),
        ] as [(String, String?, IDTokenRefusal)])
    func `without good dates is refused`(claim: String, value: String?, refusal: IDTokenRefusal) {
        #expect(idTokenRefusal(idToken([claim: value])) == refusal)
    }

    @Test(.holds("OIDC-07")) func `has dates that read the same however they are spelt`() {
        #expect(idTokenRefusal(idToken(["exp": "1.8000003e9", "iat": "\(now).0"])) == nil)
        #expect(idTokenRefusal(idToken(["exp": "9007199254740992"])) == nil)
    }

    @Test(
        .refuses("OIDC-07"),
        arguments: [
            "\"\"", "1", "null", "[\"user-1\"]", #""us\u0000er""#, #""user\n""#, #""us\u00e9r""#, #""\u007f""#,
            "\"\(String(repeating: "x", count: 256))\"",
        ])
    func `whose sub is no short ASCII string is refused`(subject: String) {
        #expect(idTokenRefusal(idToken(["sub": subject])) == .claim(.malformed("sub")))
        #expect(idTokenRefusal(idToken(["sub": nil])) == .claim(.missing("sub")))
    }

    @Test(.holds("OIDC-07")) func `may have a sub of 255 characters`() throws {
        let subject = String(repeating: "~", count: 255)
        #expect(try verifyIDToken(idToken(["sub": "\"\(subject)\""])).subject == subject)
    }

    @Test(
        .refuses("OIDC-08"),
        arguments: [
            (nil, .claim(.missing("nonce"))), ("\"nonce-2\"", .nonceMismatch), ("\"nonce-1 \"", .nonceMismatch),
            (#""nonce-1\u0000""#, .nonceMismatch), ("\"\"", .nonceMismatch), ("null", .claim(.malformed("nonce"))),
            ("[\"nonce-1\"]", .claim(.malformed("nonce"))),
        ] as [(String?, IDTokenRefusal)])
    func `of another login is refused: its code was put in the place of ours`(
        nonce: String?, refusal: IDTokenRefusal
    ) {
        #expect(idTokenRefusal(idToken(["nonce": nonce])) == refusal)
    }

    @Test(.holds("OIDC-08")) func `may repeat the nonce however JSON spells it`() {
        #expect(idTokenRefusal(idToken(["nonce": #""\u006eonce-1""#])) == nil)
    }

    @Test(.refuses("LO-06"), arguments: ["", "1", "null", "\"\(String(repeating: "x", count: 257))\"", "\"\""])
    func `whose sid could not be kept is refused`(sid: String) {
        #expect(sid.isEmpty || idTokenRefusal(idToken(["sid": sid])) == .claim(.malformed("sid")))
        #expect(idTokenRefusal(idToken(["sid": nil])) == nil)
    }

    @Test(.refuses("JOSE-04")) func `that says a claim twice is refused`() {
        let twice = object(idTokenMembers).dropLast() + ",\"sub\":\"admin\"}"
        let header = "{\"alg\":\"ES256\",\"kid\":\"p256-1\"}"
        let token = TokenMint.sign(header: header, claims: String(twice), key: .p256, algorithm: .es256)
        #expect(idTokenRefusal(token) == .envelope(.malformed(.claimsNotJSON(.duplicateMember))))
        let escaped = object(idTokenMembers).dropLast() + #","\u0073ub":"admin"}"#
        let other = TokenMint.sign(header: header, claims: String(escaped), key: .p256, algorithm: .es256)
        #expect(idTokenRefusal(other) == .envelope(.malformed(.claimsNotJSON(.duplicateMember))))
    }

    @Test(.holds("JOSE-26"), .refuses("JOSE-26")) func `longer than allowed is refused before anything is decoded`() {
        var rules = idTokenRules()
        let token = idToken()
        rules.maximumBytes = token.utf8.count
        #expect(idTokenRefusal(token, rules: rules) == nil)
        rules.maximumBytes -= 1
        #expect(idTokenRefusal(token, rules: rules) == .envelope(.tooLarge))
    }

    @Test(.refuses("OIDC-07")) func `cut or changed anywhere is refused`() {
        let token = idToken()
        for cut in everyStart(of: Array(token.utf8)) {
            #expect(idTokenRefusal(String(decoding: cut, as: UTF8.self)) != nil)
        }
        var bytes = Array(token.utf8)
        for index in bytes.indices {
            let original = bytes[index]
            bytes[index] = original == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(idTokenRefusal(String(decoding: bytes, as: UTF8.self)) != nil)
            bytes[index] = original
        }
    }
}
