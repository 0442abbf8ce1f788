package import Crypto

/// What is known of one browser's login at one client: who the user is, and the tokens that only the gateway has.
///
/// Prints as its identifier's first digits: everything else is a secret or somebody's business.
package struct Session: Sendable {
    /// Sixteen random bytes, new at every login and step-up, the same through refreshes (SC-05).
    package var id: [UInt8]
    /// The name of the client whose login it is.
    package var client: String
    /// `iss` of the ID token.
    package var issuer: String
    /// `sub` of the ID token; with `issuer` it names the user (OIDC-13).
    package var subject: String
    /// `sid` of the ID token: the authorization server's own session, which logout tokens name.
    package var serverSession: String?
    /// A JSON object with the claims that the configuration has a use for; always `iss` and `sub`.
    package var claims: [UInt8]
    /// The scopes that were granted.
    package var scopes: [String]
    /// When the user logged in, in seconds since 1970: `iat` of what revocations are compared with (LO-10).
    package var createdAt: Int64
    /// When a request was last seen, to the minute or so, in seconds since 1970 (SC-08).
    package var seenAt: Int64
    /// The end that nothing moves, in seconds since 1970.
    package var endsAt: Int64
    /// The access token, where a route or a revocation has a use for it.
    package var accessToken: Secret?
    /// Seconds since 1970.
    package var accessTokenIssuedAt = Int64(0)
    /// Seconds since 1970; nothing is refreshed where that is `Int64.max`.
    package var accessTokenExpiresAt = Int64.max
    /// The private number of the P-256 key that the tokens are bound to, 32 bytes; nil for Bearer tokens (RFC 9449).
    package var proofKey: Secret?
    package var refreshToken: Secret?
    /// Kept for `id_token_hint`, where there is room for it: signed, and never encrypted.
    package var idToken: Secret?
    /// The digest of the login's nonce, with which ID tokens of refreshes are compared (RF-07); nil where none come.
    package var nonceDigest: [UInt8]?
    /// Counts the refreshes, so that the newer of two states of one session is known.
    package var generation = UInt32(0)

    /// A session that was seen when it began, and that holds no token yet.
    package init(
        id: [UInt8], client: String, issuer: String, subject: String, claims: [UInt8], scopes: [String],
        createdAt: Int64, endsAt: Int64
    ) {
        self.id = id
        self.client = client
        self.issuer = issuer
        self.subject = subject
        self.claims = claims
        self.scopes = scopes
        self.createdAt = createdAt
        seenAt = createdAt
        self.endsAt = endsAt
    }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[session]`.
    package var description: String { "[session]" }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
