import Crypto
public import JOSE

/// What a browser came back with, made by anybody, and good for finding the transaction by its state and nothing else.
///
/// In two steps (CF-21): `init` finds the state; with the transaction that belongs to it, `check` says what the
/// response is. Whatever else is wrong is said by `check` too, so that a bad response ends its transaction.
///
/// Holds a code: prints and mirrors as `[authorization response]`.
public struct UncheckedAuthorizationResponse: Sendable {
    /// `state`, not yet known to be one of ours: 1 to 512 printable ASCII characters.
    public let state: String

    private let content: Content

    private enum Content: Sendable {
        case parameters(ResponseParameters)
        case signed(SignedResponse)
        /// There is a state, and something that makes the rest nobody's business.
        case refused(AuthorizationResponseRefusal)
    }

    /// Whether `form` has a response that takes a private key to read, as far as its form tells.
    public static func isEncrypted(_ form: Span<UInt8>) -> Bool {
        guard form.count <= AuthorizationResponseRules.maximumBytes,
            let response = try? ResponseParameters(form).only(.response)
        else { return false }
        return CompactJWE.isJWE(response.span)
    }

    /// Finds the state in a query without its `?`, or in a form.
    ///
    /// `isSigned` is whether a signed response was asked for (JARM): then `response` alone is read, and the state is the
    /// one in it. `decryption` are the client's keys for encrypted ones.
    public init(
        _ form: Span<UInt8>, isSigned: Bool, decryption: [DecryptionJWK] = []
    ) throws(AuthorizationResponseRefusal) {
        guard form.count <= AuthorizationResponseRules.maximumBytes else { throw .tooLarge(bytes: form.count) }
        let parameters = ResponseParameters(form)
        if isSigned {
            // A plain response in the place of a signed one is a forgery with less work.
            guard let response = try parameters.only(.response) else { throw .notSigned }
            let signed = try SignedResponse(response.span, decryption: decryption)
            guard let state = signed.state else { throw .missing("state") }
            self.state = try ResponseParameters.text(state, .state)
            content = parameters.exposesTokens ? .refused(.tokensInResponse) : .signed(signed)
        } else {
            guard let state = try parameters.only(.state) else { throw .missing("state") }
            self.state = try ResponseParameters.text(state, .state)
            content = parameters.exposesTokens ? .refused(.tokensInResponse) : .parameters(parameters)
        }
    }

    /// The response, once it is certain that `rules.issuer` sent it, as far as it can be.
    ///
    /// - Parameters:
    ///   - keys: the issuer's, for a signed response.
    ///   - now: seconds since 1970.
    public func check(
        _ rules: AuthorizationResponseRules, keys: VerificationKeys? = nil, now: Int64
    ) throws(AuthorizationResponseRefusal) -> AuthorizationResponse {
        switch content {
        case .refused(let refusal): throw refusal
        case .signed(let signed): return try signed.verify(rules, keys: keys, now: now)
        case .parameters(let parameters):
            // CF-21: who sent it comes before what it says.
            try parameters.checkRepetition()
            if let issuer = try parameters.only(.iss) {
                // Code points, not characters: two issuers that Unicode holds for equal are two (CF-22).
                guard issuer.elementsEqual(rules.issuer.utf8) else { throw .issuerMismatch }
            } else if rules.requiresIssuer {
                throw .missing("iss")
            }
            return try ResponseParameters.outcome(
                code: parameters.only(.code), error: parameters.only(.error))
        }
    }
}

extension UncheckedAuthorizationResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[authorization response]`.
    public var description: String { "[authorization response]" }

    /// `[authorization response]`.
    public var debugDescription: String { "[authorization response]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
