public import JSON

/// Why a token, a signature or a key set is not believed.
public enum JOSERefusal: Error, Sendable, Equatable {
    /// More bytes than the caller allows; nothing was decoded (JOSE-26).
    case tooLarge
    /// A header of more than 4 KiB; nothing was decoded (JOSE-26).
    case headerTooLarge
    /// Not three segments of compact serialization (JOSE-01).
    case notCompact
    /// Five segments: an encrypted token, for which no key is configured (JOSE-22).
    case encrypted
    /// A segment that is not canonical base64url (JOSE-02).
    case notBase64URL
    /// A header that is not strict JSON (JOSE-03, JOSE-04).
    case headerNotJSON(JSONRefusal)
    /// A header that is JSON, but no object.
    case headerNotObject
    /// Claims that are not strict JSON (JOSE-03, JOSE-04).
    case claimsNotJSON(JSONRefusal)
    /// Claims that are JSON, but no object.
    case claimsNotObject
    /// `alg` missing or not a string (JOSE-05).
    case algorithmInvalid
    /// `typ` not a string.
    case typeInvalid
    /// `kid` not a string, or longer than 256 bytes (JOSE-14).
    case keyIDInvalid
    /// `crit` not a non-empty list of distinct names of extensions that are present (JOSE-12).
    case criticalInvalid
    /// `crit` names an extension; none is implemented (JOSE-12).
    case criticalNotUnderstood
    /// An algorithm outside the caller's list, `none` and the HMACs always (JOSE-05).
    case algorithmNotAllowed
    /// No key of the set has the token's `kid` and fits its algorithm (JOSE-06, JOSE-17).
    case unknownKey
    /// More than three keys could have made the signature (JOSE-15).
    case tooManyKeys
    /// No candidate key made the signature.
    case signatureInvalid
    /// A key set that is not strict JSON, or is too long.
    case keySetNotJSON(JSONRefusal)
    /// A key set that is no object with an array `keys` (JOSE-18).
    case keySetWithoutKeys
    /// A key set of more than 100 keys.
    case keySetTooLarge
}
