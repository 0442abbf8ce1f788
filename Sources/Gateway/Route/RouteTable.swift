import Access
import Issuers
import HTTPMessage
import OAuth

/// The routes of a configuration and what was worked out from them: immutable, shared by all workers.
final class RouteTable: @unchecked Sendable {
    let index: RouteIndex
    let catalogue: PredicateCatalogue
    let identityMappings: [[IdentityFieldSettings]]
    let published: PublishedDocuments
    /// What tokens are exchanged for (RFC 8693), by the number that a route's credential has.
    let exchanges: [ExchangeSettings]
    /// What identity assertions say, by the number that a route's credential has.
    let assertions: [AssertionRule]

    /// `metricsSlots` says where each route's numbers are; in the routes' order when it is empty.
    init(_ settings: GatewaySettings, upstreams: [UpstreamSettings], metricsSlots: [Int] = []) {
        var catalogue = PredicateCatalogue()
        var mappings: [[IdentityFieldSettings]] = []
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        let credentials = settings.routes.map {
            UpstreamCredential($0.credential, exchanges: &exchanges, assertions: &assertions)
        }
        index = RouteIndex(
            settings, upstreams: upstreams, metricsSlots: metricsSlots, credentials: credentials, catalogue: &catalogue,
            mappings: &mappings)
        self.exchanges = exchanges
        // One gateway asserts, at whichever of its listeners a request came in.
        let issuer = settings.listeners.first?.publicURL ?? ""
        self.assertions = assertions.map { AssertionRule($0, issuer: issuer) }
        self.catalogue = catalogue
        identityMappings = mappings
        published = PublishedDocuments(settings)
    }

    /// Whoever goes on with one of its routes holds the table too.
    deinit { index.destroy() }
}

/// The routes and what leads to them, at fixed places: asked without allocating or counting a reference.
struct RouteIndex: @unchecked Sendable {
    let routes: UnsafeMutablePointer<Route>
    let count: Int
    let reservedNames: UnsafeMutablePointer<ReservedNames>
    /// Which paths lead to which of them.
    let paths: UnsafeMutablePointer<PathPatterns>

    private let listenerCount: Int

    init(
        _ settings: GatewaySettings, upstreams: [UpstreamSettings], metricsSlots: [Int],
        credentials: [UpstreamCredential],
        catalogue: inout PredicateCatalogue, mappings: inout [[IdentityFieldSettings]]
    ) {
        count = settings.routes.count
        listenerCount = settings.listeners.count
        let pools = Dictionary(uniqueKeysWithValues: upstreams.enumerated().map { ($1, $0) })
        routes = .allocate(capacity: max(1, count))
        paths = .allocate(capacity: 1)
        paths.initialize(to: PathPatterns(settings.routes))
        for (index, route) in settings.routes.enumerated() {
            var tokenSettings: TokenSettings?
            if let token = route.access.token { tokenSettings = token }
            let policy = TokenPolicy(
                tokenSettings ?? TokenSettings(issuers: [], audiences: []), settings.proofs,
                issuerIndex: { name in settings.issuers.firstIndex { $0.name == name } ?? -1 }, catalogue: &catalogue)
            var mapping = -1
            let login = route.access.login.flatMap { LoginPolicy.make($0, settings, catalogue: &catalogue) }
            let takesCredentials = tokenSettings != nil || route.access.login != nil
            if takesCredentials, !route.identity.isEmpty {
                mapping = mappings.firstIndex(of: route.identity) ?? mappings.count
                if mapping == mappings.count { mappings.append(route.identity) }
            }
            let methods = MethodSet.of(route)
            let bases = UnsafeMutablePointer<[TargetBase]>.allocate(capacity: max(1, settings.listeners.count))
            for (number, listener) in settings.listeners.enumerated() {
                (bases + number).initialize(to: ([listener.publicURL] + route.publicURLs).compactMap(TargetBase.init))
            }
            (routes + index).initialize(
                to: Route(
                    index: index, metricsSlot: metricsSlots.isEmpty ? index : metricsSlots[index], settings: route,
                    name: Route.Bytes(route.name), upstream: pools[route.upstream] ?? 0,
                    allowances: PathAllowances(route),
                    methodNames: methods, token: policy, isPublic: !takesCredentials,
                    isOptional: tokenSettings?.optional ?? false, webSocket: route.webSocket,
                    webSocketNotice: OncePerMinute(), identity: mapping,
                    origins: OriginList(route.allowedOrigins),
                    cors: CORSPolicy(route.cors, routeMethods: methods, isPublic: !takesCredentials),
                    patience: RoutePatience(route, settings.limits, settings.timeouts),
                    resourceMetadata: PublishedDocuments.metadataURLs(of: route, settings.listeners),
                    credential: credentials[index], bases: bases, login: login,
                    proofBase: route.proofURL ?? route.upstream.base,
                    takesSessionsAlone: login != nil && tokenSettings == nil,
                    sendsClientCert: route.sendsClientCert, hidesUnauthorized: route.hidesUnauthorized,
                    introspector: Introspector(tokenSettings, settings.issuers)))
        }
        reservedNames = .allocate(capacity: 1)
        reservedNames.initialize(
            to: ReservedNames(
                settings.routes.flatMap(\.identity).map(\.name) + AssertionRule.reservedNames(settings.routes)))
    }

    fileprivate func destroy() {
        for index in 0..<count { routes[index].destroy(listenerCount: listenerCount) }
        routes.deinitialize(count: count)
        routes.deallocate()
        paths.deinitialize(count: 1)
        paths.deallocate()
        reservedNames.deinitialize(count: 1)
        reservedNames.deallocate()
    }

    /// The route that a canonical path leads to, or nil.
    func match(_ path: Span<UInt8>) -> UnsafePointer<Route>? {
        guard case .route(let number) = paths.pointee.find(path) else { return nil }
        return UnsafePointer(routes + number)
    }
}

extension PathPatterns {
    /// The patterns of these routes, and those of what is sealed behind them.
    init(_ routes: [RouteSettings]) {
        let own = routes.enumerated().map { Pattern($1.path, route: $0, ignoresCase: $1.ignoresCase) }
        let sealed = SealedSubtree.all(in: routes).map {
            Pattern(
                routes[$0.exact].path, route: $0.exact, ignoresCase: routes[$0.exact].ignoresCase, isSealed: true)
        }
        self.init(own + sealed, allowances: routes.map { PathAllowances($0) })
    }
}

extension PathAllowances {
    /// The relaxations a route switched on.
    init(_ route: RouteSettings) {
        self = []
        for allowance in route.pathAllowances {
            switch allowance {
            case .encodedSlash: insert(.encodedSlash)
            case .backslash: insert(.backslash)
            case .doubleEncoding: insert(.doubleEncoding)
            case .semicolon: insert(.semicolon)
            case .nonASCII: insert(.nonASCII)
            }
        }
    }
}
