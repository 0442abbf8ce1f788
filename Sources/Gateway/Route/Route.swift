// SPDX-License-Identifier: Apache-2.0
import HTTPMessage
import OAuth

/// One route, ready to be asked: plain values and memory of its own, reached by pointer, never copied or counted.
struct Route {
    let index: Int
    let settings: RouteSettings
    /// The name in JSON log lines.
    let name: Bytes
    /// Which of the worker's upstream pools.
    let upstream: Int
    let allowances: PathAllowances
    /// One bit for each `MethodID` let through.
    let methods: UInt16
    /// The methods in full, for those without an ID and for `Allow`.
    let methodNames: MethodSet
    let token: TokenPolicy
    let isPublic: Bool
    let isOptional: Bool
    let webSocket: Bool
    /// Which identity mapping; -1 for none.
    let identity: Int
    /// The bases of its URLs at each listener: the listener's public URL, and the route's own (DPOP-09).
    let bases: UnsafeMutablePointer<[TargetBase]>

    /// Bytes in memory of their own.
    struct Bytes {
        let start: UnsafeMutablePointer<UInt8>
        let count: Int

        init(_ text: String) {
            let utf8 = Array(text.utf8)
            start = .allocate(capacity: max(1, utf8.count))
            start.initialize(from: utf8, count: utf8.count)
            count = utf8.count
        }

        var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
    }
}

/// The authentication schemes that a route takes.
struct SchemeSet: OptionSet {
    let rawValue: UInt8

    static let bearer = SchemeSet(rawValue: 1)
    static let dpop = SchemeSet(rawValue: 2)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ schemes: [TokenSettings.Scheme]) {
        self = []
        if schemes.contains(.bearer) { insert(.bearer) }
        if schemes.contains(.dpop) { insert(.dpop) }
    }

    /// For the operator's log.
    var names: String {
        [contains(.bearer) ? "Bearer" : nil, contains(.dpop) ? "DPoP" : nil].compactMap(\.self)
            .joined(separator: " or ")
    }
}

extension DPoPRules {
    /// What the operator says for all routes, and for this one.
    init(_ route: DPoPSettings, _ proofs: ProofSettings) {
        self.init(
            algorithms: route.algorithms, pastSeconds: proofs.pastSeconds, futureSeconds: proofs.futureSeconds,
            maximumBytes: proofs.maximumBytes, maximumIDBytes: proofs.maximumIDBytes)
    }
}

/// What a route requires of a token, as predicate numbers.
struct TokenPolicy {
    let issuers: PredicateList
    let audiences: PredicateList
    let claims: PredicateList
    let user: PredicateList
    let schemes: SchemeSet
    let nonce: DPoPSettings.Nonce
    let proofRules: DPoPRules
    private let scopesByMethod: UnsafeMutablePointer<PredicateList>
    let rejectsQueryToken: Bool

    init(
        _ settings: TokenSettings, _ proofs: ProofSettings, issuerIndex: (String) -> Int,
        catalogue: inout PredicateCatalogue
    ) {
        rejectsQueryToken = settings.queryToken == .reject
        schemes = SchemeSet(settings.schemes)
        nonce = settings.dpop.nonce
        proofRules = DPoPRules(settings.dpop, proofs)
        issuers = PredicateList(settings.issuers.map { catalogue.number(of: .issuer(issuerIndex($0))) })
        audiences = PredicateList(settings.audiences.map { catalogue.number(of: .audience($0)) })
        claims = PredicateList(settings.claims.map { catalogue.number(of: .claim($0)) })
        user = PredicateList(settings.userOnly ? [catalogue.number(of: .user)] : [])
        scopesByMethod = .allocate(capacity: MethodSet.count)
        for method in MethodSet.all {
            let scopes = TokenPolicy.scopes(of: settings, method: method.name)
            (scopesByMethod + Int(method.id.rawValue)).initialize(
                to: PredicateList(scopes.map { catalogue.number(of: .scope($0)) }))
        }
    }

    func scopes(for method: MethodID) -> PredicateList { scopesByMethod[Int(method.rawValue)] }

    /// The scopes a method needs; HEAD needs what GET needs when it is not named itself.
    static func scopes(of settings: TokenSettings, method: String) -> [String] {
        if let named = settings.scopesByMethod[method] { return named }
        if method == "HEAD", let get = settings.scopesByMethod["GET"] { return get }
        return settings.scopes
    }
}

/// Which methods a route lets through (HTTP-19).
struct MethodSet {
    private(set) var known: UInt16 = 0
    private let others: [String]
    /// The value of `Allow` in a 405.
    let allow: String

    static let all: [(id: MethodID, name: String)] = [
        (.other, ""), (.get, "GET"), (.head, "HEAD"), (.post, "POST"), (.put, "PUT"), (.delete, "DELETE"),
        (.patch, "PATCH"), (.options, "OPTIONS"), (.connect, "CONNECT"), (.trace, "TRACE"), (.track, "TRACK"),
    ]
    static let count = 11

    /// The methods named, or all but CONNECT, TRACE and TRACK when nil.
    init(_ names: [String]?) {
        let ordinary = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        let listed = (names ?? ordinary).filter { !["CONNECT", "TRACE", "TRACK"].contains($0.uppercased()) }
        for method in MethodSet.all where listed.contains(method.name) { known |= 1 << UInt16(method.id.rawValue) }
        if names == nil { known |= 1 << UInt16(MethodID.other.rawValue) }
        others = listed.filter { name in !MethodSet.all.contains { $0.name == name } }
        allow = listed.joined(separator: ", ")
    }

    /// A route that names scopes by method, and no default, lets through the methods it names (fail closed).
    static func of(_ route: RouteSettings) -> MethodSet {
        guard route.methods == nil, case .token(let token) = route.access, token.scopes.isEmpty,
            !token.scopesByMethod.isEmpty
        else { return MethodSet(route.methods) }
        var names = token.scopesByMethod.keys.sorted()
        if names.contains("GET"), !names.contains("HEAD") { names.append("HEAD") }
        return MethodSet(names)
    }

    /// Whether a method without an ID of its own is let through by name.
    func contains(named name: UnsafeBufferPointer<UInt8>) -> Bool {
        others.contains { $0.utf8.elementsEqual(name) }
    }
}
