package import JOSE
import JSON
import OAuth

extension JWERefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .tooLarge, .headerTooLarge: "JOSE-26"
        case .notCompact: "JOSE-01"
        case .notBase64URL: "JOSE-02"
        case .headerNotJSON(.duplicateMember): "JOSE-04"
        case .headerNotJSON, .headerNotObject: "JOSE-03"
        case .parameterInvalid("kid"): "JOSE-14"
        case .criticalInvalid, .criticalNotUnderstood: "JOSE-12"
        case .compressed: "JOSE-23"
        case .ephemeralKeyInvalid: "JOSE-25"
        case .notSigned, .nestedTwice: "JOSE-24"
        case .parameterInvalid, .algorithmNotAllowed, .encodingNotAllowed, .unknownKey, .tooManyKeys,
            .encryptedKeyInvalid, .notDecrypted:
            "JOSE-22"
        case .recipientKeyInvalid, .notEncrypted: "JAR-10"
        }
    }

    /// What was wanted, for the operator.
    package var expectation: String {
        switch self {
        case .tooLarge: "a token within the size limit"
        case .headerTooLarge: "a header of at most 4096 bytes"
        case .notCompact: "five segments"
        case .notBase64URL: "base64url without padding"
        case .headerNotJSON, .headerNotObject: "a header that is a strict JSON object"
        case .parameterInvalid(let name): "\(name) of the type that its specification gives it"
        case .criticalInvalid, .criticalNotUnderstood: "no crit: no extension is implemented"
        case .compressed: "no zip: compressed content is never inflated"
        case .algorithmNotAllowed:
            "alg one of \(KeyManagementAlgorithm.allCases.map(\.name).joined(separator: " "))"
        case .encodingNotAllowed: "enc one of \(ContentEncryption.allCases.map(\.name).joined(separator: " "))"
        case .unknownKey: "a configured decryption key for the token's alg and kid"
        case .tooManyKeys: "a kid, or at most \(ContentKeys.maximumAttempts) keys for the token's alg"
        case .encryptedKeyInvalid: "an encrypted key where alg sends one, and none where it does not"
        case .ephemeralKeyInvalid: "epk, a point of the decryption key's curve"
        case .notDecrypted: "content that the configured key decrypts"
        case .notSigned: "a signed token inside the encrypted one"
        case .nestedTwice: "a signed token inside the encrypted one, not another encrypted one"
        case .recipientKeyInvalid: "a sound key of the recipient's with use enc that fits the algorithm"
        case .notEncrypted: "a library that encrypts"
        }
    }

    /// What the operator's log says was there instead; never what was encrypted, nor which step of decryption failed.
    package var found: String {
        switch self {
        case .tooLarge: "more bytes"
        case .headerTooLarge: "a longer header"
        case .notCompact: "another number of segments"
        case .notBase64URL: "another character, padding, or bits behind the last byte"
        case .headerNotJSON(let cause): "a header with \(cause.found)"
        case .headerNotObject: "a header that is another JSON value"
        case .parameterInvalid(let name): "\(name) absent, or of another type or length"
        case .criticalInvalid: "crit that is no list of parameters that are there"
        case .criticalNotUnderstood: "crit with an extension"
        case .compressed: "zip"
        case .algorithmNotAllowed(let name): "alg \(Unverified.quote(name))"
        case .encodingNotAllowed(let name): "enc \(Unverified.quote(name))"
        case .unknownKey: "an alg and kid that no key here has"
        case .tooManyKeys: "no kid, and more keys"
        case .encryptedKeyInvalid: "an encrypted key where none belongs, or none where one does"
        case .ephemeralKeyInvalid: "epk that is no such point"
        case .notDecrypted: "something that it does not decrypt"
        case .notSigned: "something else inside"
        case .nestedTwice: "another encrypted token inside"
        case .recipientKeyInvalid: "a key that is for something else, or unsound"
        case .notEncrypted: "one that did not"
        }
    }
}
