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
    /// `exp` has passed (RS-15).
    case expired(secondsAgo: Int64)
    /// `nbf` is to come (JOSE-28).
    case notYetValid(secondsLeft: Int64)
    /// `iat` is to come (JOSE-28).
    case issuedInFuture(secondsLeft: Int64)
    /// A claim that the issuer's profile requires is absent (RS-16).
    case missingClaim(String)
    /// A claim has a type or form that RFC 7519 or RFC 9068 does not give it (JOSE-27, JOSE-29).
    case claimMalformed(String)
    /// An ID token, though its type does not say so (RS-18).
    case looksLikeIDToken
    /// A claim says it is a JWT of another kind (JOSE-20).
    case otherPurpose(claim: String)
    /// `cnf` binds it to what was not or cannot be proved; accepting it as a bearer token would undo that (RS-22).
    case boundToKey
}
