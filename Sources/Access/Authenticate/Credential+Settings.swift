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
    /// What is asked of whoever a token was issued for, as of a session's user.
    package var rights: RightsSettings
    /// The protection space's name in challenges.
    package var realm = usualRealm
    /// A request without a token is let through without identity (RS-09).
    package var optional = false
    /// Tokens of clients that act for themselves (`sub == client_id`) are refused (RS-21).
    package var userOnly = false
    package var queryToken = QueryToken.reject
    /// Schemes accepted; a token bound to a key needs its proof whatever is said here (DPOP-20, RS-22).
    package var schemes: [Scheme] = [.bearer]
    package var dpop = DPoPSettings()
    /// Calls go on when the token has expired that they began with.
    package var keepsStreams = false
    /// All of these must be granted by `authorization_details` (RAR-01).
    package var authorizationDetails: [AuthorizationDetailsRule] = []
    /// Replaces `authorizationDetails` for the methods named.
    package var authorizationDetailsByMethod: [String: [AuthorizationDetailsRule]] = [:]
    /// What is published of the resource (RFC 9728); nil publishes nothing.
    package var resource: ResourceSettings?

    /// The protection space of a route that names none.
    package static let usualRealm = "portcullis"

    package init(
        issuers: [String], audiences: [String], scopes: [String] = [], scopesByMethod: [String: [String]] = [:]
    ) {
        self.issuers = issuers
        self.audiences = audiences
        rights = RightsSettings(scopes: scopes, scopesByMethod: scopesByMethod)
    }
}

/// What a browser's session must be for a route to accept it.
package struct LoginAccessSettings: Sendable {
    /// The login, by its place among the gateway's.
    package var login: Int
    /// What is asked of the session's user; its issuer is the client's.
    package var rights: RightsSettings
    /// Origins beside our own whose pages may make unsafe requests and open WebSockets (SC-09, HTTP-58).
    package var allowedOrigins: [String] = []
    /// Every request needs `X-Requested-By`: for APIs that browsers' scripts call (SC-09).
    package var requiresHeader = false
    /// A form of at most 16 KiB that was posted without a session is sent again after the login.
    package var keepsForm = false
    /// A request without a session is let through without identity.
    package var optional = false
    /// A request of a client in one of these networks is, too.
    package var networks: [AddressRange] = []

    /// Takes the sessions of a login, of users with these rights.
    package init(login: Int, rights: RightsSettings = RightsSettings()) {
        self.login = login
        self.rights = rights
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
