import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

private func key() throws -> DecryptionJWK {
    try DecryptionJWK(PrivateKey.generate(.p256), algorithm: "ECDH-ES+A256KW")
}

private func nested(_ plaintext: String, to key: DecryptionJWK, contentType: String? = "JWT") throws -> String {
    try encrypt(plaintext, to: key.published, "ECDH-ES+A256KW", "A256GCM", contentType: contentType)
}

/// Why what is in `token` is no signed token; nil when it is one.
private func refusal(inside token: String, _ key: DecryptionJWK) throws -> JWERefusal? {
    let decrypted = try decrypt(token, [key])
    do throws(JWERefusal) {
        _ = try decrypted.signedToken()
        return nil
    } catch {
        return error
    }
}

@Suite struct `a token inside an encrypted one` {
    @Test(.holds("JOSE-24"), .refuses("JOSE-24"), arguments: ["JWT", "jwt", "application/jwt", nil])
    func `is signed, and its signature is checked as any other`(contentType: String?) throws {
        let key = try key()
        let signer = try SigningJWK.generate(.es256)
        let claims = Array(#"{"sub":"user-1"}"#.utf8)
        let signed = try CompactJWS.sign(claims.span, type: "JWT", by: signer)
        let token = try nested(String(decoding: signed, as: UTF8.self), to: key, contentType: contentType)
        let inside = try decrypt(token, [key]).signedToken()
        #expect(inside == signed)
        let keys = VerificationKeys(KeySet(keys: [signer.published]))
        let jws = try CompactJWS.parse(inside.span, maximumBytes: 16 * 1024)
        #expect(try keys.verify(jws, algorithms: [.es256]).keyID == signer.keyID)
        #expect(throws: JOSERefusal.algorithmNotAllowed) { try keys.verify(jws, algorithms: [.rs256]) }
    }

    // Anybody can encrypt to a public key.
    @Test(
        .refuses("JOSE-24"),
        arguments: [
            #"{"sub":"user-1"}"#, #"{"a":1.2.3}"#, #"{"payload":"e30","signatures":[]}"#, "", "text", "a.b", "a.b.c.d",
        ])
    func `that is no signed token is refused`(plaintext: String) throws {
        let key = try key()
        #expect(try refusal(inside: nested(plaintext, to: key), key) == .notSigned)
    }

    @Test(.refuses("JOSE-24"), arguments: ["json", "jwk-set+json", "", "JWT ", "application/json"])
    func `that its header says is something else is refused`(contentType: String) throws {
        let key = try key()
        #expect(try refusal(inside: nested("a.b.c", to: key, contentType: contentType), key) == .notSigned)
    }

    @Test(.refuses("JOSE-24")) func `that is encrypted again is refused`() throws {
        let key = try key()
        let inner = try nested("a.b.c", to: key)
        #expect(try refusal(inside: nested(inner, to: key), key) == .nestedTwice)
    }
}
