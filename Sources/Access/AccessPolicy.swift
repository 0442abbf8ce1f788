import Login
import OAuth
import Sessions

/// What the operator says of who may make requests, prepared for being asked: nothing of it changes.
package struct AccessPolicy: ~Copyable, Sendable {
    /// The routes and what leads to them.
    package let routes: RouteIndex
    /// What tokens are asked.
    package let catalogue: PredicateCatalogue
    /// The name that the gateway gives itself in Via.
    let pseudonym: FixedBytes
    /// What clients see of each site: of the listeners, and behind them of the hosts.
    let publicURLs: [String]
    /// Another one for other sites, or the same in another order.
    let siteSet: UInt32
    /// How many of these sites are listeners.
    let listenerCount: Int
    /// Routes name hosts.
    let hasHosts: Bool
    /// The hosts that each listener serves; none where routes name none.
    let hosts: FixedList<HostIndex>
    /// The authorities that each listener answers for.
    let authorities: FixedList<TextList>
    /// What the gateway says of itself to everybody.
    let published: PublishedDocuments
    /// The gateway's own paths that logins are made of.
    let loginPaths: LoginPaths
    /// Whether keys of clients are published, beside those of assertions.
    let publishesClientKeys: Bool
    /// Longest access token, in bytes.
    let tokenLimit: Int
    /// Nil where no route takes nonces.
    let nonces: DPoPNonces?
    /// Browser logins.
    let logins: [JudgedLogin]
    /// Where proofs are remembered beside this process's own set.
    let proofSharing: ProofSettings.Sharing

    /// Whether a store is asked about proofs.
    package var asksStore: Bool { proofSharing != .none }

    init(_ settings: AccessSettings, routes: RouteIndex, catalogue: PredicateCatalogue) {
        self.routes = routes
        self.catalogue = catalogue
        pseudonym = FixedBytes(settings.pseudonym)
        publicURLs = settings.publicURLs + settings.hosts.map(\.publicURL)
        siteSet = UInt32(truncatingIfNeeded: publicURLs.hashValue)
        listenerCount = settings.publicURLs.count
        hasHosts = !settings.hosts.isEmpty
        let hasOwnSite = settings.routes.contains { $0.host == nil }
        hosts = FixedList(count: settings.hosts.isEmpty ? 0 : settings.publicURLs.count) {
            HostIndex(settings, listener: $0, hasOwnSite: hasOwnSite)
        }
        authorities = FixedList(count: settings.authorities.count) { TextList(settings.authorities[$0]) }
        published = settings.published
        loginPaths = LoginPaths(
            settings.logins,
            hosts: settings.logins.indices.map { login in
                LoginHosts.all(of: login, in: settings.routes).map { host in
                    host.map { settings.publicURLs.count + $0 }
                }
            }, listenerCount: settings.publicURLs.count)
        publishesClientKeys = settings.publishesClientKeys
        tokenLimit = settings.tokenLimit
        nonces = settings.nonces
        logins = settings.logins.enumerated().map { JudgedLogin($1, settings.loginClients[$0]) }
        proofSharing = settings.proofs.sharing
    }

    deinit {
        pseudonym.destroy()
        authorities.destroy()
        hosts.destroy()
    }
}

/// What a judgement asks of a browser login.
struct JudgedLogin: Sendable {
    let cookieName: String
    /// Sessions have refresh tokens, which are used.
    let refreshes: Bool
    /// A route shows its upstream their ID tokens.
    let showsIDToken: Bool
    let client: LoginClientIdentity

    init(_ settings: LoginSettings, _ client: LoginClientIdentity) {
        cookieName = settings.session.cookieName
        refreshes = settings.refreshes
        showsIDToken = settings.session.needsIDToken
        self.client = client
    }
}

/// The client that a login is of.
package struct LoginClientIdentity: Sendable {
    /// Its `client_id`.
    package let clientID: String
    /// Its issuer's place in the configuration.
    package let issuer: Int

    package init(clientID: String, issuer: Int) {
        self.clientID = clientID
        self.issuer = issuer
    }
}
