import TestSupport
import TestTraits
import Testing

/// Rows HTTP-22 to HTTP-35: where a request's body ends, so that no two readers can disagree.
@Suite(.serialized, .byEachProtocol) struct `the framing of a request` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func post(_ lines: String..., body: String, version: String = "1.1") -> String {
        "POST /open/a HTTP/\(version)\r\nHost: gateway.test\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n\(body)"
    }

    @Test(.holds("HTTP-22")) func `a length of nothing and of something is honoured`() throws {
        let empty = try stage.expectForwarded(post("Content-Length: 0", body: ""), path: "/open/a")
        #expect(empty.isComplete)
        #expect(empty.bodyCount == 0)
        let five = try stage.expectForwarded(post("Content-Length: 005", body: "hello"), path: "/open/a")
        #expect(five.bodyText == "hello")
    }

    @Test(
        .refuses("HTTP-22"),
        arguments: [
            "+5", "-0", "5 6", "0x5", "5,", "", "18446744073709551616", "9223372036854775808", "5.0", "-5", "five",
            "5;",
            "0 5",
        ])
    func `a length that is no decimal number is refused`(length: String) throws {
        try stage.expectRefused(post("Content-Length: \(length)", body: "hello"))
    }

    @Test(
        .refuses("HTTP-23"),
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5",
            "Content-Length: 5, 6", "content-length: 5\r\nCONTENT-LENGTH: 5",
        ])
    func `several lengths are refused, also when they agree`(lines: String) throws {
        try stage.expectRefused(post(lines, body: "hello!"))
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .holds("HTTP-24"))
    func `a transfer coding alone is served`() throws {
        let recorded = try stage.expectForwarded(
            post("Transfer-Encoding: chunked", body: "5\r\nhello\r\n0\r\n\r\n"), path: "/open/a")
        #expect(recorded.bodyText == "hello")
        #expect(recorded.isComplete)
    }

    @Test(
        .refuses("HTTP-24"),
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            "Transfer-Encoding: xchunked\r\nContent-Length: 5", "Content-Length: 5\r\nTransfer-Encoding: identity",
            "Content-Length: 5\r\nTransfer-Encoding:\tchunked", "content-length: 5\r\ntransfer-encoding: Chunked",
            "Transfer-Encoding: \"chunked\"\r\nContent-Length: 5", "Transfer-Encoding:\r\nContent-Length: 5",
        ])
    func `a length beside a transfer coding is refused`(lines: String) throws {
        try stage.expectRefused(post(lines, body: "0\r\n\r\nG"))
    }

    @Test(.refuses("HTTP-25"), arguments: ["chunked, identity", "gzip", "chunked, gzip", "identity"])
    func `chunked that is not the final coding is refused`(coding: String) throws {
        try stage.expectRefused(post("Transfer-Encoding: \(coding)", body: "0\r\n\r\n"))
    }

    @Test(.refuses("HTTP-25"), arguments: ["gzip, chunked", "br, chunked", "x-foo,chunked"])
    func `another coding before chunked is answered 501`(coding: String) throws {
        try stage.expectRefused(post("Transfer-Encoding: \(coding)", body: "0\r\n\r\n"), with: 501)
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .holds("HTTP-26"))
    func `the coding's name has no case`() throws {
        let recorded = try stage.expectForwarded(
            post("Transfer-Encoding: Chunked", body: "2\r\nok\r\n0\r\n\r\n"), path: "/open/a")
        #expect(recorded.bodyText == "ok")
    }

    @Test(
        .refuses("HTTP-26"),
        arguments: [
            "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: \u{b}chunked", "Transfer-Encoding: xchunked",
            "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: chunked,",
            "Transfer-Encoding: ,chunked", "Transfer-Encoding: chun ked", "Transfer-Encoding: 'chunked'",
            "Transfer-Encoding:", "Transfer-Encoding: chunked\u{0}",
        ])
    func `a transfer coding spelt otherwise is refused`(lines: String) throws {
        try stage.expectRefused(post(lines, body: "0\r\n\r\n"))
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .refuses("HTTP-27"))
    func `a transfer coding in HTTP 1.0 is refused`() throws {
        try stage.expectRefused(post("Transfer-Encoding: chunked", body: "0\r\n\r\n", version: "1.0"))
    }

    /// A chunked body that must end the exchange: 400, close, and no complete request at the upstream.
    private func expectBrokenBody(_ body: String, at location: SourceLocation = #_sourceLocation) throws {
        let client = try stage.gateway.client()
        try client.send(post("Transfer-Encoding: chunked", body: body))
        let response = try client.response()
        expectTemplate(response, status: 400, at: location)
        #expect(response.announcesClose, sourceLocation: location)
        #expect(client.isClosedByPeer(), sourceLocation: location)
        let aborted = stage.upstream.waits { record in
            record.requests.allSatisfy { request in
                !request.isComplete
                    && (record.endedConnections + record.resetConnections).contains(request.connection)
            }
        }
        #expect(aborted, "the upstream saw \(stage.upstream.requests.map(\.bodyText))", sourceLocation: location)
        #expect(stage.upstream.requests.count < 2, sourceLocation: location)
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no chunks that could be wrong"),
        .refuses("HTTP-02"),
        arguments: [
            "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "0\r\n\n", "0\r\nX: y\n\r\n",
        ])
    func `a bare line feed in a chunked body is refused`(body: String) throws {
        try expectBrokenBody(body)
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .holds("HTTP-28"))
    func `a hexadecimal size in either case is served`() throws {
        for size in ["a", "A", "00000000000000a"] {
            let recorded = try stage.expectForwarded(
                post("Transfer-Encoding: chunked", body: "\(size);x=y\r\n0123456789\r\n0\r\n\r\n"), path: "/open/a")
            #expect(recorded.bodyText == "0123456789")
        }
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no chunks that could be wrong"),
        .refuses("HTTP-28"),
        arguments: [
            "0x5", "-1", "5 ", " 5", "FFFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "8000000000000000", "+5", "5_0", "", "g",
            "5\t",
            "5,5", "\u{0}5",
        ])
    func `a chunk size that is no hexadecimal number is refused`(size: String) throws {
        try expectBrokenBody("\(size)\r\nhello\r\n0\r\n\r\n")
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .holds("HTTP-29"),
        arguments: [";a=\"b\"", ";a", ";a=b;c=d", ";a=\"b\\\"c\""])
    func `an extension is read and not passed on`(text: String) throws {
        let recorded = try stage.expectForwarded(
            post("Transfer-Encoding: chunked", body: "5\(text)\r\nhello\r\n0\r\n\r\n"), path: "/open/a")
        #expect(recorded.bodyText == "hello")
        #expect(firstIndex(of: Array(";".utf8), in: stage.upstream.allBytes) == nil)
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .refuses("HTTP-29"))
    func `a long extension, many extensions and one with a bare line feed are refused`()
        throws
    {
        try expectBrokenBody("5;" + String(repeating: "a", count: 300) + "\r\nhello\r\n0\r\n\r\n")
        stage.reset()
        let chunk = "1;" + String(repeating: "a", count: 200) + "\r\nx\r\n"
        try expectBrokenBody(String(repeating: chunk, count: 30) + "0\r\n\r\n")
        stage.reset()
        try expectBrokenBody("2;\nxx\r\n0\r\n\r\n")
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no chunks that could be wrong"),
        .refuses("HTTP-30"), arguments: ["5\r\nhelloXX", "5\r\nhello0\r\n\r\n", "5\r\nhello \r\n", "5\r\nhello\r\r\n"])
    func `chunk data that is not followed by CRLF is refused`(body: String) throws {
        try expectBrokenBody(body)
    }

    @Test(
        .refuses("HTTP-31"),
        arguments: [
            "Content-Length: 10\r\n\r\nabcd", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
        ])
    func `a body that ends early aborts the upstream request`(rest: String) throws {
        // Without a length, content of HTTP/2 ends where its stream does.
        guard WireProtocol.current == .http1 || rest.hasPrefix("Content-Length") else { return }
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\n\(rest)")
        stage.upstream.waits { $0.requests.count == 1 }
        client.finishSending()
        let aborted = stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty }
        #expect(aborted)
        #expect(stage.upstream.requests.map(\.isComplete) == [false])
        let rest = text(try client.bytesToEnd())
        #expect(rest.isEmpty || rest.hasPrefix("\(WireProtocol.current.version) 4"), "\(rest)")
    }

    @Test(.holds("HTTP-32")) func `a body reaches the upstream framed once, by the gateway`() throws {
        let recorded = try stage.expectForwarded(
            post("Transfer-Encoding: chunked", body: "3\r\nabc\r\n2;e\r\nde\r\n0\r\n\r\n"), path: "/open/a")
        #expect(recorded.bodyText == "abcde")
        #expect(recorded.fields["transfer-encoding"].count + recorded.fields["content-length"].count == 1)
        let counted = try stage.expectForwarded(post("Content-Length: 3", body: "abc"), path: "/open/a")
        #expect(counted.fields["content-length"] == ["3"])
        #expect(counted.fields["transfer-encoding"].isEmpty)
        let without = try stage.expectForwarded(request("GET", "/open/a"), path: "/open/a")
        #expect(without.fields["transfer-encoding"].isEmpty)
        #expect(stage.upstream.now.malformed.isEmpty)
    }

    @Test(
        .refuses("HTTP-32"),
        arguments: ["Content-Length: 3", "content-length:3", "Content-Length:   3 ", "Content-Length: 003"])
    func `the length reaches the upstream as the gateway writes it, never as a copy`(line: String) throws {
        let recorded = try stage.expectForwarded(post(line, body: "abc"), path: "/open/a")
        #expect(recorded.headText.contains("\r\nContent-Length: 3\r\n"))
        #expect(recorded.fields["content-length"] == ["3"])
    }

    @Test(.refuses("HTTP-33")) func `a trailer is dropped`() throws {
        let recorded = try stage.expectForwarded(
            post("Transfer-Encoding: chunked", "Trailer: Foo", body: "2\r\nok\r\n0\r\nFoo: 1\r\n\r\n"), path: "/open/a")
        #expect(recorded.bodyText == "ok")
        #expect(recorded.trailers.isEmpty)
        #expect(!text(stage.upstream.allBytes).contains("Foo"))
    }

    @Test(.refuses("HTTP-33"), arguments: ["X-User: a", "Content-Length: 0", "X-Forwarded-For: 1.2.3.4"])
    func `a trailer never acts as a field`(trailer: String) throws {
        // A length is held against the content wherever it stands in HTTP/2, and the stream is reset.
        guard WireProtocol.current == .http1 || !trailer.hasPrefix("Content-Length") else { return }
        let recorded = try stage.expectForwarded(
            post("Transfer-Encoding: chunked", body: "2\r\nok\r\n0\r\n\(trailer)\r\n\r\n"), path: "/open/a")
        #expect(recorded.trailers.isEmpty)
        #expect(!text(stage.upstream.allBytes).contains(trailer))
    }

    @Test(.refuses("HTTP-33")) func `a token in a trailer authenticates nothing`() throws {
        let token = stage.tokens.token()
        let message = "POST /orders/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        let client = try stage.gateway.client()
        try client.send(message + "2\r\nok\r\n0\r\nAuthorization: Bearer \(token)\r\n\r\n")
        try expectNoCredentials(try client.response())
        try stage.expectNothingForwarded()
    }

    @Test(
        .byHTTP1(because: "streams of HTTP/2 have no order, and are told apart by their numbers"), .holds("HTTP-34"),
        .refuses("HTTP-34"), arguments: ["GET", "DELETE", "OPTIONS", "HEAD"])
    func `a chunked body is a body whatever the method`(method: String) throws {
        let hidden = "GET /open/hidden HTTP/1.1\r\nHost: gateway.test\r\n\r\n"
        let chunks = "\(String(hidden.utf8.count, radix: 16))\r\n\(hidden)\r\n0\r\n\r\n"
        let head = "\(method) /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        let client = try stage.gateway.client()
        try client.send(head + chunks + request("GET", "/open/behind"))
        #expect(try client.response(to: method).status == 200)
        #expect(try client.response().status == 200)
        #expect(stage.upstream.requests.map(\.path) == ["/open/a", "/open/behind"])
        #expect(stage.upstream.onlyRequest(for: "/open/a")?.bodyText == hidden)
    }

    @Test(
        .byHTTP1(because: "streams are told apart by their numbers"), .holds("HTTP-34"), .refuses("HTTP-34"),
        arguments: ["GET", "DELETE", "OPTIONS", "HEAD"])
    func `a body is a body whatever the method`(method: String) throws {
        let hidden = "GET /open/hidden HTTP/1.1\r\nHost: gateway.test\r\n\r\n"
        let client = try stage.gateway.client()
        try client.send(request(method, "/open/a", body: hidden))
        let response = try client.response(to: method)
        #expect(response.status == 200 || response.status == 400)
        if response.status == 200 { #expect(stage.upstream.onlyRequest(for: "/open/a")?.bodyText == hidden) }
        #expect(client.staysSilent() || client.isClosedByPeer())
        #expect(!stage.upstream.requests.contains { $0.path == "/open/hidden" })
    }

    @Test(.refuses("HTTP-35")) func `a refusal of a small body keeps the connection`() throws {
        let client = try stage.gateway.client()
        try client.send(request("POST", "/orders/a", body: "hello") + request("GET", "/open/b"))
        try expectNoCredentials(try client.response())
        #expect(try client.response().status == 200)
        #expect(stage.upstream.requests.map(\.path) == ["/open/b"])
    }

    @Test(.refuses("HTTP-35")) func `a refusal of a small chunked body keeps the connection`() throws {
        let client = try stage.gateway.client()
        let head = "POST /orders/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        let message = head + "5\r\nhello\r\n0\r\n\r\n" + request("GET", "/open/b")
        try client.send(message, cutAt: [head.utf8.count, head.utf8.count + 4])
        try expectNoCredentials(try client.response())
        #expect(try client.response().status == 200)
        #expect(stage.upstream.requests.map(\.path) == ["/open/b"])
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks that could be wrong"), .refuses("HTTP-35"))
    func `a refused body that breaks its framing ends the connection`() throws {
        let client = try stage.gateway.client()
        try client.send("POST /orders/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n")
        try expectNoCredentials(try client.response())
        try client.send("zz\r\n" + request("GET", "/open/smuggled"))
        #expect(client.isClosedByPeer())
        try stage.expectNothingForwarded()
    }

    @Test(.byHTTP1(because: "streams are told apart by their numbers"), .refuses("HTTP-35"))
    func `a refusal of a large body closes and never reads it as a request`() throws {
        let client = try stage.gateway.client()
        let body = String(repeating: request("GET", "/open/smuggled"), count: 100)
        try client.send("POST /orders/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 10485760\r\n\r\n" + body)
        let response = try client.response()
        try expectNoCredentials(response)
        #expect(response.announcesClose)
        #expect(client.isClosedByPeer())
        try stage.expectNothingForwarded()
    }
}
