import Access
import HTTP1
import HTTPMessage
import Issuers
import JOSE
import Login
import OAuth
import Pages
import Sessions

/// What the operator says, prepared for being asked: as long as a configuration is served by, nothing of it changes.
struct ServingPolicy {
    /// Which configuration it is; grows with each that is put in the place of another.
    let generation: UInt32
    let tables: RouteTable
    let routes: RouteIndex
    /// What the judgement of a request asks.
    let access: FixedValue<AccessPolicy>
    /// What it says of itself to everybody.
    let published: PublishedDocuments
    /// How often the operator is told of handshakes that go on as a plain GET, by route.
    let webSocketNotices: [OncePerMinute]
    let limits: LimitSettings
    /// What of it one client may have.
    let shares: ClientShares
    let timeouts: LoopTimeouts
    /// What is to be expected of a request that has no route.
    let patience: RoutePatience
    let httpLimits: HTTP1Limits
    /// Who exchanges tokens by each of the tables' rules.
    let exchangers: [Exchanger]
    /// Browser logins, and the issuer of each.
    let logins: [LoginSettings]
    let loginIssuers: [Int]
    /// The public halves of our clients' keys (MD-30).
    let clientKeys: [JWK]
    /// What upstreams are told of this gateway.
    let via: Via
    /// The names of session cookies, which go to no upstream.
    let ownCookieNames: [String]
    /// What clients see of each site: of the listeners, and behind them of the hosts.
    let publicURLs: [String]
    /// What people read when something is refused.
    let pages: PageBook
    /// Nil when no route takes nonces.
    let nonces: DPoPNonces?
    /// Nil without a collector of spans.
    let tracing: FixedValue<TracingPolicy>?
    let requestRules: FieldRules
    let preflightRules: FieldRules
    let responseRules = FieldRules.response()
    let cachingRules = FieldRules.caching()

    init(_ settings: GatewaySettings, _ resources: SharedResources, generation: UInt32) {
        self.generation = generation
        tables = resources.tables
        routes = resources.tables.index
        access = resources.tables.policy
        published = resources.published
        webSocketNotices = resources.webSocketNotices
        limits = settings.limits
        shares = ClientShares(settings.limits, workers: settings.workers)
        timeouts = LoopTimeouts(settings.timeouts)
        patience = RoutePatience(nil, settings.limits, settings.timeouts)
        httpLimits = HTTP1Limits(settings.limits)
        exchangers = resources.tables.exchanges.map { rule in
            guard settings.clients.indices.contains(rule.client) else { return Exchanger(issuer: -1, client: "") }
            return Exchanger(issuer: settings.clients[rule.client].issuer, client: settings.clients[rule.client].name)
        }
        logins = settings.logins
        loginIssuers = settings.logins.map { settings.clients[$0.client].issuer }
        clientKeys = PublishedKeys.keys(of: settings.logins, clients: settings.clients)
        via = Via(settings.via)
        // Browsers keep the cookie of before there was a domain for as long as they run.
        ownCookieNames = settings.logins.flatMap {
            [$0.session.cookieName, $0.session.formerCookieName].compactMap(\.self)
        }
        publicURLs = settings.listeners.map(\.publicURL) + settings.hosts.map(\.publicURL)
        pages = resources.pages
        nonces = resources.nonces
        tracing = TracingPolicy(settings.tracing).map { FixedValue($0) }
        requestRules = FieldRules.request(tracing: tracing != nil)
        preflightRules = FieldRules.preflight(tracing: tracing != nil)
    }
}

/// Who exchanges tokens for those of one upstream.
struct Exchanger {
    /// The issuer's place in the settings.
    let issuer: Int
    /// The name of the client that asks it.
    let client: String
}

extension HTTP1Limits {
    /// What the operator says of one message's head.
    fileprivate init(_ limits: LimitSettings) {
        self.init()
        requestLine = limits.requestLine
        headerSection = limits.headerSection
        fieldLine = limits.fieldLine
        fieldCount = limits.fieldCount
    }
}
