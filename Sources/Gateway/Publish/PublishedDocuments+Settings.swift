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

    /// What each listener says of the resources of these settings' routes.
    init(_ settings: GatewaySettings) {
        var documents: [Document] = []
        for route in settings.routes {
            guard let token = route.access.token else { continue }
            for (index, resource) in PublishedDocuments.resources(of: route, settings.listeners) {
                let listener = settings.listeners[index]
                let path = Array(resource.metadataPath.utf8)
                let query = resource.query.map { Array($0.utf8) }
                // Two routes may be one resource; their rules for it agree (the configuration sees to that).
                guard
                    !documents.contains(where: {
                        $0.listener == index && $0.path == path && $0.query == query
                            && $0.authorities == resource.authorities
                    })
                else { continue }
                documents.append(
                    Document(
                        listener: index, authorities: resource.authorities, path: path, query: query,
                        body: resource.document(
                            token, issuers: settings.issuers,
                            takesClientCertificates: PublishedDocuments.takesClientCertificates(listener))))
            }
        }
        self.init(documents)
    }

    /// The resources of a route with the listeners that publish them.
    ///
    /// Without an identifier of its own a route is one resource on each listener: the public URL and the path as it is
    /// written. With one, it is the same everywhere, and published where its authority is answered for (D-15).
    static func resources(
        of route: RouteSettings, _ listeners: [ListenerSettings]
    ) -> [(listener: Int, resource: ProtectedResource)] {
        guard let token = route.access.token, let settings = token.resource else { return [] }
        return listeners.enumerated().compactMap { index, listener in
            guard let resource = ProtectedResource(settings.identifier ?? listener.publicURL + route.path) else {
                return nil
            }
            guard settings.identifier != nil else { return (index, resource) }
            let isAnsweredFor = listener.authorities.contains { resource.authorities.contains($0) }
            return isAnsweredFor ? (index, resource) : nil
        }
    }

    /// What challenges on each listener say as `resource_metadata`; empty where nothing is published.
    static func metadataURLs(of route: RouteSettings, _ listeners: [ListenerSettings]) -> [String] {
        let resources = resources(of: route, listeners)
        return listeners.indices.map { index in
            // An identifier that another listener answers for is still this resource's.
            (resources.first { $0.listener == index } ?? resources.first)?.resource.metadataURL ?? ""
        }
    }

    private static func takesClientCertificates(_ listener: ListenerSettings) -> Bool {
        listener.tls?.clientCertificates != nil || !listener.clientCertFieldFrom.isEmpty
    }
}
