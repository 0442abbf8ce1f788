import Access
import HTTPMessage
import TestTraits
import Testing

/// Some routes, by name where a path leads to one of them.
private struct Routes: ~Copyable {
    private let paths: [String]
    private let patterns: PathPatterns

    init(_ paths: [String], anyCase: Set<String> = [], sealed: [String] = [], allowing: [String: PathAllowances] = [:])
    {
        self.paths = paths
        let own = paths.enumerated().map {
            PathPatterns.Pattern($1, route: $0, ignoresCase: anyCase.contains($1))
        }
        let behind = paths.enumerated().filter { sealed.contains($1) }.map {
            PathPatterns.Pattern($1, route: $0, isSealed: true)
        }
        patterns = PathPatterns(own + behind, allowances: paths.map { allowing[$0] ?? [] })
    }

    /// The route's path, or the refusal's cause.
    func lead(_ path: String) -> Lead {
        var memory = Array("what another request left".utf8)
        do throws(Refused) {
            return .route(paths[try patterns.route(Array(path.utf8).span, memory: &memory)])
        } catch {
            return .refused(error.cause, found: error.detail.found)
        }
    }
}

private enum Lead: Equatable {
    case route(String)
    case refused(Refusal, found: String)
}

@Suite struct `a path` {
    @Test(
        .holds("HTTP-55", "HTTP-76"),
        arguments: [
            ("/", "/"), ("", "/"), ("/api", "/api/"), ("/api/", "/api/"), ("/api/v1", "/api/"), ("/%61pi/v1", "/api/"),
            ("/a%70i", "/api/"), ("/admin", "/admin"), ("/adm%69n", "/admin"), ("/x//y", "/"), ("//x", "/"),
            ("/x%3Fy", "/"), ("/x%23", "/"), ("/caf%C3%A9", "/"),
        ])
    func `leads to the route of its canonical form`(path: String, route: String) {
        let routes = Routes(["/", "/api/", "/admin"])
        let lead = routes.lead(path)
        #expect(lead == .route(route))
    }

    @Test(
        .refuses("HTTP-55", "HTTP-57"),
        arguments: [
            ("/admin/", "two by a trailing slash"), ("/admin//", "two by a trailing slash"),
            ("/%61dmin/", "two by a trailing slash"), ("//admin", "two by doubled slashes"),
            ("/x//../admin", "dot segment"), ("/%2e%2e/admin", "dot segment"),
            ("/admin%3Fx", "two by an escaped ? or #"), ("/admin%23", "two by an escaped ? or #"),
            ("//x/admin", "two by slashes at the beginning"), ("//x/admin/y", "two by slashes at the beginning"),
        ])
    func `is refused when another reader would take it to another route`(path: String, found: String) {
        let routes = Routes(["/", "/admin", "/admin/y"])
        guard case .refused(let cause, let words) = routes.lead(path) else {
            Issue.record("\(path) leads to a route")
            return
        }
        #expect(cause == (found == "dot segment" ? .pathAmbiguous : .pathMatchesTwoRoutes))
        #expect(words == found)
    }

    @Test(.refuses("HTTP-76")) func `that no route knows is refused in its own words`() {
        let routes = Routes(["/api/", "/report.cgi", "/report/"], sealed: ["/report.cgi"])
        let (elsewhere, behind) = (routes.lead("/elsewhere"), routes.lead("/report.cgi/x"))
        #expect(elsewhere == .refused(.routeUnknown, found: "/elsewhere"))
        #expect(behind == .refused(.pathBehindExactRoute, found: "/report.cgi/x"))
        let long = routes.lead("/" + String(repeating: "x", count: 200))
        #expect(long == .refused(.routeUnknown, found: "/" + String(repeating: "x", count: 63)))
    }

    @Test(.refuses("HTTP-55")) func `that no route knows is ambiguous first`() {
        let routes = Routes(["/api/"])
        let lead = routes.lead("/a/../b")
        #expect(lead == .refused(.pathAmbiguous, found: "dot segment"))
    }

    @Test(.refuses("HTTP-57"), arguments: ["/\u{212A}ey", "/%E2%84%AAey"])
    func `is refused where a letter outside ASCII becomes one of another route's`(path: String) {
        // U+212A, the sign of kelvin, is `k` in lower case.
        let routes = Routes(["/", "/key"], anyCase: ["/key"], allowing: ["/": .nonASCII])
        guard case .refused(let cause, _) = routes.lead(path) else {
            Issue.record("\(path) leads to a route")
            return
        }
        #expect(cause == .pathMatchesTwoRoutes)
    }

    @Test(
        .refuses("HTTP-55"),
        arguments: ["/a%2f..%2fadmin", "/x%2fadmin", "/admin%2f", "/admin%2fx"])
    func `is refused where what its route lets through leads elsewhere`(path: String) {
        let strict = Routes(["/", "/admin/"])
        guard case .refused(let cause, _) = strict.lead(path) else {
            Issue.record("\(path) passes a route that allows nothing")
            return
        }
        #expect(cause == .pathAmbiguous)
        let loose = Routes(["/", "/admin/"], allowing: ["/": .encodedSlash])
        let lead = loose.lead(path)
        #expect(path == "/x%2fadmin" ? lead == .route("/") : lead != .route("/"))
    }

    @Test(.refuses("HTTP-55")) func `that is longer than what tells where it leads is refused where it stays open`() {
        let routes = Routes(["/", "/admin/"], allowing: ["/": .semicolon])
        let path = "/" + String(repeating: ";x", count: 600) + "/admin"
        guard case .refused(let cause, let found) = routes.lead(path) else {
            Issue.record("it leads to a route")
            return
        }
        #expect(cause == .pathMatchesTwoRoutes)
        #expect(found.hasPrefix("none in 8"))
    }

    @Test(.refuses("MD-25")) func `is the gateway's own by none of its readings`() {
        let routes = Routes(["/"])
        for path in ["/x%3F", "//x/.portcullis/login/a", "//x/%2Eportcullis"] {
            let isOwn = path.contains("ortcullis")
            let lead = routes.lead(path)
            #expect((lead == .route("/")) == !isOwn, "\(path)")
        }
    }
}
