import TestSupport
import TestTraits
import Testing

/// The client that gives the text of HTTP/1.1 to HTTP/2: what it says arrives, wrong as it may be.
@Suite(.serialized, .byEachProtocol) struct `a test by each protocol` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private var isHTTP2: Bool { WireProtocol.current == .http2 }

    @Test func `speaks it`() throws {
        let response = try stage.exchange("GET", "/open/a")
        #expect(response.version == (isHTTP2 ? "HTTP/2" : "HTTP/1.1"))
        let id = try #require(stage.upstream.onlyRequest(for: "/open/a")?.fields.only("x-request-id"))
        let line = try #require(stage.gateway.accessLine { $0["request_id"] == id })
        #expect(line["protocol"] == (isHTTP2 ? "h2c" : nil))
    }

    @Test(.byHTTP1(because: "it is the example of a test that says so")) func `leaves out what says why`() {
        #expect(!isHTTP2)
    }

    @Test func `reads responses in the order of its requests`() throws {
        let client = try stage.gateway.client()
        try client.send(
            request("GET", "/open/1") + request("POST", "/open/2", body: "two") + request("HEAD", "/open/3")
                + request("GET", "/nowhere"))
        #expect(try client.response().bodyText.contains("/open/1"))
        #expect(try client.response().bodyText.contains("two"))
        #expect(try client.response(to: "HEAD").body.isEmpty)
        #expect(try client.response().status == 404)
    }

    @Test(arguments: [[1], [0, 1, 2], [40_000, 40_000]])
    func `sends content of any framing, however it is cut`(sizes: [Int]) throws {
        let parts = sizes.map { String(repeating: "a", count: $0) }
        let whole = parts.joined()
        let chunks = parts.filter { !$0.isEmpty }.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
        let head = "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\n"
        for message in [
            "\(head)Content-Length: \(whole.utf8.count)\r\n\r\n\(whole)",
            "\(head)Transfer-Encoding: chunked\r\n\r\n\(chunks.joined())0\r\nX-Sum: 1\r\n\r\n",
        ] {
            stage.reset()
            let client = try stage.gateway.client()
            try client.send(message, cutAt: [5, head.utf8.count + 1, message.utf8.count - 1])
            #expect(try client.response().status == 200)
            #expect(try #require(stage.upstream.onlyRequest(for: "/open/a")).body.count == whole.utf8.count)
        }
    }

    @Test func `takes content as it reads it, of any length and of none`() throws {
        let content = String(repeating: "0123456789", count: 100_000)
        for framing in ["Content-Length: 1000000", "X-Until: close"] {
            stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n\(content)"))
            let response = try stage.exchange("GET", "/open/a")
            #expect(response.bodyText == content)
            #expect(response.ending == (framing.hasPrefix("X") ? .lastChunk : .length))
        }
    }

    @Test func `says what no sender would`() throws {
        let message = "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: a\nX-User: admin\r\n\r\n"
        try stage.expectRefused(message)
        if isHTTP2 {
            #expect(stage.gateway.operatorLine { $0["found"] == "field value malformed" } != nil)
        }
    }

    @Test(.refuses("H2-34")) func `reads a response that is broken off as one that has no end`() throws {
        stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        let response = try client.response()
        #expect(response.ending == .truncated && response.bodyText == "hello")
        if isHTTP2 { #expect(client.http2?.refusal == 2) }
    }
}
