public import JOSE

/// Why what a browser came back with is no response to an authorization request of ours.
///
/// Nothing of the response is in it but the name of its algorithm: the page that says so may be shown to whoever made the
/// response up.
public enum AuthorizationResponseRefusal: Error, Sendable, Equatable {
    // The form (CF-20).

    /// More than 32 KiB.
    case tooLarge(bytes: Int)
    /// A parameter that may be there once is there again.
    case repeated(String)
    /// `state`, or both of `code` and `error`, or `iss` where the server promised it.
    case missing(String)
    /// A parameter is longer than it may be, or has a character that it may not have (CF-27).
    case malformed(String)
    /// A code and an error: one of them is somebody else's.
    case codeAndError
    /// An access token or an ID token, which the whole path of the browser has seen now (CF-01).
    case tokensInResponse
    /// `iss` is another server (CF-22, CF-23).
    case issuerMismatch

    // The signed response (CF-28).

    /// Not signed, and it has to be.
    case notSigned
    /// Encrypted, and there is no key to decrypt with.
    case encrypted
    /// Encrypted, and not to us.
    case notDecrypted(JWERefusal)
    /// No signed JWT.
    case notJWT(JOSERefusal)
    /// `typ` says that the JWT is for something else.
    case typeNotAccepted
    /// `aud` is not this client, or not it alone.
    case audienceMismatch
    /// `exp` has passed.
    case expired(secondsAgo: Int64)
    /// `alg`, as the response has it, is not the one that was agreed on; for the operator alone.
    case algorithmNotAllowed(String)
    /// In plain, where encryption was agreed on.
    case notEncrypted
    /// The issuer's keys are not at hand, or those that are may have been replaced and could not be read again.
    case keysMissing
    /// None of the issuer's keys at hand has the `kid` and fits the `alg`; reading them again may help.
    case unknownKey
    /// No `kid`, and too many keys that could have signed it.
    case tooManyKeys
    /// No key of the issuer signed it.
    case signatureInvalid

    /// The kinds of refusal that are answered differently.
    public enum Kind: Sendable, Hashable {
        case malformed, issuerWrong, tokensInResponse, notSigned
        /// The keys have to be read again before anything can be said.
        case keysUnavailable
    }

    /// How it is answered.
    public var kind: Kind {
        switch self {
        case .tooLarge, .repeated, .malformed, .codeAndError: .malformed
        case .missing("iss"), .issuerMismatch: .issuerWrong
        case .missing: .malformed
        case .tokensInResponse: .tokensInResponse
        case .keysMissing, .unknownKey: .keysUnavailable
        case .notSigned, .encrypted, .notDecrypted, .notJWT, .typeNotAccepted, .audienceMismatch, .expired,
            .algorithmNotAllowed, .notEncrypted, .tooManyKeys, .signatureInvalid:
            .notSigned
        }
    }
}
