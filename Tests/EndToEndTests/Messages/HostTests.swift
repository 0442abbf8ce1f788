import TestSupport
import TestTraits
import Testing

/// Rows HTTP-14 to HTTP-21 and HTTP-75: whom a request is for, and what it asks to be done.
@Suite(.serialized, .byEachProtocol) struct `host, target and method` {
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

    @Test(.holds("HTTP-14"), arguments: ["gateway.test", "GATEWAY.test"])
    func `a request for a known host is served`(host: String) throws {
        try stage.expectForwarded("GET /open/a HTTP/1.1\r\nHost: \(host)\r\n\r\n", path: "/open/a")
    }

    @Test(
        .refuses("HTTP-14"),
        arguments: [
            "", "Host: gateway.test\r\nHost: gateway.test\r\n", "Host: gateway.test\r\nhost: evil.test\r\n",
            "Host: a@gateway.test\r\n", "Host: gateway.test/b\r\n", "Host: gateway.test, b\r\n", "Host: \r\n",
            "Host: gateway.test:80a\r\n", "Host: [::1\r\n", "Host: a b\r\n", "Host: gateway.test?x\r\n",
            "Host: gateway.test#x\r\n", "Host: gateway.test\\\r\n",
        ])
    func `a missing, repeated or impossible host is refused`(lines: String) throws {
        try stage.expectRefused("GET /open/a HTTP/1.1\r\n\(lines)\r\n")
    }

    @Test(.holds("HTTP-15")) func `the authority of an absolute target stands over Host`() throws {
        let message = "GET http://gateway.test/open/a?b=c HTTP/1.1\r\nHost: evil.test\r\n\r\n"
        // HTTP/2 lets nobody name two servers, whichever stands over the other.
        guard WireProtocol.current == .http1 else { return try stage.expectRefused(message) }
        let recorded = try stage.expectForwarded(message, path: "/open/a")
        #expect(recorded.target == "/open/a?b=c")
        #expect(recorded.fields["host"].count == 1)
        #expect(!recorded.headText.contains("evil.test"))
    }

    @Test(.refuses("HTTP-15")) func `an unknown authority in an absolute target is answered 421`() throws {
        let message = "GET http://evil.test/open/a HTTP/1.1\r\nHost: gateway.test\r\n\r\n"
        guard WireProtocol.current == .http1 else { return try stage.expectRefused(message) }
        let client = try stage.gateway.client()
        try client.send(message)
        expectTemplate(try client.response(), status: 421)
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("HTTP-15"),
        arguments: [
            "ftp://gateway.test/open/a", "http:///open/a", "http://u@gateway.test/open/a", "http:/open/a",
            "file:///etc/passwd",
        ])
    func `an absolute target of another kind is refused`(target: String) throws {
        try stage.expectRefused("GET \(target) HTTP/1.1\r\nHost: gateway.test\r\n\r\n")
    }

    @Test(.holds("HTTP-16")) func `OPTIONS for the server is answered by the gateway`() throws {
        let response = try stage.exchange("OPTIONS", "*")
        #expect(response.status == 204)
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("HTTP-16"),
        arguments: ["GET *", "POST *", "GET gateway.test:443", "OPTIONS gateway.test:443", "OPTIONS **", "GET *a"])
    func `a target form that does not fit the method is refused`(start: String) throws {
        try stage.expectRefused("\(start) HTTP/1.1\r\nHost: gateway.test\r\n\r\n")
    }

    @Test(.refuses("HTTP-17")) func `CONNECT opens nothing`() throws {
        let target = "127.0.0.1:\(stage.upstream.port)"
        let connections = stage.upstream.connectionCount
        let client = try stage.gateway.client()
        try client.send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
        let response = try client.response()
        expectTemplate(response, status: 405)
        #expect(response.fields.contains("allow"))
        #expect(client.isOver())
        #expect(stage.upstream.connectionCount == connections)
    }

    @Test(.holds("HTTP-17")) func `a path that only looks like a tunnel's target is an ordinary path`() throws {
        try stage.expectForwarded(request("GET", "/open/127.0.0.1:6379"), path: "/open/127.0.0.1:6379")
    }

    @Test(.refuses("HTTP-18"), arguments: ["TRACE", "TRACK"])
    func `a request is never looped back`(method: String) throws {
        for target in ["/open/a", "/orders/a"] {
            let response = try stage.exchange(method, target, fields: ["Authorization: Bearer looped-token"])
            expectTemplate(response, status: 405)
            #expect(response.fields.contains("allow"))
            #expect(!text(response.raw).contains("looped-token"))
        }
        try stage.expectNothingForwarded()
    }

    @Test(.holds("HTTP-18"), arguments: ["TRACER", "TRAC"])
    func `a method that only begins like TRACE is an ordinary one`(method: String) throws {
        try stage.expectForwarded(request(method, "/open/a"), path: "/open/a")
    }

    @Test(.holds("HTTP-19"), arguments: ["GET", "POST"])
    func `a method on the route's list is served`(method: String) throws {
        try stage.expectForwarded(request(method, "/chosen/a"), path: "/chosen/a")
    }

    @Test(.refuses("HTTP-19"), arguments: ["get", "DELETE", "Get", "PUT", "FOO"])
    func `a method that is not on the route's list is answered 405`(method: String) throws {
        let response = try stage.exchange(method, "/chosen/a")
        expectTemplate(response, status: 405)
        let allowed = try #require(response.fields.only("allow")).split(whereSeparator: { $0 == "," || $0 == " " })
        #expect(Set(allowed.map(String.init)) == ["GET", "POST", "OPTIONS"])
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("HTTP-19"),
        arguments: [
            "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method", "x_http_method_override",
        ])
    func `a field that would change the method never arrives`(name: String) throws {
        let recorded = try stage.expectForwarded(
            request("POST", "/chosen/a", fields: ["\(name): DELETE"]), path: "/chosen/a")
        #expect(!recorded.headText.contains("DELETE"))
    }

    @Test(.holds("HTTP-20")) func `Max-Forwards counts down`() throws {
        let counted = try stage.expectForwarded(
            request("OPTIONS", "/chosen/a", fields: ["Max-Forwards: 5"]), path: "/chosen/a")
        #expect(counted.fields["max-forwards"] == ["4"])
        let without = try stage.expectForwarded(request("OPTIONS", "/chosen/b"), path: "/chosen/b")
        #expect(!without.fields.contains("max-forwards"))
    }

    @Test(.holds("HTTP-20")) func `Max-Forwards 0 is answered here`() throws {
        let response = try stage.exchange("OPTIONS", "/chosen/a", fields: ["Max-Forwards: 0"])
        #expect(response.status == 200 || response.status == 204)
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("HTTP-21", "HTTP-75"),
        arguments: [
            "evil.test", "169.254.169.254", "gateway.test.evil.test", "localhost", "gateway.test:8081", "[::1]",
        ])
    func `an unknown host is answered 421 and selects no address`(host: String) throws {
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        expectTemplate(try client.response(), status: 421)
        try stage.expectNothingForwarded()
    }

    @Test(
        .holds("HTTP-75"),
        arguments: [
            "X-Forwarded-Host: evil.test", "X-Original-URL: /orders/x", "X-Rewrite-URL: /orders/x",
            "Forwarded: host=evil.test",
        ])
    func `nothing in a request changes where it goes`(line: String) throws {
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: [line]), path: "/open/a")
        #expect(recorded.target == "/open/a")
        #expect(!recorded.headText.contains("evil.test"))
        #expect(!recorded.headText.contains("/orders/x"))
    }
}
