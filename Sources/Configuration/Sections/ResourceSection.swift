import Access
import Gateway

/// `token.resource` of a route: what is published of it (RFC 9728), which `mcp` asks for too.
enum ResourceSection {
    static let value = Shape.either([.boolean, .object(shape)])

    private static let table = SettingTable(
        "a mapping with identifier or name", defaults: ResourceSettings(),
        [
            .text(
                "identifier", orNone: \.identifier, URLText.resource, example: "https://shop.example.com/api/orders",
                "The resource identifier; public_url and the route's path by default."),
            .text(
                "name", orNone: \.name, PlainText.resourceName, example: "Orders",
                "A name of the resource for people."),
        ])
    private static let shape = table.shape

    /// Makes the rules of a token those of a published resource, if the route is one.
    static func complete(_ token: inout TokenSettings, of route: CheckedObject, _ context: RouteContext) {
        let problems = context.translation.problems
        let isMCP = route.flag("mcp") ?? false
        guard let object = route.object("token") else { return }
        let said = object["resource"]
        if isMCP, case .flag(false)? = said?.content {
            problems.error(
                at: object.place(of: "resource"), expected: "a published resource on an MCP route", found: "false",
                remedy: "leave resource out: MCP clients find the authorization server through it")
        }
        var settings: ResourceSettings?
        if case .flag(true)? = said?.content { settings = ResourceSettings() }
        if isMCP || said?.object != nil { settings = ResourceSettings() }
        guard var settings else { return }
        table.read(said?.object, into: &settings)
        token.resource = settings
        removeOfflineAccess(&token, object, problems)
        judgeIdentifier(settings, route, object, context)
        // A listener that does not load has an address that nobody knows.
        if isMCP, context.listenersAreKnown, let path = route.text("path")?.text,
            settings.identifier != nil || !SegmentedPath(path).hasWildcard
        {
            judgeAudience(
                token, identifiers(settings, path: path, context.hosts.publicURLs(of: route, context.listeners)),
                object, problems)
        }
    }

    /// What a route with this path is called, once for each of its sites unless it has a name of its own.
    static func identifiers(
        _ settings: ResourceSettings, path: String, _ publicURLs: [String]
    ) -> [String] {
        settings.identifier.map { [$0] } ?? publicURLs.map { $0 + path }
    }

    /// MCP-02: a token for something else would be one that another server may have got hold of.
    private static func judgeAudience(
        _ token: TokenSettings, _ identifiers: [String], _ object: CheckedObject, _ problems: ProblemList
    ) {
        for identifier in identifiers where !token.audiences.contains(identifier) {
            problems.error(
                at: object["audience"]?.place ?? object.place,
                expected: "the resource identifier \(identifier) in the audience of an MCP route",
                found: token.audiences.map(Quoted.text).joined(separator: " and "),
                remedy: "MCP clients ask for tokens for that URL (RFC 8707): write it as audience, or as one of them")
        }
    }

    /// The metadata is served at the identifier's own host, so a listener must answer for it.
    private static func judgeIdentifier(
        _ settings: ResourceSettings, _ route: CheckedObject, _ token: CheckedObject, _ context: RouteContext
    ) {
        guard context.listenersAreKnown else { return }
        let problems = context.translation.problems
        if settings.identifier == nil, let path = route.text("path")?.text, SegmentedPath(path).hasWildcard {
            problems.error(
                at: token.says("resource") ? token.place(of: "resource") : route.place(of: "mcp"),
                expected: "an identifier of the resource, where the route's path has *", found: "none",
                remedy: "a resource has one URL: write  resource: { identifier: https://shop.example.com/api }")
        }
        let host = context.hosts.place(of: route).map { context.hosts.settings[$0] }
        // A host that there is not was told already.
        if route.says("host"), host == nil { return }
        guard let identifier = settings.identifier, let address = WebAddress(identifier) else {
            for publicURL in context.hosts.publicURLs(of: route, context.listeners) {
                guard let address = WebAddress(publicURL), !address.isSecure,
                    !IPAddress.isLoopback(address.host)
                else { continue }
                let key = token.says("resource") ? token.place(of: "resource") : route.place(of: "mcp")
                problems.error(
                    at: key, expected: "an https public_url for a published resource",
                    found: Quoted.text(publicURL),
                    remedy:
                        "write the \(host == nil ? "listener" : "host")'s public_url with https, or give the resource an identifier with https"
                )
            }
            return
        }
        let served = host.map { [$0.authorities] } ?? context.listeners.map(\.authorities)
        guard !served.contains(where: { !Set($0).isDisjoint(with: address.authorities) }) else { return }
        let place = token["resource"]?.object?["identifier"]?.place ?? token.place(of: "resource")
        problems.error(
            at: place,
            expected: host == nil
                ? "a resource identifier at a host of a listener" : "a resource identifier at the host of its route",
            found: Quoted.text(identifier),
            remedy: "clients fetch the metadata from \(address.origin): "
                + (host.map { "begin it with \($0.publicURL), or name the host of that URL in the route" }
                    ?? "add that host to the listener's hosts"))
    }

    /// MCP-05: refresh tokens are between client and authorization server; no resource asks for them.
    private static func removeOfflineAccess(
        _ token: inout TokenSettings, _ object: CheckedObject, _ problems: ProblemList
    ) {
        let name = "offline_access"
        for list in scopeLists(object) {
            guard let place = list.first(where: { $0.text == name })?.place else { continue }
            if list.count == 1 {
                problems.error(
                    at: place, expected: "a scope of this resource", found: Quoted.text(name),
                    remedy: "no resource asks for refresh tokens: name the scope that this operation needs")
            } else {
                problems.warning(
                    at: place, expected: "scopes of this resource", found: Quoted.text(name),
                    remedy: "it is neither announced nor asked for: clients request it by themselves; leave it out")
            }
        }
        token.rights.scopes.removeAll { $0 == name }
        token.rights.scopesByMethod = token.rights.scopesByMethod.mapValues { $0.filter { $0 != name } }
        token.rights.scopesByGRPCMethod = token.rights.scopesByGRPCMethod.mapValues { $0.filter { $0 != name } }
    }

    private static func scopeLists(_ object: CheckedObject) -> [[PlacedText]] {
        guard let scopes = object["scopes"] else { return [] }
        return scopes.entries.map { $0.compactMap { $0.value?.texts } } ?? [scopes.texts]
    }
}
