import TestSupport
import TestTraits
import Testing

/// Row HTTP-33 in the other direction, and HTTP-42 by way of trailers: they are read, held to the grammar, and dropped.
@Suite(.serialized, .byEachProtocol) struct `trailers` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let head = "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(
        .refuses("HTTP-33"),
        arguments: [
            "X-Sum: 1", "Set-Cookie: __Host-portcullis-web=evil", "Content-Length: 3", "Transfer-Encoding: gzip",
            "Cache-Control: public", "X-User: mallory", "HTTP/1.1 200 OK: x", "Server-Timing: a\r\nX-Sum: 2",
        ])
    func `of a response are dropped and never become fields`(trailers: String) throws {
        stage.upstream.answer("/open/a", with: .raw(Self.head + "5\r\nhello\r\n0\r\n\(trailers)\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a") + request("GET", "/open/b"))
        if trailers.hasPrefix("HTTP/") {
            // A name with a slash in it is none: the response is broken off before its end. A stream may be reset before its
            // head has left.
            if WireProtocol.current == .http1 { #expect(try client.response().ending == .truncated) }
            return
        }
        let answer = try client.response()
        #expect(answer.bodyText == "hello")
        #expect(answer.ending == .lastChunk)
        #expect(!answer.fields.contains("trailer"))
        for line in trailers.split(separator: "\r\n") {
            #expect(!text(answer.raw).contains(line), "\(text(answer.raw))")
        }
        // What stood behind the last chunk is read away: the next response is the next one's.
        #expect(try client.response().bodyText.contains("/open/b"))
        let connections = Set(stage.upstream.requests.map(\.connection))
        if WireProtocol.current == .http1 { #expect(connections.count == 1) }
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-33"), .refuses("HTTP-33"))
    func `of a response are dropped towards HTTP 1.0 too`() throws {
        stage.upstream.answer("/open/a", with: .raw(Self.head + "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        #expect(text(try client.bytesToEnd()).hasSuffix("\r\n\r\nhello"))
    }

    @Test(.refuses("HTTP-33")) func `that are cut off leave the response without its end`() throws {
        stage.upstream.answer("/open/a", with: .rawThenClose(Self.head + "5\r\nhello\r\n0\r\nX-Sum: 1\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().ending == .truncated)
    }

    @Test(
        .holds("HTTP-42"), .refuses("H2-49", "HTTP-42"),
        arguments: [
            "X-User: root", "x_user: root", "X-User: root\r\nX-User: root", "Client-Cert: :AA==:", "Via: 1.1 x",
        ])
    func `of a request bring no name that upstreams trust`(trailers: String) throws {
        let message =
            "POST /orders/a HTTP/1.1\r\nHost: gateway.test\r\n\(stage.tokens.bearer())\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(trailers)\r\n\r\n"
        let recorded = try stage.expectForwarded(message, path: "/orders/a")
        #expect(recorded.fields["x-user"] == ["alice"])
        #expect(recorded.trailers.isEmpty)
        for line in trailers.split(separator: "\r\n") { #expect(!text(stage.upstream.allBytes).contains(line)) }
    }
}
