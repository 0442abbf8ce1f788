import Access

/// `token.scopes` of a route by method of gRPC services (H2-90).
///
/// A call is a POST to the path that is its method's name, so no method of HTTP is named beside them.
struct GRPCMethodsOfRoute {
    private let named: [CheckedEntry]
    /// What else the mapping names.
    private let others: [CheckedEntry]
    private let place: Place?

    init(_ route: CheckedObject) {
        let token = route.object("token")
        let entries = token?["scopes"]?.entries ?? []
        named = entries.filter { $0.name.hasPrefix("/") }
        others = entries.filter { !$0.name.hasPrefix("/") }
        place = token?.place(of: "scopes")
    }

    /// Whether the route names none.
    var isEmpty: Bool { named.isEmpty }

    /// What each of them needs.
    var scopes: [String: [String]] {
        Dictionary(
            named.map { ($0.name, $0.value?.texts.map(\.text) ?? []) }, uniquingKeysWith: { first, _ in first })
    }

    /// Says what does not go with them: other methods, here or in other keys, and calls that never come to this route.
    func judge(_ route: CheckedObject, _ methods: [PlacedText], _ byMethod: [CheckedEntry], _ problems: ProblemList) {
        if route.flag("grpc") != true, let place {
            problems.error(
                at: place, expected: "grpc: true where scopes are by method of gRPC", found: "a route without",
                remedy: "write  grpc: true , or name methods of HTTP such as POST")
        }
        for entry in others where PlainText.method.fault(entry.name) == nil {
            refuse(entry.name, at: entry.place, "no method of HTTP beside those of gRPC", problems)
        }
        let post = "POST alone, where token.scopes names methods of gRPC"
        for entry in byMethod where entry.name != "POST" { refuse(entry.name, at: entry.place, post, problems) }
        for method in methods where method.text != "POST" { refuse(method.text, at: method.place, post, problems) }
        guard let path = route.text("path")?.text else { return }
        guard named.isEmpty || !SegmentedPath(path).hasWildcard else {
            problems.error(
                at: route.place(of: "path"), expected: "a path without * where scopes are by method of gRPC",
                found: Quoted.text(path),
                remedy: "write the service, as in /orders.v1.Orders/, or leave the methods out")
            return
        }
        for entry in named where !covers(path, entry.name, ignoringCase: route.flag("case_insensitive") == true) {
            problems.error(
                at: entry.place, expected: "a method below the route's path \(Quoted.text(path))",
                found: Quoted.text(entry.name),
                remedy: "no call of it comes here: name it in the route that its path leads to")
        }
    }

    private func refuse(_ method: String, at place: Place, _ expected: String, _ problems: ProblemList) {
        problems.error(
            at: place, expected: expected, found: Quoted.text(method),
            remedy: "a call is a POST to its method's path; leave it out, or give other requests a route of their own")
    }

    /// Whether calls of a name come to a route with a path.
    private func covers(_ path: String, _ name: String, ignoringCase: Bool) -> Bool {
        let (path, name) = ignoringCase ? (path.lowercased(), name.lowercased()) : (path, name)
        if name.hasSuffix("*") {
            let service = name.dropLast()
            return path.hasPrefix(service) || path.hasSuffix("/") && service.hasPrefix(path)
        }
        return path.hasSuffix("/") ? name.hasPrefix(path) : name == path
    }
}
