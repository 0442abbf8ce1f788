import Bytes
import Crypto
import JOSE
import JSON
import TestSupport
import TestTraits
import Testing

private func decode(_ text: [UInt8]) throws -> [UInt8] {
    let bytes = Base64URL.decode(text.span)
    return try #require(bytes)
}

@Suite struct `published vectors` {
    @Test(
        .holds("JOSE-05", "JOSE-06"), .refuses("JOSE-05", "JOSE-06"),
        arguments: [
            RFC7515Vectors.rs256, RFC7515Vectors.es256, RFC7515Vectors.es512, RFC7520Vectors.rs256,
            RFC7520Vectors.ps384,
            RFC7520Vectors.es512, RFC8037Vectors.ed25519, OAuthVectors.dpopTokenRequest,
            OAuthVectors.dpopResourceRequest,
            OAuthVectors.requestObject, OAuthVectors.pushedRequest, OAuthVectors.clientAssertion, OAuthVectors.idToken,
            OAuthVectors.idTokenWithAccessTokenHash, OAuthVectors.idTokenWithCodeHash,
            OAuthVectors.idTokenWithBothHashes,
            OAuthVectors.openIDRequestObject,
        ])
    func `a published signature is verified with its key, and refused once touched`(
        vector: PublishedJWS
    ) throws {
        let key = try #require(vector.key)
        #expect(refusal(of: vector.compact, keys: [key]) == nil)
        let dots = vector.compact.utf8.indices.filter { vector.compact.utf8[$0] == UInt8(ascii: ".") }
        let payload = vector.compact.index(after: dots[0])
        var touched = Array(vector.compact)
        let offset = vector.compact.distance(from: vector.compact.startIndex, to: payload)
        touched[offset] = touched[offset] == "A" ? "B" : "A"
        #expect(refusal(of: String(touched), keys: [key]) == .signatureInvalid)
    }

    @Test(.holds("JOSE-05"), .refuses("JOSE-05"), arguments: SignatureAlgorithm.allCases)
    func `a published signature is refused where its algorithm is not allowed`(
        algorithm: SignatureAlgorithm
    ) throws {
        let key = try #require(RFC7515Vectors.es256.key)
        let expected: JOSERefusal? = algorithm == .es256 ? nil : .algorithmNotAllowed
        #expect(refusal(of: RFC7515Vectors.es256.compact, keys: [key], algorithms: [algorithm]) == expected)
    }

    @Test(.refuses("JOSE-05")) func `the unsecured token of RFC 7515 A_5 is refused`() {
        for keys in [[], [SigningKey.p256.publicJWK()]] {
            #expect(refusal(of: RFC7515Vectors.unsecured.compact, keys: keys) == .algorithmNotAllowed)
        }
    }

    @Test(
        .holds("JOSE-11"), .refuses("JOSE-11"),
        arguments: [(RFC7515Vectors.hmac, MACAlgorithm.hs256), (RFC7520Vectors.hs256, .hs256)])
    func `a published code is verified with its secret alone`(
        vector: PublishedJWS, algorithm: MACAlgorithm
    ) throws {
        let key = try #require(vector.key)
        let secret = try #require(try readJSON(key)["k"]?.utf8)
        let bytes = try decode(secret)
        let jws = try readJWS(vector.compact)
        try jws.verify(algorithm, algorithm.key(Secret(bytes)))
        let other = try algorithm.key(Secret([bytes[0] ^ 1] + bytes.dropFirst()))
        #expect(throws: JOSERefusal.signatureInvalid) { try jws.verify(algorithm, other) }
        let wrong = try MACAlgorithm.hs512.key(Secret(bytes + bytes))
        #expect(throws: JOSERefusal.algorithmNotAllowed) { try jws.verify(.hs512, wrong) }
    }

    @Test(.refuses("JOSE-11"), arguments: [RFC7515Vectors.hmac, RFC7520Vectors.hs256])
    func `a secret in a key set verifies nothing and raises an alarm`(vector: PublishedJWS) throws {
        let key = try #require(vector.key)
        let set = try readKeySet(SigningKey.keySet(jwks: [key]))
        #expect(set.keys.isEmpty)
        #expect(set.ignored.map(\.reason.isAlarm) == [true])
        #expect(refusal(of: vector.compact, keys: [key]) == .algorithmNotAllowed)
    }

    @Test(
        .refuses("JOSE-22"),
        arguments: [
            RFC7520EncryptedVectors.rsa15, RFC7520EncryptedVectors.rsaOAEP, RFC7520EncryptedVectors.pbes2,
            RFC7520EncryptedVectors.ecdhES, RFC7520EncryptedVectors.direct, RFC7520EncryptedVectors.compressed,
        ])
    func `an encrypted token of RFC 7520 is refused before anything is decoded`(vector: PublishedJWS) {
        #expect(throws: JOSERefusal.encrypted) { try readJWS(vector.compact) }
    }

    @Test(.holds("JOSE-31"), arguments: [ThumbprintVectors.rsa, ThumbprintVectors.ed25519, ThumbprintVectors.p256])
    func `a published thumbprint is computed`(vector: PublishedThumbprint) throws {
        #expect(try JWK(readJSON(vector.key)).thumbprint.base64URL == vector.thumbprint)
    }

    @Test(.refuses("JOSE-12")) func `the critical header of RFC 7797 section 4_2 is refused`() {
        let token = unsigned(header: #"{"alg":"HS256","b64":false,"crit":["b64"]}"#)
        #expect(throws: JOSERefusal.criticalNotUnderstood) { try readJWS(token) }
    }
}
