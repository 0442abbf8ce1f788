/// Why what a browser came back with is no response to an authorization request of ours.
///
/// Nothing of the response is in it but what its signed form names, such as an algorithm or an issuer: the operator reads
/// that as unverified, and the page, which may be shown to whoever made the response up, says none of it.
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
    /// The parameter `iss` is another server (CF-22, CF-23).
    case issuerMismatch

    // The signed response (CF-28).

    /// Not signed, and it has to be.
    case notSigned
    /// Signed or encrypted in another way than was agreed on, or by somebody else.
    case envelope(EnvelopeRefusal)
    /// A claim of the signed response is not what it has to be.
    case claim(ClaimRefusal)

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
        case .missing("iss"), .issuerMismatch, .claim(.missing("iss")), .claim(.malformed("iss")),
            .claim(.issuerMismatch):
            .issuerWrong
        case .missing, .claim(.missing), .claim(.malformed): .malformed
        case .tokensInResponse: .tokensInResponse
        case .envelope(.keysMissing), .envelope(.unknownKey): .keysUnavailable
        case .notSigned, .envelope, .claim: .notSigned
        }
    }
}
