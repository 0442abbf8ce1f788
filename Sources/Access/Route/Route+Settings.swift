package import HTTPMessage
package import Telemetry

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

    /// The name in logs and metrics; the path unless configured.
    package var name: String
    /// Ends with `/`: the whole subtree and the path itself without that slash.
    ///
    /// Otherwise this path alone.
    package var path: String
    /// The host that it is of, by its place; nil is whatever listener a request comes to by its own name (ECO-65).
    package var host: Int?
    /// Which requests for the path are its own, where it shares it with other routes.
    package var field: RouteFieldSettings?
    /// Its upstream takes paths that differ in case for one (HTTP-57, T-09): `path` is in lower case, and fits in any.
    package var ignoresCase = false
    package var upstream: UpstreamSettings
    package var access: Access
    /// Fields injected towards the upstream, in order (HTTP-46).
    package var identity: [IdentityFieldSettings]
    /// Methods allowed, case-sensitive; nil allows all but CONNECT, TRACE and TRACK (HTTP-19).
    package var methods: [String]?
    package var webSocket = false
    package var pathAllowances: [PathAllowances] = []
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
    /// Fields that its upstream and its clients get, or do not get, beside what the gateway does by itself.
    package var requestFields = FieldChangeSettings()
    package var responseFields = FieldChangeSettings()
    /// Fields that its clients get of their own claims, in order (ECO-70).
    package var responseIdentity: [IdentityFieldSettings] = []
    package var hasSecurityHeaders = false
    /// What it answers itself; it has no upstream then.
    package var answer: RouteAnswerSettings?
    /// What of its paths the upstream knows by another name, or the place that a redirect leads to.
    package var rewrite: PathRewriteSettings?
    /// The upstream is told the client's certificate in `Client-Cert`, where the connection has one (RFC 9440).
    package var sendsClientCert = false
    /// It is called by gRPC: `grpc-timeout` counts, and calls have no other time.
    package var isGRPC = false
    /// Fields behind a request's content go on to an upstream that speaks HTTP/2.
    package var passesRequestTrailers = false
    /// A 401 of the upstream becomes a 502, unless it answers the client's own token (HTTP-68).
    package var hidesUnauthorized = false
    /// Statuses of the upstream's responses that a navigation gets a page of ours for.
    package var replacedStatuses: Set<UInt16> = []
    /// Which part of its traces is sampled, where that is another than of all.
    package var traceRatio: TraceRatio?
    /// A Model Context Protocol server: its metadata is published, and no token passes through (MCP-01 … MCP-06).
    package var isMCP = false

    package init(
        name: String, path: String, upstream: UpstreamSettings, access: Access, identity: [IdentityFieldSettings] = [],
        methods: [String]? = nil
    ) {
        self.name = name
        self.path = path
        self.upstream = upstream
        self.access = access
        self.identity = identity
        self.methods = methods
    }
}
