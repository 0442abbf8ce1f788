import Bytes

/// What an authorization server is asked about a token (RFC 7662 §2.1).
public enum IntrospectionRequest {
    /// Whether the server is told what kind of token it is.
    public enum Hint: Sendable, Equatable {
        /// `token_type_hint=access_token`.
        case accessToken
        /// Nothing: for servers that take a wrong guess for an answer.
        case none
    }

    /// Largest answer read unless the operator says otherwise, in bytes: a user with two thousand groups passes.
    public static let maximumBytes = 256 * 1024

    /// The form's parameters; nil for bytes that no access token has (RFC 6749 appendix A.12).
    public static func parameters(token: Span<UInt8>, hint: Hint = .accessToken) -> [(String, String)]? {
        guard let token = TokenText(token) else { return nil }
        switch hint {
        case .accessToken: return [("token", token.text), ("token_type_hint", "access_token")]
        case .none: return [("token", token.text)]
        }
    }

    /// The value of `Accept` (RFC 9701 §4).
    public static func accept(_ form: IntrospectionRules.Form) -> String {
        switch form {
        case .plain: "application/json"
        case .signed: "application/token-introspection+jwt"
        }
    }
}
