import TestSupport
import TestTraits
import Testing

/// Rows HTTP-61 to HTTP-63: what is said before the answer.
@Suite(.serialized, .byEachProtocol) struct `expectations and interim responses` {
    private static let shared = Shared { try Stage(StagePlan(settings: "limits: { request_body: 1MiB }")) }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func head(_ path: String, _ fields: String..., version: String = "1.1", length: Int = 5) -> String {
        let lines = ["POST \(path) HTTP/\(version)", "Host: gateway.test", "Content-Length: \(length)"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    @Test(.holds("HTTP-61")) func `a good token brings 100 and then 200`() throws {
        let client = try stage.gateway.client()
        try client.send(head("/orders/a", "Expect: 100-continue", stage.tokens.bearer()))
        #expect(try client.response().status == 100)
        try client.send("hello")
        let response = try client.response()
        #expect(response.status == 200)
        #expect(stage.upstream.onlyRequest(for: "/orders/a")?.bodyText == "hello")
        try client.send(request("GET", "/open/b"))
        #expect(try client.response().status == 200)
    }

    @Test(.holds("HTTP-61")) func `the word has no case and the body may come unasked`() throws {
        let client = try stage.gateway.client()
        try client.send(head("/open/a", "Expect: 100-Continue") + "hello")
        var response = try client.response()
        if response.status == 100 { response = try client.response() }
        #expect(response.status == 200)
        #expect(stage.upstream.onlyRequest(for: "/open/a")?.bodyText == "hello")
    }

    @Test(.holds("HTTP-61"), .refuses("HTTP-61")) func `without a token the answer is final and no body is read`()
        throws
    {
        let client = try stage.gateway.client()
        try client.send(head("/orders/a", "Expect: 100-continue"))
        let response = try client.response()
        try expectNoCredentials(response)
        #expect(response.isLast)
        #expect(client.isOver())
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("HTTP-61")) func `a refused route, method and size bring no 100`() throws {
        for (line, status) in [("/nowhere", 404), ("/orders/a", 401)] {
            let client = try stage.gateway.client()
            try client.send(head(line, "Expect: 100-continue"))
            #expect(try client.response().status == status)
        }
        let client = try stage.gateway.client()
        try client.send(head("/open/a", "Expect: 100-continue", length: 2 * 1024 * 1024))
        expectTemplate(try client.response(), status: 413)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("HTTP-62"), arguments: ["foo", "100-continue, foo", "100-continue;q=1", "200-ok"])
    func `another expectation is answered 417`(expectation: String) throws {
        let client = try stage.gateway.client()
        try client.send(head("/open/a", "Expect: \(expectation)"))
        expectTemplate(try client.response(), status: 417)
        try stage.expectNothingForwarded()
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-62"))
    func `an expectation of HTTP 1.0 is ignored`() throws {
        let client = try stage.gateway.client()
        try client.send(head("/open/a", "Expect: 100-continue", version: "1.0"))
        #expect(client.staysSilent())
        try client.send("hello")
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("HTTP-63")) func `an interim response is never taken for the answer`() throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nKeep-Alive: x\r\n\r\n"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 100 Continue\r\n\r\n" + hints + answer))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        var response = try client.response()
        // Relaying 103 is allowed; relaying the 100, which this client never asked for, is not.
        if response.status == 103 {
            #expect(!response.fields.contains("keep-alive"))
            response = try client.response()
        }
        #expect(response.status == 200)
        #expect(response.bodyText == "ok")
        #expect(client.staysSilent())
        guard WireProtocol.current == .http1 else { return }
        let old = try stage.gateway.client()
        try old.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        #expect(try old.response().status == 200)
    }

    @Test(.refuses("HTTP-63")) func `endless interim responses become 502`() throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 20)
        stage.upstream.answer("/open/a", with: .raw(interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        var response = try client.response()
        var count = 0
        while response.status < 200, count < 20 {
            response = try client.response()
            count += 1
        }
        #expect(response.status == 502)
        #expect(count <= 8)
    }
}
