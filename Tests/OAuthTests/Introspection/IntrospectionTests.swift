import Bytes
import Crypto
import HTTPMessage
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private func outcome(_ changes: [String: String?] = [:], at time: Int64 = now) throws -> IntrospectionOutcome {
    try introspect(answer(object(activeMembers, changes)), at: time)
}

private func parameters(_ token: String, hint: IntrospectionRequest.Hint = .accessToken) -> [[String]]? {
    let bytes = Array(token.utf8)
    return IntrospectionRequest.parameters(token: bytes.span, hint: hint)?.map { [$0.0, $0.1] }
}

@Suite struct `what is asked about a token` {
    @Test(.holds("INT-01")) func `the token and that it is an access token`() {
        #expect(
            parameters("2YotnFZFEjr1zCsicMWpAA") == [
                ["token", "2YotnFZFEjr1zCsicMWpAA"], ["token_type_hint", "access_token"],
            ])
    }

    @Test(.holds("INT-01")) func `the token alone where the server is not to be told its kind`() {
        #expect(parameters("a~b+c/d==", hint: .none) == [["token", "a~b+c/d=="]])
    }

    @Test(
        .refuses("INT-01", "INT-07"), arguments: ["", "=", "a=b", "a b", "a\r\nb", "a\u{0}", "tök", "a&token=b", "a,b"])
    func `nothing, where the bytes are no token68`(token: String) {
        #expect(parameters(token) == nil)
    }

    @Test(.refuses("INT-01")) func `nothing, where the bytes are no UTF-8`() {
        let bytes: [UInt8] = [0x61, 0xFF]
        #expect(IntrospectionRequest.parameters(token: bytes.span) == nil)
    }

    @Test(.holds("INT-08", "INT-10")) func `a signed answer is asked for by its type, and a plain one by its own`() {
        #expect(IntrospectionRequest.accept(.signed(audience: "a")) == "application/token-introspection+jwt")
        #expect(IntrospectionRequest.accept(.plain) == "application/json")
    }
}

@Suite struct `an answer about a token` {
    @Test(.holds("INT-02", "INT-04")) func `that it is active gives a token with everything it says but active`() throws
    {
        let token = try #require(try outcome().token)
        #expect(token.issuer == "https://issuer.example/")
        #expect(token.subject == "user-1")
        #expect(token.clientID == "client-1")
        #expect(token.tokenID == nil)
        #expect(token.audiences == ["https://api.example/"])
        #expect(token.scopes == ["orders:read", "orders:write"])
        #expect(token.expiresAt == now + 300)
        #expect(token.binding == .none)
        #expect(token.keyThumbprint == nil)
        #expect(token.claims["username"]?.string == "jdoe")
        #expect(token.claims["exp"]?.integer == now + 300)
        #expect(token.claims["active"] == nil)
        #expect(token.claims.count == activeMembers.count - 1)
    }

    @Test(.holds("INT-02"), .refuses("INT-02")) func `that the RFC prints is read as it stands`() throws {
        let text = """
            {"active": true, "client_id": "l238j323ds-23ij4", "username": "jdoe", "scope": "read write dolphin",
             "sub": "Z5O3upPC88QrAjx00dis", "aud": "https://protected.example.net/resource",
             "iss": "https://server.example.com/", "exp": 1419356238, "iat": 1419350238,
             "extension_field": "twenty-seven"}
            """
        let rules = IntrospectionRules(AccessTokenRules(issuer: "https://server.example.com/"))
        let outcome = try introspect(answer(text), rules: rules, at: 1_419_350_300)
        #expect(outcome.token?.scopes == ["read", "write", "dolphin"])
        #expect(outcome.token?.hasAudience("https://protected.example.net/resource") == true)
        #expect(outcome.token?.claims["extension_field"]?.string == "twenty-seven")
        #expect(outcome.believedUntil == 1_419_350_330)
        #expect(
            try introspect(answer(text), rules: rules, at: 1_419_356_268).refusal == .claim(.expired(secondsAgo: 30)))
    }

    @Test(.refuses("INT-03")) func `that it is not active says no more, whatever else is written`() throws {
        #expect(try introspect(answer("{\"active\": false}")).isInactive)
        #expect(try outcome(["active": "false"]).isInactive)
        #expect(try outcome(["active": "false", "exp": "\"x\"", "iss": "1"]).isInactive)
    }

    @Test(.refuses("INT-02"), arguments: [nil, "\"true\"", "1", "null", "[true]", "{}", "\"\"", "0"])
    func `whose active is not the word true is one that it is not`(active: String?) throws {
        #expect(try outcome(["active": active]).isInactive)
    }

    @Test(
        .refuses("INT-04"),
        arguments: [
            (["exp": "\(now - 30)"], .claim(.expired(secondsAgo: 30))),
            (["exp": "\"soon\""], .claim(.malformed("exp"))),
            (["exp": "null"], .claim(.malformed("exp"))),
            (["exp": "-1"], .claim(.malformed("exp"))),
            (["nbf": "\(now + 31)"], .claim(.notYetValid(secondsLeft: 31))),
            (["nbf": "[]"], .claim(.malformed("nbf"))),
            (["iat": "\(now + 31)"], .claim(.issuedInFuture(secondsLeft: 31))),
            (["iat": "true"], .claim(.malformed("iat"))),
            (["iss": "\"https://issuer.example\""], .issuerMismatch),
            (["iss": "\"\""], .claim(.malformed("iss"))),
            (["iss": "null"], .claim(.malformed("iss"))),
            (["aud": "1"], .claim(.malformed("aud"))),
            (["aud": "[\"a\",1]"], .claim(.malformed("aud"))),
            (["aud": "[]"], .claim(.malformed("aud"))),
            (["scope": "[\"a\"]"], .claim(.malformed("scope"))),
            (["sub": "7"], .claim(.malformed("sub"))),
            (["client_id": "{}"], .claim(.malformed("client_id"))),
            (["jti": "\"\""], .claim(.malformed("jti"))),
            (["token_type": "\"refresh_token\""], .claim(.otherPurpose(claim: "token_type"))),
            (["token_type": "\"N_A\""], .claim(.otherPurpose(claim: "token_type"))),
            (["token_type": "\"mac\""], .claim(.otherPurpose(claim: "token_type"))),
            (["token_type": "1"], .claim(.malformed("token_type"))),
            (["token_type": "\"DPoP\""], .boundToKey),
            (["token_use": "\"refresh_token\""], .claim(.otherPurpose(claim: "token_use"))),
            (["token_use": "null"], .claim(.otherPurpose(claim: "token_use"))),
            (["cnf": "null"], .boundToKey),
            (["cnf": "{}"], .boundToKey),
            (["cnf": "{\"kid\":\"x\"}"], .boundToKey),
            (["cnf": "{\"jkt\":\"short\"}"], .boundToKey),
        ] as [([String: String], AccessTokenRefusal)])
    func `that it is active is not enough where another member forbids its use`(
        changes: [String: String], expected: AccessTokenRefusal
    ) throws {
        #expect(try outcome(changes).refusal == expected)
    }

    @Test(
        .holds("INT-04"),
        arguments: [
            ["exp": "\(now - 29)"], ["nbf": "\(now + 30)"], ["iat": "\(now + 30)"], ["token_type": "\"BEARER\""],
            ["token_type": "\"access_token\""], ["token_use": "\"access_token\""], ["token_use": "\"access\""],
        ])
    func `within the leeway, or of a kind by another name, is one of an access token`(
        changes: [String: String]
    ) throws {
        #expect(try outcome(changes).token != nil)
    }

    @Test(.holds("INT-04"), arguments: ["iss", "sub", "client_id", "nbf", "iat", "scope", "token_type", "username"])
    func `may leave out what RFC 7662 lets it leave out`(member: String) throws {
        let token = try #require(try outcome([member: nil]).token)
        #expect(token.issuer == "https://issuer.example/")
        #expect(token.claims[member] == nil)
    }

    @Test(.refuses("INT-04")) func `without aud is of a token for no route at all`() throws {
        let token = try #require(try outcome(["aud": nil]).token)
        #expect(token.audiences == [])
        #expect(!token.hasAudience("https://api.example/"))
        #expect(!token.hasAudience(oneOf: ["", "https://api.example/"]))
    }

    @Test(.holds("INT-06"), .refuses("INT-06")) func `is believed for the time set, and never beyond exp`() throws {
        #expect(try outcome().believedUntil == now + 30)
        #expect(try outcome(["exp": "\(now + 7)"]).believedUntil == now + 7)
        #expect(try outcome(["exp": "\(now + 7).9"]).believedUntil == now + 7)
        #expect(try outcome(["exp": "\(now - 5)"]).believedUntil == now - 5)
    }

    @Test(.holds("INT-06")) func `without exp is believed for the time set and no longer`() throws {
        let outcome = try outcome(["exp": nil])
        #expect(outcome.believedUntil == now + 30)
        #expect(outcome.token?.expiresAt == now + 30)
    }

    @Test(.holds("INT-06"), .refuses("INT-06"), arguments: [(0, 0), (-5, 0), (300, 300), (100_000, 300)])
    func `is believed for 300 seconds at most, and with 0 for its own request only`(
        setting: Int, seconds: Int64
    ) throws {
        let rules = IntrospectionRules(
            AccessTokenRules(issuer: "https://issuer.example/", leewaySeconds: 0), positiveSeconds: setting)
        for changes in [[:], ["exp": nil]] as [[String: String?]] {
            let outcome = try introspect(answer(object(activeMembers, changes)), rules: rules)
            #expect(outcome.token != nil)
            #expect(outcome.believedUntil == now + seconds)
        }
    }

    @Test(.holds("MTLS-03")) func `has the certificate's thumbprint of RFC 8705 as the token's binding`() throws {
        // The RFC's own is an illustration: its last character has bits that no digest of 32 bytes has.
        let thumbprint = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"
        let text = """
            {"active": true, "iss": "https://server.example.com", "sub": "ty.webb@example.com", "exp": 1493726400,
             "nbf": 1493722800, "cnf": {"x5t#S256": "\(thumbprint)"}}
            """
        let rules = IntrospectionRules(AccessTokenRules(issuer: "https://server.example.com"))
        let token = try #require(try introspect(answer(text), rules: rules, at: 1_493_722_900).token)
        let bytes = Array(thumbprint.utf8)
        #expect(token.binding.certificateThumbprint == SHA256Digest(base64URL: bytes.span))
        #expect(token.binding.isBound)
        #expect(token.claims["cnf"]?["x5t#S256"]?.string == thumbprint)
    }

    @Test(
        .refuses("MTLS-03"),
        arguments: [
            "{\"x5t#S256\":\"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg\"}", "{\"x5t#S256\":null}",
            "{\"x5t#S256\":\"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2\"}",
            "{\"x5t#S256\":\"A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0\",\"other\":\"x\"}",
        ])
    func `with a thumbprint that cannot be checked is of no bearer token`(confirmation: String) throws {
        #expect(try outcome(["cnf": confirmation]).refusal == .boundToKey)
    }

    @Test(.holds("INT-04")) func `of a DPoP token has the key's thumbprint as the token's binding`() throws {
        let confirmation = "{\"jkt\":\"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I\"}"
        let token = try outcome(["token_type": "\"DPoP\"", "cnf": confirmation]).token
        #expect(token?.binding.keyThumbprint?.base64URL == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }
}

@Suite struct `an answer that says nothing about the token` {
    @Test(
        .refuses("INT-05"),
        arguments: [
            (401, .credentialsRefused(status: 401)), (403, .credentialsRefused(status: 403)), (400, .status(400)),
            (404, .status(404)), (429, .status(429)), (500, .status(500)), (503, .status(503)), (204, .status(204)),
        ] as [(Int, IntrospectionRefusal)])
    func `has another status, though its body says that it is not active`(
        status: Int, expected: IntrospectionRefusal
    ) {
        #expect(introspectionRefusal(answer("{\"active\":false}", status: status)) == expected)
    }

    @Test(
        .refuses("INT-05"),
        arguments: ["", "{", "{\"active\":false,}", "{\"active\":true,\"active\":false}", "nope", "{\"active\":fals"])
    func `is not strict JSON`(text: String) {
        guard case .notJSON = introspectionRefusal(answer(text)) else {
            Issue.record("\(text) was read")
            return
        }
    }

    @Test(.refuses("INT-05"), arguments: ["[]", "true", "\"active\"", "null"])
    func `is no object`(text: String) {
        #expect(introspectionRefusal(answer(text)) == .notAnObject)
    }

    @Test(.refuses("INT-05"), arguments: ["text/html", "", "application/token-introspection+jwt", "application/jwt"])
    func `has another type than JSON`(type: String) {
        #expect(introspectionRefusal(answer("{\"active\":false}", contentType: type)) == .contentType(type))
    }

    @Test(.refuses("INT-05")) func `is too large`() {
        let text = "{\"active\":false,\"x\":\"" + String(repeating: "x", count: 262_144) + "\"}"
        #expect(introspectionRefusal(answer(text)) == .tooLarge(bytes: text.utf8.count))
    }

    @Test(.holds("INT-05")) func `is none of these for a user with two thousand groups`() {
        let groups = (0..<2000).map { "\"00000000-0000-4000-8000-\(String(100_000_000_000 + $0))\"" }
        let text = "{\"active\":true,\"sub\":\"user-1\",\"groups\":[" + groups.joined(separator: ",") + "]}"
        #expect(text.utf8.count > 64 * 1024)
        #expect(introspectionRefusal(answer(text)) == nil)
    }

    @Test(.holds("INT-05"), arguments: [4096, 4097, 15_000])
    func `has as many groups as its bytes allow`(count: Int) throws {
        let groups = "[" + (0..<count).map { "\"group-\($0)\"" }.joined(separator: ",") + "]"
        let outcome = try introspect(answer(object(activeMembers, ["groups": groups])))
        #expect(outcome.token?.claims["groups"]?.elements.count == count)
    }

    @Test(.refuses("INT-05")) func `is one cut off at any place`() {
        for body in everyStart(of: Array(object(activeMembers).utf8)) {
            let cut = FetchResponse(status: 200, contentType: "application/json", body: body)
            guard case .notJSON = introspectionRefusal(cut) else {
                Issue.record("read after \(body.count) bytes")
                return
            }
        }
    }

    @Test(.refuses("INT-02"))
    func `never traps and never activates a token, whichever bit is flipped in an inactive one`() throws {
        let text = Array(object(activeMembers, ["active": "false"]).utf8)
        for index in text.indices {
            for bit in 0..<8 {
                var flipped = text
                flipped[index] ^= 1 << UInt8(bit)
                let response = FetchResponse(status: 200, contentType: "application/json", body: flipped)
                let outcome = try? introspect(response)
                #expect(outcome?.token == nil)
            }
        }
    }

    @Test(.holds("INT-05")) func `says in a word what was wrong, and no two of our words are the client's fault`() {
        let refusals: [IntrospectionRefusal] = [
            .credentialsRefused(status: 401), .status(500), .tooLarge(bytes: 1), .contentType(""), .notAnObject,
            .malformed(.notCompact), .typeNotAccepted, .algorithmNotAllowed, .unknownKey, .tooManyKeys,
            .signatureInvalid, .keysMissing, .missingClaim("iss"), .issuerMismatch, .audienceMismatch,
            .issuedInFuture(secondsLeft: 1),
        ]
        #expect(Set(refusals.map(\.word)).count == refusals.count)
    }
}
