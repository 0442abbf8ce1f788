package import Access
package import Crypto
package import Issuers
package import JOSE
package import Login
package import Pages
package import SharedState
package import Systemd
package import Telemetry
package import Transport

/// Everything `portcullis run` needs to know, already checked: no default is filled in below this type.
package struct GatewaySettings: Sendable {
    package var workers: Int
    package var listeners: [ListenerSettings]
    package var admin: AdminSettings
    package var issuers: [IssuerSettings]
    /// What this gateway is to issuers; exchanges and introspections name one by its place here.
    package var clients: [ClientSettings] = []
    package var routes: [RouteSettings]
    /// The hosts that routes name, beside the names of the listeners.
    package var hosts: [HostSettings] = []
    /// Browser logins; routes name one by its place here.
    package var logins: [LoginSettings] = []
    package var limits = LimitSettings()
    /// Whose pages they are that people get, and what those say.
    package var pages = PageSettings()
    package var timeouts = TimeoutSettings()
    /// Who is asked where upstreams' names lead; the system's name servers where there are none.
    package var nameServers: [NameServer] = []
    package var log = LogSettings()
    /// Nil where no spans are made.
    package var tracing: TracingSettings?
    /// What replicas have in common; nil for a process by itself.
    package var store: StoreSettings?
    /// Who signed in and out, what was refused to whom, and what the operator changed.
    package var audit = AuditSettings()
    package var tokenCache = TokenCacheSettings()
    /// P-256 keys whose multiples are precomputed when they are busy, in all workers together; 0 for none.
    package var precomputedKeys = 64
    package var proofs = ProofSettings()
    package var assertionKeys = AssertionKeySettings()
    /// By what name upstreams, and this gateway itself, know the requests that went through it (HTTP-50): a token.
    package var via: String
    /// Refused and accepted requests kept for `portcullis explain --request-id`, over all workers; 0 keeps none.
    package var explainBuffer = 0
    /// Gateways that serve these public URLs side by side, this one among them, at most.
    package var replicas = 1
    /// Whether a change of the configuration file is a reload; nil where Kubernetes mounts it, and not where a person
    /// edits it.
    package var watch: Bool?

    package init(
        workers: Int, listeners: [ListenerSettings], admin: AdminSettings, issuers: [IssuerSettings],
        routes: [RouteSettings]
    ) {
        self.workers = workers
        self.listeners = listeners
        self.admin = admin
        self.issuers = issuers
        self.routes = routes
        via = GatewaySettings.pseudonym(for: listeners)
    }
}

/// An IP address and port to listen on, or a Unix socket; port 0 lets the kernel choose (tests).
package struct SocketAddressSettings: Sendable, Equatable {
    /// An IPv4 or IPv6 literal without brackets; empty for a Unix socket.
    package var host: String
    package var port: UInt16
    /// The path of a Unix socket.
    package var unixPath: String?
    /// Who may connect to a Unix socket: the permissions of its file.
    package var permissions: UInt32 = SocketAddressSettings.standardPermissions
    /// The socket that a service manager handed over, in place of all of the above; it lives longer than this process.
    package var handedOver: HandedOverSocket?

    /// Owner and group.
    package static let standardPermissions: UInt32 = 0o660

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package init(unixPath: String, permissions: UInt32 = SocketAddressSettings.standardPermissions) {
        host = ""
        port = 0
        self.unixPath = unixPath
        self.permissions = permissions
    }

    /// Whether clients find both at the same place, whoever may connect there.
    package func isSamePlace(as other: SocketAddressSettings) -> Bool {
        if handedOver != nil || other.handedOver != nil { return handedOver == other.handedOver }
        return host == other.host && port == other.port && unixPath == other.unixPath
    }

    /// As the configuration writes it.
    package var text: String {
        if let unixPath { return "unix:\(unixPath)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// One public listener.
package struct ListenerSettings: Sendable {
    package var address: SocketAddressSettings
    /// What a service manager calls the socket of this listener; nil for one that always opens its own.
    package var name: String?
    /// What clients see, scheme and authority only, such as `https://shop.example.com`; never taken from a request.
    package var publicURL: String
    /// Authorities accepted in Host, lower-case, each `host` or `host:port`: the public URL's and any extra ones (HTTP-21).
    package var authorities: [String]
    package var tls: TLSSettings?
    /// Networks, as CIDRs, of TLS terminators whose `Client-Cert` field is believed (RFC 9440 §2.4); from anyone else it
    /// is stripped.
    package var clientCertFieldFrom: [String]
    /// Networks, as CIDRs, of proxies in front whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` are read
    /// (HTTP-52); anyone else's are dropped.
    package var trustedProxies: [String] = []
    /// Networks, as CIDRs, of proxies that write a header of the PROXY protocol in front of each connection (ECO-76).
    ///
    /// Nobody else may connect; where there are none, no header is read.
    package var proxyProtocolFrom: [String] = []
    /// Upstreams get a `Forwarded` field beside `X-Forwarded-…` (RFC 7239).
    package var saysForwarded = false
    /// Plain HTTP is answered with the same address over https, and nothing is served.
    package var redirectsToHTTPS = false
    /// Clients may speak HTTP/2 too: by ALPN where there is TLS, by its preface where there is none (RFC 9113 §3).
    package var speaksHTTP2 = true
    /// Browsers may sign in at `http://localhost`, on this machine: for development.
    package var allowsPlainLogins = false
    /// Another process may listen at the address too: a gateway's successor, while the old one drains.
    package var sharesAddress = false

    package init(
        address: SocketAddressSettings, publicURL: String, authorities: [String], tls: TLSSettings? = nil,
        clientCertFieldFrom: [String] = []
    ) {
        self.address = address
        self.publicURL = publicURL
        self.authorities = authorities
        self.tls = tls
        self.clientCertFieldFrom = clientCertFieldFrom
    }
}

/// Certificates of a TLS listener; the one whose names match SNI answers, the first when none does.
package struct TLSSettings: Sendable {
    package typealias Certificate = CertificateFiles
    package typealias MinimumVersion = TLSMinimumVersion

    package var certificates: [Certificate]
    package var minimumVersion: MinimumVersion
    /// What replicas seal session tickets with, at least 32 bytes each: the first seals, all open.
    ///
    /// Empty: keys of this process's own, which change by themselves.
    package var ticketKeys: [Secret] = []
    /// Nil asks no client for a certificate, as listeners for browsers must not (MTLS-05).
    package var clientCertificates: ClientCertificateSettings?

    package init(
        certificates: [Certificate], minimumVersion: MinimumVersion = .tls12,
        clientCertificates: ClientCertificateSettings? = nil
    ) {
        self.certificates = certificates
        self.minimumVersion = minimumVersion
        self.clientCertificates = clientCertificates
    }
}

/// What a TLS listener asks its clients to prove (RFC 8705, MTLS-04).
package struct ClientCertificateSettings: Sendable, Equatable {
    package enum Trust: Sendable, Equatable {
        /// Possession of the key alone: the token names the certificate, whoever signed it.
        case anyCertificate
        /// A chain to one of these authorities (PEM), and none of these revocations (PEM) where given.
        case authorities(file: String, revocationListFile: String?)
    }

    /// Clients without a certificate do not get through the handshake.
    package var isRequired: Bool
    package var trust: Trust

    package init(isRequired: Bool, trust: Trust = .anyCertificate) {
        self.isRequired = isRequired
        self.trust = trust
    }
}

/// The listener for metrics and health; never reachable through a route (OPS-06).
package struct AdminSettings: Sendable {
    /// What a service manager calls the socket of this listener, and so no other one.
    package static let name = "admin"

    package var address: SocketAddressSettings
    /// Names that it answers to beside IP addresses and localhost.
    package var hosts: [String] = []

    package init(address: SocketAddressSettings) {
        self.address = address
    }
}

/// Bounds on what one message may bring (HTTP-65), in bytes unless named otherwise.
package struct LimitSettings: Sendable {
    package var requestLine = 8 * 1024
    package var headerSection = 64 * 1024
    package var fieldCount = 100
    package var fieldLine = 32 * 1024
    /// Largest access token; every issuer's rules carry it too.
    package var accessToken = 16 * 1024
    /// How many requests there may be, and whose.
    package var requests = RequestRateSettings()
    /// Largest request body; nil for no limit.
    package var requestBody: Int64?
    /// Bytes a second that a request's body must bring, on average over `TimeoutSettings.requestBody`; 0 for none.
    package var requestBodyRate = 240
    /// Bytes a second that a client must take of what waits for it, on average over `TimeoutSettings.responseBody`; 0
    /// for none.
    package var responseRate = 240
    /// Client connections of one worker.
    package var connections = 50_000
    /// The configuration does not say how many: it is as many as the process has descriptors for, and these at most.
    package var connectionsAreOurs = false
    /// Of these, how many one client may have: an IPv4 address, or an IPv6 /64; nil is a quarter of them.
    package var connectionsPerClient: Int?
    /// Idle connections kept to one upstream by one worker.
    package var upstreamIdleConnections = 256
    /// Connections in use to one upstream by one worker; beyond it a request is answered 503.
    package var upstreamConnections = 4096
    /// Streams that one HTTP/2 connection of a client may have open at once.
    package var streams = 128
    /// Bytes that one stream of a client may send ahead once its request was let through; at most `mostStreamWindow`.
    package var streamWindow = LimitSettings.mostStreamWindow
    /// Bytes that all streams of one connection may send ahead.
    package var connectionWindow = 1 << 20
    /// What one buffer holds, in which content waits for its upstream, but 4 KiB.
    ///
    /// A peer's acknowledgement of our SETTINGS moves every window by what these say beside 65,535, also one that was enlarged
    /// before it came.
    package static let mostStreamWindow = BufferPool.largest - (4 << 10)
    /// Requests of one worker that wait for an authorization server.
    package var parkedRequests = 1024
    /// What one client may take of what all share.
    package var shares = ClientShareSettings()

    /// Client connections of one worker that one client may have: too few for one to lock out the others, enough for the
    /// browsers behind one address.
    package var clientConnections: Int {
        min(connections, connectionsPerClient ?? max(16, connections / 4))
    }

    package init() {}
}

/// How long each thing may take.
package struct TimeoutSettings: Sendable {
    /// From the first byte of a head (or the connection's start) to its end.
    package var requestHead = Duration.seconds(10)
    /// Without a byte of a request body.
    package var requestBody = Duration.seconds(30)
    /// An idle keep-alive client.
    package var keepAlive = Duration.seconds(75)
    package var upstreamConnect = Duration.seconds(3)
    /// From the request's last byte to the response head.
    package var upstreamFirstByte = Duration.seconds(30)
    /// Without a byte of a response body, and without a byte taken by the client.
    package var responseBody = Duration.seconds(60)
    /// An idle upstream connection in the pool.
    package var upstreamIdle = Duration.seconds(30)
    /// A WebSocket tunnel without a byte in either direction.
    package var tunnelIdle = Duration.seconds(3600)
    /// How long SIGTERM lets everything go on as before, but for readiness.
    package var drainDelay = Duration.zero
    /// How long SIGTERM waits then for exchanges in flight.
    package var drain = Duration.seconds(30)
    /// How long a request waits for an issuer's keys.
    package var keyWait = Duration.seconds(2)

    package init() {}
}

/// Where log lines go and which are written.
package struct LogSettings: Sendable, Equatable {
    /// `standardOutput`, `standardError`, or a file that is appended to.
    package enum Destination: Sendable, Equatable {
        case off, standardOutput, standardError
        case file(String)
    }

    package var level = LogLevel.info
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

/// The keys that sign identity assertions for upstreams.
package struct AssertionKeySettings: Sendable {
    /// PEM private keys: the first signs, all are published; without any, keys are made at start and rotated.
    package var keys: [Secret] = []
    /// Of keys made here.
    package var algorithm = SignatureAlgorithm.es256
    /// How long a key made here signs.
    package var rotation = Duration.seconds(24 * 3600)

    package init() {}
}
