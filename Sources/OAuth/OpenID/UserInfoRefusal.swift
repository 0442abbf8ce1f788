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
    /// `sub` is absent or malformed, or in a signed answer `iss`, `aud` or `exp` is not right.
    case claim(ClaimRefusal)
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
