import Crypto
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

private func decryptionKey(_ key: SigningKey = .otherP256, _ algorithm: String = "ECDH-ES+A256KW") throws
    -> DecryptionJWK
{
    try DecryptionJWK(pem: Secret(Array(key.pem().utf8)), algorithm: algorithm)
}

/// `text` encrypted to a key.
private func encrypted(_ text: String, to key: DecryptionJWK, contentType: String? = "JWT") throws -> String {
    let bytes = Array(text.utf8)
    let token = try CompactJWE.encrypt(
        bytes.span, to: key.published, algorithm: key.algorithm, encoding: "A256GCM", contentType: contentType)
    return String(decoding: token, as: UTF8.self)
}

@Suite struct `an encrypted ID token` {
    @Test(
        .holds("OIDC-11", "JOSE-24"),
        arguments: [(SigningKey.otherP256, "ECDH-ES"), (.otherP256, "ECDH-ES+A256KW"), (.otherRSA, "RSA-OAEP-256")])
    func `is what it is in plain`(key: SigningKey, algorithm: String) throws {
        let key = try decryptionKey(key, algorithm)
        let token = try encrypted(idToken(), to: key)
        #expect(try verifyIDToken(token, decryption: [key]).subject == "user-1")
        let rules = idTokenRules(mustBeEncrypted: true)
        #expect(try verifyIDToken(token, rules: rules, decryption: [key]).subject == "user-1")
        #expect(idTokenRefusal(try encrypted(idToken(), to: key, contentType: nil), decryption: [key]) == nil)
    }

    @Test(.holds("LO-02"), .refuses("LO-02")) func `is kept and given as a hint without its encryption`() throws {
        let key = try decryptionKey()
        let signed = idToken()
        let sealed = try encrypted(signed, to: key)
        let (token, plain) = (Secret(Array(sealed.utf8)), Array(signed.utf8))
        #expect(try verifyIDToken(sealed, decryption: [key]).signed.reveal() == plain)
        #expect(try verifyIDToken(signed).signed.reveal() == plain)
        #expect(IDToken.hint(token, decryption: [key])?.reveal() == plain)
        #expect(IDToken.hint(Secret(plain), decryption: [])?.reveal() == plain)
        // A key that is gone: no hint at all is better than one that no server takes.
        #expect(IDToken.hint(token, decryption: []) == nil)
        #expect(IDToken.hint(token, decryption: [try decryptionKey(.p256)]) == nil)
        #expect(IDToken.hint(Secret(Array(try encrypted("a.b", to: key).utf8)), decryption: [key]) == nil)
    }

    @Test(.refuses("OIDC-11")) func `must not come in plain where encryption was agreed on`() throws {
        let rules = idTokenRules(mustBeEncrypted: true)
        #expect(idTokenRefusal(idToken(), rules: rules, decryption: [try decryptionKey()]) == .envelope(.notEncrypted))
        #expect(idTokenRefusal(idToken(), decryption: [try decryptionKey()]) == nil)
    }

    @Test(.refuses("JOSE-22")) func `needs a key, and the right one`() throws {
        let token = try encrypted(idToken(), to: decryptionKey())
        #expect(idTokenRefusal(token) == .envelope(.noDecryptionKey))
        let other = idTokenRefusal(token, decryption: [try decryptionKey(.p256)])
        guard case .envelope(.encryption) = other else {
            Issue.record("decrypted with another key: \(String(describing: other))")
            return
        }
    }

    @Test(.refuses("JOSE-24")) func `whose content is claims alone is refused: anybody can encrypt`() throws {
        let key = try decryptionKey()
        for content in [object(idTokenMembers), "", ".", "..a", " " + idToken(), "{\"a\":\"b.c.d\"}"] {
            let refusal = idTokenRefusal(try encrypted(content, to: key), decryption: [key])
            #expect(refusal != nil && refusal != .envelope(.signatureInvalid), "\(content)")
        }
        let claims = try encrypted(object(idTokenMembers), to: key)
        #expect(idTokenRefusal(claims, decryption: [key]) == .envelope(.encryption(.notSigned)))
        let unsigned = TokenMint.signingInput(header: "{\"alg\":\"none\"}", payload: Array(object(idTokenMembers).utf8))
        let nested = try encrypted(unsigned + ".", to: key)
        #expect(idTokenRefusal(nested, decryption: [key]) == .envelope(.algorithmNotAllowed("none")))
    }

    @Test(.refuses("JOSE-24")) func `is encrypted once`() throws {
        let key = try decryptionKey()
        let twice = try encrypted(try encrypted(idToken(), to: key), to: key)
        #expect(idTokenRefusal(twice, decryption: [key]) == .envelope(.encryption(.nestedTwice)))
    }

    @Test(.refuses("JOSE-24")) func `is held to everything that a plain one is`() throws {
        let key = try decryptionKey()
        for (changes, expected) in [
            (["aud": "\"client-2\""], IDTokenRefusal.claim(.audienceMismatch)), (["nonce": "\"2\""], .nonceMismatch),
            (["exp": "\(now - 31)"], .claim(.expired(secondsAgo: 31))),
        ] {
            #expect(idTokenRefusal(try encrypted(idToken(changes), to: key), decryption: [key]) == expected)
        }
        let logout = try encrypted(idToken(header: ["typ": "\"logout+jwt\""]), to: key)
        #expect(idTokenRefusal(logout, decryption: [key]) == .envelope(.typeNotAccepted("logout+jwt")))
    }

    @Test(.refuses("JOSE-26")) func `must not be longer than allowed`() throws {
        let key = try decryptionKey()
        let token = try encrypted(idToken(), to: key)
        var rules = idTokenRules()
        rules.maximumBytes = token.utf8.count - 1
        #expect(idTokenRefusal(token, rules: rules, decryption: [key]) == .envelope(.tooLarge))
    }
}
