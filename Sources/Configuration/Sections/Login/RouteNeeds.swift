import Access
import Gateway

/// What the routes of one login need of its sessions, so that no more is kept of a user than has a use.
struct RouteNeeds {
    private let routes: [RouteSettings]

    /// `login` is the place among the gateway's logins, nil for one that no route names.
    init(ofLogin login: Int?, _ routes: [RouteSettings]) {
        self.routes = routes.filter { login != nil && $0.access.login?.login == login }
    }

    /// The outermost names of all claims that something looks at, beside `iss` and `sub`, which are always kept.
    func claimNames(beside scriptClaims: [String]) -> [String] {
        var names = Set(scriptClaims)
        for route in routes {
            names.formUnion((route.identity + route.responseIdentity).compactMap(\.claim.first))
            if case .assertion(let assertion) = route.credential { names.formUnion(assertion.claims) }
            guard let rights = route.access.login?.rights else { continue }
            names.formUnion(rights.claims.flatMap(\.names))
            if !rights.acrValues.isEmpty { names.insert("acr") }
            if rights.maximumAge != nil { names.insert("auth_time") }
        }
        return names.subtracting(["iss", "sub"]).sorted()
    }

    /// Whether a route sends the session's access token somewhere.
    var accessToken: Bool { routes.contains { ShownTokens($0).contains(.access) } }

    /// Whether a route sends its ID token somewhere.
    var idToken: Bool { routes.contains { ShownTokens($0).contains(.identity) } }

    /// Scopes that every route needs whatever the method: a login without one of them would open nothing.
    var scopes: [String] {
        var common: [String]?
        for route in routes {
            guard let access = route.access.login, !access.optional else { return [] }
            let needed = Self.always(access.rights)
            common = common.map { $0.filter(needed.contains) } ?? needed
        }
        return common ?? []
    }

    private static func always(_ rights: RightsSettings) -> [String] {
        guard !rights.scopesByMethod.isEmpty else { return rights.scopes }
        let lists = Array(rights.scopesByMethod.values)
        return (lists.first ?? []).filter { scope in lists.allSatisfy { $0.contains(scope) } }
    }
}
