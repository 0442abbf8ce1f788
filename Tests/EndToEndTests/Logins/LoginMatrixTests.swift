import TestSupport
import TestTraits
import Testing

/// Every form of the request × every client authentication × Bearer and DPoP, each from the first page to the logout.
///
/// One server and one gateway for all of HTTP/1.1, and for the few of HTTP/2, at the lowest log level; logins follow each
/// other, for glewlwyd's do not overlap.
@Suite(.serialized, .enabled(if: AuthorizationServer.isInstalled)) struct `logins at a real authorization server` {
    // glewlwyd looks for a Content-Type in capitals at a request object, and names in HTTP/2 have none.
    private static let byHTTP1 = Shared { try LoginStage(plan(LoginCase.all, speaksHTTP2: false)) }
    private static let byHTTP2 = Shared { try LoginStage(plan(LoginCase.overHTTP2, speaksHTTP2: true)) }
    private static let cases = LoginCase.all + LoginCase.overHTTP2

    private static func plan(_ cases: [LoginCase], speaksHTTP2: Bool) -> LoginStage.Plan {
        var plan = LoginStage.Plan(accessTokenSeconds: 10, speaksHTTP2: speaksHTTP2)
        for method in LoginCase.Method.allCases where method != .certificate {
            plan.registrations.append((name: "web-" + method.rawValue, options: LoginCase.registration(of: method)))
        }
        plan.clients = cases.map { $0.client(resource: LoginStage.resource) }
        plan.routes = cases.map(\.route)
        return plan
    }

    private static func stage(of version: WireProtocol) throws -> LoginStage {
        try (version == .http2 ? byHTTP2 : byHTTP1).get()
    }

    @Test(arguments: cases) func `a user comes back to the page, which knows them`(
        _ one: LoginCase
    ) throws {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        let record = stage.upstream(one).requests.last { $0.path == "/\(one.name)/page" }
        let seen = try #require(record)
        #expect(seen.target == "/\(one.name)/page?x=1&y=%20a")
        #expect(seen.fields.only("x-user")?.isEmpty == false)
        #expect(seen.fields.only("x-email") == "alice@example.org")
        #expect(seen.fields.only("x-name") == "Alice Liddell")
        #expect(!seen.fields.contains("cookie"))
        #expect(seen.fields.contains("authorization") == one.passesToken)
        #expect(seen.fields.contains("dpop") == (one.passesToken && one.isBound))
        #expect(visit.browser.refusedCookies.isEmpty, "\(visit.browser.refusedCookies)")
        #expect(
            Set(visit.browser.cookies(of: stage.origin).keys.filter { !$0.hasPrefix("__Host-portcullis-ended") })
                == Set(visit.cookies.keys))
        #expect(!visit.cookies.isEmpty)
    }

    @Test(arguments: cases)
    func
        `CF-02, CF-30, PAR-01, PAR-02, PAR-04, JAR-24, CA-02, CA-03, CA-04, CA-05, CA-06, DPOP-40, DPOP-44 the server is told what the form and the method say`(
            _ one: LoginCase
        ) throws
    {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        try visit.expectAuthorizationURL()
        try visit.expectPush()
        try visit.expectTokenRequest()
    }

    @Test(.holds("DPOP-45"), arguments: cases.filter { $0.passesToken && $0.isBound })
    func `an upstream that gets a bound token gets a new proof with each request`(_ one: LoginCase) throws {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        #expect(try visit.ask("first?q=1").status == 200)
        #expect(try visit.ask("second").status == 200)
        var identifiers: Set<String> = []
        for name in ["first", "second"] {
            let path = "/\(one.name)/\(name)"
            let seen = try #require(stage.trusted.requests.last { $0.path == path })
            let words = try #require(seen.fields.only("authorization")).split(separator: " ").map(String.init)
            #expect(words.count == 2 && words[0] == "DPoP")
            let proof = try SeenToken(try #require(seen.fields.only("dpop")))
            let bound = try SeenToken(words[1]).claims["cnf"] as? [String: String]
            #expect(proof.thumbprint == bound?["jkt"])
            #expect(proof.text("ath") == digest(words[1]))
            #expect(proof.text("htm") == "GET")
            #expect(proof.text("htu") == stage.trusted.url + path)
            #expect(identifiers.insert(try #require(proof.text("jti"))).inserted)
        }
    }

    @Test(.holds("DPOP-43"), arguments: cases) func `tokens are renewed, and nobody notices`(
        _ one: LoginCase
    ) throws {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        let first = try object(try #require(visit.asked("token").last).response.bodyText)
        let former = try #require(first["refresh_token"] as? String)
        func renewal() -> Relay.Exchange? {
            stage.talk.exchanges.last {
                $0.request.path.hasSuffix("/token") && form($0.request.bodyText)["refresh_token"] == [former]
            }
        }
        var statuses: Set<Int> = []
        let isRenewed = try eventually(within: .seconds(120)) {
            statuses.insert(try visit.ask("again").status)
            return renewal() != nil
        }
        #expect(isRenewed && statuses == [200], "\(statuses)")
        let exchange = try #require(renewal())
        #expect(exchange.response.status == 200, "\(exchange.response.headText)\(exchange.response.bodyText)")
        #expect(form(exchange.request.bodyText)["grant_type"] == ["refresh_token"])
        #expect(exchange.request.fields.contains("dpop") == one.isBound)
        #expect(try visit.ask("after").status == 200)
        // A cookie that holds the tokens is another one now; what names a place in memory stays.
        #expect((visit.cookies == visit.firstCookies) == one.isInMemory)
        let seen = try #require(stage.upstream(one).requests.last { $0.path == "/\(one.name)/after" })
        #expect(seen.fields.only("x-email") == "alice@example.org")
        if one.passesToken {
            // On a slow machine it was renewed more than once by now.
            let token = seen.fields.only("authorization")?.split(separator: " ").last.map(String.init)
            #expect(token != nil && token != first["access_token"] as? String)
        }
    }

    @Test(arguments: cases) func `a logout ends the session here and at the server`(
        _ one: LoginCase
    ) throws {
        let stage = try Self.stage(of: one.version)
        let visit = try stage.visit(one)
        stage.forget(one)
        let former = stage.talk.exchanges.count
        try visit.logOut()
        let revoked = stage.talk.waits { seen in
            seen.dropFirst(former).contains { $0.request.path.hasSuffix("/revoke") && $0.response.status == 200 }
        }
        #expect(revoked, "\(stage.gateway.diagnosis)")
    }

    @Test(.holds("MD-30"))
    func `the keys that the server reads are public ones, each with a name, a use and an algorithm`() throws {
        let stage = try Self.stage(of: .http1)
        let response = try stage.browser(speaking: .http1).send(
            "GET", stage.origin + "/.portcullis/jwks.json", fields: [])
        #expect(response.fields.only("content-type") == "application/json")
        let keys = try #require(object(response.bodyText)["keys"] as? [[String: Any]])
        #expect(Set(keys.compactMap { $0["kid"] as? String }) == ["client-1", "object-1"])
        for key in keys {
            #expect(Set(key.keys) == ["kty", "crv", "x", "y", "kid", "use", "alg"], "\(key.keys)")
        }
    }

    @Test(.holds("JAR-20", "JAR-21", "JAR-22", "JAR-23"))
    func `an object is there for the server, and gone after the login`() throws {
        let stage = try Self.stage(of: .http1)
        let one = try #require(LoginCase.all.first { $0.form == .byReference })
        let browser = stage.browser(speaking: .http1)
        let start = stage.origin + "/.portcullis/login/\(one.name)"
        let url = try browser.location(browser.send("GET", start), from: start)
        let place = try #require(WebAddress(url).parameters["request_uri"]?.first)
        #expect(place.hasPrefix(stage.origin + "/.portcullis/request/") && place.utf8.count <= 512, "\(place)")
        #expect(place.split(separator: "/").last.map(\.utf8.count) ?? 0 >= 22)
        let object = try browser.send("GET", place, fields: [])
        #expect(object.status == 200)
        #expect(object.fields.only("content-type") == "application/oauth-authz-req+jwt")
        #expect(object.fields.only("cache-control") == "no-store")
        #expect(!object.fields.contains("set-cookie"))
        #expect(try SeenToken(object.bodyText).text("client_id") == one.clientID)
        #expect(try browser.send("POST", place, fields: []).status == 405)
        let back = try browser.location(browser.authorize(url, at: stage.server), from: url)
        #expect(try browser.send("GET", back).status == 303)
        #expect(try browser.send("GET", place, fields: []).status == 404)
        #expect(try browser.send("GET", place.dropLast(1) + "!", fields: []).status == 404)
    }

    @Test(.refuses("CF-26", "OPS-01", "SC-14"), arguments: [WireProtocol.http1, .http2])
    func `nothing secret is in any log, metric, page or request to an upstream`(version: WireProtocol) throws {
        let stage = try Self.stage(of: version)
        if try SecretSearch(stage).accessTokens.isEmpty {
            _ = try stage.visit(try #require(Self.cases.first { $0.version == version }))
        }
        let search = try SecretSearch(stage)
        #expect(search.accessTokens.count > 0 && search.others.count > 5)
        #expect(!search.found(in: stage.trusted.allBytes).isEmpty, "the search finds nothing anywhere")
        try search.expectNothing()
    }
}
