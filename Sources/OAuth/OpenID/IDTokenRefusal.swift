/// Why an ID token is no proof of who logged in, one case a cause (OpenID Connect Core §3.1.3.7).
public enum IDTokenRefusal: Error, Sendable, Equatable {
    /// The token response has none (OIDC-01).
    case missing
    /// Not signed by the issuer, or not encrypted as agreed on.
    case envelope(EnvelopeRefusal)
    /// A claim is absent or malformed, for somebody else, of another time, or of another kind of JWT.
    case claim(ClaimRefusal)
    /// `aud` names several, and no `azp` says whose the token is (OIDC-04).
    case authorizedPartyMissing
    /// `azp` is another client (OIDC-04).
    case authorizedPartyMismatch(String)
    /// `nonce` is another login's (OIDC-08).
    case nonceMismatch
    /// `at_hash` or `c_hash` is of another token or code (OIDC-10).
    case hashMismatch(claim: String)
    /// `acr` is none of those demanded (OIDC-09).
    case authenticationContext(String?)
    /// `auth_time` is longer ago than demanded, or not said: servers that do not know it send 0 (OIDC-09).
    case authenticatedTooEarly(secondsAgo: Int64)
    /// `auth_time` is to come (OIDC-09).
    case authenticatedInFuture(secondsLeft: Int64)
    /// `iss`, `sub`, `auth_time` or `nonce` of a refreshed ID token is not what it was at login (RF-07).
    case changed(claim: String)

    /// Whether the issuer's keys are to be read again, and the token verified once more (OIDC-17).
    public var wantsKeysReadAgain: Bool {
        switch self {
        // A server that replaces its key under one name is met by a signature that fails.
        case .envelope(.unknownKey), .envelope(.signatureInvalid): true
        default: false
        }
    }

    /// Whether the token is of another kind than the configured one, as every other of this server will be: no user can
    /// mend that.
    public var isAboutConfiguration: Bool {
        switch self {
        case .envelope(.algorithmNotAllowed), .envelope(.typeNotAccepted), .envelope(.notEncrypted),
            .envelope(.noDecryptionKey), .envelope(.secretTooShort), .envelope(.tooLarge), .claim(.issuerMismatch),
            .claim(.audienceMismatch), .claim(.audienceNotTrusted), .authorizedPartyMissing, .authorizedPartyMismatch,
            .claim(.secretShared):
            true
        case .envelope, .missing, .claim, .nonceMismatch, .hashMismatch, .authenticationContext,
            .authenticatedTooEarly, .authenticatedInFuture, .changed:
            false
        }
    }

    /// Whether nothing speaks against the token but that the issuer's keys are not at hand.
    public var lacksKeys: Bool { self == .envelope(.keysMissing) }

    /// Whether the token is good, and its user was not authenticated as demanded: asking once more may help (OIDC-09).
    public var isAboutAuthentication: Bool {
        switch self {
        case .authenticationContext, .authenticatedTooEarly, .authenticatedInFuture, .claim(.missing("acr")),
            .claim(.missing("auth_time")):
            true
        default: false
        }
    }
}
