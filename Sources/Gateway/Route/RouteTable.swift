import Access
import Bytes
import Issuers
import Glibc
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

/// What a path leads to.
enum RouteMatch: Equatable {
    case none
    case route(UnsafePointer<Route>)
    /// Into the sealed subtree of this exact route.
    case behind(UnsafePointer<Route>)
}

/// The routes, searched without allocating or counting a reference.
///
/// A pattern that ends with `/` matches its whole subtree and its own path without that slash; any other pattern
/// matches one path. The longest pattern wins. The cost depends on the number of segments in the path, not on the
/// number of routes: the hash of each prefix that ends at a `/` is looked up in one table.
///
/// Patterns that fit in any case are in lower case, and beneath them are none that fit in one case alone (HTTP-57).
///
/// What a server may take for an argument of a guarded path is a pattern too, of no route: `SealedSubtree` says which.
struct RouteIndex: @unchecked Sendable {
    let routes: UnsafeMutablePointer<Route>
    let count: Int
    let reservedNames: ReservedNames
    /// Whether some route's upstream takes paths that differ in case for one.
    let ignoresCase: Bool

    /// Bytes of the longest pattern: where a path leads is decided by as many of its own, and one more.
    let longestPattern: Int

    private let listenerCount: Int
    private let patterns: UnsafeMutablePointer<Pattern>
    private let patternCount: Int
    private let slots: UnsafeMutablePointer<Int32>
    private let mask: Int

    private struct Pattern {
        let bytes: Route.Bytes
        let isSubtree: Bool
        let ignoresCase: Bool
        let hash: UInt64
        /// The place of its route, or of the exact route that it is the sealed subtree of.
        let route: Int32
        let isSealed: Bool

        init(_ route: RouteSettings, at index: Int, isSealed: Bool = false) {
            let endsInSlash = route.path.hasSuffix("/")
            let key = endsInSlash ? String(route.path.dropLast()) : route.path
            bytes = Route.Bytes(key)
            isSubtree = endsInSlash || isSealed
            ignoresCase = route.ignoresCase
            hash = RouteIndex.hash(Array(key.utf8))
            self.route = Int32(index)
            self.isSealed = isSealed
        }
    }

    init(
        _ settings: GatewaySettings, upstreams: [UpstreamSettings], metricsSlots: [Int],
        credentials: [UpstreamCredential],
        catalogue: inout PredicateCatalogue, mappings: inout [[IdentityFieldSettings]]
    ) {
        count = settings.routes.count
        ignoresCase = settings.routes.contains(where: \.ignoresCase)
        listenerCount = settings.listeners.count
        let pools = Dictionary(uniqueKeysWithValues: upstreams.enumerated().map { ($1, $0) })
        routes = .allocate(capacity: max(1, count))
        let sealed = SealedSubtree.all(in: settings.routes)
        patternCount = count + sealed.count
        patterns = .allocate(capacity: max(1, patternCount))
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
                    methods: methods.known, methodNames: methods, token: policy, isPublic: !takesCredentials,
                    isOptional: tokenSettings?.optional ?? false, webSocket: route.webSocket,
                    webSocketNotice: MinutePace(), identity: mapping,
                    origins: OriginList(route.allowedOrigins), cors: CORSPolicy(route),
                    patience: RoutePatience(route, settings.limits, settings.timeouts),
                    resourceMetadata: PublishedDocuments.metadataURLs(of: route, settings.listeners),
                    credential: credentials[index], bases: bases, login: login,
                    proofBase: route.proofURL ?? route.upstream.base,
                    takesSessionsAlone: login != nil && tokenSettings == nil,
                    sendsClientCert: route.sendsClientCert, hidesUnauthorized: route.hidesUnauthorized,
                    introspector: Introspector(tokenSettings, settings.issuers)))
            (patterns + index).initialize(to: Pattern(route, at: index))
        }
        for (place, subtree) in sealed.enumerated() {
            (patterns + count + place).initialize(
                to: Pattern(settings.routes[subtree.exact], at: subtree.exact, isSealed: true))
        }
        longestPattern = (0..<patternCount).reduce(0) { [patterns] in max($0, patterns[$1].bytes.count) }
        reservedNames = ReservedNames(
            settings.routes.flatMap(\.identity).map(\.name) + AssertionRule.reservedNames(settings.routes))
        var size = 16
        while size < patternCount * 4 { size *= 2 }
        mask = size - 1
        slots = .allocate(capacity: size)
        slots.initialize(repeating: -1, count: size)
        for index in 0..<patternCount {
            var slot = Int(truncatingIfNeeded: patterns[index].hash) & mask
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index)
        }
    }

    fileprivate func destroy() {
        for index in 0..<count { routes[index].destroy(listenerCount: listenerCount) }
        for index in 0..<patternCount { patterns[index].bytes.destroy() }
        routes.deinitialize(count: count)
        routes.deallocate()
        patterns.deallocate()
        slots.deallocate()
        reservedNames.destroy()
    }

    /// The route for a canonical path, or nil.
    func match(_ path: UnsafeBufferPointer<UInt8>) -> UnsafePointer<Route>? {
        guard case .route(let route) = find(path) else { return nil }
        return route
    }

    /// What a canonical path leads to.
    func find(_ path: UnsafeBufferPointer<UInt8>) -> RouteMatch {
        var found = search(path, ignoringCase: false)
        if ignoresCase {
            let other = search(path, ignoringCase: true)
            if other >= 0, found < 0 || isLonger(patterns + Int(other), patterns + Int(found)) { found = other }
        }
        guard found >= 0 else { return .none }
        let pattern = patterns + Int(found)
        let route = UnsafePointer(routes + Int(pattern.pointee.route))
        return pattern.pointee.isSealed ? .behind(route) : .route(route)
    }

    /// Which pattern of those that fit in one case, or of those that fit in any.
    @inline(__always)
    private func search(_ path: UnsafeBufferPointer<UInt8>, ignoringCase: Bool) -> Int32 {
        var hash = RouteIndex.seed
        var found: Int32 = -1
        // Behind the longest pattern nothing fits: what 8 KB of slashes cost must not be a lookup each.
        for index in 0..<min(path.count, longestPattern &+ 1) {
            let byte = ignoringCase ? ASCII.lowercase(path[index]) : path[index]
            if byte == UInt8(ascii: "/") {
                let subtree = find(hash, path, count: index, isSubtree: true, ignoringCase)
                if subtree >= 0 { found = subtree }
            }
            hash = (hash ^ UInt64(byte)) &* RouteIndex.prime
        }
        guard path.count <= longestPattern else { return found }
        let exact = find(hash, path, count: path.count, isSubtree: false, ignoringCase)
        if exact >= 0 { return exact }
        let subtree = find(hash, path, count: path.count, isSubtree: true, ignoringCase)
        return subtree >= 0 ? subtree : found
    }

    /// An exact pattern and a subtree's own path are equally long; the exact one is meant.
    private func isLonger(_ one: UnsafePointer<Pattern>, _ other: UnsafePointer<Pattern>) -> Bool {
        one.pointee.bytes.count > other.pointee.bytes.count
            || one.pointee.bytes.count == other.pointee.bytes.count && !one.pointee.isSubtree
    }

    @inline(__always)
    private func find(
        _ hash: UInt64, _ path: UnsafeBufferPointer<UInt8>, count: Int, isSubtree: Bool, _ ignoringCase: Bool
    ) -> Int32 {
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 {
            let pattern = patterns + Int(slots[slot])
            if pattern.pointee.hash == hash, pattern.pointee.isSubtree == isSubtree,
                pattern.pointee.ignoresCase == ignoringCase, pattern.pointee.bytes.count == count,
                ignoringCase
                    ? ASCII.equalsIgnoringCase(pattern.pointee.bytes.buffer.span, path.span.extracting(first: count))
                    : memcmp(pattern.pointee.bytes.start, path.baseAddress.unsafelyUnwrapped, count) == 0
            {
                return slots[slot]
            }
            slot = (slot + 1) & mask
        }
        return -1
    }

    // FNV-1a, 64 bits: the patterns are the operator's, so nobody can choose colliding ones.
    private static let seed: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let prime: UInt64 = 0x0000_0100_0000_01b3

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(seed) { ($0 ^ UInt64($1)) &* prime }
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
