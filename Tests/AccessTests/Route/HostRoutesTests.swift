import HTTPMessage
import Login
import TestSupport
import TestTraits
import Testing

@testable import Access

/// What a route is chosen by, and what is chosen, worked out without any table.
private struct NaiveModel {
    let hosts: [HostSettings]
    let routes: [RouteSettings]

    struct Request {
        var host: String
        var path: String
        var method: String
        var fields: [(name: String, value: String)]
    }

    enum Answer: Equatable { case route(Int), refused(Refusal) }

    func answer(_ request: Request) -> Answer {
        let host = request.host.lowercased()
        var table: Int?
        if let exact = hosts.firstIndex(where: { $0.name == host }) {
            table = exact
        } else if host == "api.example" {
            guard routes.contains(where: { $0.host == nil }) else { return .refused(.authorityUnknown) }
        } else {
            let rest = host.split(separator: ".", omittingEmptySubsequences: false).dropFirst().joined(separator: ".")
            guard let wildcard = hosts.firstIndex(where: { $0.name == "*." + rest }) else {
                return .refused(.authorityUnknown)
            }
            table = wildcard
        }
        let own = routes.indices.filter { routes[$0].host == table }
        let hasWildcards = own.contains { routes[$0].path.contains("*") }
        let claimed = hasWildcards ? first(own, request.path) : longest(own, request.path)
        if claimed.isEmpty { return .refused(.routeUnknown) }
        let byMethod = claimed.filter { routes[$0].methods?.contains(request.method) ?? true }
        if byMethod.isEmpty { return .refused(.methodNotAllowed) }
        let fitting = byMethod.filter { place in
            guard let field = routes[place].field else { return true }
            let values = request.fields.filter { $0.name.lowercased() == field.name }.map(\.value)
            return values == [field.value]
        }
        func rank(_ place: Int) -> Int { (routes[place].methods == nil ? 2 : 0) + (routes[place].field == nil ? 1 : 0) }
        return fitting.min { rank($0) < rank($1) }.map { .route($0) } ?? .refused(.routeUnknown)
    }

    /// Those of the longest path that fits, of paths without wildcards.
    func longest(_ own: [Int], _ requested: String) -> [Int] {
        // An exact path is longer than the subtree's own without its slash.
        func length(_ path: String) -> Int? {
            if path == requested { return 2 * path.utf8.count + 1 }
            guard path.hasSuffix("/") else { return nil }
            let isWithin = requested.hasPrefix(path) || requested + "/" == path
            return isWithin ? 2 * (path.utf8.count - 1) : nil
        }
        guard let longest = own.compactMap({ length(routes[$0].path) }).max() else { return [] }
        return own.filter { length(routes[$0].path) == longest }
    }

    /// Those of the path that comes first of all that fit, segment by segment from the left.
    func first(_ own: [Int], _ requested: String) -> [Int] {
        func ranks(_ path: String) -> [Int]? {
            let (mine, theirs) = (path.split(separator: "/"), requested.split(separator: "/"))
            let isSubtree = path.hasSuffix("/")
            guard isSubtree ? mine.count <= theirs.count : mine.count == theirs.count,
                zip(mine, theirs).allSatisfy({ $0 == "*" || $0 == $1 })
            else { return nil }
            return mine.map { $0 == "*" ? 1 : 2 } + [isSubtree ? 0 : 1]
        }
        let first = own.compactMap { ranks(routes[$0].path) }.max { $0.lexicographicallyPrecedes($1) }
        return first.map { first in own.filter { ranks(routes[$0].path) == first } } ?? []
    }
}

@Suite struct `routes of hosts` {
    private static let hosts = [
        HostSettings(name: "a.test", publicURL: "https://a.test", authorities: ["a.test", "a.test:443"]),
        HostSettings(name: "b.test", publicURL: "https://b.test", authorities: ["b.test", "b.test:443"]),
        HostSettings(name: "*.test", publicURL: "https://*.test", authorities: [".test", ".test:443"]),
        HostSettings(name: "*.w.test", publicURL: "https://*.w.test", authorities: [".w.test", ".w.test:443"]),
    ]

    private func rig(_ routes: [RouteSettings], logins: [LoginSettings] = []) throws -> JudgeRig {
        try JudgeRig(routes, logins: logins) { $0.hosts = Self.hosts }
    }

    private static func open(_ path: String, host: Int? = nil) -> RouteSettings {
        var route = JudgeRig.open(path)
        route.host = host
        return route
    }

    private func answer(_ rig: JudgeRig, _ lines: [String]) throws -> NaiveModel.Answer? {
        var findings = Findings()
        defer { findings.forget() }
        let outcome = try rig.judge(lines, &findings)
        if let cause = outcome.cause { return .refused(cause) }
        guard outcome.isForwarded, let route = findings.route else { return nil }
        return .route(route.pointee.index)
    }

    @Test(
        .holds("ECO-65"), .refuses("ECO-65"),
        arguments: [
            ["/", "/a/", "/a", "/a/b/", "/b"],
            ["/a/", "/*/", "/*", "/a/*", "/*/b/", "/a/*/c", "/b"],
        ])
    func `are found as a naive model finds them, in ten thousand pairs of tables and requests`(paths: [String]) throws {
        var numbers = Numbers(seed: 65)
        let areLiteral = !paths.contains { $0.contains("*") }
        let fields = [
            nil, RouteFieldSettings(name: "x-kind", value: "1"), RouteFieldSettings(name: "x-kind", value: "2"),
        ]
        var answers: [Refusal?: Int] = [:]
        for _ in 0..<200 {
            var routes: [RouteSettings] = []
            for _ in 0..<(2 + numbers.below(14)) {
                var route = Self.open(numbers.pick(paths), host: numbers.pick([nil, 0, 1, 2, 3]))
                route.methods = numbers.pick([nil, nil, ["GET"], ["POST"], ["GET", "PUT"]])
                route.field = numbers.pick(fields)
                let ties = routes.contains {
                    $0.host == route.host && $0.path == route.path && RouteChoices.tie($0, route)
                }
                if !ties { routes.append(route) }
            }
            let (rig, model) = (try rig(routes), NaiveModel(hosts: Self.hosts, routes: routes))
            for _ in 0..<50 {
                let request = NaiveModel.Request(
                    host: numbers.pick([
                        "a.test", "A.Test", "b.test", "c.test", "x.w.test", "w.test", "x.y.test",
                        "api.example",
                        "test", "other.example",
                    ]),
                    path: numbers.pick(["/", "/a", "/a/c", "/a/b", "/a/b/c", "/b", "/b/x", "/z"]),
                    method: numbers.pick(["GET", "POST", "PUT"]),
                    fields: numbers.pick([[], [("X-Kind", "1")], [("x-kind", "2")], [("X-Kind", "3")]]))
                let lines =
                    ["\(request.method) \(request.path) HTTP/1.1", "Host: \(request.host)", "Content-Length: 0"]
                    + request.fields.map { "\($0.name): \($0.value)" }
                let expected = model.answer(request)
                // Without wildcards the path that comes first is the longest one.
                let all = Array(routes.indices)
                #expect(!areLiteral || model.first(all, request.path) == model.longest(all, request.path))
                #expect(try answer(rig, lines) == expected, "\(request) of \(routes.map { ($0.host, $0.path) })")
                if case .refused(let cause) = expected {
                    answers[cause, default: 0] += 1
                } else {
                    answers[nil, default: 0] += 1
                }
            }
        }
        // Every kind of answer is among them, often.
        for cause in [nil, Refusal.authorityUnknown, .routeUnknown, .methodNotAllowed] {
            #expect(answers[cause] ?? 0 > 300, "\(answers)")
        }
    }

    @Test(.refuses("ECO-65")) func `of one host are nobody else's, whatever is missing there`() throws {
        let guarded = JudgeRig.route("/admin/") { route, _ in route.host = 0 }
        let rig = try rig([Self.open("/"), Self.open("/", host: 2), guarded])
        for (host, cause) in [("a.test", Refusal.routeUnknown), ("z.test", nil), ("api.example", nil)]
            as [(String, Refusal?)]
        {
            #expect(try rig.judge("GET /x HTTP/1.1", "Host: \(host)").cause == cause, "\(host)")
        }
        #expect(try rig.judge("GET /admin/x HTTP/1.1", "Host: a.test").cause == .credentialsMissing)
        #expect(try rig.judge("GET /admin/x HTTP/1.1", "Host: api.example").isForwarded)
    }

    @Test(.refuses("ECO-66")) func `that were found before a reload say nothing of the hosts after it`() throws {
        let routes = [Self.open("/", host: 0), Self.open("/", host: 1)]
        let (before, same) = (try rig(routes), try rig(routes + [Self.open("/x")]))
        let after = try JudgeRig(routes) { $0.hosts = [Self.hosts[1], Self.hosts[0]] + Self.hosts[2...] }
        var findings = Findings()
        defer { findings.forget() }
        _ = try before.judge(["GET / HTTP/1.1", "Host: a.test"], &findings)
        let site = before.table.policy.pointee.site(of: findings)
        #expect(site != nil && same.table.policy.pointee.site(of: findings) == site)
        #expect(after.table.policy.pointee.site(of: findings) == nil)
    }

    @Test(
        .refuses("ECO-65"),
        arguments: [
            "x.y.test", ".test", "test", "a.test.", "a.test:80", "a b.test", "*.test:1", "x.w.test:8443",
            "-.w.test.test",
            "other.example",
        ])
    func `are no routes of a host that nobody names`(host: String) throws {
        let rig = try rig([Self.open("/", host: 0), Self.open("/", host: 2), Self.open("/", host: 3)])
        let outcome = try? rig.judge("GET /x HTTP/1.1", "Host: \(host)")
        #expect(outcome?.isForwarded != true)
        // The listener's own name leads nowhere where all routes have a host.
        #expect(try rig.judge("GET /x HTTP/1.1", "Host: api.example").cause == .authorityUnknown)
    }

    @Test(.refuses("ECO-65")) func `that a method or a field does not fit are never left for a shorter path`() throws {
        var post = JudgeRig.route("/admin/") { route, _ in route.methods = ["POST"] }
        post.field = RouteFieldSettings(name: "x-kind", value: "1")
        let put = JudgeRig.route("/admin/") { route, _ in route.methods = ["PUT"] }
        let rig = try rig([Self.open("/"), post, put])
        let cases: [(method: String, fields: [String], cause: Refusal)] = [
            ("GET", [], .methodNotAllowed), ("DELETE", ["X-Kind: 1"], .methodNotAllowed), ("POST", [], .routeUnknown),
            ("POST", ["X-Kind: 2"], .routeUnknown), ("POST", ["X-Kind: 1", "X-Kind: 1"], .routeUnknown),
            ("POST", ["X-Kind: 1", "x-kind: 2"], .routeUnknown), ("POST", ["X-Kind: 1"], .credentialsMissing),
            ("PUT", [], .credentialsMissing), ("get", [], .methodNotAllowed),
        ]
        for (method, fields, cause) in cases {
            for path in ["/admin/x", "/admin"] {
                let lines = ["\(method) \(path) HTTP/1.1", "Host: api.example", "Content-Length: 0"] + fields
                #expect(try rig.judgeOnce(lines).cause == cause, "\(lines)")
            }
        }
        let allow = rig.table.index.list[1].allow
        #expect(allow == "PUT, POST" || allow == "POST, PUT")
    }

    @Test(.refuses("ECO-65", "HTTP-57")) func `are sealed and read alike in every host`() throws {
        var script = JudgeRig.route("/report.cgi") { route, _ in route.host = 0 }
        script.methods = ["POST"]
        var reading = Self.open("/report.cgi", host: 0)
        reading.methods = ["GET"]
        reading.name = "reading"
        let rig = try rig([
            Self.open("/", host: 0), reading, script, JudgeRig.route("/admin/") { route, _ in route.host = 0 },
            Self.open("/", host: 1), Self.open("/"),
        ])
        let cases: [(path: String, cause: Refusal)] = [
            ("/report.cgi/x", .pathBehindExactRoute), ("//admin/x", .pathMatchesTwoRoutes),
            ("/x/..%2fadmin/", .pathAmbiguous), ("/report.cgi/", .pathMatchesTwoRoutes),
        ]
        for (path, cause) in cases {
            let outcome = try rig.judge("GET \(path) HTTP/1.1", "Host: a.test")
            #expect(
                !outcome.isForwarded && outcome.cause != nil, "\(path) \(cause) \(String(describing: outcome.cause))")
        }
        // Of another host with no such routes they are paths like any other.
        #expect(try rig.judge("GET /report.cgi/x HTTP/1.1", "Host: b.test").isForwarded)
    }

    @Test(.holds("ECO-65")) func `for one path answer a browser's question for the method that it asks about`() throws {
        var reading = Self.open("/api/")
        (reading.methods, reading.cors) = (["GET"], .rules(CORSRules(origins: ["https://read.example"])))
        var writing = Self.open("/api/")
        (writing.methods, writing.cors) = (["POST"], .rules(CORSRules(origins: ["https://write.example"])))
        let rig = try rig([reading, writing])
        func asks(_ method: String, of origin: String) throws -> Bool {
            let outcome = try rig.judge(
                "OPTIONS /api/x HTTP/1.1", "Host: api.example", "Origin: \(origin)",
                "Access-Control-Request-Method: \(method)")
            if case .answerPreflight = outcome.judgement { return true }
            return false
        }
        #expect(try asks("GET", of: "https://read.example") && asks("POST", of: "https://write.example"))
        #expect(try !asks("POST", of: "https://read.example") && !asks("GET", of: "https://write.example"))
    }

    @Test(.holds("ECO-66"), .refuses("ECO-66"))
    func `have their own logins and documents, which are nothing at another host`() throws {
        var first = JudgeRig.session("/")
        first.host = 0
        var second = JudgeRig.session("/") { $0.login = 1 }
        second.host = 1
        let rig = try JudgeRig([first, second], logins: [JudgeRig.login("one"), JudgeRig.login("two")]) {
            $0.hosts = Self.hosts
            $0.published = PublishedDocuments([
                PublishedDocuments.Document(
                    site: 1, authorities: ["a.test"], path: Array("/.well-known/oauth-protected-resource/x".utf8),
                    query: nil, body: [])
            ])
        }
        func login(_ path: String, at host: String) throws -> String {
            let outcome = try rig.judge("GET \(path) HTTP/1.1", "Host: \(host)")
            if case .login(let endpoint) = outcome.judgement { return "\(endpoint)" }
            if case .publish = outcome.judgement { return "document" }
            return "\(outcome.cause.map { "\($0)" } ?? "something else")"
        }
        for word in [
            "login", "callback", "logout", "logged-out", "session", "backchannel-logout", "frontchannel-logout",
        ] {
            let path = "/.portcullis/\(word)"
            #expect(try login("\(path)/one", at: "a.test").hasSuffix("(client: 0)"))
            #expect(try login("\(path)/two", at: "b.test").hasSuffix("(client: 1)"))
            #expect(try login("\(path)/two", at: "a.test") == "routeUnknown")
            #expect(try login("\(path)/one", at: "b.test") == "routeUnknown")
        }
        // The only one of a host may leave its name out.
        #expect(try login("/.portcullis/login", at: "a.test") == "start(client: 0)")
        #expect(try login("/.portcullis/login", at: "b.test") == "start(client: 1)")
        let document = "/.well-known/oauth-protected-resource/x"
        #expect(try login(document, at: "a.test") == "document")
        #expect(try login(document, at: "b.test") == "routeUnknown")
    }

    @Test(.holds("DPOP-09"), .holds("ECO-66")) func `have the base of their URLs at their own host alone`() throws {
        let rig = try rig([JudgeRig.route("/") { route, _ in route.host = 1 }, JudgeRig.route("/")])
        let (count, first) = (rig.table.index.list[0].bases.count, rig.table.index.list[0].firstSite)
        #expect(count == 1 && first == 2)
        let (others, own) = (rig.table.index.list[1].bases.count, rig.table.index.list[1].firstSite)
        #expect(others == 1 && own == 0)
    }

    @Test(.holds("ECO-66"), .refuses("ECO-66", "ECO-95"))
    func `let clients of a network in from pages of their own host, at each listener`() throws {
        var route = JudgeRig.session { $0.networks = [AddressRange([10, 0, 0, 0], length: 8)] }
        route.host = 1
        let rig = try JudgeRig([route], logins: [JudgeRig.login()]) {
            $0.publicURLs = ["https://api.example", "https://api.example:8443"]
            $0.authorities = [["api.example"], ["api.example:8443"]]
            $0.hosts = Self.hosts
        }
        rig.connection.address = 0xFFFF_0A00_0001
        for listener in 0..<2 {
            rig.listener = listener
            func cause(_ origin: String) throws -> Refusal? {
                try rig.judge("POST / HTTP/1.1", "Host: b.test", "Content-Length: 0", "Origin: \(origin)").cause
            }
            #expect(try rig.judge("GET / HTTP/1.1", "Host: b.test").isForwarded)
            #expect(try cause("https://b.test") == nil)
            #expect(try cause("https://a.test") == .crossSiteRequest)
            #expect(try cause("https://api.example:8443") == .crossSiteRequest)
        }
        rig.connection.address = 0xFFFF_0B00_0001
        #expect(try rig.judge("GET / HTTP/1.1", "Host: b.test").cause == .loginRequired)
    }

    @Test(.holds("ECO-66", "ECO-68"), .refuses("ECO-66", "ECO-68"))
    func `have the URLs of their upstream mapped at names of their own`() throws {
        let routes = [0, 2, nil].map { host in
            var route = Self.open("/v1/", host: host)
            route.rewrite = PathRewriteSettings(publicPrefix: "/v1", upstreamPrefix: "")
            return route
        }
        let rig = try rig(routes)
        // The sites of the four hosts are behind that of the one listener.
        for (index, site) in [1, 3, 0].enumerated() {
            guard let rewrite = rig.table.index.list[index].rewrite else { throw JudgeRig.NotAHead() }
            let mapped = [
                "https://a.test/x", "https://x.test/x", "https://api.example/x", "https://x.y.test/x", "/x",
                "https://evil.example/x", "https:///x",
            ].filter { text in
                let bytes = Array(text.utf8)
                return rig.table.policy.pointee.mapped(bytes.span, by: rewrite, ofSite: site, atListener: 0) != nil
            }
            let own = ["https://a.test/x", "https://x.test/x", "https://api.example/x"][index]
            #expect(mapped == [own, "/x"])
        }
    }

    @Test(.refuses("ECO-67"))
    func `are answered at the listeners of their host alone, and under the name of the handshake`()
        throws
    {
        let rig = try JudgeRig([Self.open("/", host: 0), Self.open("/", host: 1), Self.open("/", host: 2)]) {
            $0.publicURLs = ["https://api.example", "https://api.example:8443"]
            $0.authorities = [["api.example"], ["api.example:8443"]]
            $0.hosts = Self.hosts
            $0.hosts[1].listeners = [1]
        }
        #expect(try rig.judge("GET / HTTP/1.1", "Host: a.test").isForwarded)
        // A wildcard does not take what is another host's elsewhere.
        #expect(try rig.judge("GET / HTTP/1.1", "Host: b.test").cause == .authorityUnknown)
        rig.listener = 1
        #expect(try rig.judge("GET / HTTP/1.1", "Host: b.test").isForwarded)
        rig.connection.serverName = "a.test"
        #expect(try rig.judge("GET / HTTP/1.1", "Host: b.test").cause == .serverNameDisagrees)
        #expect(try rig.judge("GET / HTTP/1.1", "Host: a.test").isForwarded)
    }

    @Test(.holds("ECO-66")) func `are sent to https at their own host`() throws {
        let rig = try rig([Self.open("/", host: 0), Self.open("/")])
        rig.clearText = .redirected
        var findings = Findings()
        defer { findings.forget() }
        _ = try rig.judge(["GET /x HTTP/1.1", "Host: a.test"], &findings)
        #expect(findings.site == 1)
        let refused = try rig.judge("POST /x HTTP/1.1", "Host: a.test", "Content-Length: 0").refused
        #expect(refused?.detail.expected == "https, as in https://a.test")
    }
}
