package import Crypto
package import Issuers

/// One header field injected towards the upstream.
package struct IdentityFieldSettings: Sendable, Hashable {
    /// How characters outside printable ASCII travel (HTTP-46).
    package enum Encoding: Sendable, Hashable {
        /// Percent-encoded UTF-8; `%` itself is encoded too.
        case percent
        /// base64url of the UTF-8 value.
        case base64url
        /// base64 of it without padding, for names that end in `-bin` (H2-91).
        case base64
    }

    /// The canonical field name, such as `X-User-Id`.
    package var name: String
    /// Member names from the outside in; empty where the field carries the access token.
    package var claim: [String]
    /// It carries the access token itself in place of a claim: the client's, or the session's.
    package var isAccessToken = false
    /// Between the members of a list.
    package var separator: String
    package var encoding: Encoding

    package init(name: String, claim: [String], separator: String = " ", encoding: Encoding = .percent) {
        self.name = name
        self.claim = claim
        self.separator = separator
        self.encoding = encoding
    }
}

/// What goes into the upstream's `Authorization` in place of the client's credentials.
package enum UpstreamCredentialSettings: Sendable {
    case none
    /// The client's own token, which must be a Bearer token that is bound to no key.
    case pass
    /// The ID token of the session, as Bearer, for upstreams that take no other.
    case passIDToken
    /// A token for the upstream, from the authorization server (RFC 8693).
    case exchange(ExchangeSettings)
    /// Always the same field value, such as `Basic …`.
    case fixed(Secret)
    /// A short-lived JWT of the gateway's own that says who the caller is.
    case assertion(AssertionSettings)
}

/// A signed identity assertion for one upstream.
package struct AssertionSettings: Sendable, Hashable {
    /// `aud`: who is to believe it.
    package var audience: String
    package var lifetime = Duration.seconds(60)
    /// Claims of the access token that it repeats, beside `sub`, `client_id` and `scope`.
    package var claims: [String] = []
    /// The field that carries it: `Authorization` (as Bearer), or another name (the JWT alone).
    package var field: String

    package init(audience: String, field: String = "Authorization") {
        self.audience = audience
        self.field = field
    }
}
