public import JOSE

/// Why a JWT of an authorization server is not taken for one that the server signed, before any of its claims counts.
public enum EnvelopeRefusal: Error, Sendable, Equatable {
    /// Longer than the rules allow; nothing was decoded (JOSE-26).
    case tooLarge
    /// Not a signed token in compact serialization with strict JSON inside.
    case malformed(JOSERefusal)
    /// Plain, where encryption was agreed on (OIDC-11).
    case notEncrypted
    /// Encrypted, and there is no key to decrypt it with (JOSE-22).
    case noDecryptionKey
    /// None of the keys decrypts it, it is encrypted in a way that nobody should, or what is encrypted is not a signed
    /// token: whoever has the public key could have made it (JOSE-22…JOSE-25).
    case encryption(JWERefusal)
    /// `typ` says that it is something else (JOSE-19).
    case typeNotAccepted(String?)
    /// Another `alg` than the registered one; `none` and, with a public key, every MAC (OIDC-05).
    case algorithmNotAllowed(String)
    /// The issuer's keys are not at hand, or those that are may have been replaced and could not be read again.
    case keysMissing
    /// No key of the issuer at hand has the `kid` and fits the `alg`; reading them again may help (OIDC-17).
    case unknownKey(keyID: String?)
    /// No `kid`, and too many keys that could have signed it (JOSE-15).
    case tooManyKeys
    /// No key of the issuer signed it.
    case signatureInvalid
    /// The client's secret is too short for the registered algorithm (JOSE-11).
    case secretTooShort
}
