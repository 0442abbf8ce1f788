public import JOSE

/// Why a DPoP proof does not show that its sender has the token's key, one case a cause (RFC 9449 §4.3).
///
/// How many proofs a request has, whether the nonce is ours and whether the proof was seen before are the
/// resource server's to decide, and are not among these.
public enum DPoPRefusal: Error, Sendable, Equatable {
    /// Longer than the rules allow; nothing was decoded.
    case tooLarge
    /// Not a signed JWT in compact serialization with strict JSON inside (JOSE-01…JOSE-04, JOSE-12).
    case malformed(JOSERefusal)
    /// `typ`, as written, is not `dpop+jwt` (DPOP-02).
    case typeNotAccepted(String?)
    /// `alg`, as written, is not on the list (DPOP-03).
    case algorithmNotAllowed(String)
    /// No `jwk`, or one that is no object (DPOP-04).
    case keyMissing
    /// `jwk` has members that only the key's owner has, or is a secret (DPOP-04).
    case keyNotPublic
    /// `jwk` is weak, spelt in a second way, not on its curve, or not for `alg` (DPOP-04).
    case keyInvalid(KeyRefusal)
    /// A required claim is absent, has another type or form than RFC 9449 §4.2 gives it, or `iat` is too far from now.
    case claim(ClaimRefusal)
    /// `jti` is longer than the rules allow (DPOP-16).
    case idTooLong
    /// `htm` is another method than the request's (DPOP-07).
    case methodMismatch
    /// `htu` is another URI than the request's (DPOP-08).
    case targetMismatch
    /// `ath` is the digest of another token (DPOP-18).
    case tokenHashMismatch
    /// The key in `jwk` did not sign it (DPOP-05).
    case signatureInvalid
    /// A good proof of another key than the token's (DPOP-19).
    case keyMismatch
}
