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
        /// There are none: nothing that the server signs is taken.
        case absent
    }

    /// The endpoints of a server that says nothing about itself.
    package struct Endpoints: Sendable, Equatable {
        package var authorization: String
        package var token: String
        package var revocation: String?

        package init(authorization: String, token: String, revocation: String? = nil) {
            self.authorization = authorization
            self.token = token
            self.revocation = revocation
        }
    }

    /// The name routes refer to.
    package var name: String
    /// The issuer identifier, exactly as tokens spell it.
    package var url: String
    package var discovery: Discovery
    package var keys: Keys
    package var rules: AccessTokenRules
    /// What the operator says in the place of metadata: an OAuth 2.0 server without OpenID Connect, for logins alone.
    package var endpoints: Endpoints?
    /// A PEM file with the certification authorities for this issuer's endpoints; the system's when nil.
    package var certificateAuthorityFile: String?
    /// Networks beyond public ones to which metadata may point, such as `10.0.0.0/8` (MD-08).
    package var allowPrivate: [String] = []
    /// Ports beside 443 to which metadata may point on any host; on the issuer's own every port is fine (MD-08).
    package var allowPorts: [UInt16] = []
    /// `http://` endpoints are accepted for this issuer: only settable where the issuer is on loopback.
    package var insecureAllowHTTP = false
    package var keyTimes = KeyTimesSettings()
    /// Metadata is read for its endpoints also where `keys` come from elsewhere: a client of this issuer needs them.
    package var readsEndpoints = false
    /// How its tokens are asked about; nil when they are all verified here.
    package var introspection: IntrospectionSettings?

    package init(
        name: String, url: String, discovery: Discovery = .automatic, keys: Keys = .discovered,
        rules: AccessTokenRules
    ) {
        self.name = name
        self.url = url
        self.discovery = discovery
        self.keys = keys
        self.rules = rules
    }

    /// Whether its endpoints must be read from metadata that nothing else asks for.
    var readsMetadataForEndpoints: Bool {
        guard discovery != .none, keys != .discovered else { return false }
        return readsEndpoints || (introspection.map { $0.endpoint == nil } ?? false)
    }
}

/// How long the fetched keys of one issuer are believed.
package struct KeyTimesSettings: Sendable, Equatable {
    /// Shortest time that a fetched key set is believed fresh, whatever Cache-Control says (60…86,400).
    package var minimumLifetime = Duration.seconds(60)
    /// Longest time.
    package var maximumLifetime = Duration.seconds(3600)
    /// How long keys are still used after their refresh began to fail (D-17: one hour).
    package var staleLimit = Duration.seconds(3600)
    /// Least time between two fetches caused by unknown `kid`s of one client (JOSE-17: 30).
    package var unknownKeyInterval = Duration.seconds(30)

    package init() {}
}

/// How the tokens of one issuer are asked about instead of verified (RFC 7662).
package struct IntrospectionSettings: Sendable, Hashable {
    /// Which tokens the issuer is asked about.
    package enum Tokens: Sendable, Hashable {
        /// Those that are no JWT.
        case opaque
        /// Every one, so that a revoked JWT is refused too.
        case all
    }

    /// Index of the client that asks, among the gateway's clients.
    package var client: Int
    /// The introspection endpoint; the metadata's when nil.
    package var endpoint: String?
    package var tokens = Tokens.opaque
    /// Answers must be signed (RFC 9701); otherwise they must be plain JSON.
    package var requiresSigned: Bool
    /// What a signed answer's `aud` must name; the client's identifier when nil (INT-08).
    package var audience: String?
    /// Longest time an answer that a token is active is believed; zero asks for every request (INT-06).
    package var positiveLifetime = Duration.seconds(30)
    /// How long an answer that a token is not active is believed.
    package var negativeLifetime = Duration.seconds(10)
    package var timeout = Duration.seconds(5)
    /// Largest answer read, in bytes: a token whose answer is longer is refused.
    package var answerBytes: Int
    /// Say that it is an access token that is asked about (RFC 7662 §2.1).
    package var hint = true

    package init(
        client: Int, endpoint: String? = nil, requiresSigned: Bool = false, audience: String? = nil,
        answerBytes: Int = IntrospectionRequest.maximumBytes
    ) {
        self.client = client
        self.endpoint = endpoint
        self.requiresSigned = requiresSigned
        self.audience = audience
        self.answerBytes = answerBytes
    }
}

/// What tokens are exchanged for on one route (RFC 8693 §2.1).
package struct ExchangeSettings: Sendable, Hashable {
    /// Index of the client that exchanges, among the gateway's clients.
    package var client: Int
    /// Logical names of the services the new token is for.
    package var audience: [String]
    /// URIs of the services the new token is for.
    package var resource: [String]
    /// Scopes asked for; those of the subject token when empty.
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
