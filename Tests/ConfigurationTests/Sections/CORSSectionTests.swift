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
        #expect(usual.maximumAge == .seconds(600))
        #expect(!usual.credentials)
    }

    @Test func `says everything that browsers ask for`() throws {
        let rules = CORSRules(
            origins: ["https://app.example.com", "http://127.0.0.1:5173"], methods: ["GET", "PURGE"],
            requestFields: ["X-A"], exposedFields: ["Link"], credentials: true, maximumAge: .zero)
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
                == RouteTimeoutSettings(
                    requestBody: .seconds(60), upstreamFirstByte: .seconds(120), responseBody: .seconds(300)))
        let rates = try settings(
            of: Sample.tokenRoute(
                "limits: { requests: [{ rate: 100/s, burst: 7, by: client_id }, { rate: 600/min, by: \"claim:a.b\" }] }"
            )
        ).routes[0].limits.requests
        #expect(
            rates == [
                RequestLimitSettings(100, per: .second, burst: 7, by: .clientID),
                RequestLimitSettings(600, per: .minute, by: .claim(["a", "b"])),
            ])
        #expect(try settings(of: Sample.tokenRoute("limits: { requests: [] }")).routes[0].limits.requests == [])
        #expect(try settings(of: Sample.tokenRoute("limits: { request_body: 1B }")).routes[0].limits.requests == nil)
        let unlimited = try settings(of: Sample.tokenRoute("limits: { request_body: unlimited }")).routes[0]
        #expect(unlimited.limits.requestBody == .unlimited)
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
        #expect(limits.requests == RequestRateSettings())
        let rates = try settings(
            of: Sample(rest: "limits: { requests: [{ rate: 5/h, by: address }], request_keys: 99 }").text
        ).limits.requests
        #expect(rates.common == [RequestLimitSettings(5, per: .hour, by: .address)] && rates.keys == 99)
        #expect(limits.responseRate == 0)
    }
}

@Suite struct `windows of HTTP/2` {
    @Test func `are what one buffer holds and a megabyte, or what is said`() throws {
        let limits = try settings(of: Sample().text).limits
        #expect(limits.streamWindow == 252 << 10 && limits.connectionWindow == 1 << 20)
        let said = try settings(of: Sample(rest: "limits: { stream_window: 64KiB, connection_window: 64MiB }").text)
        #expect(said.limits.streamWindow == 64 << 10 && said.limits.connectionWindow == 64 << 20)
    }

    @Test(arguments: ["stream_window: 253KiB", "stream_window: 32KiB", "connection_window: 65MiB"])
    func `are not larger or smaller than can be held`(setting: String) {
        #expect(throws: (any Error).self) { try settings(of: Sample(rest: "limits: { \(setting) }").text) }
    }
}
