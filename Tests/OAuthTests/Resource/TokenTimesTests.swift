import OAuth
import TestSupport
import TestTraits
import Testing

@Suite struct `times of a token` {
    @Test(
        .holds("RS-15", "JOSE-28"), .refuses("RS-15", "JOSE-28"),
        arguments: [
            (1, nil), (0, nil), (-29, nil), (-30, .claim(.expired(secondsAgo: 30))),
            (-31, .claim(.expired(secondsAgo: 31))),
            (-86_400, .claim(.expired(secondsAgo: 86_400))),
        ] as [(Int64, AccessTokenRefusal?)])
    func `a token expires thirty seconds after exp`(offset: Int64, expected: AccessTokenRefusal?) {
        #expect(refusal(token(["exp": "\(now + offset)"])) == expected)
    }

    @Test(
        .holds("JOSE-28"), .refuses("JOSE-28"),
        arguments: [(-1, nil), (30, nil), (31, .claim(.notYetValid(secondsLeft: 31)))] as [(Int64, AccessTokenRefusal?)]
    )
    func `a token begins thirty seconds before nbf`(offset: Int64, expected: AccessTokenRefusal?) {
        #expect(refusal(token(["nbf": "\(now + offset)"])) == expected)
    }

    @Test(
        .refuses("JOSE-28"),
        arguments: [(-1, nil), (30, nil), (31, .claim(.issuedInFuture(secondsLeft: 31)))]
            as [(Int64, AccessTokenRefusal?)])
    func `a token issued more than thirty seconds ahead is refused`(
        offset: Int64, expected: AccessTokenRefusal?
    ) {
        #expect(refusal(token(["iat": "\(now + offset)"])) == expected)
    }

    @Test(.holds("JOSE-28"), .refuses("JOSE-28")) func `the leeway is the issuer's, up to 300 seconds`() {
        var rules = rules()
        rules.leewaySeconds = 0
        #expect(refusal(token(["exp": "\(now + 1)"]), rules: rules) == nil)
        #expect(refusal(token(["exp": "\(now)"]), rules: rules) == .claim(.expired(secondsAgo: 0)))
        rules.leewaySeconds = 1_000_000
        #expect(refusal(token(["exp": "\(now - 299)"]), rules: rules) == nil)
        #expect(refusal(token(["exp": "\(now - 300)"]), rules: rules) == .claim(.expired(secondsAgo: 300)))
        rules.leewaySeconds = -5
        #expect(refusal(token(["exp": "\(now)"]), rules: rules) == .claim(.expired(secondsAgo: 0)))
    }

    @Test(.holds("JOSE-27"), .refuses("JOSE-27")) func `fractions count to the strict side`() {
        #expect(refusal(token(["exp": "\(now - 30).5"])) == .claim(.expired(secondsAgo: 30)))
        #expect(refusal(token(["exp": "\(now - 29).5"])) == nil)
        #expect(refusal(token(["nbf": "\(now + 30).5"])) == .claim(.notYetValid(secondsLeft: 31)))
        #expect(refusal(token(["nbf": "\(now + 29).5"])) == nil)
    }

    @Test(.refuses("JOSE-27"), arguments: ["exp", "nbf", "iat"])
    func `what is no date is refused`(claim: String) {
        for value in [#""9999999999""#, "-1", "1e400", "9007199254740994", "null", "true", "[]", "{}"] {
            #expect(refusal(token([claim: value])) == .claim(.malformed(claim)))
        }
    }

    @Test(.holds("JOSE-27"), .refuses("JOSE-27")) func `the last date of all is one`() {
        #expect(refusal(token(["exp": "9007199254740992"])) == nil)
        #expect(refusal(token(["exp": "0"])) == .claim(.expired(secondsAgo: now)))
    }

    @Test(.refuses("RS-15")) func `a token without exp is refused in both profiles`() {
        #expect(refusal(token(["exp": nil])) == .claim(.missing("exp")))
        #expect(refusal(legacyToken(["exp": nil]), rules: legacyRules) == .claim(.missing("exp")))
    }

    @Test func `a token from a cache is asked again for each request`() throws {
        let token = try verify(token(["nbf": "\(now + 10)"]))
        #expect(token.times.refusal(at: now, leewaySeconds: 30) == nil)
        #expect(token.times.refusal(at: now, leewaySeconds: 5) == .claim(.notYetValid(secondsLeft: 10)))
        #expect(token.times.refusal(at: now + 329, leewaySeconds: 30) == nil)
        #expect(token.times.refusal(at: now + 330, leewaySeconds: 30) == .claim(.expired(secondsAgo: 30)))
        #expect(token.times.refusal(at: .max, leewaySeconds: 30) != nil)
        #expect(token.times.refusal(at: .min, leewaySeconds: 30) != nil)
    }
}
