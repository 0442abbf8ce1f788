public import Crypto

/// What a token endpoint and a revocation endpoint are asked, beside who asks (RFC 6749 §4.1.3, §6, RFC 7009 §2.1).
///
/// The parameters hold secrets: they go into an `AuthenticatedForm` and nowhere else.
public enum TokenRequest {
    /// Largest answer read, in bytes: an ID token of 64 KiB, and what is beside it.
    public static let maximumBytes = 128 * 1024

    /// A code for tokens; sent once (CF-30, CA-16).
    ///
    /// - Parameters:
    ///   - redirectURI: exactly the one of the authorization request.
    ///   - verifier: the one whose challenge was in the authorization request (RFC 7636 §4.5).
    ///   - resources: those of the authorization request (RFC 8707 §2.2).
    public static func authorizationCode(
        _ code: Secret, redirectURI: String, verifier: Secret, resources: [String] = []
    ) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", text(code)), ("redirect_uri", redirectURI),
            ("code_verifier", text(verifier)),
        ] + resources.map { ("resource", $0) }
    }

    /// A refresh token for new tokens with the rights that there were (RF-04): no `scope`, and the same `resources`.
    public static func refresh(_ token: Secret, resources: [String] = []) -> [(String, String)] {
        [("grant_type", "refresh_token"), ("refresh_token", text(token))] + resources.map { ("resource", $0) }
    }

    /// What kind of token is revoked.
    public enum Hint: String, Sendable, Hashable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }

    /// The end of a token (RV-01).
    public static func revocation(_ token: Secret, hint: Hint) -> [(String, String)] {
        [("token", text(token)), ("token_type_hint", hint.rawValue)]
    }

    private static func text(_ secret: Secret) -> String { String(decoding: secret.reveal(), as: UTF8.self) }
}
