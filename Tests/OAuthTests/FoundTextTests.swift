import Crypto
import JOSE
import JSON
import OAuth
import Refusals
import Testing

/// What the operator reads of bytes that are no token, proof or answer: words, and no name out of the code.
@Suite struct `what was found instead of a token` {
    private static let jose: [JOSERefusal] =
        [
            .tooLarge, .headerTooLarge, .notCompact, .encrypted, .notBase64URL, .headerNotObject, .claimsNotObject,
            .algorithmInvalid, .typeInvalid, .keyIDInvalid, .criticalInvalid, .criticalNotUnderstood,
            .algorithmNotAllowed, .unknownKey, .tooManyKeys, .signatureInvalid, .keySetWithoutKeys, .keySetTooLarge,
        ] + JSONRefusal.allCases.flatMap { [.headerNotJSON($0), .claimsNotJSON($0), .keySetNotJSON($0)] }

    private static let encryption: [JWERefusal] =
        [
            .tooLarge, .headerTooLarge, .notCompact, .notBase64URL, .headerNotObject, .parameterInvalid("epk"),
            .criticalInvalid, .criticalNotUnderstood, .compressed, .algorithmNotAllowed("A192KW"),
            .encodingNotAllowed("A192GCM"),
            .unknownKey,
            .tooManyKeys, .encryptedKeyInvalid, .ephemeralKeyInvalid, .notDecrypted, .notSigned, .nestedTwice,
            .recipientKeyInvalid, .notEncrypted,
        ] + JSONRefusal.allCases.map { .headerNotJSON($0) }

    private static let keys: [KeyRefusal] =
        [
            .notObject, .keyTypeUnknown, .curveUnknown, .symmetric, .privateMaterial, .memberInvalid("x"),
            .notForSignatures, .notForVerifying, .notForEncrypting, .algorithmUnknown, .algorithmMismatch,
            .keyIDInvalid,
        ]
        + [
            CryptoRefusal.modulusLength(bits: 1024), .modulusEven, .exponentNotAllowed, .numberNotMinimal,
            .coordinateLength, .pointNotOnCurve, .publicKeyLength, .pointNotCanonical, .pointOfSmallOrder,
            .secretTooShort,
            .notForSignatures, .keyLength, .nonceLength, .notBuilt, .libraryFailed,
        ].map { .material($0) }

    private static let texts: [String] =
        jose.flatMap {
            [
                AccessTokenRefusal.malformed($0).found(in: nil), EnvelopeRefusal.malformed($0).found,
                DPoPRefusal.malformed($0).found(in: nil), AuthorizationResponseRefusal.envelope(.malformed($0)).found,
            ]
        }
        + encryption.flatMap {
            [EnvelopeRefusal.encryption($0).found, AuthorizationResponseRefusal.envelope(.encryption($0)).found]
        }
        + keys.map { DPoPRefusal.keyInvalid($0).found(in: nil) }
        + JSONRefusal.allCases.flatMap {
            [UserInfoRefusal.notJSON($0).found, TokenResponseRefusal.notJSON($0).found, PushRefusal.notJSON($0).found]
        }

    @Test func `is said in words`() {
        #expect(Self.texts.count > 150)
        for text in Self.texts {
            // `notCompact`, `headerNotJSON(JSON.JSONRefusal.tooDeep)`: what a dump of the cause would be.
            #expect(!text.contains(#/\b[a-z]+[A-Z]\w*\b|[()\\]|Refusal/#), "\(text)")
            #expect(text.contains(" ") || ["zip"].contains(text), "\(text)")
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
        }
    }

    @Test func `tells apart JSON that is none, has a member twice, or is no object`() {
        #expect(TokenResponseRefusal.notJSON(.duplicateMember).found == "JSON with a member twice")
        #expect(TokenResponseRefusal.notJSON(.unexpectedByte).found == "a byte that JSON does not have there")
        #expect(TokenResponseRefusal.notAnObject.found == "JSON that is no object")
        #expect(TokenResponseRefusal.contentType("").found == "no Content-Type")
        #expect(TokenResponseRefusal.missingMember("expires_in").found == "no expires_in")
        #expect(
            TokenResponseRefusal.memberMalformed("expires_in").found
                == "expires_in of another type, length or form than its specification gives it")
        #expect(TokenResponseRefusal.tokenTypeWrong(found: "mac").found == "token_type \"mac\"")
    }

    @Test func `names the algorithm of encryption that came`() {
        #expect(EnvelopeRefusal.encryption(.algorithmNotAllowed("RSA1_5")).found == "alg \"RSA1_5\"")
        #expect(
            AuthorizationResponseRefusal.envelope(.encryption(.encodingNotAllowed("A192GCM"))).found
                == "enc \"A192GCM\"")
    }

    @Test func `names algorithms of encryption as their registry does`() {
        #expect(
            JWERefusal.algorithmNotAllowed("RSA1_5").expectation
                == "alg one of RSA-OAEP RSA-OAEP-256 ECDH-ES ECDH-ES+A128KW ECDH-ES+A256KW A128KW A256KW dir")
        for algorithm in KeyManagementAlgorithm.allCases {
            #expect(!algorithm.name.contains(#/[a-z][A-Z]/#), "\(algorithm.name)")
        }
    }

    @Test func `comes with the row of the check that failed`() {
        let rows = [
            (EnvelopeRefusal.encryption(.headerNotJSON(.duplicateMember)).check, "JOSE-04"),
            (EnvelopeRefusal.encryption(.parameterInvalid("kid")).check, "JOSE-14"),
            (EnvelopeRefusal.encryption(.parameterInvalid("epk")).check, "JOSE-22"),
            (EnvelopeRefusal.encryption(.nestedTwice).check, "JOSE-24"),
            (EnvelopeRefusal.encryption(.notSigned).check, "JOSE-24"),
            (DPoPRefusal.malformed(.claimsNotJSON(.duplicateMember)).check, "JOSE-04"),
            (AccessTokenRefusal.malformed(.criticalNotUnderstood).check, "JOSE-12"),
        ]
        for (row, expected) in rows { #expect(row == expected) }
    }
}
