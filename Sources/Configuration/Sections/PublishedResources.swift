import Access
import Gateway
import Issuers
import JOSE

/// Compares the resources that routes publish with one another: one identifier has one document.
struct PublishedResources {
    /// What a metadata document says of a route (RFC 9728 §2).
    private struct Document: Equatable {
        var name: String?
        var issuers: [String]
        var scopes: Set<String>
        var schemes: Set<TokenSettings.Scheme>
        var algorithms: [SignatureAlgorithm]
        var detailTypes: Set<String>
    }

    private typealias Published = (identifier: String, document: Document, place: Place)

    private let published: [Published]

    init(
        _ document: CheckedObject, _ routes: [RouteSettings], _ listeners: [ListenerSettings],
        _ hosts: HostsByName
    ) {
        let objects = document.list("routes").compactMap(\.object)
        // A route that does not load publishes nothing yet; the others are found by their paths.
        published = routes.flatMap { route -> [Published] in
            guard let token = route.access.token, let resource = token.resource,
                let object = objects.first(where: {
                    $0.text("path")?.text == route.path && hosts.place(of: $0) == route.host
                        && RouteFieldSettings.said($0) == route.field
                })
            else { return [] }
            let rules = object.object("token")
            let place =
                rules?.object("resource")?["identifier"]?.place
                ?? (rules?.says("resource") == true ? rules?.place(of: "resource") : nil) ?? object.place(of: "mcp")
            return ResourceSection.identifiers(
                resource, path: route.path, hosts.publicURLs(of: object, listeners)
            ).map {
                ($0, Self.document(of: token), place)
            }
        }
    }

    func judge(_ problems: ProblemList) {
        var first: [String: Published] = [:]
        for resource in published {
            guard let other = first[resource.identifier] else {
                first[resource.identifier] = resource
                continue
            }
            guard other.document != resource.document else { continue }
            problems.error(
                at: resource.place, expected: "a resource identifier of its own, or the same rules for both routes",
                found: "\(Quoted.text(resource.identifier)), which is also that of \(other.place.position.words)",
                remedy:
                    "give one of them another identifier, or the same issuers, scopes, types of details, schemes and name"
            )
        }
    }

    private static func document(of token: TokenSettings) -> Document {
        Document(
            name: token.resource?.name, issuers: token.issuers,
            scopes: Set(token.rights.scopes + token.rights.scopesByMethod.values.joined()), schemes: Set(token.schemes),
            algorithms: token.schemes.contains(.dpop) ? token.dpop.algorithms : [],
            detailTypes: Set(
                (token.authorizationDetails + token.authorizationDetailsByMethod.values.joined()).map(\.type)))
    }
}
