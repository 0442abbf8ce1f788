import Access

extension PublishedDocuments {
    /// Longest document in bytes; an answer of ours is put together in one piece of memory.
    static let sizeLimit = 128 << 10

    /// Refuses documents that could not be answered with.
    ///
    /// - Throws: when one is longer than `sizeLimit`.
    func check() throws(GatewayFailure) {
        for document in documents where document.body.count > PublishedDocuments.sizeLimit {
            throw GatewayFailure(
                "\(String(decoding: document.path, as: UTF8.self)) cannot be published",
                "it has \(document.body.count) bytes, and \(PublishedDocuments.sizeLimit) at most are possible")
        }
    }

    /// A site that routes are served at: a listener, or a host.
    private struct Site {
        let place: Int
        let publicURL: String
        let authorities: [String]
        let takesClientCertificates: Bool
    }

    /// What each site says of the resources of these settings' routes.
    init(_ settings: GatewaySettings) {
        var documents: [Document] = []
        for route in settings.routes {
            guard let token = route.access.token else { continue }
            for (site, resource) in PublishedDocuments.resources(of: route, settings) {
                let path = Array(resource.metadataPath.utf8)
                let query = resource.query.map { Array($0.utf8) }
                // Two routes may be one resource; their rules for it agree (the configuration sees to that).
                guard
                    !documents.contains(where: {
                        $0.site == site.place && $0.path == path && $0.query == query
                            && $0.authorities == resource.authorities
                    })
                else { continue }
                documents.append(
                    Document(
                        site: site.place, authorities: resource.authorities, path: path, query: query,
                        body: resource.document(
                            token, issuers: settings.issuers, takesClientCertificates: site.takesClientCertificates)))
            }
        }
        self.init(documents)
    }

    /// The resources of a route with the sites that publish them.
    ///
    /// Without an identifier of its own a route is one resource on each of its sites: the public URL and the path as it is
    /// written. With one, it is the same everywhere, and published where its authority is answered for (D-15).
    private static func resources(
        of route: RouteSettings, _ settings: GatewaySettings
    ) -> [(site: Site, resource: ProtectedResource)] {
        guard let token = route.access.token, let resourceSettings = token.resource else { return [] }
        return sites(of: route, settings).compactMap { site in
            guard let resource = ProtectedResource(resourceSettings.identifier ?? site.publicURL + route.path) else {
                return nil
            }
            guard resourceSettings.identifier != nil else { return (site, resource) }
            let isAnsweredFor = site.authorities.contains { resource.authorities.contains($0) }
            return isAnsweredFor ? (site, resource) : nil
        }
    }

    private static func sites(of route: RouteSettings, _ settings: GatewaySettings) -> [Site] {
        guard let host = route.host else {
            return settings.listeners.enumerated().map { index, listener in
                Site(
                    place: index, publicURL: listener.publicURL, authorities: listener.authorities,
                    takesClientCertificates: takesClientCertificates(listener))
            }
        }
        let listeners = settings.listeners.indices.filter { settings.hosts[host].isServed(at: $0) }
        return [
            Site(
                place: settings.listeners.count + host, publicURL: settings.hosts[host].publicURL,
                authorities: settings.hosts[host].authorities,
                takesClientCertificates: listeners.contains { takesClientCertificates(settings.listeners[$0]) })
        ]
    }

    /// What challenges on each of a route's sites say as `resource_metadata`; empty where nothing is published.
    static func metadataURLs(of route: RouteSettings, _ settings: GatewaySettings) -> [String] {
        let resources = resources(of: route, settings)
        return sites(of: route, settings).map { site in
            // An identifier that another listener answers for is still this resource's.
            (resources.first { $0.site.place == site.place } ?? resources.first)?.resource.metadataURL ?? ""
        }
    }

    private static func takesClientCertificates(_ listener: ListenerSettings) -> Bool {
        listener.tls?.clientCertificates != nil || !listener.clientCertFieldFrom.isEmpty
    }
}
