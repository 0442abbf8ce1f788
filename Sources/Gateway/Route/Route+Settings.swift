package import Access
package import Crypto
package import Issuers
package import JOSE

/// One route: where matching requests go, and who may make them.
package struct RouteSettings: Sendable {
    /// Exactly one of these is said in the file; a route that says none does not load (HTTP-76).
    package enum Access: Sendable {
        case publicAccess
        case token(TokenSettings)
        case login(LoginAccessSettings)
        /// Either credential; a request with an `Authorization` field is judged by that alone (SC-11).
        case tokenOrLogin(TokenSettings, LoginAccessSettings)

        /// What tokens must be, where any are taken.
        package var token: TokenSettings? {
            switch self {
            case .publicAccess, .login: nil
            case .token(let token), .tokenOrLogin(let token, _): token
            }
        }

        /// What sessions must be, where any are taken.
        package var login: LoginAccessSettings? {
            switch self {
            case .publicAccess, .token: nil
            case .login(let login), .tokenOrLogin(_, let login): login
            }
        }
    }

    /// A path relaxation of HTTP-56 that the operator switched on for this route.
    package enum PathAllowance: Sendable, CaseIterable {
        /// `%2F`
        case encodedSlash
        /// `%5C` and `\`
        case backslash
        /// `%25` followed by two hexadecimal digits
        case doubleEncoding
        /// `;` in a segment
        case semicolon
        /// bytes above 0x7E
        case nonASCII
    }

    /// The name in logs and metrics; the path unless configured.
    package var name: String
    /// Ends with `/`: the whole subtree and the path itself without that slash.
    ///
    /// Otherwise this path alone.
    package var path: String
    /// Its upstream takes paths that differ in case for one (HTTP-57, T-09): `path` is in lower case, and fits in any.
    package var ignoresCase = false
    package var upstream: UpstreamSettings
    package var access: Access
    /// Fields injected towards the upstream, in order (HTTP-46).
    package var identity: [IdentityFieldSettings]
    /// Methods allowed, case-sensitive; nil allows all but CONNECT, TRACE and TRACK (HTTP-19).
    package var methods: [String]?
    package var webSocket: Bool
    package var pathAllowances: [PathAllowance]
    /// Bases of this route's URLs beside the listener's public URL, for `htu`: scheme, authority and a path prefix that
    /// a proxy in front takes away (DPOP-09).
    package var publicURLs: [String] = []
    /// What `Origin`, where there is one, must be (MCP-06); nil does not look.
    package var allowedOrigins: [String]?
    /// What scripts of pages elsewhere may do.
    package var cors = CORSSettings.refused
    package var limits = RouteLimitSettings()
    package var timeouts = RouteTimeoutSettings()
    /// What the upstream gets in place of the client's credentials.
    package var credential = UpstreamCredentialSettings.none
    /// The base of the upstream's URLs as its resource server sees them, for the `htu` of proofs made for it (DPOP-45); nil
    /// is the upstream's own scheme and authority.
    package var proofURL: String?
    /// The upstream is told the client's certificate in `Client-Cert`, where the connection has one (RFC 9440).
    package var sendsClientCert = false
    /// A 401 of the upstream becomes a 502, unless it answers the client's own token (HTTP-68).
    package var hidesUnauthorized = false
    /// Statuses of the upstream's responses that a navigation gets a page of ours for.
    package var replacedStatuses: Set<UInt16> = []
    /// A Model Context Protocol server: its metadata is published, and no token passes through (MCP-01 … MCP-06).
    package var isMCP = false

    package init(
        name: String, path: String, upstream: UpstreamSettings, access: Access, identity: [IdentityFieldSettings] = [],
        methods: [String]? = nil, webSocket: Bool = false, pathAllowances: [PathAllowance] = []
    ) {
        self.name = name
        self.path = path
        self.upstream = upstream
        self.access = access
        self.identity = identity
        self.methods = methods
        self.webSocket = webSocket
        self.pathAllowances = pathAllowances
    }
}

/// Where a route's requests go: fixed here, never chosen by anything in a request (HTTP-75).
package struct UpstreamSettings: Sendable, Hashable {
    /// Where new connections go in turn; at least one, of which all answer alike.
    package var servers: [UpstreamServer]
    /// TLS towards the upstream, always verified.
    package var tls: Bool
    /// PEM file of certification authorities; the system's when nil.
    package var certificateAuthorityFile: String?
    /// The name sent as SNI and verified in the certificate; each server's own when nil.
    package var serverName: String?
    /// What we show to a server that asks who connects.
    package var clientCertificate: TLSSettings.Certificate?
    package var minimumVersion = TLSSettings.MinimumVersion.tls12

    package init(
        servers: [UpstreamServer], tls: Bool = false, certificateAuthorityFile: String? = nil,
        serverName: String? = nil
    ) {
        self.servers = servers
        self.tls = tls
        self.certificateAuthorityFile = certificateAuthorityFile
        self.serverName = serverName
    }

    /// One server, by a name or an IP literal without brackets.
    package init(
        host: String, port: UInt16, tls: Bool = false, certificateAuthorityFile: String? = nil,
        serverName: String? = nil
    ) {
        self.init(
            servers: [.address(host: host, port: port)], tls: tls, certificateAuthorityFile: certificateAuthorityFile,
            serverName: serverName)
    }

    /// The first server's name or IP literal.
    package var host: String { servers.first?.host ?? "" }

    /// What log lines call it.
    package var name: String { servers.map(\.name).joined(separator: ",") }

    /// Its scheme and authority, as in a URL; `localhost` for a Unix socket, which has none.
    var base: String {
        let scheme = tls ? "https" : "http"
        guard case .address(let host, let port)? = servers.first else { return "\(scheme)://localhost" }
        let authority = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(authority)" + (port == (tls ? 443 : 80) ? "" : ":\(port)")
    }
}

/// One of the servers behind an upstream.
package enum UpstreamServer: Sendable, Hashable {
    /// A name or an IP literal without brackets; of a name all addresses are used.
    case address(host: String, port: UInt16)
    /// A Unix socket.
    case unixSocket(path: String)

    var host: String {
        switch self {
        case .address(let host, _): host
        case .unixSocket: "localhost"
        }
    }

    /// `host:port`, or `unix:` and the path.
    package var name: String {
        switch self {
        case .address(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}

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
    package var claims: [ClaimRuleSettings]
    /// The protection space's name in challenges.
    package var realm: String
    /// A request without a token is let through without identity (RS-09).
    package var optional: Bool
    /// Tokens of clients that act for themselves (`sub == client_id`) are refused (RS-21).
    package var userOnly: Bool
    package var queryToken: QueryToken
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
        issuers: [String], audiences: [String], scopes: [String] = [], scopesByMethod: [String: [String]] = [:],
        claims: [ClaimRuleSettings] = [], realm: String = "portcullis", optional: Bool = false,
        userOnly: Bool = false, queryToken: QueryToken = .reject
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.scopes = scopes
        self.scopesByMethod = scopesByMethod
        self.claims = claims
        self.realm = realm
        self.optional = optional
        self.userOnly = userOnly
        self.queryToken = queryToken
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

/// One header field injected towards the upstream.
package struct IdentityFieldSettings: Sendable, Hashable {
    /// How characters outside printable ASCII travel (HTTP-46).
    package enum Encoding: Sendable, Hashable {
        /// Percent-encoded UTF-8; `%` itself is encoded too.
        case percent
        /// base64url of the UTF-8 value.
        case base64url
    }

    /// The canonical field name, such as `X-User-Id`.
    package var name: String
    /// Member names from the outside in.
    package var claim: [String]
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

/// What goes into the upstream's `Authorization` in place of the client's credentials.
package enum UpstreamCredentialSettings: Sendable {
    case none
    /// The client's own token, which must be a Bearer token that is bound to no key.
    case pass
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
    package var lifetimeSeconds: Int
    /// Claims of the access token that it repeats, beside `sub`, `client_id` and `scope`.
    package var claims: [String]
    /// The field that carries it: `Authorization` (as Bearer), or another name (the JWT alone).
    package var field: String

    package init(
        audience: String, lifetimeSeconds: Int = 60, claims: [String] = [], field: String = "Authorization"
    ) {
        self.audience = audience
        self.lifetimeSeconds = lifetimeSeconds
        self.claims = claims
        self.field = field
    }
}
