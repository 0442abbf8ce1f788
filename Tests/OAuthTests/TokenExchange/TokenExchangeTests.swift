import Crypto
import HTTPMessage
import OAuth
import TestSupport
import TestTraits
import Testing

private let members: [String: String] = [
    "access_token": "\"eyJhbGciOi.J9~x+y/z==\"", "token_type": "\"Bearer\"", "expires_in": "60",
    "issued_token_type": "\"urn:ietf:params:oauth:token-type:access_token\"", "scope": "\"api\"",
]

private func read(
    _ response: FetchResponse, subjectExpiresAt: Int64 = now + 3600
) throws(ExchangeRefusal) -> ExchangeOutcome {
    try ExchangeResponse.read(response, subjectExpiresAt: subjectExpiresAt, now: now)
}

private func exchanged(
    _ changes: [String: String?] = [:], subjectExpiresAt: Int64 = now + 3600
) throws -> ExchangedToken? {
    if case .token(let token) = try read(answer(object(members, changes)), subjectExpiresAt: subjectExpiresAt) {
        token
    } else {
        nil
    }
}

private func refusal(_ response: FetchResponse) -> ExchangeRefusal? {
    do throws(ExchangeRefusal) {
        _ = try read(response)
        return nil
    } catch {
        return error
    }
}

@Suite struct `the request for another token` {
    @Test(.holds("TX-01")) func `has the members of RFC 8693 Figure 2`() {
        let subject = Array("accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC".utf8)
        let request = ExchangeRequest(resource: ["https://backend.example.com/api"])
        #expect(
            request.parameters(subjectToken: subject.span)?.map { "\($0.0)=\($0.1)" } == [
                "grant_type=urn:ietf:params:oauth:grant-type:token-exchange",
                "resource=https://backend.example.com/api",
                "subject_token=accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC",
                "subject_token_type=urn:ietf:params:oauth:token-type:access_token",
            ])
    }

    @Test(.holds("TX-01")) func `names every service and the scopes in one parameter`() {
        let request = ExchangeRequest(
            audience: ["orders", "stock"], resource: ["https://a.example/", "https://b.example/"],
            scopes: ["read", "write"])
        let subject = Array("t".utf8)
        let parameters = request.parameters(subjectToken: subject.span)?.map { "\($0.0)=\($0.1)" } ?? []
        #expect(
            parameters.dropFirst() == [
                "resource=https://a.example/", "resource=https://b.example/", "audience=orders", "audience=stock",
                "scope=read write", "subject_token=t",
                "subject_token_type=urn:ietf:params:oauth:token-type:access_token",
            ])
    }

    @Test(.refuses("TX-01")) func `cannot be given a parameter by a token, nor by a setting`() throws {
        let subject = Array("t".utf8)
        let request = ExchangeRequest(audience: ["a&subject_token=x"])
        let credentials = try ClientCredentials(
            clientID: "gateway", method: .secretPost(Secret(Array("hush".utf8))))
        let parameters = request.parameters(subjectToken: subject.span) ?? []
        let form = try credentials.authenticate(
            parameters, issuer: "https://issuer.example/",
            endpoint: "https://issuer.example/token", now: now, randomness: [UInt8](repeating: 1, count: 16))
        let body = String(decoding: form.body, as: UTF8.self)
        #expect(body.contains("audience=a%26subject_token%3Dx&"))
        #expect(body.split(separator: "&").count { $0.hasPrefix("subject_token=") } == 1)
        for token in ["a&x=y", "a=b", "", "a b", "a\r\nx", "tök"] {
            let bytes = Array(token.utf8)
            #expect(request.parameters(subjectToken: bytes.span) == nil)
        }
    }
}

@Suite struct `the answer with another token` {
    @Test(.holds("TX-02")) func `has a token, of which the server says what it is`() throws {
        let token = try #require(try exchanged())
        #expect(token.token.reveal() == Array("eyJhbGciOi.J9~x+y/z==".utf8))
        #expect("\(token)".contains("eyJ") == false)
        let jwt = try exchanged([
            "issued_token_type": "\"urn:ietf:params:oauth:token-type:jwt\"", "token_type": "\"bEARER\"",
        ])
        #expect(jwt != nil)
    }

    @Test(
        .refuses("TX-02"),
        arguments: [
            (["issued_token_type": nil], .missingMember("issued_token_type")),
            (["issued_token_type": "1"], .memberMalformed("issued_token_type")),
            (
                ["issued_token_type": "\"urn:ietf:params:oauth:token-type:refresh_token\""], .issuedTypeNotAccepted
            ),
            (["issued_token_type": "\"urn:ietf:params:oauth:token-type:saml2\""], .issuedTypeNotAccepted),
            (["token_type": nil], .missingMember("token_type")), (["token_type": "[]"], .memberMalformed("token_type")),
            (["token_type": "\"N_A\""], .tokenTypeNotUsable), (["token_type": "\"DPoP\""], .tokenTypeNotUsable),
            (["access_token": nil], .missingMember("access_token")),
            (["access_token": "null"], .memberMalformed("access_token")),
            (["access_token": "\"\""], .memberMalformed("access_token")),
            (["access_token": "\"a b\""], .memberMalformed("access_token")),
            (["access_token": "\"a\\r\\nX-Admin: 1\""], .memberMalformed("access_token")),
            (["access_token": "\"a\\u0000\""], .memberMalformed("access_token")),
            (["access_token": "\"t\u{F6}k\""], .memberMalformed("access_token")),
            (["expires_in": "\"60\""], .memberMalformed("expires_in")),
            (["expires_in": "-1"], .memberMalformed("expires_in")),
            (["expires_in": "0.5"], .memberMalformed("expires_in")),
            (["expires_in": "9223372036854775807"], .memberMalformed("expires_in")),
        ] as [([String: String?], ExchangeRefusal)])
    func `with another member has no token that could be used`(
        changes: [String: String?], expected: ExchangeRefusal
    ) {
        #expect(refusal(answer(object(members, changes))) == expected)
    }

    @Test(.holds("TX-04"), .refuses("TX-04"))
    func `is good until 30 seconds before its end, and no longer than the token it stands for`()
        throws
    {
        #expect(try exchanged()?.expiresAt == now + 30)
        #expect(try exchanged(["expires_in": "3600"])?.expiresAt == now + 3570)
        #expect(try exchanged(["expires_in": "3600"], subjectExpiresAt: now + 100)?.expiresAt == now + 100)
        #expect(try exchanged(["expires_in": nil])?.expiresAt == now + 30)
        #expect(try exchanged(["expires_in": "10"])?.expiresAt == now - 20)
    }

    @Test(
        .holds("TX-03"),
        arguments: [("invalid_request", 400), ("invalid_grant", 400), ("invalid_grant", 403), ("invalid_grant", 401)])
    func `that the subject token is not taken is about that token`(code: String, status: Int) throws {
        guard case .invalidSubject = try read(answer("{\"error\":\"\(code)\"}", status: status)) else {
            Issue.record("\(code) was something else")
            return
        }
    }

    @Test(.holds("TX-03"), arguments: [400, 403])
    func `that the target is unknown is about the settings`(status: Int) throws {
        guard case .invalidTarget = try read(answer("{\"error\":\"invalid_target\"}", status: status)) else {
            Issue.record("invalid_target was something else")
            return
        }
    }

    @Test(
        .refuses("TX-03", "TX-04"),
        arguments: [
            ("{\"error\":\"invalid_client\"}", 401, .credentialsRefused(status: 401)),
            ("{\"error\":\"invalid_client\"}", 400, .credentialsRefused(status: 400)),
            ("", 401, .credentialsRefused(status: 401)), ("", 403, .credentialsRefused(status: 403)),
            ("{\"error\":\"invalid_request\"}", 403, .credentialsRefused(status: 403)),
            ("{\"error\":\"unauthorized_client\"}", 400, .error("unauthorized_client")),
            ("{\"error\":\"temporarily_unavailable\"}", 400, .error("temporarily_unavailable")),
            ("{\"error\":\"invalid_grant\"}", 500, .status(500)), ("{\"error\":\"invalid_grant\"}", 302, .status(302)),
            ("{\"error\":7}", 400, .status(400)), ("{\"error\":\"a\\nb\"}", 400, .status(400)),
            ("oops", 400, .status(400)),
            ("{\"error\":\"invalid_grant\",\"error\":\"x\"}", 400, .status(400)), ("", 503, .status(503)),
        ] as [(String, Int, ExchangeRefusal)])
    func `with any other error says nothing about the token`(
        body: String, status: Int, expected: ExchangeRefusal
    ) {
        #expect(refusal(answer(body, status: status)) == expected)
    }

    @Test(.refuses("TX-04")) func `that is no JSON object of bearable size has no token`() {
        #expect(refusal(answer(object(members), contentType: "text/html")) == .contentType("text/html"))
        #expect(refusal(answer("[]")) == .notAnObject)
        let large = object(members, ["x": "\"" + String(repeating: "x", count: 65_536) + "\""])
        #expect(refusal(answer(large)) == .tooLarge(bytes: large.utf8.count))
        for body in everyStart(of: Array(object(members).utf8)) {
            let cut = FetchResponse(status: 200, contentType: "application/json", body: body)
            guard case .notJSON = refusal(cut) else {
                Issue.record("read after \(body.count) bytes")
                return
            }
        }
    }

    @Test(.refuses("TX-02")) func `never traps, whichever bit is flipped`() {
        let text = Array(object(members).utf8)
        for index in text.indices {
            for bit in 0..<8 {
                var flipped = text
                flipped[index] ^= 1 << UInt8(bit)
                let response = FetchResponse(status: 200, contentType: "application/json", body: flipped)
                guard case .token(let token)? = try? read(response) else { continue }
                #expect(token.token.reveal().allSatisfy { $0 > 0x20 && $0 < 0x7F })
            }
        }
    }

    @Test(.holds("TX-02")) func `each cause of failure has a word, and credentials have introspection's`() {
        let refusals: [ExchangeRefusal] = [
            .credentialsRefused(status: 401), .error("x"), .status(500), .tooLarge(bytes: 1), .contentType(""),
            .notAnObject, .missingMember("x"), .issuedTypeNotAccepted,
        ]
        #expect(Set(refusals.map(\.word)).count == refusals.count)
        #expect(refusals[0].word == IntrospectionRefusal.credentialsRefused(status: 403).word)
    }
}
