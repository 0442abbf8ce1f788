/// What is wrong with a claim, whatever kind of JWT it stands in.
///
/// Each kind knows which claims it needs, and what else can be wrong with it; these are the same in all of them.
public enum ClaimRefusal: Error, Sendable, Equatable {
    /// A claim that this kind of JWT must have, or that was asked for, is absent.
    case missing(String)
    /// A claim has a type or form that its specification does not give it.
    case malformed(String)
    /// `iss`, as the token has it, is another issuer.
    case issuerMismatch(String)
    /// `aud` does not name whom it should.
    case audienceMismatch
    /// `aud` names somebody else too, who is not trusted.
    case audienceNotTrusted(String)
    /// Several audiences, and a signature by a secret that one of them has (OIDC-06).
    case secretShared
    /// A claim says that it is a JWT of another kind (JOSE-20).
    case otherPurpose(claim: String)
    /// `exp` has passed.
    case expired(secondsAgo: Int64)
    /// `nbf` is to come.
    case notYetValid(secondsLeft: Int64)
    /// `iat` is to come.
    case issuedInFuture(secondsLeft: Int64)
    /// `iat` is too long ago for a JWT of this kind.
    case issuedTooEarly(secondsAgo: Int64)
}
