// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Everything the operator says about one authorization server.
package struct IssuerSettings: Sendable {
    /// How the server's metadata is found (MD-02).
    package enum Discovery: Sendable, Equatable {
        /// RFC 8414 (inserted), then OpenID Connect inserted, then OpenID Connect appended, as MCP orders them.
        case automatic
        /// `<issuer>/.well-known/openid-configuration`.
        case openIDConnect
        /// `/.well-known/oauth-authorization-server` between host and path.
        case oauth
        /// No metadata is fetched; `keys` says where the keys come from.
        case none
    }

    /// Where the signing keys come from.
    package enum Keys: Sendable, Equatable {
        /// The metadata's `jwks_uri`.
        case discovered
        /// A configured `jwks_uri`, overriding the metadata's.
        case url(String)
        /// A JWK Set document in a file, read at start (its bytes).
        case document([UInt8])
    }

    /// The name routes refer to.
    package var name: String
    /// The issuer identifier, exactly as tokens spell it.
    package var url: String
    package var discovery: Discovery
    package var keys: Keys
    package var rules: AccessTokenRules
    /// A PEM file with the certification authorities for this issuer's endpoints; the system's when nil.
    package var certificateAuthorityFile: String?
    /// Networks beyond public ones to which metadata may point, such as `10.0.0.0/8` (MD-08).
    package var allowPrivate: [String]
    /// `http://` endpoints are accepted for this issuer: only settable where the issuer is on loopback.
    package var insecureAllowHTTP: Bool
    /// Shortest and longest time a fetched key set is believed fresh, in seconds (clamp of Cache-Control; 60…86,400).
    package var keySetLifetimeSeconds: ClosedRange<Int>
    /// How long keys are still used after their refresh began to fail, in seconds (D-17: one hour).
    package var staleLimitSeconds: Int
    /// Least time between two fetches caused by unknown `kid`s, in seconds (JOSE-17: 30).
    package var unknownKeyRefetchSeconds: Int

    package init(
        name: String, url: String, discovery: Discovery = .automatic, keys: Keys = .discovered,
        rules: AccessTokenRules, certificateAuthorityFile: String? = nil, allowPrivate: [String] = [],
        insecureAllowHTTP: Bool = false, keySetLifetimeSeconds: ClosedRange<Int> = 60...3600,
        staleLimitSeconds: Int = 3600, unknownKeyRefetchSeconds: Int = 30
    ) {
        self.name = name
        self.url = url
        self.discovery = discovery
        self.keys = keys
        self.rules = rules
        self.certificateAuthorityFile = certificateAuthorityFile
        self.allowPrivate = allowPrivate
        self.insecureAllowHTTP = insecureAllowHTTP
        self.keySetLifetimeSeconds = keySetLifetimeSeconds
        self.staleLimitSeconds = staleLimitSeconds
        self.unknownKeyRefetchSeconds = unknownKeyRefetchSeconds
    }
}

/// A token for an upstream in exchange for the caller's (RFC 8693 §2.1).
package struct ExchangeSettings: Sendable, Hashable {
    /// Which of the configured clients asks.
    package var client: Int
    package var audience: [String]
    package var resource: [String]
    package var scopes: [String]

    package init(client: Int, audience: [String] = [], resource: [String] = [], scopes: [String] = []) {
        self.client = client
        self.audience = audience
        self.resource = resource
        self.scopes = scopes
    }
}

/// What the operator says about this gateway as a client of one authorization server.
package struct ClientSettings: Sendable {
    /// The name that other settings refer to.
    package var name: String
    /// The authorization server, by its place among the issuers' settings: no other one is ever sent the credentials.
    package var issuer: Int
    package var credentials: ClientCredentials

    package init(name: String, issuer: Int, credentials: ClientCredentials) {
        self.name = name
        self.issuer = issuer
        self.credentials = credentials
    }
}
