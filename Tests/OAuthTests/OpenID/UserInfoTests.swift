import Crypto
import HTTPMessage
import JOSE
import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private let members = ["sub": "\"user-1\"", "name": "\"Jane Doe\"", "groups": "[\"staff\"]"]

private func read(
    _ response: FetchResponse, subject: String = "user-1", rules: IDTokenRules = idTokenRules()
) throws(UserInfoRefusal) -> JSONValue {
    try UserInfo.read(
        response, subject: subject, rules: rules, keys: try? keys([SigningKey.p256.publicJWK()]), now: now)
}

private func refusal(_ response: FetchResponse, rules: IDTokenRules = idTokenRules()) -> UserInfoRefusal? {
    do throws(UserInfoRefusal) {
        _ = try read(response, rules: rules)
        return nil
    } catch {
        return error
    }
}

private func signedInfo(
    _ changes: [String: String?] = [:], header: [String: String?] = [:], key: SigningKey = .p256
) -> FetchResponse {
    let claims = ["iss": "\"https://issuer.example/\"", "aud": "\"client-1\"", "sub": "\"user-1\"", "name": "\"Jane\""]
    return answer(signed(claims, changes, header: header, key: key), contentType: "application/jwt")
}

@Suite struct `userinfo` {
    @Test(.holds("OIDC-12"), arguments: ["application/json", "application/json; charset=UTF-8", "APPLICATION/JSON"])
    func `is about the user of the ID token`(contentType: String) throws {
        let claims = try read(answer(object(members), contentType: contentType))
        #expect(claims["name"]?.string == "Jane Doe")
    }

    @Test(.refuses("OIDC-12"), arguments: ["\"user-2\"", "\"USER-1\"", #""user-1\u0000""#, "\"\""])
    func `about another user is refused whole`(subject: String) {
        #expect(refusal(answer(object(members, ["sub": subject]))) == .subjectMismatch)
    }

    @Test(.refuses("OIDC-12")) func `about nobody is refused`() {
        #expect(refusal(answer(object(members, ["sub": nil]))) == .claim(.missing("sub")))
        #expect(refusal(answer(object(members, ["sub": "[\"user-1\"]"]))) == .claim(.malformed("sub")))
        #expect(refusal(answer("{\"sub\":\"user-1\",\"sub\":\"user-1\"}")) == .notJSON(.duplicateMember))
    }

    @Test(.refuses("OIDC-12")) func `is a JSON object with status 200, of a bearable size`() {
        #expect(refusal(answer(object(members), status: 401)) == .status(401))
        #expect(refusal(answer(object(members), status: 204)) == .status(204))
        #expect(refusal(answer("[]")) == .notAnObject)
        #expect(refusal(answer("<html>")) == .notJSON(.unexpectedByte))
        #expect(refusal(answer(object(members), contentType: "text/html")) == .contentType("text/html"))
        #expect(refusal(answer(object(members), contentType: nil)) == .contentType(""))
        let large = object(members, ["picture": "\"\(String(repeating: "x", count: UserInfo.maximumBytes))\""])
        #expect(refusal(answer(large)) == .tooLarge)
    }

    @Test(.holds("OIDC-12")) func `is read of a user with two thousand groups`() throws {
        let groups = (0..<2000).map { "\"00000000-0000-4000-8000-\(String(100_000_000_000 + $0))\"" }
        let text = object(members, ["groups": "[" + groups.joined(separator: ",") + "]"])
        #expect(text.utf8.count > 64 * 1024)
        #expect(try read(answer(text))["groups"]?.elements.count == 2000)
    }

    @Test(.holds("OIDC-12"), arguments: [4096, 4097, 15_000])
    func `has as many groups as its bytes allow`(count: Int) throws {
        let groups = "[" + (0..<count).map { "\"group-\($0)\"" }.joined(separator: ",") + "]"
        #expect(try read(answer(object(members, ["groups": groups])))["groups"]?.elements.count == count)
        // In base64url it is a third longer.
        guard count < 15_000 else { return }
        #expect(try read(signedInfo(["groups": groups]))["groups"]?.elements.count == count)
    }

    @Test(.holds("OIDC-12"), arguments: ["application/jwt", "application/JWT; charset=utf-8"])
    func `may be signed for this client`(contentType: String) throws {
        var response = signedInfo()
        response.contentType = contentType
        #expect(try read(response)["name"]?.string == "Jane")
        #expect(refusal(signedInfo(["exp": "\(now - 29)"])) == nil)
    }

    @Test(
        .refuses("OIDC-12"),
        arguments: [
            (["iss": nil], .claim(.missing("iss"))), (["aud": nil], .claim(.missing("aud"))),
            (["iss": "\"https://issuer.example\""], .claim(.issuerMismatch("https://issuer.example"))),
            (["iss": "1"], .claim(.malformed("iss"))), (["aud": "\"client-2\""], .claim(.audienceMismatch)),
            (["aud": "[\"client-1\",\"client-2\"]"], .claim(.audienceNotTrusted("client-2"))),
            (["aud": "[]"], .claim(.malformed("aud"))),
            (["sub": "\"user-2\""], .subjectMismatch), (["sub": nil], .claim(.missing("sub"))),
            (["exp": "\(now - 30)"], .claim(.expired(secondsAgo: 30))),
            (["exp": "\"soon\""], .claim(.malformed("exp"))),
        ] as [([String: String?], UserInfoRefusal)])
    func `signed by the issuer for somebody else is refused`(
        changes: [String: String?], expected: UserInfoRefusal
    ) {
        #expect(refusal(signedInfo(changes)) == expected)
    }

    @Test(.refuses("OIDC-12")) func `is not believed as a JWT that the issuer did not sign`() throws {
        #expect(refusal(signedInfo(key: .otherP256)) == .envelope(.unknownKey(keyID: "p256-2")))
        #expect(refusal(signedInfo(key: .otherP256))?.wantsKeysReadAgain == true)
        #expect(refusal(signedInfo(header: ["kid": nil], key: .otherP256)) == .envelope(.signatureInvalid))
        #expect(refusal(signedInfo(header: ["typ": "\"at+jwt\""])) == .envelope(.typeNotAccepted("at+jwt")))
        #expect(refusal(answer(object(members), contentType: "application/jwt")) != nil)
        #expect(refusal(FetchResponse(status: 200, contentType: "application/json", body: signedInfo().body)) != nil)
    }

    @Test(.holds("OIDC-12"), .refuses("OIDC-12")) func `may be encrypted besides, and never alone`() throws {
        let key = try DecryptionJWK(pem: Secret(Array(SigningKey.otherP256.pem().utf8)), algorithm: "ECDH-ES")
        func info(_ content: [UInt8]) throws -> FetchResponse {
            let body = try CompactJWE.encrypt(
                content.span, to: key.published, algorithm: "ECDH-ES", encoding: "A128GCM", contentType: nil)
            return FetchResponse(status: 200, contentType: "application/jwt", body: body)
        }
        func outcome(_ response: FetchResponse) -> Result<JSONValue, UserInfoRefusal> {
            Result { () throws(UserInfoRefusal) in
                try UserInfo.read(
                    response, subject: "user-1", rules: idTokenRules(),
                    keys: try? keys([SigningKey.p256.publicJWK()]), decryption: [key], now: now)
            }
        }
        #expect(try outcome(info(signedInfo().body)).get()["name"]?.string == "Jane")
        #expect(throws: UserInfoRefusal.envelope(.encryption(.notSigned))) {
            try outcome(info(Array(object(members).utf8))).get()
        }
    }
}
