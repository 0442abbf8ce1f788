package import Issuers
import HTTPMessage
import Login
import OAuth

/// The routes of a configuration and what was worked out from them: immutable, shared by all workers.
package final class RouteTable: Sendable {
    package let index: RouteIndex
    package let catalogue: PredicateCatalogue
    package let identityMappings: [[IdentityFieldSettings]]
    /// What tokens are exchanged for (RFC 8693), by the number that a route's credential has.
    package let exchanges: [ExchangeSettings]
    /// What identity assertions say, by the number that a route's credential has.
    package let assertions: [AssertionRule]

    /// The table of these routes; `places` says of each of them where it is elsewhere in the gateway.
    package init(_ settings: AccessSettings, _ places: [RoutePlaces]) {
        var catalogue = PredicateCatalogue()
        var mappings: [[IdentityFieldSettings]] = []
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        let credentials = settings.routes.map {
            UpstreamCredential($0.credential, exchanges: &exchanges, assertions: &assertions)
        }
        index = RouteIndex(
            settings, places, credentials: credentials, catalogue: &catalogue, mappings: &mappings)
        self.exchanges = exchanges
        // One gateway asserts, at whichever of its listeners a request came in.
        let issuer = settings.publicURLs.first ?? ""
        self.assertions = assertions.map { AssertionRule($0, issuer: issuer) }
        self.catalogue = catalogue
        identityMappings = mappings
    }

    /// Whoever goes on with one of its routes holds the table too.
    deinit { index.destroy() }
}

/// The routes and what leads to them, at fixed places: asked without allocating or counting a reference.
///
/// Unsafe because a request's stages read a route in place: copied or counted, each look would cost them.
@safe
package struct RouteIndex: @unchecked Sendable {
    package let routes: UnsafeMutablePointer<Route>
    package let count: Int
    package let reservedNames: UnsafeMutablePointer<ReservedNames>
    /// Which paths lead to which of them.
    package let paths: UnsafeMutablePointer<PathPatterns>

    init(
        _ settings: AccessSettings, _ places: [RoutePlaces], credentials: [UpstreamCredential],
        catalogue: inout PredicateCatalogue, mappings: inout [[IdentityFieldSettings]]
    ) {
        count = settings.routes.count
        unsafe routes = .allocate(capacity: max(1, count))
        unsafe paths = .allocate(capacity: 1)
        unsafe paths.initialize(to: PathPatterns(settings.routes))
        for (index, route) in settings.routes.enumerated() {
            var tokenSettings: TokenSettings?
            if let token = route.access.token { tokenSettings = token }
            let policy = TokenPolicy(
                tokenSettings ?? TokenSettings(issuers: [], audiences: []), settings.proofs,
                issuerIndex: { name in settings.issuers.firstIndex { $0.name == name } ?? -1 }, catalogue: &catalogue)
            var mapping = -1
            let login = unsafe route.access.login.flatMap {
                unsafe LoginPolicy.make($0, settings, catalogue: &catalogue)
            }
            let takesCredentials = tokenSettings != nil || route.access.login != nil
            if takesCredentials, !route.identity.isEmpty {
                mapping = mappings.firstIndex(of: route.identity) ?? mappings.count
                if mapping == mappings.count { mappings.append(route.identity) }
            }
            let methods = MethodSet.of(route)
            let bases = UnsafeMutablePointer<[TargetBase]>.allocate(capacity: max(1, settings.publicURLs.count))
            for (number, url) in settings.publicURLs.enumerated() {
                unsafe (bases + number).initialize(to: ([url] + route.publicURLs).compactMap(TargetBase.init))
            }
            unsafe (routes + index).initialize(
                to: Route(
                    index: index, metricsSlot: places[index].metricsSlot, settings: route,
                    name: Route.Bytes(route.name), upstream: places[index].upstream,
                    allowances: PathAllowances(route),
                    methodNames: methods, token: policy, isPublic: !takesCredentials,
                    isOptional: tokenSettings?.optional ?? false, webSocket: route.webSocket,
                    identity: mapping,
                    origins: OriginList(route.allowedOrigins),
                    cors: CORSPolicy(route.cors, routeMethods: methods, isPublic: !takesCredentials),
                    patience: places[index].patience,
                    resourceMetadata: places[index].resourceMetadata,
                    credential: credentials[index], basePlaces: bases, listenerCount: settings.publicURLs.count,
                    login: login,
                    proofBase: route.proofURL ?? route.upstream.base,
                    takesSessionsAlone: login != nil && tokenSettings == nil,
                    sendsClientCert: route.sendsClientCert, hidesUnauthorized: route.hidesUnauthorized,
                    introspector: Introspector(tokenSettings, settings.issuers)))
        }
        unsafe reservedNames = .allocate(capacity: 1)
        unsafe reservedNames.initialize(
            to: ReservedNames(
                settings.routes.flatMap(\.identity).map(\.name) + AssertionRule.reservedNames(settings.routes)))
    }

    fileprivate func destroy() {
        for index in 0..<count { self[index].destroy() }
        unsafe routes.deinitialize(count: count)
        unsafe routes.deallocate()
        unsafe paths.deinitialize(count: 1)
        unsafe paths.deallocate()
        unsafe reservedNames.deinitialize(count: 1)
        unsafe reservedNames.deallocate()
    }

    /// The route at this place.
    package subscript(_ number: Int) -> Route {
        unsafeAddress {
            precondition(number < count, "a route's place is one of the table's")
            return unsafe UnsafePointer(routes + number)
        }
    }

    /// The route that a canonical path leads to, or nil.
    package func match(_ path: Span<UInt8>) -> UnsafePointer<Route>? {
        guard case .route(let number) = unsafe paths.pointee.find(path) else { return nil }
        return unsafe UnsafePointer(routes + number)
    }
}

extension PathPatterns {
    /// The patterns of these routes, and those of what is sealed behind them.
    package init(_ routes: [RouteSettings]) {
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
