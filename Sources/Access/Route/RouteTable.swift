package import Issuers
import HTTPMessage
import Login
import OAuth

/// The routes of a configuration and what was worked out from them: immutable, shared by all workers.
package final class RouteTable: Sendable {
    package let index: RouteIndex
    /// What a judgement asks.
    package let policy: FixedValue<AccessPolicy>
    package let catalogue: PredicateCatalogue
    package let identityMappings: [[IdentityFieldSettings]]
    /// What tokens are exchanged for (RFC 8693), by the number that a route's credential has.
    package let exchanges: [ExchangeSettings]
    /// What identity assertions say, by the number that a route's credential has.
    package let assertions: [AssertionRule]
    /// Of each listener whether one of the routes that it leads to has WebSockets.
    private let webSockets: [Bool]
    /// What the limits of its routes count in.
    package let limitTables: RequestLimitTables

    /// The table of these routes; `places` says of each of them where it is elsewhere in the gateway.
    package init(_ settings: AccessSettings, _ places: [RouteIndices]) {
        webSockets = settings.publicURLs.indices.map { listener in
            settings.routes.contains { $0.webSocket && settings.isServed($0, at: listener) }
        }
        var catalogue = PredicateCatalogue()
        var mappings: [[IdentityFieldSettings]] = []
        var exchanges: [ExchangeSettings] = []
        var assertions: [AssertionSettings] = []
        let credentials = settings.routes.map {
            UpstreamCredential($0.credential, exchanges: &exchanges, assertions: &assertions)
        }
        let limitTables = settings.limitTables ?? RequestLimitTables(settings.routes, RequestRateSettings())
        self.limitTables = limitTables
        catalogue.limitKeys = limitTables.identityKeys
        index = RouteIndex(
            settings, places, credentials: credentials, limitTables, catalogue: &catalogue, mappings: &mappings)
        self.exchanges = exchanges
        // One gateway asserts, at whichever of its listeners a request came in.
        let issuer = settings.publicURLs.first ?? ""
        self.assertions = assertions.map { AssertionRule($0, issuer: issuer) }
        self.catalogue = catalogue
        identityMappings = mappings
        policy = FixedValue(AccessPolicy(settings, routes: index, catalogue: catalogue))
    }

    /// Whether a route that the listener at this place leads to has WebSockets.
    package func hasWebSockets(at listener: Int) -> Bool { webSockets[listener] }

    /// Whoever goes on with one of its routes holds the table too.
    deinit {
        policy.destroy()
        index.destroy()
    }
}

/// The routes and what leads to them, at fixed places: asked without allocating or counting a reference.
package struct RouteIndex: Sendable {
    package let list: FixedList<Route>
    package let reservedNames: FixedValue<ReservedNames>
    /// Which paths lead to which of them: without a host, and behind that of each host.
    package let tables: FixedList<PathPatterns>

    init(
        _ settings: AccessSettings, _ places: [RouteIndices], credentials: [UpstreamCredential],
        _ limitTables: RequestLimitTables, catalogue: inout PredicateCatalogue,
        mappings: inout [[IdentityFieldSettings]]
    ) {
        let choices = RouteChoices(settings.routes)
        let sealed = Dictionary(grouping: SealedSubtree.all(in: settings.routes)) {
            settings.routes[$0.exact].host ?? -1
        }
        let allowances = settings.routes.map { PathAllowances($0) }
        tables = FixedList(count: settings.hosts.count + 1) { table in
            PathPatterns(
                settings.routes, choices.first[table - 1] ?? [], sealed: sealed[table - 1] ?? [],
                allowances: allowances)
        }
        list = FixedList(count: settings.routes.count) { index in
            Route(
                settings.routes[index], index, settings, places[index], credentials[index],
                limitTables.limits(ofRoute: index), catalogue: &catalogue, mappings: &mappings)
        }
        for (index, next) in choices.next.enumerated() where next >= 0 { list[index].next = next }
        for (index, allow) in choices.allow { list[index].allow = allow }
        reservedNames = FixedValue(
            ReservedNames(
                settings.routes.flatMap { $0.identity + $0.responseIdentity }.map(\.name)
                    + AssertionRule.reservedNames(settings.routes)))
    }

    fileprivate func destroy() {
        for index in 0..<list.count { list[index].destroy() }
        list.destroy()
        tables.destroy()
        reservedNames.destroy()
    }

    /// How many routes there are.
    package var count: Int { list.count }

    /// The route at this place.
    package subscript(_ number: Int) -> Route {
        unsafeAddress { unsafe UnsafePointer(list.value(at: number).place) }
    }

    /// The first route that a canonical path leads to in one of the tables, or nil.
    package func match(_ path: Span<UInt8>, inTable table: Int = 0) -> FixedValue<Route>? {
        guard case .route(let number) = tables[table].find(path) else { return nil }
        return list.value(at: number)
    }
}

extension Route {
    /// The route at this place of the settings.
    fileprivate init(
        _ route: RouteSettings, _ index: Int, _ settings: AccessSettings, _ places: RouteIndices,
        _ credential: UpstreamCredential, _ requestLimits: RouteRequestLimits,
        catalogue: inout PredicateCatalogue, mappings: inout [[IdentityFieldSettings]]
    ) {
        let tokens = route.access.token
        let sites = settings.sites(of: route)
        let takesCredentials = tokens != nil || route.access.login != nil
        // Nobody is known on a public route.
        func mapping(of fields: [IdentityFieldSettings]) -> Int {
            guard takesCredentials, !fields.isEmpty else { return -1 }
            if let known = mappings.firstIndex(of: fields) { return known }
            mappings.append(fields)
            return mappings.count - 1
        }
        // The token's rules come first: predicates are numbered in the order in which they are met.
        let policy = TokenPolicy(
            tokens ?? TokenSettings(issuers: [], audiences: []), settings.proofs,
            issuerIndex: { name in settings.issuers.firstIndex { $0.name == name } ?? -1 }, catalogue: &catalogue)
        let login = route.access.login.flatMap { LoginPolicy.make($0, settings, sites, catalogue: &catalogue) }
        self.index = index
        firstSite = sites.lowerBound
        field = route.field.map { FieldChoice($0) }
        allow = MethodSet.of(route).allow
        metricsSlot = places.metricsSlot
        self.settings = route
        name = Bytes(route.name)
        upstream = places.upstream
        allowances = PathAllowances(route)
        methodNames = MethodSet.of(route)
        token = policy
        isPublic = !takesCredentials
        isOptional = tokens?.optional ?? false
        webSocket = route.webSocket
        identity = mapping(of: route.identity)
        responseIdentity = mapping(of: route.responseIdentity)
        origins = OriginList(route.allowedOrigins)
        cors = CORSPolicy(route.cors, routeMethods: MethodSet.of(route), isPublic: !takesCredentials)
        patience = places.patience
        self.requestLimits = requestLimits
        resourceMetadata = places.resourceMetadata
        self.credential = credential
        shownTokens = ShownTokens(route)
        bases = FixedList(count: sites.count) {
            ([settings.publicURL(ofSite: sites.lowerBound + $0)] + route.publicURLs).compactMap(TargetBase.init)
        }
        self.login = login
        proofBase = route.proofURL ?? route.upstream.base
        takesSessionsAlone = login != nil && tokens == nil
        sendsClientCert = route.sendsClientCert
        rewrite = route.rewrite.map {
            FixedValue(PathRewrite($0, ignoresCase: route.ignoresCase, upstream: route.upstream))
        }
        let changesNothing =
            route.requestFields.isEmpty && route.responseFields.isEmpty && !route.hasSecurityHeaders
        fields =
            changesNothing
            ? nil
            : FixedValue(
                FieldChanges(
                    request: route.requestFields, response: route.responseFields,
                    securityHeaders: route.hasSecurityHeaders))
        answer = route.answer.map {
            FixedValue(RouteAnswer($0, isPublic: !takesCredentials, keepsPath: route.rewrite != nil))
        }
        isGRPC = route.isGRPC
        isHostSecure = route.host.flatMap { place in
            settings.hosts[place].hasOwnURL ? settings.hosts[place].publicURL.hasPrefix("https:") : nil
        }
        passesRequestTrailers = route.passesRequestTrailers
        endsCalls = !(tokens?.keepsStreams ?? false)
        hidesUnauthorized = route.hidesUnauthorized
        introspector = Introspector(tokens, settings.issuers)
    }
}

extension PathPatterns {
    /// The patterns of one host: of the routes that are the first for their paths there, and of what is sealed behind them.
    fileprivate init(
        _ routes: [RouteSettings], _ first: [Int], sealed: [SealedSubtree], allowances: [PathAllowances]
    ) {
        var patterns = first.map { Pattern(routes[$0].path, route: $0, ignoresCase: routes[$0].ignoresCase) }
        for sealed in sealed {
            let route = routes[sealed.exact]
            var path = route.path
            if let own = sealed.path { path = own }
            patterns.append(Pattern(path, route: sealed.exact, ignoresCase: route.ignoresCase, isSealed: true))
        }
        self.init(patterns, allowances: allowances)
    }
}

extension PathAllowances {
    /// The relaxations a route switched on.
    init(_ route: RouteSettings) { self.init(route.pathAllowances) }
}
