import JOSE

/// Why a back-channel logout request ends no session, one case a cause (OpenID Connect Back-Channel Logout §2.6).
public enum LogoutTokenRefusal: Error, Sendable, Equatable {
    /// Not a form (LO-05).
    case contentType(String?)
    /// A form that no sender of forms would make, or `logout_token` more than once (LO-05).
    case formMalformed
    /// No `logout_token` (LO-05).
    case missing
    /// Not signed by the issuer, or of a type that is not accepted (LO-06, LO-07).
    case envelope(EnvelopeRefusal)
    /// A claim is absent or malformed, for somebody else, or of another time; `sub` stands for `sub` and `sid`, and a
    /// token is over when `exp` has passed, or `iat` is longer ago than any logout token lives.
    case claim(ClaimRefusal)
    /// `nonce`, which makes it an ID token (LO-06).
    case hasNonce
    /// `events` has no member for a logout, or that is no object (LO-06).
    case noLogoutEvent

    /// Whether the issuer's keys are to be read again, and the token verified once more (OIDC-17).
    public var wantsKeysReadAgain: Bool {
        switch self {
        // A server that replaces its key under one name is met by a signature that fails.
        case .envelope(.unknownKey), .envelope(.signatureInvalid): true
        default: false
        }
    }

    /// Whether a token in plain was refused before a key had to verify its signature.
    public var isSeenBeforeSignature: Bool {
        switch self {
        case .envelope(.signatureInvalid): false
        case .envelope, .contentType, .formMalformed, .missing, .claim(.issuerMismatch), .claim(.missing("iss")),
            .claim(.malformed("iss")):
            true
        default: false
        }
    }

    /// Whether an encrypted token was refused before a key had to decrypt it.
    public var isSeenBeforeDecryption: Bool {
        switch self {
        case .contentType, .formMalformed, .missing, .envelope(.tooLarge), .envelope(.noDecryptionKey): true
        case .envelope(.encryption(let cause)): !cause.isSeenByKey
        default: false
        }
    }

    /// Whether nothing speaks against the token but that the issuer's keys are not at hand.
    public var lacksKeys: Bool { self == .envelope(.keysMissing) }
}
