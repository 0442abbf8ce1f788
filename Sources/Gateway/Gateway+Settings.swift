// SPDX-License-Identifier: Apache-2.0
package import Issuers

/// Everything `portcullis run` needs to know, already checked: no default is filled in below this type.
package struct GatewaySettings: Sendable {
    package var workers: Int
    package var listeners: [ListenerSettings]
    package var admin: AdminSettings
    package var issuers: [IssuerSettings]
    package var routes: [RouteSettings]
    package var limits = LimitSettings()
    package var timeouts = TimeoutSettings()
    package var log = LogSettings()
    package var tokenCache = TokenCacheSettings()

    package init(
        workers: Int, listeners: [ListenerSettings], admin: AdminSettings, issuers: [IssuerSettings],
        routes: [RouteSettings]
    ) {
        self.workers = workers
        self.listeners = listeners
        self.admin = admin
        self.issuers = issuers
        self.routes = routes
    }
}

/// An IP address and port to listen on; port 0 lets the kernel choose (tests).
package struct SocketAddressSettings: Sendable, Equatable {
    /// An IPv4 or IPv6 literal without brackets.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

/// One public listener.
package struct ListenerSettings: Sendable {
    package var address: SocketAddressSettings
    /// What clients see, scheme and authority only, such as `https://shop.example.com`; never taken from a request.
    package var publicURL: String
    /// Authorities accepted in Host, lower-case, each `host` or `host:port`: the public URL's and any extra ones (HTTP-21).
    package var authorities: [String]
    package var tls: TLSSettings?

    package init(
        address: SocketAddressSettings, publicURL: String, authorities: [String], tls: TLSSettings? = nil
    ) {
        self.address = address
        self.publicURL = publicURL
        self.authorities = authorities
        self.tls = tls
    }
}

/// Certificates of a TLS listener; the one whose names match SNI answers, the first when none does.
package struct TLSSettings: Sendable {
    package struct Certificate: Sendable, Equatable {
        /// PEM, leaf first.
        package var certificateFile: String
        package var keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    package enum MinimumVersion: Sendable, Equatable {
        case tls12, tls13
    }

    package var certificates: [Certificate]
    package var minimumVersion: MinimumVersion

    package init(certificates: [Certificate], minimumVersion: MinimumVersion = .tls12) {
        self.certificates = certificates
        self.minimumVersion = minimumVersion
    }
}

/// The listener for metrics and health; never reachable through a route (OPS-06).
package struct AdminSettings: Sendable {
    package var address: SocketAddressSettings

    package init(address: SocketAddressSettings) {
        self.address = address
    }
}

/// One route: where matching requests go, and who may make them.
package struct RouteSettings: Sendable {
    /// Exactly one of these is said in the file; a route that says none does not load (HTTP-76).
    package enum Access: Sendable {
        case publicAccess
        case token(TokenSettings)
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
    package var upstream: UpstreamSettings
    package var access: Access
    /// Fields injected towards the upstream, in order (HTTP-46).
    package var identity: [IdentityFieldSettings]
    /// Methods allowed, case-sensitive; nil allows all but CONNECT, TRACE and TRACK (HTTP-19).
    package var methods: [String]?
    package var webSocket: Bool
    package var pathAllowances: [PathAllowance]

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
    /// A name or an IP literal without brackets.
    package var host: String
    package var port: UInt16
    /// TLS towards the upstream, always verified.
    package var tls: Bool
    /// PEM file of certification authorities; the system's when nil.
    package var certificateAuthorityFile: String?
    /// The name sent as SNI and verified in the certificate; `host` when nil.
    package var serverName: String?

    package init(
        host: String, port: UInt16, tls: Bool = false, certificateAuthorityFile: String? = nil,
        serverName: String? = nil
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.certificateAuthorityFile = certificateAuthorityFile
        self.serverName = serverName
    }
}

/// What an access token must be for a route to accept it.
package struct TokenSettings: Sendable {
    /// What a query parameter `access_token` beside a header means (RS-06).
    package enum QueryToken: Sendable, Equatable {
        case reject, ignore
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

/// A condition on one claim: its value, or one member of its list, equals one of `anyOf`.
package struct ClaimRuleSettings: Sendable, Hashable {
    /// Member names from the outside in: `realm_access.roles` is `["realm_access", "roles"]`.
    package var claim: [String]
    package var anyOf: [String]

    package init(claim: [String], anyOf: [String]) {
        self.claim = claim
        self.anyOf = anyOf
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

/// Bounds on what one message may bring (REQUIREMENTS 0.4), in bytes unless named otherwise.
package struct LimitSettings: Sendable {
    package var requestLine = 8 * 1024
    package var headerSection = 64 * 1024
    package var fieldCount = 100
    package var fieldLine = 32 * 1024
    /// Largest access token; every issuer's rules carry it too.
    package var accessToken = 16 * 1024
    /// Largest request body; nil for no limit.
    package var requestBody: Int64?
    /// Client connections of one worker.
    package var connections = 50_000
    /// Idle connections kept to one upstream by one worker.
    package var upstreamIdleConnections = 256
    /// Connections in use to one upstream by one worker; beyond it a request is answered 503.
    package var upstreamConnections = 4096
    /// Requests waiting for an issuer's keys in one worker.
    package var parkedRequests = 1024

    package init() {}
}

/// Durations in milliseconds.
package struct TimeoutSettings: Sendable {
    /// From the first byte of a head (or the connection's start) to its end.
    package var requestHead = 10_000
    /// Without a byte of a request body.
    package var requestBody = 30_000
    /// An idle keep-alive client.
    package var keepAlive = 75_000
    package var upstreamConnect = 3_000
    /// From the request's last byte to the response head.
    package var upstreamFirstByte = 30_000
    /// Without a byte of a response body, and without a byte taken by the client.
    package var responseBody = 60_000
    /// An idle upstream connection in the pool.
    package var upstreamIdle = 30_000
    /// A WebSocket tunnel without a byte in either direction.
    package var tunnelIdle = 3_600_000
    /// How long SIGTERM waits for exchanges in flight.
    package var drain = 30_000
    /// How long a request waits for an issuer's keys.
    package var keyWait = 2_000

    package init() {}
}

/// Where log lines go and which are written.
package struct LogSettings: Sendable {
    package enum Level: Int, Sendable, CaseIterable {
        case debug, info, warning, error
    }

    /// `standardOutput`, `standardError`, or a file that is appended to.
    package enum Destination: Sendable, Equatable {
        case off, standardOutput, standardError
        case file(String)
    }

    package var level: Level = .info
    /// The operator log: start, refusals, issuers, failures.
    package var operatorDestination: Destination = .standardError
    /// One line per request.
    package var accessDestination: Destination = .standardOutput

    package init() {}
}

/// Bounds of the verified-token cache, per worker (JOSE-34).
package struct TokenCacheSettings: Sendable {
    package var entries = 100_000
    package var bytes = 128 * 1024 * 1024

    package init() {}
}
