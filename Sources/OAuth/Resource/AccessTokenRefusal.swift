public import JOSE

/// Why an access token is not accepted, one case a cause.
public enum AccessTokenRefusal: Error, Sendable, Equatable {
    /// Longer than the issuer's rules allow (JOSE-26).
    case tooLarge
    /// Not a signed token in compact serialization with strict JSON inside (JOSE-01…JOSE-04, JOSE-12, JOSE-14).
    case malformed(JOSERefusal)
    /// Encrypted, and no key is configured to decrypt it (JOSE-22).
    case encrypted
    /// `typ` says it is something else than an access token (RS-11).
    case typeNotAccepted
    /// `alg` is not on the issuer's list (JOSE-05).
    case algorithmNotAllowed
    /// No key of the issuer has the token's `kid` and fits its `alg`; a refetch may bring one (JOSE-17).
    case unknownKey
    /// Too many keys could have signed it (JOSE-15).
    case tooManyKeys
    /// No key of the issuer signed it (RS-14).
    case signatureInvalid
    /// `iss` is not the issuer whose keys verified it (RS-12).
    case issuerMismatch
    /// A claim is absent that the issuer's profile requires, is malformed, says that the time is not now, or that it is
    /// a JWT of another kind.
    case claim(ClaimRefusal)
    /// An ID token, though its type does not say so (RS-18).
    case looksLikeIDToken
    /// `cnf` binds it to what was not or cannot be proved; accepting it as a bearer token would undo that (RS-22).
    case boundToKey
}
