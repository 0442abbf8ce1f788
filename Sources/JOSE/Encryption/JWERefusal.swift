public import JSON

/// Why an encrypted token is not read, or why nothing was encrypted.
public enum JWERefusal: Error, Sendable, Equatable {
    /// More bytes than the caller allows; nothing was decoded (JOSE-26).
    case tooLarge
    /// A header of more than 4 KiB; nothing was decoded (JOSE-26).
    case headerTooLarge
    /// Not five segments of compact serialization (JOSE-01).
    case notCompact
    /// A segment that is not canonical base64url (JOSE-02).
    case notBase64URL
    /// A header that is not strict JSON (JOSE-03, JOSE-04).
    case headerNotJSON(JSONRefusal)
    /// A header that is JSON, but no object.
    case headerNotObject
    /// A parameter that is missing, or has the wrong type or length.
    case parameterInvalid(String)
    /// `crit` not a non-empty list of distinct names of extensions that are present (JOSE-12).
    case criticalInvalid
    /// `crit` names an extension; none is implemented (JOSE-12).
    case criticalNotUnderstood
    /// `zip`: a small token could become gigabytes (JOSE-23).
    case compressed
    /// An `alg` that is never decrypted, such as `RSA1_5` and `PBES2-*`; no key was touched (JOSE-22).
    case algorithmNotAllowed(String)
    /// An `enc` that is never decrypted (JOSE-22).
    case encodingNotAllowed(String)
    /// No key is configured for this `alg` and `kid` (JOSE-22).
    case unknownKey
    /// More than three keys could have been encrypted to.
    case tooManyKeys
    /// An encrypted key where none belongs, or none where one does (RFC 7516 §5.2).
    case encryptedKeyInvalid
    /// `epk` is no point of the key's curve, or agrees on nothing (JOSE-25).
    case ephemeralKeyInvalid
    /// The content did not decrypt: which step failed is not said, because that would tell what the padding looked like.
    case notDecrypted
    /// What was encrypted is no signed token: anybody could have encrypted it (JOSE-24).
    case notSigned
    /// What was encrypted is encrypted again (JOSE-24).
    case nestedTwice
    /// The key to encrypt to is for something else, or is unsound (JAR-10).
    case recipientKeyInvalid
    /// The library did not encrypt.
    case notEncrypted
}

extension JWERefusal {
    /// Whether a key had to be used to find it out, which is what an encrypted token costs.
    public var isSeenByKey: Bool {
        switch self {
        case .notDecrypted, .ephemeralKeyInvalid, .notSigned, .nestedTwice: true
        case .tooLarge, .headerTooLarge, .notCompact, .notBase64URL, .headerNotJSON, .headerNotObject,
            .parameterInvalid, .criticalInvalid, .criticalNotUnderstood, .compressed, .algorithmNotAllowed,
            .encodingNotAllowed, .unknownKey, .tooManyKeys, .encryptedKeyInvalid, .recipientKeyInvalid, .notEncrypted:
            false
        }
    }
}
