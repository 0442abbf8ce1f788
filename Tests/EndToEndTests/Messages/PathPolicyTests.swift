import TestSupport
import TestTraits
import Testing

/// Rows HTTP-55 to HTTP-57 and HTTP-76: the path that is judged is the path that is forwarded.
@Suite(.serialized, .byEachProtocol) struct `the path` {
    private static let guarded = #"token: { issuers: [main], audience: "https://api.test/orders" }"#
    private static let everything = "encoded_slash, backslash, double_encoding, semicolon, non_ascii"

    private static func routes(_ place: RoutePlace) -> [String] {
        let open = ["/open/", "/open/report.cgi/help/"].map(place.route) + ["/"]
        return open.map { "{ path: \($0), upstream: $UPSTREAM, public: true }" }
            + ["/admin/", "/open/exact", "/open/report.cgi", "/loose/page.html"].map {
                "{ path: \(place.route($0)), upstream: $UPSTREAM, \(guarded) }"
            } + [
                "{ path: \(place.route("/loose/")), upstream: $UPSTREAM, public: true, allow_in_path: [\(everything)] }"
            ]
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: RoutePlace.allCases.map { place in (place, Shared { try Stage(routes: routes(place)) }) })
    private static let narrow = Shared {
        try Stage(routes: ["{ path: /open/, upstream: $UPSTREAM, public: true }"])
    }

    private func stage(_ place: RoutePlace = .root) throws -> Stage {
        let stage = try #require(Self.places[place]).get()
        stage.reset()
        return stage
    }

    @Test(
        .holds("HTTP-55"),
        arguments: RoutePlace.each([
            "/open/a%2Bb?q=%2f", "/open/a/b%20c", "/open/", "/open/?", "/open/a?", "/open/a?x=../..&y=%00#",
            "/open/~user/-._!$&'()*+,=:@",
            "/open/a?b?c/d", "/open/%7Euser", "/open/...", "/open/.hidden", "/open/a..b", "/open/%C3%AB",
        ]))
    func `path and query are forwarded byte for byte`(placed: PlacedPath) throws {
        let (stage, target) = (try stage(placed.place), placed.path)
        guard !target.contains("#") else { return try stage.expectRefused(request("GET", target)) }
        let path = String(target.prefix { $0 != "?" })
        let recorded = try stage.expectForwarded(request("GET", target), path: path)
        #expect(recorded.target == target)
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: RoutePlace.each([
            "/open/..%2fadmin", "/open/%2e%2e/admin", "/a%252fb", "/open/..;/admin", "/a%zz", "/open/../admin",
            "/open/./a",
            "/open/.", "/open/..", "/open/%2E/a", "/open/.%2e/a", "/open/%2e./a", "/open/a%2Fb", "/open/a%5Cb",
            "/open/a\\b",
            "/open/a%00b", "/open/a%0db", "/open/a%0Ab", "/open/a%", "/open/a%2", "/open/a;b", "/open/a%2",
            "/open/%25%32%65",
            "/open/a%1fb", "/open/a%7Fb", "/..", "/.", "/open/a#b", "/open/%g0",
        ]))
    func `a path that two readers could read differently is refused`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try stage.expectRefused(request("GET", path))
    }

    @Test(.refuses("HTTP-56")) func `a path with bytes outside ASCII is refused`() throws {
        let stage = try stage()
        try stage.expectRefused(request("GET", "/open/\u{EB}"))
        try stage.expectRefused(
            Array("GET /open/".utf8) + [0xFF] + Array(" HTTP/1.1\r\nHost: gateway.test\r\n\r\n".utf8))
        try stage.expectRefused(request("GET", "/open/a\u{1}b"))
        try stage.expectRefused(request("GET", "/open/a\tb"))
    }

    @Test(
        .holds("HTTP-56"),
        arguments: RoutePlace.each([
            "/loose/a%2Fb", "/loose/a%5Cb", "/loose/a\\b", "/loose/a%252fb", "/loose/a;b=c", "/loose/\u{EB}",
        ]))
    func `what a route allows is forwarded as it is`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        let response = try stage.exchange("GET", path)
        #expect(response.status == 200, "\(response.headText)")
        #expect(stage.upstream.requests.map(\.target) == [path])
    }

    @Test(
        .refuses("HTTP-56"),
        arguments: RoutePlace.each([
            "/loose/../a", "/loose/%2e%2e/a", "/loose/..%2fadmin", "/loose/a%00b", "/loose/a%0ab", "/loose/..;/a",
            "/loose/..%5cadmin", "/loose/%zz",
        ]))
    func `dot segments and control octets are never allowed`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try stage.expectRefused(request("GET", path))
    }

    @Test(.holds("HTTP-57"), arguments: RoutePlace.each(["//api/x", "/api//x", "//", "/api/x//"]))
    func `empty segments that change no decision are forwarded as they are`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        let recorded = try stage.expectForwarded(request("GET", path), path: path)
        #expect(recorded.target == path)
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: RoutePlace.each([
            "//admin", "//admin/x", "/open//exact", "///admin/x", "/open/..//admin", "//open/exact", "/open/exact/",
        ]))
    func `empty segments that would change the decision are refused`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try stage.expectRefused(request("GET", path))
    }

    @Test(
        .holds("HTTP-57"),
        arguments: RoutePlace.each([
            "/admin", "/admin/", "/admin/x", "/%61dmin/x", "/admi%6E", "/open/exact", "/open/ex%61ct",
        ]))
    func `a guarded path is guarded however it is spelt`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try expectNoCredentials(try stage.exchange("GET", path))
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: RoutePlace.each(
            [
                "/open/report.cgi/x", "/open/report.cgi/", "/open/report.cgi//x", "/open//report.cgi/x",
                "/open/report%2ecgi/x",
                "/open/%72eport.cgi/%78", "/open/report.cgi/.css", "/open/report.cgi/x/y?z",
                "/open/report.cgi/helpless",
                "/open/exact/x", "/loose/page.html/.css", "/loose/page.html%2fx", "/loose/page.html%5cx",
                "/loose/page.html;/x",
                #"/loose/page.html\x"#, "/loose/page.html%252fx", "/loose/page.html;a/x", "/loose/page%2ehtml%2Fx",
                "/loose/page.html%3f/x", "/loose//page.html/x",
            ], atRoot: ["//x/open/report.cgi/x"]))
    func `what a server may append to a guarded path is refused`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try stage.expectRefused(request("GET", path))
        stage.reset()
        let allowed = try stage.exchange("GET", path, fields: [stage.tokens.bearer()])
        #expect(allowed.status == 400)
        try stage.expectNothingForwarded()
    }

    @Test(
        .holds("HTTP-57"),
        arguments: RoutePlace.each(["/open/report.cgi/help", "/open/report.cgi/help/", "/open/report.cgi/help/x"]))
    func `what a route names behind a guarded path is forwarded`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try stage.expectForwarded(request("GET", path), path: path)
    }

    @Test(
        .holds("HTTP-57"),
        arguments: RoutePlace.each([
            "/Admin/x", "/administrator", "/open/exactly", "/open/report.cgix", "/open/report.cg/x",
        ]))
    func `another path is another path`(placed: PlacedPath) throws {
        let (stage, path) = (try stage(placed.place), placed.path)
        try stage.expectForwarded(request("GET", path), path: path)
    }

    @Test(
        .refuses("HTTP-76"),
        arguments: ["/", "/elsewhere", "/ope", "/opened", "/openn/x", "/metrics", "/readyz", "/.portcullis/x"])
    func `an unknown path is answered 404 before any token is looked at`(path: String) throws {
        let narrow = try Self.narrow.get()
        narrow.reset()
        for fields in [[], ["Authorization: Bearer nonsense"], ["Authorization: "]] {
            let response = try narrow.exchange("GET", path, fields: fields)
            expectTemplate(response, status: 404)
            #expect(!response.fields.contains("www-authenticate"))
        }
        try narrow.expectNothingForwarded()
    }

    @Test(
        .holds("HTTP-76"), .refuses("HTTP-76"),
        arguments: [
            "{ path: /a/, upstream: \"http://127.0.0.1:9\" }",
            "{ path: /a/, upstream: \"http://127.0.0.1:9\", public: false }",
        ])
    func `a route that does not say who may pass keeps the gateway from starting`(route: String) throws {
        let yaml = Stage.yaml(StagePlan(routes: [route])).replacingOccurrences("$ISSUER", with: "http://127.0.0.1:9")
        let gateway = try GatewayProcess(yaml, until: .started)
        #expect(gateway.process.waitForEnd() == .exited(2))
        #expect(gateway.ports.isEmpty)
    }
}
