@testable import Access
import JOSE
import TestTraits
import Testing

/// Rows HTTP-57 and HTTP-76: what a server may append to a guarded path is no way around its guard.
@Suite struct `what is behind an exact path` {
    private static func token(_ change: (inout TokenSettings) -> Void = { _ in }) -> RouteSettings.Access {
        var settings = TokenSettings(issuers: ["main"], audiences: ["api"], scopes: ["read"])
        change(&settings)
        return .token(settings)
    }

    private static func login(
        _ number: Int = 0, _ change: (inout LoginAccessSettings) -> Void = { _ in }
    ) -> RouteSettings.Access {
        var settings = LoginAccessSettings(login: number, rights: RightsSettings(scopes: ["read"]))
        change(&settings)
        return .login(settings)
    }

    private func route(_ path: String, _ access: RouteSettings.Access, anyCase: Bool = false) -> RouteSettings {
        var route = RouteSettings(
            name: path, path: path, upstream: UpstreamSettings(host: "127.0.0.1", port: 1), access: access)
        route.ignoresCase = anyCase
        return route
    }

    private func table(_ routes: [RouteSettings]) -> RouteTable {
        let patience = RoutePatience(
            bodyLimit: .max, bodyRate: 0, requestBody: 0, upstreamFirstByte: 0, responseBody: 0)
        let places = routes.indices.map {
            RouteIndices(metricsSlot: $0, upstream: 0, patience: patience, resourceMetadata: [])
        }
        return RouteTable(AccessSettings(routes: routes, publicURLs: [], issuers: []), places)
    }

    /// The path of the route that takes a path, the same behind `behind `, or nothing.
    private func taker(of path: String, in table: RouteTable) -> String {
        switch table.index.tables[0].find(Array(path.utf8).span) {
        case .none: ""
        case .route(let number): table.index.list[number].settings.path
        case .behind(let number): "behind " + table.index.list[number].settings.path
        }
    }

    private func isSealed(_ exact: RouteSettings.Access, below taker: RouteSettings.Access) -> Bool {
        let routes = [route("/", taker), route("/x", exact)]
        let sealed = SealedSubtree.all(in: routes)
        #expect(sealed.isEmpty || sealed == [SealedSubtree(exact: 1, taker: 0)])
        return !sealed.isEmpty
    }

    @Test(.refuses("HTTP-57")) func `is nobody's where a weaker route would take it`() {
        let sealed = table([
            route("/", .publicAccess), route("/report.cgi", Self.token()), route("/open", .publicAccess),
            route("/named", Self.token()), route("/named/", .publicAccess), route("/report.cgi/help", .publicAccess),
            route("/report.cgi/files/", .publicAccess), route("/api/", Self.token()),
            route("/api/orders", Self.token()),
        ])
        let expected = [
            "/report.cgi": "/report.cgi", "/report.cgi/": "behind /report.cgi", "/report.cgi/x": "behind /report.cgi",
            "/report.cgi//x": "behind /report.cgi", "/report.cgi/help": "/report.cgi/help",
            "/report.cgi/help/x": "behind /report.cgi", "/report.cgi/helper": "behind /report.cgi",
            "/report.cgi/files": "/report.cgi/files/", "/report.cgi/files/x": "/report.cgi/files/",
            "/report.cgix": "/", "/report.cg/x": "/", "/open/x": "/", "/named/x": "/named/", "/api/orders/x": "/api/",
        ]
        for (path, wanted) in expected { #expect(taker(of: path, in: sealed) == wanted, "\(path)") }
    }

    @Test(.holds("HTTP-57")) func `is sealed by the strictest path above it, and by each`() {
        let sealed = table([
            route("/", .publicAccess), route("/a/", Self.login()), route("/a/b", Self.token()),
            route("/a/b/c", .publicAccess),
            route("/d", Self.token()), route("/d/e", Self.token { $0.rights.scopes = [] }),
        ])
        #expect(taker(of: "/a/b/x", in: sealed) == "behind /a/b")
        #expect(taker(of: "/a/b/c", in: sealed) == "/a/b/c")
        #expect(taker(of: "/a/b/c/x", in: sealed) == "behind /a/b")
        #expect(taker(of: "/d/e/x", in: sealed) == "behind /d/e")
        #expect(taker(of: "/d/x", in: sealed) == "behind /d")
    }

    @Test(.holds("HTTP-57")) func `is sealed in any case where the path fits in any`() {
        let sealed = table([
            route("/", .publicAccess), route("/report.cgi", Self.token(), anyCase: true),
            route("/Page.html", Self.token()), route("/Shop/", .publicAccess), route("/shop/", Self.token()),
            route("/shop/till", Self.token(), anyCase: true),
        ])
        #expect(taker(of: "/Report.CGI/X", in: sealed) == "behind /report.cgi")
        #expect(taker(of: "/Page.html/x", in: sealed) == "behind /Page.html")
        #expect(taker(of: "/page.html/x", in: sealed) == "/")
        #expect(taker(of: "/Shop/till/x", in: sealed) == "behind /shop/till")
        #expect(taker(of: "/nothing", in: sealed) == "/")
    }

    @Test(.holds("HTTP-57")) func `is sealed against rules about claims that let others pass`() {
        func ruled(_ rule: ClaimRuleSettings) -> RouteSettings.Access { Self.token { $0.rights.claims = [rule] } }
        func mail(_ domain: String) -> ClaimRuleSettings {
            ClaimRuleSettings(emailIn: [domain], subdomains: false, addresses: [])
        }
        let (one, two) = (
            ClaimRuleSettings(claim: ["role"], anyOf: ["a"]), ClaimRuleSettings(claim: ["role"], anyOf: ["a", "b"])
        )
        var all = two
        all.kind = .allOf
        #expect(isSealed(ruled(one), below: ruled(two)) && !isSealed(ruled(two), below: ruled(one)))
        #expect(isSealed(ruled(all), below: ruled(one)) && isSealed(ruled(all), below: ruled(two)))
        #expect(!isSealed(ruled(all), below: ruled(all)))
        #expect(isSealed(ruled(mail("a.example")), below: ruled(mail("b.example"))))
        #expect(!isSealed(ruled(mail("a.example")), below: ruled(mail("a.example"))))
        let either = ClaimRuleSettings(oneOf: [one, mail("a.example")])
        #expect(isSealed(ruled(either), below: ruled(ClaimRuleSettings(oneOf: [two, mail("a.example")]))))
    }

    @Test(.refuses("HTTP-76")) func `is nobody's anyway where no route is above`() {
        let routes = [route("/x", Self.token()), route("/y/", .publicAccess)]
        #expect(SealedSubtree.all(in: routes).isEmpty)
        #expect(taker(of: "/x/y", in: table(routes)).isEmpty)
    }

    @Test(.holds("HTTP-57")) func `is sealed against routes that ask for less`() {
        #expect(isSealed(Self.token(), below: .publicAccess))
        #expect(isSealed(Self.login(), below: .publicAccess))
        #expect(isSealed(Self.token(), below: Self.login()))
        #expect(isSealed(Self.login(), below: Self.token()))
        #expect(isSealed(Self.login(0), below: Self.login(1)))
        #expect(isSealed(Self.login(), below: Self.login { $0.optional = true }))
        #expect(isSealed(Self.login { $0.requiresHeader = true }, below: Self.login()))
        #expect(isSealed(Self.login(), below: Self.login { $0.allowedOrigins = ["https://other.example"] }))
        #expect(isSealed(Self.login { $0.rights.acrValues = ["gold"] }, below: Self.login()))
        let (wide, narrow) = (AddressRange([10, 0, 0, 0], length: 8), AddressRange([127, 0, 0, 1], length: 32))
        #expect(isSealed(Self.login(), below: Self.login { $0.networks = [wide] }))
        #expect(isSealed(Self.login { $0.networks = [narrow] }, below: Self.login { $0.networks = [wide, narrow] }))
        #expect(!isSealed(Self.login { $0.networks = [wide, narrow] }, below: Self.login { $0.networks = [wide] }))
        let weaker: [(inout TokenSettings) -> Void] = [
            { $0.optional = true }, { $0.issuers = ["main", "other"] }, { $0.audiences = ["other"] },
            { $0.rights.scopes = [] },
            { $0.rights.scopesByMethod = ["GET": []] }, { $0.rights.scopesByMethod = ["PURGE": []] },
        ]
        for change in weaker { #expect(isSealed(Self.token(), below: Self.token(change))) }
        // What is behind a method's path has rules of its own, or none.
        func calls(_ scopes: [String: [String]]) -> RouteSettings.Access {
            Self.token { $0.rights.scopesByGRPCMethod = scopes }
        }
        #expect(isSealed(Self.token(), below: calls(["/*": ["read"]])))
        #expect(isSealed(calls(["/*": []]), below: Self.token()))
        #expect(isSealed(calls(["/a.S/Get": ["read"]]), below: calls(["/a.S/Put": ["read"]])))
        #expect(!isSealed(calls(["/a.S/Get": ["read"]]), below: calls(["/a.S/Get": ["read"]])))
        let stricter: [(inout TokenSettings) -> Void] = [
            { $0.userOnly = true }, { $0.rights.claims = [ClaimRuleSettings(claim: ["role"], anyOf: ["admin"])] },
            { $0.rights.acrValues = ["gold"] }, { $0.rights.maximumAge = .seconds(60) },
            { $0.rights.scopesByMethod = ["GET": ["read", "more"]] },
            { $0.authorizationDetails = [AuthorizationDetailsRule(type: "payment")] },
            { $0.authorizationDetailsByMethod = ["POST": [AuthorizationDetailsRule(type: "payment")]] },
        ]
        for change in stricter {
            #expect(isSealed(Self.token(change), below: Self.token()))
            #expect(!isSealed(Self.token(), below: Self.token(change)))
            #expect(!isSealed(Self.token(change), below: Self.token(change)))
        }
    }

    @Test(.holds("HTTP-57")) func `is sealed against routes that take weaker proofs`() {
        func proofs(_ change: (inout TokenSettings) -> Void) -> RouteSettings.Access {
            Self.token {
                $0.schemes = [.dpop]
                change(&$0)
            }
        }
        #expect(isSealed(proofs { _ in }, below: Self.token()))
        #expect(isSealed(proofs { _ in }, below: proofs { $0.schemes = [.bearer, .dpop] }))
        #expect(isSealed(proofs { $0.dpop.nonce = .required }, below: proofs { $0.dpop.nonce = .optional }))
        #expect(isSealed(proofs { $0.dpop.algorithms = [.es256] }, below: proofs { _ in }))
        #expect(!isSealed(proofs { _ in }, below: proofs { $0.dpop.nonce = .required }))
    }

    @Test(.holds("HTTP-57")) func `is left to routes that ask for as much`() {
        #expect(!isSealed(.publicAccess, below: .publicAccess))
        #expect(!isSealed(.publicAccess, below: Self.token()))
        #expect(!isSealed(Self.token(), below: Self.token()))
        #expect(!isSealed(Self.token { $0.optional = true }, below: .publicAccess))
        #expect(!isSealed(Self.token { $0.issuers = ["main", "other"] }, below: Self.token()))
        #expect(!isSealed(Self.login(), below: Self.login { $0.requiresHeader = true }))
        guard case .token(let token) = Self.token(), case .login(let login) = Self.login() else { return }
        #expect(isSealed(Self.login(), below: .tokenOrLogin(token, login)))
        #expect(!isSealed(.tokenOrLogin(token, login), below: Self.login()))
        #expect(!isSealed(.tokenOrLogin(token, login), below: .tokenOrLogin(token, login)))
    }

    @Test(.holds("HTTP-57", "MCP-06")) func `is sealed against routes for pages of other origins`() {
        func isSealed(_ exact: [String]?, below taker: [String]?) -> Bool {
            var routes = [route("/", .publicAccess), route("/x", .publicAccess)]
            routes[0].allowedOrigins = taker
            routes[1].allowedOrigins = exact
            return !SealedSubtree.all(in: routes).isEmpty
        }
        #expect(isSealed(["https://a.example"], below: nil))
        #expect(isSealed(["https://a.example"], below: ["https://a.example", "https://b.example"]))
        #expect(!isSealed(["https://a.example"], below: ["https://a.example"]))
        #expect(!isSealed(nil, below: ["https://a.example"]))
        var routes = [route("/", Self.login()), route("/x", Self.login())]
        #expect(SealedSubtree.all(in: routes).isEmpty)
        routes[0].cors = .rules(CORSRules(origins: ["https://b.example"], credentials: true))
        #expect(!SealedSubtree.all(in: routes).isEmpty)
    }
}
