import JOSE
import JSON
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private let joseRefusals: [JOSERefusal] = [
    .tooLarge, .headerTooLarge, .notCompact, .encrypted, .notBase64URL, .headerNotJSON(.duplicateMember),
    .headerNotJSON(.tooDeep), .headerNotObject, .claimsNotJSON(.duplicateMember), .claimsNotJSON(.invalidUTF8),
    .claimsNotObject, .algorithmInvalid, .typeInvalid, .keyIDInvalid, .criticalInvalid, .criticalNotUnderstood,
    .algorithmNotAllowed, .unknownKey, .tooManyKeys, .signatureInvalid, .keySetNotJSON(.tooLong), .keySetWithoutKeys,
    .keySetTooLarge,
]

private let refusals: [AccessTokenRefusal] =
    [
        .tooLarge, .encrypted, .typeNotAccepted, .algorithmNotAllowed, .unknownKey, .tooManyKeys,
        .signatureInvalid, .issuerMismatch, .claim(.expired(secondsAgo: 41)), .claim(.notYetValid(secondsLeft: 31)),
        .claim(.issuedInFuture(secondsLeft: 31)), .claim(.missing("exp")), .claim(.missing("sub")),
        .claim(.missing("aud")),
        .claim(.malformed("exp")), .claim(.malformed("aud")), .claim(.malformed("scope")), .looksLikeIDToken,
        .claim(.otherPurpose(claim: "events")), .boundToKey,
    ] + joseRefusals.map { .malformed($0) }

@Suite struct `what a refusal says` {
    @Test(arguments: refusals)
    func `every cause names its row, what was wanted and what was there`(refusal: AccessTokenRefusal) {
        let row = refusal.check.split(separator: "-")
        #expect(row.count == 2 && (row[0] == "RS" || row[0] == "JOSE") && Int(row[1]) != nil)
        #expect(!refusal.expected(by: nil).isEmpty && !refusal.expected(by: rules()).isEmpty)
        #expect(!refusal.found(in: nil).isEmpty)
    }

    @Test func `the operator reads what was wanted and what was there`() throws {
        let bytes = Array(TokenMint().accessToken(header: ["typ": "\"JWT\""]).utf8)
        let token = try UncheckedAccessToken(bytes.span, maximumBytes: 16_384)
        #expect(AccessTokenRefusal.typeNotAccepted.expected(by: rules()) == "typ at+jwt")
        #expect(AccessTokenRefusal.typeNotAccepted.expected(by: legacyRules) == "typ at+jwt or JWT or (absent)")
        #expect(AccessTokenRefusal.typeNotAccepted.found(in: token) == "typ \"JWT\"")
        #expect(
            AccessTokenRefusal.algorithmNotAllowed.expected(by: rules(algorithms: [.rs256, .ps256]))
                == "alg one of RS256 PS256")
        #expect(AccessTokenRefusal.algorithmNotAllowed.found(in: token) == "alg \"ES256\"")
        #expect(AccessTokenRefusal.unknownKey.found(in: token) == "alg \"ES256\" kid \"p256-1\"")
        #expect(AccessTokenRefusal.issuerMismatch.found(in: token) == "iss \"https://issuer.example/\"")
        #expect(AccessTokenRefusal.issuerMismatch.expected(by: rules()) == "iss \"https://issuer.example/\"")
        let expired = AccessTokenRefusal.claim(.expired(secondsAgo: 41))
        #expect(expired.expected(by: rules()) == "exp not more than 30 s ago")
        #expect(expired.found(in: token) == "expired 41 s ago")
        #expect(expired.check == "RS-15")
        #expect(
            AccessTokenRefusal.malformed(.notBase64URL).found(in: nil)
                == "another character, padding, or bits behind the last byte")
        #expect(AccessTokenRefusal.tooLarge.expected(by: rules()) == "at most 16384 bytes")
    }

    @Test(.refuses("JOSE-14", "JOSE-33")) func `a stranger's words are quoted, escaped and cut`() throws {
        let hostile = #""a\nlevel=error \"x\" %0A \u0000 \u00e9""#
        let header = ["typ": hostile, "kid": hostile, "alg": hostile]
        let bytes = Array(TokenMint().accessToken(header: header, claims: ["iss": hostile]).utf8)
        let token = try UncheckedAccessToken(bytes.span, maximumBytes: 16_384)
        for refusal in refusals {
            let found = refusal.found(in: token)
            #expect(found.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
        #expect(
            AccessTokenRefusal.issuerMismatch.found(in: token) == #"iss "a%0Alevel=error %22x%22 %250A %00 %C3%A9""#)
        let long = Array(
            TokenMint().accessToken(claims: ["iss": "\"\(String(repeating: "\\u0001", count: 200))\""]).utf8)
        let longToken = try UncheckedAccessToken(long.span, maximumBytes: 16_384)
        let found = AccessTokenRefusal.issuerMismatch.found(in: longToken)
        #expect(found.utf8.count < 80 && found.hasSuffix("...\""))
    }

    @Test(.refuses("JOSE-33")) func `no text holds the token or who it is about`() throws {
        let text = TokenMint().accessToken(claims: ["sub": #""secret-subject""#, "email": #""someone@example""#])
        let bytes = Array(text.utf8)
        let token = try UncheckedAccessToken(bytes.span, maximumBytes: 16_384)
        let signature = try #require(text.split(separator: ".").last)
        for refusal in refusals {
            let said = [refusal.found(in: token), refusal.expected(by: rules())].joined()
            for secret in ["secret-subject", "someone@example", "token-1", String(signature), "api.example"] {
                #expect(!said.contains(secret))
            }
        }
    }
}
