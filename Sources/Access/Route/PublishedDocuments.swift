import Bytes

/// The documents that the gateway answers with itself: what each site says of its resources (RFC 9728).
///
/// Made at start and only read from then on, and only for requests to a reserved path.
package struct PublishedDocuments: Sendable {
    /// The metadata of one resource on one site.
    package struct Document: Sendable {
        package let site: Int
        /// The authorities that the resource identifier means, lower-case.
        package let authorities: [String]
        package let path: [UInt8]
        package let query: [UInt8]?
        package let body: [UInt8]

        package init(site: Int, authorities: [String], path: [UInt8], query: [UInt8]?, body: [UInt8]) {
            self.site = site
            self.authorities = authorities
            self.path = path
            self.query = query
            self.body = body
        }
    }

    package let documents: [Document]

    /// These documents; of two for one address the first is found.
    package init(_ documents: [Document] = []) { self.documents = documents }

    /// The document for a request, or nil: at its authority first, then at any that this site answers for.
    package func find(
        site: Int, authority: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>
    ) -> Int? {
        var found: Int?
        for (index, document) in documents.enumerated() {
            guard document.site == site, document.path.span.isEqual(to: path) else { continue }
            if let wanted = document.query, !wanted.span.isEqual(to: query) { continue }
            for own in document.authorities where ASCII.equalsIgnoringCase(authority, own) { return index }
            if found == nil { found = index }
        }
        return found
    }
}
