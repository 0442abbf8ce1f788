import HTTPMessage
import Issuers
import JOSE
import Login
import OAuth
import TestTraits
import Testing

@testable import Access

@Suite struct `the table of routes` {
    private static let patience = RoutePatience(
        bodyLimit: 7, bodyRate: 1, requestBody: 2, upstreamFirstByte: 3, responseBody: 4)

    private func table(_ routes: [RouteSettings], _ change: (inout AccessSettings) -> Void = { _ in }) -> RouteTable {
        var settings = AccessSettings(
            routes: routes, publicURLs: ["https://api.example", "http://internal:8080"],
            issuers: [
                IssuerSettings(
                    name: "main", url: "https://main.example/",
                    rules: AccessTokenRules(issuer: "https://main.example/", algorithms: [.es256]))
            ])
        change(&settings)
        return RouteTable(
            settings,
            settings.routes.indices.map {
                RouteIndices(
                    metricsSlot: 10 + $0, upstream: 20 + $0, patience: Self.patience, resourceMetadata: ["m\($0)"])
            })
    }

    @Test func `has each route at its place, with what it is elsewhere in the gateway`() {
        let table = table([JudgeRig.route("/a"), JudgeRig.open("/b")])
        #expect(table.index.list.count == 2)
        for index in 0..<2 {
            let (own, slot, upstream, limit, metadata) = (
                table.index.list[index].index, table.index.list[index].metricsSlot, table.index.list[index].upstream,
                table.index.list[index].patience.bodyLimit, table.index.list[index].resourceMetadata
            )
            #expect(own == index && slot == 10 + index && upstream == 20 + index)
            #expect(limit == 7)
            #expect(metadata == ["m\(index)"])
        }
    }

    @Test(.holds("H2-06"), .refuses("H2-06"))
    func `says of each listener by itself whether one of its routes has WebSockets`() {
        func has(_ host: Int?, at listeners: [Int]?, _ isWebSocket: Bool = true) -> [Bool] {
            var route = JudgeRig.open("/a")
            route.webSocket = isWebSocket
            route.host = host
            let table = table([JudgeRig.open("/b"), route]) {
                $0.hosts = [
                    HostSettings(
                        name: "a.example", publicURL: "https://a.example", authorities: ["a.example"],
                        listeners: listeners)
                ]
            }
            return [0, 1].map { table.hasWebSockets(at: $0) }
        }
        #expect(has(nil, at: [0]) == [true, true])
        #expect(has(0, at: nil) == [true, true])
        #expect(has(0, at: [0]) == [true, false])
        #expect(has(0, at: [1]) == [false, true])
        #expect(has(0, at: []) == [false, false])
        #expect(has(nil, at: nil, false) == [false, false])
    }

    @Test(.holds("HTTP-76"), .refuses("HTTP-76"))
    func `takes credentials on every route that does not say that it is public`() {
        let table = table([JudgeRig.route("/a"), JudgeRig.open("/b"), JudgeRig.session("/c")]) {
            $0.logins = [JudgeRig.login()]
            $0.loginClients = [LoginClientIdentity(clientID: "c", issuer: 0)]
        }
        let isPublic = (0..<3).map { table.index.list[$0].isPublic }
        let takesSessionsAlone = (0..<3).map { table.index.list[$0].takesSessionsAlone }
        #expect(isPublic == [false, true, false])
        #expect(takesSessionsAlone == [false, false, true])
    }

    @Test(.refuses("HTTP-76"))
    func `lets nobody in where a route names a login that there is not`() {
        // A place that points past the logins is a defect of ours: the route takes no session then, and is not public.
        let table = table([JudgeRig.session("/c")])
        let (hasLogin, isPublic) = (table.index.list[0].login != nil, table.index.list[0].isPublic)
        #expect(!hasLogin)
        #expect(!isPublic)
    }

    @Test func `shares an identity mapping between the routes that have the same`() {
        let user = [IdentityFieldSettings(name: "X-User", claim: ["sub"])]
        let mail = [IdentityFieldSettings(name: "X-Mail", claim: ["email"])]
        let routes = [user, mail, user, [], mail].enumerated().map { index, mapping in
            JudgeRig.route("/\(index)") { route, _ in route.identity = mapping }
        }
        let table = table(routes)
        let places = routes.indices.map { table.index.list[$0].identity }
        #expect(places == [0, 1, 0, -1, 1])
        #expect(table.identityMappings == [user, mail])
    }

    @Test(.refuses("HTTP-42")) func `maps no identity where nobody is asked for one`() {
        var open = JudgeRig.open("/")
        open.identity = [IdentityFieldSettings(name: "X-User", claim: ["sub"])]
        let table = table([open])
        let place = table.index.list[0].identity
        #expect(place == -1)
        // The name is reserved all the same: a client must not write it on any route.
        let isReserved = table.index.reservedNames.pointee.contains(Array("x-user".utf8).span)
        #expect(isReserved)
    }

    @Test(.holds("DPOP-09"))
    func `knows the bases of a route's URLs at each listener, and the route's own everywhere`() {
        var own = JudgeRig.route("/a")
        own.publicURLs = ["https://front.example/app"]
        let table = table([own, JudgeRig.route("/b")])
        let counts = (0..<2).map { route in (0..<2).map { table.index.list[route].bases[$0].count } }
        #expect(counts == [[2, 2], [1, 1]])
    }

    @Test(.holds("DPOP-45"))
    func `takes the upstream's own address for proofs, unless the route says another`() {
        var other = JudgeRig.route("/b")
        other.proofURL = "https://resource.example"
        let table = table([JudgeRig.route("/a"), other])
        let bases = (0..<2).map { table.index.list[$0].proofBase }
        #expect(bases == ["http://127.0.0.1:1", "https://resource.example"])
    }

    @Test(.holds("HTTP-19"), .refuses("HTTP-19"))
    func `closes methods that a route's scopes do not name`() {
        let table = table([JudgeRig.route("/a") { _, token in token.rights.scopesByMethod = ["GET": ["read"]] }])
        let allow = table.index.list[0].methodNames.allow
        #expect(allow == "GET, HEAD")
    }

    @Test(.holds("HTTP-57"))
    func `leads the paths of all routes to them, and seals what is behind the exact ones`() {
        let table = table([JudgeRig.open("/"), JudgeRig.route("/report.cgi")])
        func find(_ path: String) -> PathPatterns.Match { table.index.tables[0].find(Array(path.utf8).span) }
        #expect(find("/report.cgi") == .route(1))
        #expect(find("/report.cgi/x") == .behind(1))
        #expect(find("/x") == .route(0))
    }

    @Test(.holds("HTTP-56"), .refuses("HTTP-56"))
    func `gives a route the relaxations that it names, and no other`() {
        let all: [PathAllowances] = [.encodedSlash, .backslash, .doubleEncoding, .semicolon, .nonASCII]
        for allowance in all {
            var route = JudgeRig.open("/")
            route.pathAllowances = [allowance]
            let table = table([route])
            let allowances = table.index.list[0].allowances
            #expect(allowances == allowance)
        }
        let strict = table([JudgeRig.open("/")])
        let none = strict.index.list[0].allowances
        #expect(none.isEmpty)
    }

    @Test(.holds("RS-01"))
    func `numbers the predicates of all its routes in one catalogue`() {
        let table = table([
            JudgeRig.route("/a") { _, token in token.rights.scopes = ["read"] },
            JudgeRig.route("/b") { _, token in token.rights.scopes = ["read", "write"] },
        ])
        func scopes(_ route: Int) -> [Int32] {
            let numbers = table.index.list[route].token.scopeNumbersOfGet
            return numbers
        }
        #expect(scopes(0).count == 1)
        #expect(scopes(1).count == 2)
        #expect(scopes(1).contains(scopes(0)[0]), "one predicate has one number")
    }

    @Test(.holds("STEP-04"))
    func `knows what a route asks of a login beside the client's own wishes`() {
        let table = table([
            JudgeRig.session("/a"), JudgeRig.session("/b") { $0.rights.acrValues = ["gold"] },
            JudgeRig.session("/c") { $0.rights.maximumAge = .seconds(60) },
            JudgeRig.session("/d") { $0.rights.acrValues = ["gold"] },
        ]) {
            $0.logins = [JudgeRig.login()]
            $0.loginClients = [LoginClientIdentity(clientID: "c", issuer: 0)]
        }
        let places = (0..<4).map { table.index.list[$0].login?.pointee.stepUp }
        #expect(places == [-1, 0, 1, 0])
    }

    @Test(.holds("SC-09"))
    func `serves sessions to pages of each listener's own origin, and those that the route names`() {
        let table = table([JudgeRig.session("/a") { $0.allowedOrigins = ["https://partner.example"] }]) {
            $0.logins = [JudgeRig.login()]
            $0.loginClients = [LoginClientIdentity(clientID: "c", issuer: 0)]
        }
        func serves(_ listener: Int, _ origin: String) -> Bool {
            guard let login = table.index.list[0].login else { return false }
            return login.pointee.origins[listener].contains(Array(origin.utf8).span)
        }
        #expect(serves(0, "https://api.example") && serves(0, "https://partner.example"))
        #expect(serves(1, "http://internal:8080") && serves(1, "https://partner.example"))
        #expect(!serves(0, "http://internal:8080") && !serves(1, "https://api.example"))
    }
}

extension TokenPolicy {
    /// The numbers of the scopes that GET asks for.
    fileprivate var scopeNumbersOfGet: [Int32] {
        let numbers = rights[row: row(of: .get, named: Span())].scopes.numbers
        return numbers.indices.map { numbers[$0] }
    }
}
