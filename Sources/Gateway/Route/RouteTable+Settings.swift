import Access

extension AccessSettings {
    /// What a configuration says of who may make requests.
    init(_ settings: GatewaySettings) {
        self.init(
            routes: settings.routes, publicURLs: settings.listeners.map(\.publicURL), issuers: settings.issuers)
        logins = settings.logins
        proofs = settings.proofs
    }
}

extension RouteTable {
    /// The table of a configuration's routes, to these upstreams.
    ///
    /// `metricsSlots` says where each route's numbers are; in the routes' order when it is empty.
    convenience init(_ settings: GatewaySettings, upstreams: [UpstreamSettings], metricsSlots: [Int] = []) {
        let pools = Dictionary(uniqueKeysWithValues: upstreams.enumerated().map { ($1, $0) })
        let places = settings.routes.enumerated().map { index, route in
            RoutePlaces(
                metricsSlot: metricsSlots.isEmpty ? index : metricsSlots[index],
                upstream: pools[route.upstream] ?? 0,
                patience: RoutePatience(route, settings.limits, settings.timeouts),
                resourceMetadata: PublishedDocuments.metadataURLs(of: route, settings.listeners))
        }
        self.init(AccessSettings(settings), places)
    }
}
