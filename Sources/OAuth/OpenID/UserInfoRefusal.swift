public import JSON

/// Why what the userinfo endpoint answered says nothing about the user who logged in (OIDC-12).
public enum UserInfoRefusal: Error, Sendable, Equatable {
    /// Another status than 200.
    case status(Int)
    /// More than 256 KiB.
    case tooLarge
    /// Neither `application/json` nor `application/jwt`.
    case contentType(String)
    /// Not strict JSON.
    case notJSON(JSONRefusal)
    /// JSON, but no object.
    case notAnObject
    /// A JWT that the issuer did not sign.
    case envelope(EnvelopeRefusal)
    /// `sub`, or in a signed answer `iss` or `aud`, is absent.
    case missingClaim(String)
    /// One of them has a type that its specification does not give it.
    case claimMalformed(String)
    /// `iss` of a signed answer is another server.
    case issuerMismatch(String)
    /// `aud` of a signed answer is not this client, or not this client alone.
    case audienceMismatch
    /// `exp` of a signed answer has passed.
    case expired(secondsAgo: Int64)
    /// `sub` is another user than the ID token's: every claim is somebody else's (OpenID Connect Core §5.3.2).
    case subjectMismatch

    /// Whether the issuer's keys are to be read again, and the answer once more (OIDC-17).
    public var wantsKeysReadAgain: Bool {
        switch self {
        // A server that replaces its key under one name is met by a signature that fails.
        case .envelope(.unknownKey), .envelope(.signatureInvalid): true
        default: false
        }
    }

    /// Whether nothing speaks against the answer but that the issuer's keys are not at hand.
    public var lacksKeys: Bool { self == .envelope(.keysMissing) }
}
