import Testing
import TestSupport

/// Rows HTTP-14 to HTTP-21 and HTTP-75: whom a request is for, and what it asks to be done.
@Suite(.serialized) struct `host, target and method` {
    private static let shared = Shared {
        try Stage(
            routes: Stage.ordinaryRoutes + [
                "{ path: /chosen/, upstream: $UPSTREAM, public: true, methods: [GET, POST, OPTIONS] }"
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(arguments: ["gateway.test", "GATEWAY.test"])
    func `HTTP-14 a request for a known host is served`(host: String) throws {
        try stage.expectForwarded("GET /open/a HTTP/1.1\r\nHost: \(host)\r\n\r\n", path: "/open/a")
    }

    @Test(arguments: [
        "", "Host: gateway.test\r\nHost: gateway.test\r\n", "Host: gateway.test\r\nhost: evil.test\r\n",
        "Host: a@gateway.test\r\n", "Host: gateway.test/b\r\n", "Host: gateway.test, b\r\n", "Host: \r\n",
        "Host: gateway.test:80a\r\n", "Host: [::1\r\n", "Host: a b\r\n", "Host: gateway.test?x\r\n",
        "Host: gateway.test#x\r\n", "Host: gateway.test\\\r\n",
    ])
    func `HTTP-14 a missing, repeated or impossible host is refused`(lines: String) throws {
        try stage.expectRefused("GET /open/a HTTP/1.1\r\n\(lines)\r\n")
    }

    @Test func `HTTP-15 the authority of an absolute target stands over Host`() throws {
        let message = "GET http://gateway.test/open/a?b=c HTTP/1.1\r\nHost: evil.test\r\n\r\n"
        let recorded = try stage.expectForwarded(message, path: "/open/a")
        #expect(recorded.target == "/open/a?b=c")
        #expect(recorded.fields["host"].count == 1)
        #expect(!recorded.headText.contains("evil.test"))
    }

    @Test func `HTTP-15 an unknown authority in an absolute target is answered 421`() throws {
        let client = try stage.gateway.client()
        try client.send("GET http://evil.test/open/a HTTP/1.1\r\nHost: gateway.test\r\n\r\n")
        expectTemplate(try client.response(), status: 421)
        try stage.expectNothingForwarded()
    }

    @Test(arguments: [
        "ftp://gateway.test/open/a", "http:///open/a", "http://u@gateway.test/open/a", "http:/open/a",
        "file:///etc/passwd",
    ])
    func `HTTP-15 an absolute target of another kind is refused`(target: String) throws {
        try stage.expectRefused("GET \(target) HTTP/1.1\r\nHost: gateway.test\r\n\r\n")
    }

    @Test func `HTTP-16 OPTIONS for the server is answered by the gateway`() throws {
        let response = try stage.exchange("OPTIONS", "*")
        #expect(response.status == 204)
        try stage.expectNothingForwarded()
    }

    @Test(arguments: ["GET *", "POST *", "GET gateway.test:443", "OPTIONS gateway.test:443", "OPTIONS **", "GET *a"])
    func `HTTP-16 a target form that does not fit the method is refused`(start: String) throws {
        try stage.expectRefused("\(start) HTTP/1.1\r\nHost: gateway.test\r\n\r\n")
    }

    @Test func `HTTP-17 CONNECT opens nothing`() throws {
        let target = "127.0.0.1:\(stage.upstream.port)"
        let connections = stage.upstream.connectionCount
        let client = try stage.gateway.client()
        try client.send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
        let response = try client.response()
        expectTemplate(response, status: 405)
        #expect(response.fields.contains("allow"))
        #expect(client.isClosedByPeer())
        #expect(stage.upstream.connectionCount == connections)
    }

    @Test func `HTTP-17 a path that only looks like a tunnel's target is an ordinary path`() throws {
        try stage.expectForwarded(request("GET", "/open/127.0.0.1:6379"), path: "/open/127.0.0.1:6379")
    }

    @Test(arguments: ["TRACE", "TRACK"])
    func `HTTP-18 a request is never looped back`(method: String) throws {
        for target in ["/open/a", "/orders/a"] {
            let response = try stage.exchange(method, target, fields: ["Authorization: Bearer looped-token"])
            expectTemplate(response, status: 405)
            #expect(response.fields.contains("allow"))
            #expect(!text(response.raw).contains("looped-token"))
        }
        try stage.expectNothingForwarded()
    }

    @Test(arguments: ["TRACER", "TRAC"])
    func `HTTP-18 a method that only begins like TRACE is an ordinary one`(method: String) throws {
        try stage.expectForwarded(request(method, "/open/a"), path: "/open/a")
    }

    @Test(arguments: ["GET", "POST"])
    func `HTTP-19 a method on the route's list is served`(method: String) throws {
        try stage.expectForwarded(request(method, "/chosen/a"), path: "/chosen/a")
    }

    @Test(arguments: ["get", "DELETE", "Get", "PUT", "FOO"])
    func `HTTP-19 a method that is not on the route's list is answered 405`(method: String) throws {
        let response = try stage.exchange(method, "/chosen/a")
        expectTemplate(response, status: 405)
        let allowed = try #require(response.fields.only("allow")).split(whereSeparator: { $0 == "," || $0 == " " })
        #expect(Set(allowed.map(String.init)) == ["GET", "POST", "OPTIONS"])
        try stage.expectNothingForwarded()
    }

    @Test(arguments: [
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method", "x_http_method_override",
    ])
    func `HTTP-19 a field that would change the method never arrives`(name: String) throws {
        let recorded = try stage.expectForwarded(
            request("POST", "/chosen/a", fields: ["\(name): DELETE"]), path: "/chosen/a")
        #expect(!recorded.headText.contains("DELETE"))
    }

    @Test func `HTTP-20 Max-Forwards counts down`() throws {
        let counted = try stage.expectForwarded(
            request("OPTIONS", "/chosen/a", fields: ["Max-Forwards: 5"]), path: "/chosen/a")
        #expect(counted.fields["max-forwards"] == ["4"])
        let without = try stage.expectForwarded(request("OPTIONS", "/chosen/b"), path: "/chosen/b")
        #expect(!without.fields.contains("max-forwards"))
    }

    @Test func `HTTP-20 Max-Forwards 0 is answered here`() throws {
        let response = try stage.exchange("OPTIONS", "/chosen/a", fields: ["Max-Forwards: 0"])
        #expect(response.status == 200 || response.status == 204)
        try stage.expectNothingForwarded()
    }

    @Test(arguments: [
        "evil.test", "169.254.169.254", "gateway.test.evil.test", "localhost", "gateway.test:8081", "[::1]",
    ])
    func `HTTP-21 HTTP-75 an unknown host is answered 421 and selects no address`(host: String) throws {
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        expectTemplate(try client.response(), status: 421)
        try stage.expectNothingForwarded()
    }

    @Test(arguments: [
        "X-Forwarded-Host: evil.test", "X-Original-URL: /orders/x", "X-Rewrite-URL: /orders/x",
        "Forwarded: host=evil.test",
    ])
    func `HTTP-75 nothing in a request changes where it goes`(line: String) throws {
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: [line]), path: "/open/a")
        #expect(recorded.target == "/open/a")
        #expect(!recorded.headText.contains("evil.test"))
        #expect(!recorded.headText.contains("/orders/x"))
    }
}
