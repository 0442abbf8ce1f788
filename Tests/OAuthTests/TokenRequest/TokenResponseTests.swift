import Crypto
import HTTPMessage
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

/// RFC 6749 §5.1, and what OpenID Connect adds.
private let members: [String: String] = [
    "access_token": "\"2YotnFZFEjr1zCsicMWpAA\"", "token_type": "\"Bearer\"", "expires_in": "3600",
    "refresh_token": "\"tGzv3JOkF0XG5Qx2TlKWIA\"", "example_parameter": "\"example_value\"",
    "scope": "\"openid orders\"", "id_token": "\"e30.e30.e30\"",
]

private func read(
    _ changes: [String: String?] = [:], expects: TokenResponse.Expectation = .bearer, lenient: Bool = false
) throws(TokenResponseRefusal) -> TokenResponse {
    try TokenResponse.read(answer(object(members, changes)), expects: expects, lenientExpiresIn: lenient)
}

private func refusal(_ response: FetchResponse, expects: TokenResponse.Expectation = .bearer) -> TokenResponseRefusal? {
    do throws(TokenResponseRefusal) {
        _ = try TokenResponse.read(response, expects: expects)
        return nil
    } catch {
        return error
    }
}

private func refusal(_ changes: [String: String?]) -> TokenResponseRefusal? {
    refusal(answer(object(members, changes)))
}

private func text(_ secret: Secret?) -> String? { secret.map { String(decoding: $0.reveal(), as: UTF8.self) } }

@Suite struct `a token response` {
    @Test(.holds("CF-31")) func `has the tokens, and members that nobody knows`() throws {
        let response = try read()
        #expect(text(response.accessToken) == "2YotnFZFEjr1zCsicMWpAA")
        #expect(response.tokenType == .bearer)
        #expect(response.expiresIn == 3600)
        #expect(response.scopes == ["openid", "orders"])
        #expect(text(response.refreshToken) == "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(text(response.idToken) == "e30.e30.e30")
        #expect(!"\(response)".contains("2Yotn"))
    }

    @Test(.holds("CF-31")) func `may have an access token alone, which is good for five minutes then`() throws {
        let response = try TokenResponse.read(
            answer(
                "{\"access_token\":\"a\",\"token_type\":\"bearer\"}", contentType: "Application/JSON; charset=UTF-8"),
            expects: .bearer)
        #expect(response.expiresIn == 300)
        #expect(response.scopes == nil && response.refreshToken == nil && response.idToken == nil)
    }

    @Test(.holds("CF-31"), arguments: ["Bearer", "bearer", "BEARER"])
    func `is of its kind in any case`(type: String) throws {
        #expect(try read(["token_type": "\"\(type)\""]).tokenType == .bearer)
    }

    @Test(
        .refuses("CF-31"),
        arguments: [
            (["access_token": nil], .missingMember("access_token")),
            (["access_token": "7"], .memberMalformed("access_token")),
            (["access_token": "\"\""], .memberMalformed("access_token")),
            (["access_token": "\"a b\""], .memberMalformed("access_token")),
            (["access_token": "\"a\\r\\nSet-Cookie: x\""], .memberMalformed("access_token")),
            (["access_token": "\"\u{FC}\""], .memberMalformed("access_token")),
            (["access_token": "\"a,b\""], .memberMalformed("access_token")),
            (["token_type": nil], .missingMember("token_type")),
            (["token_type": "null"], .memberMalformed("token_type")),
            (["token_type": "\"mac\""], .tokenTypeWrong(found: "mac")),
            (["token_type": "\"N_A\""], .tokenTypeWrong(found: "N_A")),
            (["token_type": "\"\""], .tokenTypeWrong(found: "")),
            (["token_type": "\"Bearer \""], .tokenTypeWrong(found: "Bearer ")),
            (["expires_in": "\"3600\""], .memberMalformed("expires_in")),
            (["expires_in": "-1"], .memberMalformed("expires_in")),
            (["expires_in": "1.5"], .memberMalformed("expires_in")),
            (["expires_in": "315360001"], .memberMalformed("expires_in")),
            (["expires_in": "9223372036854775807"], .memberMalformed("expires_in")),
            (["expires_in": "1e300"], .memberMalformed("expires_in")),
            (["expires_in": "true"], .memberMalformed("expires_in")),
            (["refresh_token": "\"\""], .memberMalformed("refresh_token")),
            (["refresh_token": "[]"], .memberMalformed("refresh_token")),
            (["refresh_token": "\"a\\nb\""], .memberMalformed("refresh_token")),
            (["id_token": "{}"], .memberMalformed("id_token")), (["id_token": "\"a b\""], .memberMalformed("id_token")),
            (["scope": "[\"openid\"]"], .memberMalformed("scope")), (["scope": "\"a\\tb\""], .memberMalformed("scope")),
            (["scope": "\"a\\\"b\""], .memberMalformed("scope")),
        ] as [([String: String?], TokenResponseRefusal)])
    func `with another member is refused`(changes: [String: String?], expected: TokenResponseRefusal) {
        #expect(refusal(changes) == expected)
    }

    @Test(.holds("CF-31"), .refuses("CF-31")) func `has tokens of bounded length`() throws {
        func string(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }
        for (name, limit) in [("access_token", 16_384), ("refresh_token", 8192), ("id_token", 65_536)] {
            #expect(refusal([name: string(limit)]) == nil)
            #expect(refusal([name: string(limit + 1)]) == .memberMalformed(name))
        }
        let large = [UInt8](repeating: 0x20, count: 131_073)
        #expect(
            refusal(FetchResponse(status: 200, contentType: "application/json", body: large))
                == .tooLarge(bytes: 131_073))
    }

    @Test(.holds("CF-31"), .refuses("CF-31"))
    func `may have a lifetime of digits in a string, where that was configured`() throws {
        #expect(try read(["expires_in": "\"3600\""], lenient: true).expiresIn == 3600)
        #expect(try read(["expires_in": "60"], lenient: true).expiresIn == 60)
        #expect(try read(["expires_in": "0"]).expiresIn == 0)
        #expect(try read(["expires_in": "315360000"]).expiresIn == 315_360_000)
        for text in ["", "-1", "+1", "1.0", " 1", "0x10", "1e3", "99999999999", "9999999999", "\u{0661}"] {
            #expect(throws: TokenResponseRefusal.memberMalformed("expires_in")) {
                try read(["expires_in": "\"\(text)\""], lenient: true)
            }
        }
    }

    @Test(.refuses("CF-31")) func `has no member twice`() {
        for name in ["access_token", "token_type", "expires_in", "\\u0061ccess_token", "unknown"] {
            let body = object(members, ["unknown": "1"]).dropLast() + ",\"\(name)\":\"Bearer\"}"
            guard case .notJSON = refusal(answer(String(body))) else {
                Issue.record("one of two \(name) was chosen")
                return
            }
        }
    }

    @Test(.refuses("CF-31")) func `is JSON that says so`() {
        #expect(refusal(answer("<html>", contentType: "text/html")) == .contentType("text/html"))
        #expect(refusal(answer(object(members), contentType: nil)) == .contentType(""))
        #expect(refusal(answer(object(members), contentType: "text/plain")) == .contentType("text/plain"))
        #expect(refusal(answer("[]")) == .notAnObject)
        guard case .notJSON = refusal(answer("access_token=a&token_type=bearer")) else {
            Issue.record("a form was read as JSON")
            return
        }
    }

    @Test(.refuses("CF-31"), arguments: [201, 202, 204, 299])
    func `is a 200, and no other success`(status: Int) {
        #expect(refusal(answer(object(members), status: status)) == .status(status))
    }

    @Test(.holds("DPOP-42")) func `is bound to the key when that was asked for`() throws {
        #expect(try read(["token_type": "\"dpop\""], expects: .dpop).tokenType == .dpop)
        #expect(try read(["token_type": "\"DPoP\""], expects: .either).tokenType == .dpop)
        #expect(try read(expects: .either).tokenType == .bearer)
    }

    @Test(.refuses("DPOP-42")) func `is thrown away when it is not what was asked for`() {
        #expect(refusal(answer(object(members)), expects: .dpop) == .tokenTypeWrong(found: "Bearer"))
        #expect(refusal(["token_type": "\"DPoP\""]) == .tokenTypeWrong(found: "DPoP"))
        #expect(
            refusal(answer(object(members, ["token_type": "\"mac\""])), expects: .either)
                == .tokenTypeWrong(found: "mac"))
    }

    @Test(.holds("CF-33"), .refuses("CF-33")) func `has an access token that nobody looks into`() throws {
        let plain = try read(["id_token": nil])
        let claims = "{\"role\":\"admin\",\"scope\":\"orders:write\",\"exp\":1}"
        let jwt = TokenMint.sign(
            header: "{\"alg\":\"ES256\",\"typ\":\"at+jwt\"}", claims: claims, key: .p256, algorithm: .es256)
        let looksLikeOne = try read(["id_token": nil, "access_token": "\"\(jwt)\""])
        #expect(text(looksLikeOne.accessToken) == jwt)
        #expect(looksLikeOne.scopes == plain.scopes)
        #expect(looksLikeOne.expiresIn == plain.expiresIn)
        #expect(GrantedScopes(looksLikeOne, requested: ["openid"]).scopes == ["openid", "orders"])
    }

    @Test(.refuses("CF-31")) func `is read from a body cut or changed anywhere`() {
        let body = Array(object(members).utf8)
        for count in body.indices {
            let cut = FetchResponse(status: 200, contentType: "application/json", body: Array(body[..<count]))
            #expect(refusal(cut) != nil)
            for bit in 0..<8 {
                var changed = body
                changed[count] ^= 1 << bit
                let response = FetchResponse(status: 200, contentType: "application/json", body: changed)
                guard let found = try? TokenResponse.read(response, expects: .either) else { continue }
                #expect(found.accessToken.reveal().allSatisfy { $0 > 0x20 && $0 < 0x7F })
                #expect((0...315_360_000).contains(found.expiresIn))
            }
        }
    }
}

@Suite struct `granted scopes` {
    @Test(.holds("CF-32")) func `are what the server says, or else what was asked for`() throws {
        #expect(GrantedScopes(try read(), requested: ["openid"]).scopes == ["openid", "orders"])
        #expect(GrantedScopes(try read(["scope": nil]), requested: ["openid", "x"]).scopes == ["openid", "x"])
        #expect(GrantedScopes(try read(["scope": "\"a  a b a \""]), requested: []).scopes == ["a", "b"])
        #expect(GrantedScopes(try read(), requested: []).missing(of: ["orders", "openid"]).isEmpty)
    }

    @Test(.refuses("CF-32")) func `may be fewer than a route needs, and that is seen`() throws {
        let granted = GrantedScopes(try read(["scope": "\"openid\""]), requested: ["openid", "orders"])
        #expect(granted.missing(of: ["openid", "orders"]) == ["orders"])
        #expect(GrantedScopes(try read(["scope": "\"\""]), requested: ["openid"]).missing(of: ["openid"]) == ["openid"])
        #expect(granted.missing(of: ["Openid"]) == ["Openid"])
    }

    @Test(.holds("RF-04")) func `stay as they were when a refresh says nothing of them`() throws {
        let granted = GrantedScopes(try read(["scope": nil]), refreshing: ["openid", "orders"])
        #expect(granted.scopes == ["openid", "orders"])
        #expect(granted.ignored.isEmpty)
        #expect(
            GrantedScopes(try read(["scope": "\"openid\""]), refreshing: ["openid", "orders"]).scopes == ["openid"])
    }

    @Test(.refuses("RF-04")) func `never become more by a refresh`() throws {
        let wider = try read(["scope": "\"openid admin orders cafe\""])
        let granted = GrantedScopes(wider, refreshing: ["openid", "orders"])
        #expect(granted.scopes == ["openid", "orders"])
        #expect(granted.ignored == ["admin", "cafe"])
        #expect(GrantedScopes(wider, refreshing: []).scopes.isEmpty)
    }
}

@Suite struct `a refresh token` {
    @Test(.holds("RF-03")) func `is replaced by the new one, five times in a row`() throws {
        var last = Secret(Array("r0".utf8))
        for round in 1...5 { last = try read(["refresh_token": "\"r\(round)\""]).refreshToken(after: last) }
        #expect(text(last) == "r5")
    }

    @Test(.holds("RF-03"), .refuses("RF-03")) func `stays when there is no new one, and a bad one is no answer at all`()
        throws
    {
        let last = Secret(Array("r0".utf8))
        #expect(text(try read(["refresh_token": nil]).refreshToken(after: last)) == "r0")
        #expect(refusal(["refresh_token": "null"]) == .memberMalformed("refresh_token"))
    }
}
