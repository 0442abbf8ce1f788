import JOSE
import JSON
import OAuth
import Refusals
import Testing

private let hostile = "a\nlevel=error \"x\" %0A \0 \u{e9} " + String(repeating: "h", count: 5000)

private let envelopes: [EnvelopeRefusal] =
    [
        .tooLarge, .malformed(.notCompact), .malformed(.claimsNotJSON(.duplicateMember)), .notEncrypted,
        .noDecryptionKey, .typeNotAccepted(hostile), .typeNotAccepted(nil),
        .algorithmNotAllowed(hostile), .keysMissing, .unknownKey(keyID: hostile), .unknownKey(keyID: nil),
        .tooManyKeys, .signatureInvalid, .secretTooShort,
    ]
    + [
        JWERefusal.tooLarge, .headerTooLarge, .notCompact, .notBase64URL, .headerNotJSON(.duplicateMember),
        .headerNotJSON(.tooDeep), .headerNotObject, .parameterInvalid("epk"), .criticalInvalid,
        .criticalNotUnderstood, .compressed, .algorithmNotAllowed(hostile), .encodingNotAllowed(hostile), .unknownKey,
        .tooManyKeys,
        .encryptedKeyInvalid, .notSigned, .nestedTwice,
        .ephemeralKeyInvalid, .notDecrypted, .recipientKeyInvalid, .notEncrypted,
    ].map { .encryption($0) }

private let claims = ["iss", "sub", "aud", "azp", "exp", "iat", "nonce", "at_hash", "acr", "auth_time", "sid", "jti"]

private let idTokenRefusals: [IDTokenRefusal] =
    [
        .missing, .claim(.issuerMismatch(hostile)), .claim(.audienceMismatch), .claim(.audienceNotTrusted(hostile)),
        .authorizedPartyMissing,
        .authorizedPartyMismatch(hostile), .claim(.secretShared), .claim(.otherPurpose(claim: "events")),
        .claim(.expired(secondsAgo: 31)),
        .claim(.notYetValid(secondsLeft: 31)), .claim(.issuedInFuture(secondsLeft: 31)),
        .claim(.issuedTooEarly(secondsAgo: 601)),
        .nonceMismatch, .hashMismatch(claim: "at_hash"), .hashMismatch(claim: "c_hash"),
        .authenticationContext(hostile), .authenticationContext(nil), .authenticatedTooEarly(secondsAgo: 9),
        .authenticatedInFuture(secondsLeft: 9), .changed(claim: "sub"),
    ] + envelopes.map { .envelope($0) } + claims.map { .claim(.missing($0)) } + claims.map { .claim(.malformed($0)) }

private let userInfoRefusals: [UserInfoRefusal] =
    [
        .status(500), .tooLarge, .contentType(hostile), .notJSON(.tooDeep), .notAnObject,
        .claim(.issuerMismatch(hostile)),
        .claim(.audienceMismatch), .claim(.expired(secondsAgo: 1)), .subjectMismatch, .claim(.missing("sub")),
        .claim(.malformed("aud")),
    ] + envelopes.map { .envelope($0) }

private let logoutRefusals: [LogoutTokenRefusal] =
    [
        .contentType(hostile), .contentType(nil), .formMalformed, .missing, .claim(.issuerMismatch(hostile)),
        .claim(.audienceMismatch), .claim(.audienceNotTrusted(hostile)), .claim(.expired(secondsAgo: 1)),
        .claim(.issuedInFuture(secondsLeft: 31)),
        .hasNonce, .noLogoutEvent, .claim(.secretShared),
    ] + envelopes.map { .envelope($0) } + claims.map { .claim(.missing($0)) } + claims.map { .claim(.malformed($0)) }

private func check(row: String, expected: String, found: String) {
    let row = row.split(separator: "-")
    #expect(row.count == 2 && ["OIDC", "JOSE", "RF", "LO", "JAR"].contains(row[0]) && Int(row[1]) != nil)
    for text in [expected, found] {
        #expect(!text.isEmpty && text.utf8.count < 200, "\(text)")
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
    }
}

@Suite struct `what a refusal of OpenID says` {
    @Test(arguments: idTokenRefusals)
    func `every cause about an ID token names its row, what was wanted and what was there`(refusal: IDTokenRefusal) {
        let demand = AuthenticationDemand(acrValues: ["gold"], maximumAge: 60)
        check(
            row: refusal.check, expected: refusal.expected(by: idTokenRules(), demand: demand), found: refusal.found)
        let secret = idTokenRules(signature: .secret(.hs256, clientSecret))
        check(row: refusal.check, expected: refusal.expected(by: secret), found: refusal.found)
        #expect(!refusal.expected(by: secret).contains("secret of thirty"))
    }

    @Test(arguments: userInfoRefusals)
    func `every cause about userinfo names its row, what was wanted and what was there`(refusal: UserInfoRefusal) {
        check(row: refusal.check, expected: refusal.expected(by: idTokenRules()), found: refusal.found)
    }

    @Test(arguments: logoutRefusals)
    func `every cause about a logout token names its row, what was wanted and what was there`(
        refusal: LogoutTokenRefusal
    ) {
        for requiresType in [false, true] {
            let rules = LogoutTokenRules(idTokenRules(), requiresType: requiresType)
            check(row: refusal.check, expected: refusal.expected(by: rules), found: refusal.found)
        }
    }

    @Test func `the operator reads what was wanted and what was there`() {
        let rules = idTokenRules()
        let otherIssuer = IDTokenRefusal.claim(.issuerMismatch("https://x/"))
        #expect(otherIssuer.expected(by: rules) == "iss \"https://issuer.example/\"")
        #expect(otherIssuer.found == "iss \"https://x/\"")
        #expect(IDTokenRefusal.claim(.expired(secondsAgo: 41)).expected(by: rules) == "exp not more than 30 s ago")
        #expect(IDTokenRefusal.claim(.expired(secondsAgo: 41)).found == "expired 41 s ago")
        let algorithms = idTokenRules(signature: .algorithms([.rs256, .ps256]))
        let refusal = IDTokenRefusal.envelope(.algorithmNotAllowed("none"))
        #expect(refusal.expected(by: algorithms) == "alg RS256 or PS256" && refusal.found == "alg \"none\"")
        #expect(refusal.check == "OIDC-05")
        let demand = AuthenticationDemand(acrValues: ["gold", "silver"])
        let context = IDTokenRefusal.authenticationContext("bronze")
        #expect(context.expected(by: rules, demand: demand) == "acr one of \"gold\" \"silver\"")
        #expect(context.found == "acr \"bronze\"")
        let logout = LogoutTokenRefusal.envelope(.typeNotAccepted("at+jwt"))
        #expect(logout.expected(by: LogoutTokenRules(rules)) == "typ logout+jwt or JWT or (absent)")
        #expect(logout.found == "typ \"at+jwt\"" && logout.check == "LO-07")
    }
}
