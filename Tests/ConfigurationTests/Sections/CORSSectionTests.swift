import Access
import Gateway
import Testing

@Suite struct `HTTP-71 cors of a route` {
    private func cors(_ keys: String) throws -> CORSSettings {
        try settings(of: Sample.tokenRoute("cors: \(keys)")).routes[0].cors
    }

    @Test func `is refused by default, the upstream's, or rules`() throws {
        #expect(try settings(of: Sample().text).routes[0].cors == .refused)
        #expect(try cors("upstream") == .upstream)
        let usual = CORSRules(origins: ["https://app.example.com"])
        #expect(try cors("{ origins: [https://app.example.com] }") == .rules(usual))
        #expect(usual.requestFields == ["Authorization", "Content-Type", "DPoP", "X-Requested-By"])
        #expect(usual.maxAgeSeconds == 600)
        #expect(!usual.credentials)
    }

    @Test func `says everything that browsers ask for`() throws {
        let rules = CORSRules(
            origins: ["https://app.example.com", "http://127.0.0.1:5173"], methods: ["GET", "PURGE"],
            requestFields: ["X-A"], exposedFields: ["Link"], credentials: true, maxAgeSeconds: 0)
        #expect(
            try cors(
                """
                { origins: [HTTPS://App.example.com:443/, "http://127.0.0.1:5173"], methods: [GET, PURGE], headers: [X-A],
                  expose: [Link], credentials: true, max_age: 0s }
                """) == .rules(rules), "as browsers write them")
        #expect(try cors("{ origins: \"*\" }") == .rules(CORSRules(origins: nil)))
        #expect(try cors("{ origins: \"*\", headers: [] }") == .rules(CORSRules(origins: nil, requestFields: [])))
    }

    @Test func `lets origins through that mcp would refuse`() throws {
        let route = try settings(
            of: Sample.route(
                "token: { issuers: [main], audience: https://shop.example.com/ }, mcp: true, cors: { origins: [https://app.example.com] }"
            )
        ).routes[0]
        #expect(route.allowedOrigins == ["https://shop.example.com", "https://app.example.com"])
    }

    @Test(arguments: [
        (
            "cors: { origins: \"*\", credentials: true }",
            "credentials for origins by name, found credentials: true beside origins: \"*\"",
            "list the origins that are yours: browsers take no * in answers to requests with cookies, and to name whoever asks instead would let any page on the web act as your users"
        ),
        (
            "cors: { origins: \"null\" }", "routes[0].cors.origins: expected",
            "pages without an origin of their own are anybody's; list the others"
        ),
        (
            "cors: { origins: [\"null\"] }",
            "routes[0].cors.origins[0]: expected a URL such as https://app.example.com",
            "write it as  https://app.example.com"
        ),
        (
            "cors: { origins: [\"*\"] }", "routes[0].cors.origins[0]: expected a URL such as https://app.example.com",
            "write it as  https://app.example.com"
        ),
        (
            "cors: { origins: [https://app.example.com/a] }", "routes[0].cors.origins[0]: expected a URL",
            "leave out path and query: Origin has none"
        ),
        (
            "cors: { origins: [https://a.example, https://a.example] }",
            "routes[0].cors.origins[1]: expected each value once", "keep one of them"
        ),
        (
            "cors: \"*\"", "routes[0].cors: expected the word upstream, found \"*\"",
            "say  { origins: \"*\" }  for everybody, or list the origins"
        ),
        (
            "methods: [GET], cors: { origins: [https://a.example], methods: [GET, PUT] }",
            "routes[0].cors.methods[1]: expected a method that the route allows, found \"PUT\"",
            "add it to the route's methods, or leave it out here"
        ),
        (
            "allowed_origins: [https://a.example], cors: { origins: [https://b.example] }",
            "routes[0].cors.origins: expected origins that allowed_origins lets through, found \"https://b.example\"",
            "add it to allowed_origins, or leave it out here"
        ),
        (
            "allowed_origins: [https://a.example], cors: { origins: \"*\" }",
            "routes[0].cors.origins: expected origins by name where the route looks at Origin, found \"*\"",
            "list the origins, or leave out allowed_origins and mcp"
        ),
        (
            "cors: { origins: [https://a.example], expose: [\"*\"] }",
            "routes[0].cors.expose[0]: expected a field name such as Content-Type, found \"*\"",
            "name each field: * does not mean all where credentials are sent"
        ),
        (
            "cors: { origins: [https://a.example], headers: [a b] }",
            "routes[0].cors.headers[0]: expected a field name such as Content-Type, found \"a b\"",
            "use letters, digits and hyphens"
        ),
    ])
    func `is refused where it would open too much, or nothing`(keys: String, problem: String, remedy: String) {
        let found = refusal(of: Sample.tokenRoute(keys))
        #expect(found.contains(problem), "\(found)")
        #expect(found.contains(remedy), "\(found)")
    }
}

@Suite struct `HTTP-65 bounds of one route` {
    @Test func `are those for all by default, and its own where it says so`() throws {
        let plain = try settings(of: Sample().text).routes[0]
        #expect(plain.limits == RouteLimitSettings())
        #expect(plain.timeouts == RouteTimeoutSettings())
        let route = try settings(
            of: Sample.tokenRoute(
                "limits: { request_body: 1MiB, request_body_rate: 0B }, timeouts: { request_body: 1m, upstream_first_byte: 2m, response_body: 5m }"
            )
        ).routes[0]
        #expect(route.limits == RouteLimitSettings(requestBody: .bytes(1 << 20), requestBodyRate: 0))
        #expect(
            route.timeouts
                == RouteTimeoutSettings(requestBody: 60_000, upstreamFirstByte: 120_000, responseBody: 300_000))
        let unlimited = try settings(of: Sample.tokenRoute("limits: { request_body: unlimited }")).routes[0]
        #expect(unlimited.limits.requestBody == .unlimited)
    }

    @Test func `are refused where only all routes have them`() {
        let found = refusal(of: Sample.tokenRoute("limits: { connections: 5 }, timeouts: { keep_alive: 5s }"))
        #expect(found.contains("routes[0].limits.connections"), "\(found)")
        #expect(found.contains("routes[0].timeouts.keep_alive"), "\(found)")
    }
}

@Suite struct `HTTP-66 connections and rates` {
    @Test func `one client has a quarter of the connections, at least 16, or what is said`() throws {
        #expect(try settings(of: Sample().text).limits.clientConnections == 12_500)
        #expect(try settings(of: Sample(rest: "limits: { connections: 20 }").text).limits.clientConnections == 16)
        #expect(try settings(of: Sample(rest: "limits: { connections: 4 }").text).limits.clientConnections == 4)
        let said = Sample(rest: "limits: { connections_per_client: 100, request_body_rate: 1KiB, response_rate: 0B }")
        let limits = try settings(of: said.text).limits
        #expect(limits.clientConnections == 100)
        #expect(limits.requestBodyRate == 1024)
        #expect(limits.responseRate == 0)
    }

    @Test func `one client with more connections than there are is refused`() {
        #expect(
            refusal(of: Sample(rest: "limits: { connections: 10, connections_per_client: 11 }").text)
                == """
                gateway.yaml:4:28: limits.connections_per_client: expected connections_per_client of at most connections, found 11 and 10
                    raise connections or lower connections_per_client
                """)
    }
}
