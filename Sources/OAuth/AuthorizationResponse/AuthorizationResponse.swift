public import Crypto

/// What an authorization server sent a browser back with, once it is certain which server it was (RFC 6749 §4.1.2).
public enum AuthorizationResponse: Sendable {
    /// A code, good for one token request to the server that was asked (CF-27).
    case code(Secret)
    /// The server's "no".
    case error(AuthorizationError)
}

/// An error of RFC 6749 §4.1.2.1 or OpenID Connect Core §3.1.2.6; its description is never read (CF-24).
public struct AuthorizationError: Error, Sendable, Hashable {
    /// What the error means for whoever is signing in.
    public enum Meaning: Sendable, Hashable {
        /// `access_denied`: the user or the server said no.
        case accessDenied
        /// The server has to talk to the user, and was asked not to: `login_required` and its like.
        case interactionRequired
        /// `unmet_authentication_requirements`: the user cannot sign in as strongly as was asked for.
        case authenticationUnmet
        /// The server cannot answer now.
        case serverBusy
        /// Anything else: a mistake in the request or at the server.
        case other
    }

    /// `error`, spelt as RFC 6749 §4.1.2.1 spells codes, of 64 characters at most; for the operator's log.
    public let code: String

    /// Nil for what is no error code.
    init?(code: String) {
        guard ErrorResponse.isCode(code) else { return nil }
        self.code = code
    }

    /// What the error means.
    public var meaning: Meaning {
        switch code {
        case "access_denied": .accessDenied
        case "login_required", "interaction_required", "account_selection_required", "consent_required":
            .interactionRequired
        case "unmet_authentication_requirements": .authenticationUnmet
        case "temporarily_unavailable", "server_error": .serverBusy
        default: .other
        }
    }
}
