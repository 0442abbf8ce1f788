package import JOSE

/// What an access token must be for a route to accept it.
package struct TokenSettings: Sendable {
    /// What a query parameter `access_token` beside a header means (RS-06).
    package enum QueryToken: Sendable, Equatable {
        case reject, ignore
    }

    /// An authentication scheme of the Authorization field.
    package enum Scheme: Sendable, Equatable {
        case bearer, dpop
    }

    /// Names of the issuers accepted here (RS-12).
    package var issuers: [String]
    /// Resource indicators of this route; the token's `aud` must contain one of them, exactly (RS-13).
    package var audiences: [String]
    /// Scopes needed whatever the method.
    package var scopes: [String]
    /// Scopes needed by method, replacing `scopes` for the methods named.
    package var scopesByMethod: [String: [String]]
    /// All of these must hold (RS-20).
    package var claims: [ClaimRuleSettings] = []
    /// The protection space's name in challenges.
    package var realm = "portcullis"
    /// A request without a token is let through without identity (RS-09).
    package var optional = false
    /// Tokens of clients that act for themselves (`sub == client_id`) are refused (RS-21).
    package var userOnly = false
    package var queryToken = QueryToken.reject
    /// Schemes accepted; a token bound to a key needs its proof whatever is said here (DPOP-20, RS-22).
    package var schemes: [Scheme] = [.bearer]
    package var dpop = DPoPSettings()
    /// One of these must be the token's `acr`; in order of preference (STEP-01).
    package var acrValues: [String] = []
    /// Oldest authentication accepted, in seconds since the token's `auth_time` (STEP-02).
    package var maxAgeSeconds: Int?
    /// All of these must be granted by `authorization_details` (RAR-01).
    package var authorizationDetails: [AuthorizationDetailsRule] = []
    /// Replaces `authorizationDetails` for the methods named.
    package var authorizationDetailsByMethod: [String: [AuthorizationDetailsRule]] = [:]
    /// What is published of the resource (RFC 9728); nil publishes nothing.
    package var resource: ResourceSettings?

    package init(
        issuers: [String], audiences: [String], scopes: [String] = [], scopesByMethod: [String: [String]] = [:]
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.scopes = scopes
        self.scopesByMethod = scopesByMethod
    }
}

/// What a browser's session must be for a route to accept it.
package struct LoginAccessSettings: Sendable {
    /// The login, by its place among the gateway's.
    package var login: Int
    /// Scopes, claims, `acr` and age as for tokens; its issuer is the client's, and no audience is asked for.
    package var requirements: TokenSettings
    /// Origins beside our own whose pages may make unsafe requests and open WebSockets (SC-09, HTTP-58).
    package var allowedOrigins: [String]
    /// Every request needs `X-Requested-By`: for APIs that browsers' scripts call (SC-09).
    package var requiresHeader: Bool
    /// A form of at most 16 KiB that was posted without a session is sent again after the login.
    package var keepsForm: Bool
    /// A request without a session is let through without identity.
    package var optional: Bool

    package init(
        login: Int, requirements: TokenSettings, allowedOrigins: [String] = [], requiresHeader: Bool = false,
        keepsForm: Bool = false, optional: Bool = false
    ) {
        self.login = login
        self.requirements = requirements
        self.allowedOrigins = allowedOrigins
        self.requiresHeader = requiresHeader
        self.keepsForm = keepsForm
        self.optional = optional
    }
}

/// How one route takes DPoP proofs.
package struct DPoPSettings: Sendable, Equatable {
    /// Whether proofs must carry a nonce of ours (RFC 9449 §9).
    package enum Nonce: Sendable, Equatable {
        /// None is sent; one that a proof carries is not looked at.
        case off
        /// Nonces are offered; a proof may do without one, but not with a wrong one.
        case optional
        case required
    }

    /// In the order in which challenges list them.
    package var algorithms: [SignatureAlgorithm]
    package var nonce: Nonce

    package init(algorithms: [SignatureAlgorithm] = [.es256, .ps256, .edDSA], nonce: Nonce = .off) {
        self.algorithms = algorithms
        self.nonce = nonce
    }
}

/// What a route says of itself under `/.well-known/oauth-protected-resource` (RFC 9728).
package struct ResourceSettings: Sendable, Equatable {
    /// The resource identifier; nil is the listener's public URL with the route's path.
    package var identifier: String?
    /// `resource_name`, for people.
    package var name: String?

    package init(identifier: String? = nil, name: String? = nil) {
        self.identifier = identifier
        self.name = name
    }
}
