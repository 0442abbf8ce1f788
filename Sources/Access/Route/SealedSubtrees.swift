import Bytes
import HTTPMessage

/// What is behind the path of an exact route, where a weaker route would take it: nobody's, unless a route names it.
///
/// A server may take `/report.cgi/x` for `/report.cgi` with an argument: CGI's PATH_INFO (RFC 3875 §4.1.5), lighttpd's files, the
/// scripts of PHP. Where `/report.cgi` alone is guarded and `/` is public, the argument would be the way around the guard.
/// Whether the two have one upstream does not matter: two addresses may be one server.
package struct SealedSubtree: Sendable, Equatable {
    /// The guarded route, of one path alone, by its place among the routes.
    package let exact: Int
    /// The weaker route that such requests would lead to.
    package let taker: Int
    /// Which of the exact route's paths it is behind, where wildcards are in play; nil stands for the route's own.
    package var path: String?

    /// All of them: one for each route that has any, and beside wildcards one for each kind of its paths.
    package static func all(in routes: [RouteSettings]) -> [SealedSubtree] {
        let hosts = Dictionary(grouping: routes.indices) { routes[$0].host }.values
        return literal(in: routes)
            + hosts.flatMap { wild(in: routes, $0) }.sorted { ($0.exact, $0.taker) < ($1.exact, $1.taker) }
    }

    /// Those where either route has a wildcard, of one host.
    ///
    /// What is sealed has the literal segments of both, and so comes before the weaker route.
    private static func wild(in routes: [RouteSettings], _ places: [Int]) -> [SealedSubtree] {
        let paths = places.map { SegmentedPath(routes[$0].path) }
        let isWild = paths.map(\.hasWildcard)
        guard isWild.contains(true) else { return [] }
        let neighbours = NeighbouringPaths(paths)
        var seen: Set<String> = []
        var found: [SealedSubtree] = []
        for (own, place) in places.enumerated() where !paths[own].isSubtree && routes[place].isGuarded {
            for other in neighbours.of(paths[own]) where isWild[own] || isWild[other] {
                guard let path = paths[other].taking(behind: paths[own]),
                    !routes[places[other]].asksForAsMuch(as: routes[place]),
                    !neighbours.of(path).contains(where: {
                        paths[$0].isSubtree && paths[$0].covers(path) && paths[$0].precedes(paths[other])
                    }),
                    seen.insert(path.text).inserted
                else { continue }
                found.append(SealedSubtree(exact: place, taker: places[other], path: path.text))
            }
        }
        return found
    }

    /// Those of two routes without wildcards.
    private static func literal(in routes: [RouteSettings]) -> [SealedSubtree] {
        // A host's requests lead to its own routes alone. Of several routes for one path each counts, on either side.
        let subtrees = Dictionary(grouping: routes.indices) { routes[$0].host }.mapValues { Subtrees(routes, $0) }
        var seen: Set<String> = []
        return routes.indices.compactMap { index in
            let route = routes[index]
            guard !route.path.hasSuffix("/"), !route.path.contains("*"), route.isGuarded,
                let subtrees = subtrees[route.host],
                let weaker = subtrees.takers(behind: route).first(where: { !routes[$0].asksForAsMuch(as: route) }),
                seen.insert("\(route.host ?? -1) \(route.path)").inserted
            else { return nil }
            return SealedSubtree(exact: index, taker: weaker)
        }
    }
}

/// The routes that have subtrees, by the path without its last slash.
private struct Subtrees {
    private var inOneCase: [String: [Int]] = [:]
    private var inAnyCase: [String: [Int]] = [:]
    /// Those of one case, by their paths in lower case.
    private var folded: [String: [Int]] = [:]

    init(_ routes: [RouteSettings], _ places: [Int]) {
        for index in places where routes[index].path.hasSuffix("/") && !routes[index].path.contains("*") {
            let route = routes[index]
            let key = String(route.path.dropLast())
            if route.ignoresCase {
                inAnyCase[key, default: []].append(index)
            } else {
                inOneCase[key, default: []].append(index)
                folded[Subtrees.lowercase(key), default: []].append(index)
            }
        }
    }

    /// Where requests behind the path of an exact route lead that no other route names: one route, or several by how the path
    /// is spelt where its own route takes no notice of case.
    func takers(behind route: RouteSettings) -> [Int] {
        var found: [Int] = []
        var key = Substring(route.path)
        while true {
            // A subtree of the path itself names what is behind it.
            let isNamed = key.utf8.count == route.path.utf8.count
            let lower = Subtrees.lowercase(key)
            if route.ignoresCase {
                if !isNamed { found += folded[lower] ?? [] }
            } else if let takers = inOneCase[String(key)] {
                return isNamed ? found : found + takers
            }
            if let takers = inAnyCase[lower] { return isNamed ? found : found + takers }
            guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) else { return found }
            key = key[..<slash]
        }
    }

    private static func lowercase(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(ASCII.lowercase), as: UTF8.self)
    }
}

extension RouteSettings {
    /// Whether it refuses anybody.
    fileprivate var isGuarded: Bool {
        if case .publicAccess = access { return allowedOrigins != nil }
        return true
    }

    /// Whether it lets nobody through whom another route would refuse, nor with less.
    ///
    /// That is: no requests without credentials unless the other takes them too; tokens by rules at least as strict, method
    /// by method; sessions of the same login likewise; pages of no other origins. Which methods there are, how large and
    /// slow messages may be, and what the upstream is told are not about who may pass, and are not compared.
    package func asksForAsMuch(as other: RouteSettings) -> Bool {
        if let theirs = other.allowedOrigins {
            guard let ours = allowedOrigins, Self.isWithin(ours, theirs) else { return false }
        }
        if case .publicAccess = other.access { return true }
        if isAnonymousEnough, !other.isAnonymousEnough { return false }
        if let token = access.token {
            guard let theirs = other.access.token, asksForAsMuch(token, as: theirs) else { return false }
        }
        if let login = access.login {
            guard let theirs = other.access.login, login.login == theirs.login,
                asksForRights(login.rights, as: theirs.rights),
                login.requiresHeader || !theirs.requiresHeader,
                theirs.optional || Set(login.networks).isSubset(of: theirs.networks),
                Self.isWithin(actingOrigins, other.actingOrigins)
            else { return false }
        }
        return true
    }

    /// Whether requests without credentials pass; beside a login, the login says.
    private var isAnonymousEnough: Bool {
        switch access {
        case .publicAccess: true
        case .token(let token): token.optional
        case .login(let login), .tokenOrLogin(_, let login): login.optional
        }
    }

    /// Whose pages act with the user's session.
    private var actingOrigins: [String] {
        var origins = access.login?.allowedOrigins ?? []
        if case .rules(let rules) = cors, rules.credentials { origins += rules.origins ?? [] }
        return origins
    }

    /// Whether one set of rules lets nothing pass, by the methods of this route, that another refuses.
    private func asksForAsMuch(_ one: TokenSettings, as other: TokenSettings) -> Bool {
        guard Self.isWithin(one.issuers, other.issuers), Self.isWithin(one.audiences, other.audiences),
            one.userOnly || !other.userOnly,
            one.schemes.allSatisfy(other.schemes.contains)
        else { return false }
        if one.schemes.contains(.dpop) {
            guard one.dpop.algorithms.allSatisfy(other.dpop.algorithms.contains),
                one.dpop.nonce.strictness >= other.dpop.nonce.strictness
            else { return false }
        }
        let named = Set([one, other].flatMap(\.authorizationDetailsByMethod.keys))
        return asksForRights(one.rights, as: other.rights)
            && methods(and: named).allSatisfy { method in
                other.authorizationDetails(for: method).allSatisfy(one.authorizationDetails(for: method).contains)
            }
    }

    /// The same of what is asked of tokens and sessions alike.
    private func asksForRights(_ one: RightsSettings, as other: RightsSettings) -> Bool {
        // What is behind the path of one method may be another method, which has its own rules or none.
        guard one.scopesByGRPCMethod == other.scopesByGRPCMethod else { return false }
        let claims = other.claims.allSatisfy { rule in
            one.claims.contains { $0 == rule || Self.narrows($0, rule) }
        }
        guard claims,
            other.acrValues.isEmpty || !one.acrValues.isEmpty && Self.isWithin(one.acrValues, other.acrValues),
            other.maximumAge.map({ bound in one.maximumAge.map { $0 <= bound } ?? false }) ?? true
        else { return false }
        return methods(and: Set([one, other].flatMap(\.scopesByMethod.keys))).allSatisfy { method in
            Self.isWithin(other.scopes(for: method), one.scopes(for: method))
        }
    }

    /// Whether a rule lets no value pass that another of its claim refuses; told of those that want one of several values.
    private static func narrows(_ one: ClaimRuleSettings, _ other: ClaimRuleSettings) -> Bool {
        one.kind == .oneOf && other.kind == .oneOf && one.claim == other.claim && isWithin(one.anyOf, other.anyOf)
    }

    /// The methods that this route lets through: of those with a number, and of these.
    private func methods(and named: Set<String>) -> [String] {
        let methods = MethodSet.of(self)
        return named.union(MethodSet.all.map(\.name)).filter { methods.contains($0) }
    }

    private static func isWithin(_ some: [String], _ all: [String]) -> Bool { Set(some).isSubset(of: all) }
}

extension DPoPSettings.Nonce {
    fileprivate var strictness: Int {
        switch self {
        case .off: 0
        case .optional: 1
        case .required: 2
        }
    }
}

extension MethodSet {
    /// Whether a method is let through; an empty name stands for those that nobody named.
    fileprivate func contains(_ name: String) -> Bool {
        if let method = MethodSet.all.first(where: { $0.name == name }) {
            return known & 1 << UInt16(method.id.rawValue) != 0
        }
        return known & 1 << UInt16(MethodID.other.rawValue) != 0 || isListed(name)
    }
}
