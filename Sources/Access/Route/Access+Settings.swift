package import Issuers
package import Login

/// What the operator says of who may make requests, as far as a judgement asks for it.
package struct AccessSettings: Sendable {
    package var routes: [RouteSettings]
    /// What clients see of each listener.
    package var publicURLs: [String]
    package var issuers: [IssuerSettings]
    /// Browser logins; routes name one by its place here.
    package var logins: [LoginSettings] = []
    package var proofs = ProofSettings()

    package init(routes: [RouteSettings], publicURLs: [String], issuers: [IssuerSettings]) {
        self.routes = routes
        self.publicURLs = publicURLs
        self.issuers = issuers
    }
}

/// Where one route is elsewhere in the gateway.
package struct RoutePlaces: Sendable {
    /// Where its numbers are.
    package var metricsSlot: Int
    /// Which of the upstream pools is its own.
    package var upstream: Int
    /// How slow and how large its messages may be.
    package var patience: RoutePatience
    /// Where the metadata of its resource is, by listener; empty texts where none is published (RFC 9728 §5.1).
    package var resourceMetadata: [String]

    package init(metricsSlot: Int, upstream: Int, patience: RoutePatience, resourceMetadata: [String]) {
        self.metricsSlot = metricsSlot
        self.upstream = upstream
        self.patience = patience
        self.resourceMetadata = resourceMetadata
    }
}
