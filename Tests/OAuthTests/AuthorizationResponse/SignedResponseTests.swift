import Crypto
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private let signed = Returning(isSigned: true)

private func refusal(
    _ claims: [String: String?] = [:], header: [String: String?] = [:], signedBy: SigningKey? = nil
) -> AuthorizationResponseRefusal? {
    signed.refusal("response=" + signedResponse(claims, header: header, signedBy: signedBy))
}

@Suite struct `a signed authorization response` {
    @Test(.holds("CF-28")) func `has the shape of JARM 2 3 1`() throws {
        let form = "response=" + signedResponse()
        #expect(try signed.code(form) == "PyyFaux2o7Q0YfXBU32jhw.5FXSQpvr8akv9CeRDSd0QA")
        #expect(
            try signed.open(Array(form.utf8)).state == "S8NJ7uqk5fY4EjNvP_G_FtyJu6pUsvH9jsYni9dMAJw")
        let error = "response=" + signedResponse(["code": nil, "error": "\"access_denied\""])
        #expect(try signed.error(error)?.meaning == .accessDenied)
        let typed = "response=" + signedResponse(["aud": "[\"s6BhdRkqt3\"]"], header: ["typ": "\"JWT\""])
        #expect(try signed.code(typed) != nil)
    }

    @Test(.refuses("CF-28")) func `A plain response in its place is refused`() {
        #expect(signed.refusal("code=c&state=s&iss=https://honest.as.example") == .notSigned)
        #expect(signed.refusal("error=access_denied&state=s&iss=https://honest.as.example") == .notSigned)
        #expect(signed.refusal("") == .notSigned)
    }

    @Test(.holds("CF-28"), .refuses("CF-28")) func `is what counts, and nothing beside it`() throws {
        let beside = "&code=evil&state=evil&iss=https://evil.example&error=access_denied&code=again"
        let form = "response=" + signedResponse() + beside
        #expect(try signed.code(form) == "PyyFaux2o7Q0YfXBU32jhw.5FXSQpvr8akv9CeRDSd0QA")
        #expect(try signed.open(Array(form.utf8)).state != "evil")
        let bare = "response=" + signedResponse(["code": nil]) + "&code=evil"
        #expect(signed.refusal(bare) == .missing("code"))
        #expect(signed.refusal("response=" + signedResponse(["state": nil]) + "&state=s") == .missing("state"))
    }

    @Test(.refuses("CF-28")) func `is there once`() {
        let form = "response=" + signedResponse()
        #expect(signed.refusal(form + "&" + form) == .repeated("response"))
    }

    @Test(.refuses("CF-28")) func `is judged by issuer, audience, end and signature, in that order`() {
        var changes: [String: String?] = [
            "iss": "\"https://evil.example\"", "aud": "\"other\"", "exp": "\(now - 600)", "code": "7",
        ]
        let other = SigningKey.otherP256
        #expect(refusal(changes, signedBy: other) == .claim(.issuerMismatch("https://evil.example")))
        changes["iss"] = responseClaims["iss"]
        #expect(refusal(changes, signedBy: other) == .claim(.audienceMismatch))
        changes["aud"] = responseClaims["aud"]
        #expect(refusal(changes, signedBy: other) == .claim(.expired(secondsAgo: 600)))
        changes["exp"] = responseClaims["exp"]
        #expect(refusal(changes, signedBy: other) == .envelope(.signatureInvalid))
        #expect(refusal(changes) == .malformed("code"))
    }

    @Test(
        .refuses("CF-28"),
        arguments: [
            (["iss": nil], .claim(.missing("iss"))), (["iss": "7"], .claim(.malformed("iss"))),
            (["iss": "\"https://honest.as.example/\""], .claim(.issuerMismatch("https://honest.as.example/"))),
            (["aud": nil], .claim(.missing("aud"))), (["aud": "[]"], .claim(.audienceMismatch)),
            (["aud": "[\"s6BhdRkqt3\",\"other\"]"], .claim(.audienceMismatch)),
            (["aud": "\"s6bhdRkqt3\""], .claim(.audienceMismatch)),
            (["aud": "{}"], .claim(.audienceMismatch)), (["exp": nil], .claim(.missing("exp"))),
            (["exp": "\"\(now + 600)\""], .claim(.malformed("exp"))), (["exp": "1e400"], .claim(.malformed("exp"))),
            (["exp": "-1"], .claim(.malformed("exp"))), (["exp": "\(now - 30)"], .claim(.expired(secondsAgo: 30))),
            (["code": nil], .missing("code")), (["code": "null"], .malformed("code")),
            (["code": "\"a\\r\\nb\""], .malformed("code")), (["code": "\"\""], .malformed("code")),
            (["error": "\"access_denied\""], .codeAndError), (["state": "1"], .missing("state")),
            (["state": "\"\\u0000\""], .malformed("state")), (["access_token": "\"x\""], .tokensInResponse),
            (["id_token": "null"], .tokensInResponse),
        ] as [([String: String?], AuthorizationResponseRefusal)])
    func `with other claims is refused`(changes: [String: String?], expected: AuthorizationResponseRefusal) {
        #expect(refusal(changes) == expected)
    }

    @Test(.holds("CF-28"), .refuses("CF-28")) func `ends at exp, but for the difference of clocks`() {
        #expect(refusal(["exp": "\(now - 29)"]) == nil)
        var strict = signed
        strict.rules.leewaySeconds = 0
        #expect(strict.refusal("response=" + signedResponse(["exp": "\(now)"])) == .claim(.expired(secondsAgo: 0)))
        #expect(strict.refusal("response=" + signedResponse(["exp": "\(now + 1)"])) == nil)
        strict.rules.leewaySeconds = 1_000_000
        #expect(
            strict.refusal("response=" + signedResponse(["exp": "\(now - 301)"])) == .claim(.expired(secondsAgo: 301)))
    }

    @Test(.refuses("CF-28")) func `is signed by an algorithm that was agreed on, and never by none`() {
        #expect(
            refusal(header: ["alg": "\"none\""]) == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("none")))
        #expect(
            refusal(header: ["alg": "\"RS256\""])
                == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("RS256")))
        #expect(
            refusal(header: ["alg": "\"HS256\""])
                == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("HS256")))
        let header = object(["alg": "\"none\""]), claims = object(responseClaims)
        let bare = TokenMint.signingInput(header: header, payload: Array(claims.utf8)) + "."
        #expect(
            signed.refusal("response=" + bare) == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("none")))
        // The operator is told what was wanted and what came, and which key of the configuration says so.
        let told = AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("RS\"256\n"))
        #expect(told.expected(by: signed.rules) == "alg ES256 or PS256 (response.algorithm)")
        #expect(told.found == "alg \"RS%22256%0A\"")
    }

    @Test(
        .refuses("CF-28"),
        arguments: [
            "at+jwt", "dpop+jwt", "logout+jwt", "oauth-authz-req+jwt", "token-introspection+jwt", "application/at+jwt",
        ])
    func `is no JWT that was signed for something else`(type: String) {
        let found: AuthorizationResponseRefusal? = refusal(header: ["typ": "\"\(type)\""])
        #expect(found == .envelope(.typeNotAccepted(type)))
        #expect(found?.found == "typ \"\(type)\"" && found?.check == "CF-28")
    }

    @Test(.holds("CF-28"), .refuses("CF-28")) func `is encrypted where that was agreed on, whoever signed it`() throws {
        let key = try DecryptionJWK(pem: Secret(Array(SigningKey.otherP256.pem().utf8)), algorithm: "ECDH-ES+A256KW")
        let plain = signedResponse()
        let sealed = try CompactJWE.encrypt(
            plain.utf8Span.span, to: key.published, algorithm: key.algorithm, encoding: "A256GCM", contentType: "JWT")
        var returning = signed
        returning.decryption = [key]
        #expect(returning.refusal("response=" + plain) == nil)
        returning.rules.mustBeEncrypted = true
        #expect(returning.refusal("response=" + plain) == .envelope(.notEncrypted))
        #expect(returning.refusal("response=" + String(decoding: sealed, as: UTF8.self)) == nil)
        #expect(AuthorizationResponseRefusal.envelope(.notEncrypted).kind == .notSigned)
        #expect(AuthorizationResponseRefusal.envelope(.notEncrypted).check == "CF-28")
    }

    @Test(.refuses("CF-28")) func `waits for keys that are not at hand`() {
        let form = "response=" + signedResponse()
        var returning = signed
        returning.keys = nil
        #expect(returning.refusal(form) == .envelope(.keysMissing))
        returning.keys = [.otherP256]
        #expect(returning.refusal(form) == .envelope(.unknownKey(keyID: "p256-1")))
        for refusal in [AuthorizationResponseRefusal.envelope(.keysMissing), .envelope(.unknownKey(keyID: nil))] {
            #expect(refusal.kind == .keysUnavailable)
        }
        // An algorithm that nobody agreed on is no reason to fetch keys.
        returning.keys = nil
        #expect(
            returning.refusal("response=" + signedResponse(header: ["alg": "\"none\""]))
                == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("none")))
    }

    @Test(.holds("CF-28"), .refuses("CF-28")) func `may have the client's secret for a key, and then no other`() throws
    {
        let secret = Array("0123456789abcdef0123456789abcdef".utf8)
        var returning = signed
        returning.rules.signature = .secret(.hs256, Secret(secret))
        func response(_ algorithm: String, _ secret: [UInt8]) -> String {
            "response="
                + TokenMint.authenticate(
                    header: object(["alg": "\"\(algorithm)\""]), claims: object(responseClaims), secret: secret,
                    hash: .sha256)
        }
        #expect(try returning.code(response("HS256", secret)) != nil)
        #expect(returning.refusal(response("HS256", secret.reversed())) == .envelope(.signatureInvalid))
        #expect(
            returning.refusal(response("HS384", secret))
                == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("HS384")))
        #expect(
            returning.refusal("response=" + signedResponse())
                == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("ES256")))
        #expect(
            signed.refusal(response("HS256", secret))
                == AuthorizationResponseRefusal.envelope(.algorithmNotAllowed("HS256")))
    }

    @Test(.refuses("CF-28")) func `is refused when it was cut, changed, or is no JWT`() throws {
        let token = Array(signedResponse().utf8)
        for count in stride(from: 0, to: token.count, by: 7) {
            #expect(signed.refusal("response=" + String(decoding: token[..<count], as: UTF8.self)) != nil)
            var changed = token
            changed[count] ^= 0x02
            // What the signature covers is the token as it is spelt.
            #expect(throws: AuthorizationResponseRefusal.self) {
                try signed.check(signed.open(Array("response=".utf8) + changed))
            }
        }
    }

    @Test(.refuses("CF-28")) func `with two states has none`() {
        let claims = object(responseClaims).dropLast() + ",\"state\":\"other\"}"
        let token = TokenMint.sign(
            header: object(["alg": "\"ES256\""]), claims: String(claims), key: .p256, algorithm: .es256)
        guard case .envelope(.malformed) = signed.refusal("response=" + token) else {
            Issue.record("a state was chosen among two")
            return
        }
    }
}

@Suite struct `an encrypted authorization response` {
    private func encrypted(_ inner: String, to key: DecryptionJWK) throws -> String {
        let bytes = Array(inner.utf8)
        let token = try CompactJWE.encrypt(
            bytes.span, to: key.published, algorithm: key.algorithm, encoding: "A256GCM", contentType: "JWT")
        return "response=" + String(decoding: token, as: UTF8.self)
    }

    private func key() throws -> DecryptionJWK {
        try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES+A256KW")
    }

    @Test(.holds("CF-28"), .refuses("CF-28")) func `is opened, and then judged as a signed one`() throws {
        let key = try key()
        var returning = Returning(isSigned: true)
        returning.decryption = [key]
        #expect(try returning.code(encrypted(signedResponse(), to: key)) != nil)
        let forged = try encrypted(signedResponse(signedBy: .otherP256), to: key)
        #expect(returning.refusal(forged) == .envelope(.signatureInvalid))
        #expect(
            try returning.refusal(encrypted(signedResponse(["aud": "\"x\""]), to: key)) == .claim(.audienceMismatch))
    }

    @Test(.refuses("CF-28")) func `is nobody's when nothing in it is signed`() throws {
        let key = try key()
        var returning = Returning(isSigned: true)
        returning.decryption = [key]
        let twice = try encrypted(String(encrypted(signedResponse(), to: key).dropFirst(9)), to: key)
        for form in [try encrypted(object(responseClaims), to: key), twice] {
            guard case .envelope(.encryption) = returning.refusal(form) else {
                Issue.record("what anybody could encrypt was believed")
                return
            }
        }
    }

    @Test(.refuses("CF-28")) func `needs a key to open it`() throws {
        let key = try key()
        let form = try encrypted(signedResponse(), to: key)
        var returning = Returning(isSigned: true)
        #expect(returning.refusal(form) == .envelope(.noDecryptionKey))
        returning.decryption = [try self.key()]
        guard case .envelope(.encryption) = returning.refusal(form) else {
            Issue.record("another's key opened it")
            return
        }
    }
}
