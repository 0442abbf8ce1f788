import Glibc
import TestSupport
import TestTraits
import Testing

/// Rows HTTP-01 to HTTP-13: what is a request, and what only looks like one.
@Suite(.serialized, .byEachProtocol) struct `the grammar of a request` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("HTTP-01")) func `a value's bytes arrive as they were sent`() throws {
        let bytes =
            Array("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-Name: Zo".utf8) + [0xC3, 0xAB, 0x0D, 0x0A, 13, 10]
        let recorded = try stage.expectForwarded(bytes, path: "/open/a")
        let line = try #require(recorded.fields.all.first { $0.name.lowercased() == "x-name" })
        #expect(Array(line.line.suffix(4)) == [0x5A, 0x6F, 0xC3, 0xAB])
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no white space around values, and names in lower case alone"),
        .refuses("HTTP-01"),
        arguments: [
            ("X-A:b", "X-A:b"), ("X-A: b", "X-A: b"), ("X-A:  b", "X-A: b"), ("X-A:\tb", "X-A: b"),
            ("X-A: b ", "X-A: b"),
            ("X-A:b\t", "X-A: b"), ("X-A: \t b c \t", "X-A: b c"), ("X-A:", "X-A:"), ("X-A: ", "X-A:"),
            ("X-A: \t ", "X-A:"),
            ("Accept:\tb", "Accept: b"), ("Sec-Fetch-Dest: b ", "Sec-Fetch-Dest: b"),
        ])
    func `white space around a value travels no further`(line: String, arrived: String) throws {
        let lines = ["X-Before: 1", line, "X-Behind: 2"]
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        let wanted = Array("X-Before: 1\r\n\(arrived)\r\nX-Behind: 2\r\n".utf8)
        #expect(firstIndex(of: wanted, in: recorded.rawHead) != nil, "\(recorded.headText)")
        stage.upstream.answer(
            "/open/a", with: .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        let answer = try client.response()
        #expect(firstIndex(of: wanted, in: answer.raw) != nil, "\(answer.headText)")
    }

    /// The time in the form of RFC 9110 §5.6.7.
    private static func date(_ seconds: time_t) -> String {
        var seconds = seconds
        var parts = tm()
        var text = [CChar](repeating: 0, count: 64)
        gmtime_r(&seconds, &parts)
        let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test func `an answer without a Date gets one, and one that has it keeps it`() throws {
        stage.upstream.answer("/open/none", with: .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let before = time(nil)
        let added = try #require(try stage.exchange("GET", "/open/none").fields.only("date"))
        // The clock of ticks may be a tick or two behind, and the machine busy.
        #expect((-2...30).contains { Self.date(before + $0) == added }, "\(added)")
        let own = "Sun, 06 Nov 1994 08:49:37 GMT"
        stage.upstream.answer("/open/own", with: .raw("HTTP/1.1 200 OK\r\nDate: \(own)\r\nContent-Length: 0\r\n\r\n"))
        #expect(try stage.exchange("GET", "/open/own").fields["date"] == [own])
        stage.upstream.answer(
            "/open/hints",
            with: .raw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/hints"))
        #expect(try client.response().fields["date"].isEmpty)
        #expect(try client.response().fields["date"].count == 1)
    }

    @Test(.refuses("HTTP-07"), arguments: ["PRI /open/a HTTP/1.1", "PRI * HTTP/1.1"])
    func `the preface of HTTP 2 is no request`(line: String) throws {
        try stage.expectRefused("\(line)\r\nHost: gateway.test\r\n\r\n")
    }

    @Test(.refuses("HTTP-01")) func `a multibyte character whose last byte resembles a line feed breaks no line`()
        throws
    {
        let start = Array("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-Name: a".utf8)
        let bytes = start + [0xC4, 0x8A] + Array("X-Other: admin\r\n\r\n".utf8)
        let recorded = try stage.expectForwarded(bytes, path: "/open/a")
        #expect(!recorded.fields.contains("x-other"))
        #expect(firstIndex(of: [0xC4, 0x8A] + Array("X-Other".utf8), in: recorded.rawHead) != nil)
    }

    @Test(.holds("HTTP-02")) func `lines end with CRLF`() throws {
        try stage.expectForwarded("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\n\r\n", path: "/open/a")
    }

    @Test(
        .refuses("HTTP-02"),
        arguments: [
            "GET /open/a HTTP/1.1\nHost: gateway.test\n\n",
            "GET /open/a HTTP/1.1\nHost: gateway.test\r\n\r\n",
            "GET /open/a HTTP/1.1\r\nHost: gateway.test\nX-A: b\r\n\r\n",
            "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: b\n\r\n",
            "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\n\n",
            "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\n\r\n0\r\n\r\n",
        ])
    func `a bare line feed in the head is refused`(message: String) throws {
        guard WireProtocol.current.says(message) else { return }
        try stage.expectRefused(message)
    }

    @Test(
        .refuses("HTTP-03"),
        arguments: [
            "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: b\rX-User: admin\r\n\r\n",
            "GET /open/a HTTP/1.1\rHost: gateway.test\r\n\r\n",
            "GET /open\r/a HTTP/1.1\r\nHost: gateway.test\r\n\r\n",
            "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A\r: b\r\n\r\n",
            "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: b\r\r\n\r\n",
        ])
    func `a bare carriage return is refused`(message: String) throws {
        guard WireProtocol.current.says(message) else { return }
        try stage.expectRefused(message)
    }

    @Test(.holds("HTTP-04")) func `a tab inside a value is forwarded`() throws {
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: ["X-A: a\tb"]), path: "/open/a")
        #expect(recorded.fields.only("x-a") == "a\tb")
    }

    @Test(.refuses("HTTP-04"), arguments: [0x00, 0x01, 0x08, 0x0B, 0x0C, 0x1B, 0x1F, 0x7F])
    func `a control octet in a value is refused`(octet: UInt8) throws {
        let start = Array("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: a".utf8)
        try stage.expectRefused(start + [octet] + Array("b\r\n\r\n".utf8))
    }

    @Test(.refuses("HTTP-05"), arguments: [" X-User: a\r\n", "\tX-User: a\r\n", " \r\n"])
    func `a line before the first field that begins with whitespace is refused`(line: String) throws {
        try stage.expectRefused("GET /open/a HTTP/1.1\r\n\(line)Host: gateway.test\r\n\r\n")
    }

    @Test(.byHTTP1(because: "HTTP/2 has no lines"), .refuses("HTTP-06"))
    func `one empty line before a request is ignored`() throws {
        try stage.expectForwarded("\r\n" + request("GET", "/open/a"), path: "/open/a")
    }

    @Test(
        .byHTTP1(because: "HTTP/2 has no lines"), .refuses("HTTP-06"),
        arguments: ["\r\n\r\n\r\n", "\r\n\r\n", "\n", " \r\n"])
    func `more than one empty line before a request is refused`(lines: String) throws {
        try stage.expectRefused(lines + request("GET", "/open/a"))
    }

    @Test(
        .refuses("HTTP-07"),
        arguments: [
            "GET  /open/a HTTP/1.1", "GET /open/a b HTTP/1.1", "GET /open/a", "GE(T /open/a HTTP/1.1",
            " GET /open/a HTTP/1.1", "GET /open/a  HTTP/1.1", "GET /open/a HTTP/1.1 ", "GET\t/open/a HTTP/1.1",
            "GET HTTP/1.1", "GET  HTTP/1.1", "/open/a HTTP/1.1", "GET /open/a HTTP/1.1 x", "G\u{80}T /open/a HTTP/1.1",
            "GET open/a HTTP/1.1", "GET ?a=b HTTP/1.1",
        ])
    func `a request line of another shape is refused`(line: String) throws {
        let message = "\(line)\r\nHost: gateway.test\r\n\r\n"
        guard WireProtocol.current.says(message) else { return }
        try stage.expectRefused(message)
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-08"))
    func `a request of HTTP 1.0 is served and its connection closed`() throws {
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.ending == .length || response.ending == .close)
        #expect(client.isClosedByPeer())
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-08"))
    func `a later minor version is taken for 1.1`() throws {
        try stage.expectForwarded("GET /open/a HTTP/1.2\r\nHost: gateway.test\r\n\r\n", path: "/open/a")
    }

    @Test(
        .byHTTP1(because: "no request of HTTP/2 has a version"),
        .refuses("HTTP-08"),
        arguments: [
            "http/1.1", "HTTP/1,1", "HTTP/1.", "HTTP/1.11", "HTTP/11", "HTTP/a.b", "HTTP", "HTTP/1.1a", "XHTTP/1.1",
        ])
    func `a version that is none is refused`(version: String) throws {
        try stage.expectRefused("GET /open/a \(version)\r\nHost: gateway.test\r\n\r\n")
    }

    @Test(
        .byHTTP1(because: "no request of HTTP/2 has a version"), .refuses("HTTP-08"),
        arguments: ["HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.1"])
    func `another major version is answered 505`(version: String) throws {
        try stage.expectRefused("GET /open/a \(version)\r\nHost: gateway.test\r\n\r\n", with: 505)
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-09"))
    func `the upstream sees the gateway's version and so does the client`() throws {
        stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"))
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        let response = try client.response()
        #expect(response.version == "HTTP/1.1")
        #expect(response.bodyText == "ok")
        #expect(stage.upstream.onlyRequest(for: "/open/a")?.version == "HTTP/1.1")
    }

    @Test(.refuses("HTTP-10"), arguments: ["X-User : a", "X-A\t: a", "Host : gateway.test", "Content-Length : 0"])
    func `whitespace before the colon is refused`(line: String) throws {
        try stage.expectRefused("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\n\(line)\r\n\r\n")
    }

    @Test(.refuses("HTTP-10"), arguments: ["Transfer-Encoding : chunked", "X-A : b"])
    func `an upstream response with whitespace before a colon becomes 502`(line: String) throws {
        stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n0\r\n\r\n"))
        let response = try stage.exchange("GET", "/open/a")
        expectTemplate(response, status: 502)
    }

    @Test(.holds("HTTP-11")) func `every token character is good in a field name`() throws {
        let name = "X_!#$%&'*+-.^`|~9"
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: ["\(name): 1"]), path: "/open/a")
        #expect(recorded.fields.only(name) == "1")
    }

    @Test(
        .refuses("HTTP-11"),
        arguments: [
            ": v", "X A: 1", "X\u{C3}: 1", "X@: 1", "X(: 1", "X\"A: 1", "X{A}: 1", "X/A: 1", "X\u{0}: 1", "X", "X;A: 1",
        ])
    func `a field name that is no token is refused`(line: String) throws {
        let message = "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\n\(line)\r\n\r\n"
        guard WireProtocol.current.says(message) else { return }
        try stage.expectRefused(message)
    }

    @Test(
        .refuses("HTTP-13"),
        arguments: ["X-A: a\r\n b", "X-A: a\r\n\tb", "X-A:\r\n b", "Host: gateway.test\r\n X-A: a"])
    func `a folded line is refused`(lines: String) throws {
        try stage.expectRefused("GET /open/a HTTP/1.1\r\nX-First: gateway.test\r\n\(lines)\r\n\r\n")
    }

    @Test(.refuses("HTTP-13")) func `a folded line of the upstream becomes 502`() throws {
        let head = "HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 0\r\n\r\n"
        stage.upstream.answer("/open/a", with: .rawThenClose(head))
        expectTemplate(try stage.exchange("GET", "/open/a"), status: 502)
    }

    @Test(
        .refuses("HTTP-67"),
        arguments: [
            "HTTP/1.1 200 OK\r\nX-A: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-A: a\rb\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX A: b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
            "ICY 200 OK\r\nContent-Length: 0\r\n\r\n",
            "\r\n\r\n",
            "nonsense",
            "",
        ])
    func `an upstream response head that is none becomes 502`(head: String) throws {
        stage.upstream.answer("/open/a", with: .rawThenClose(head))
        expectTemplate(try stage.exchange("POST", "/open/a", body: "x"), status: 502)
    }
}
