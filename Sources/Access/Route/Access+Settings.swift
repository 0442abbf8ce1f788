package import Issuers
package import Login
package import OAuth

/// What the operator says of who may make requests, as far as a judgement asks for it.
package struct AccessSettings: Sendable {
    package var routes: [RouteSettings]
    /// What clients see of each listener.
    package var publicURLs: [String]
    package var issuers: [IssuerSettings]
    /// Browser logins; routes name one by its place here.
    package var logins: [LoginSettings] = []
    package var proofs = ProofSettings()
    /// The client that each login is of.
    package var loginClients: [LoginClientIdentity] = []
    /// The authorities that each listener answers for, in lower case.
    package var authorities: [[String]] = []
    /// The hosts that routes name, each a site behind those of the listeners.
    package var hosts: [HostSettings] = []
    /// The name that the gateway gives itself in Via.
    package var pseudonym = "portcullis"
    /// What the gateway says of itself to everybody.
    package var published = PublishedDocuments()
    /// Whether keys of clients are published, beside those of assertions.
    package var publishesClientKeys = false
    /// Longest access token, in bytes.
    package var tokenLimit = 16 << 10
    /// Nil where no route takes nonces.
    package var nonces: DPoPNonces?
    /// The rates of requests, with what was counted before; made of `routes` where it is nil.
    package var limitTables: RequestLimitTables?

    package init(routes: [RouteSettings], publicURLs: [String], issuers: [IssuerSettings]) {
        self.routes = routes
        self.publicURLs = publicURLs
        self.issuers = issuers
    }
}

/// Where one route is elsewhere in the gateway.
package struct RouteIndices: Sendable {
    /// Where its numbers are.
    package var metricsSlot: Int
    /// Which of the upstream pools is its own.
    package var upstream: Int
    /// How slow and how large its messages may be.
    package var patience: RoutePatience
    /// Where the metadata of its resource is, by its sites; empty texts where none is published (RFC 9728 §5.1).
    package var resourceMetadata: [String]

    package init(metricsSlot: Int, upstream: Int, patience: RoutePatience, resourceMetadata: [String]) {
        self.metricsSlot = metricsSlot
        self.upstream = upstream
        self.patience = patience
        self.resourceMetadata = resourceMetadata
    }
}
