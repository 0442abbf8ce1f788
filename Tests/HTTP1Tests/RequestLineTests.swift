import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `request line` {
    private func line(_ line: String) -> Verdict<ReadRequest> {
        request(line + "\r\nHost: a\r\n\r\n")
    }

    @Test(.holds("HTTP-07")) func `method, target and version stand with one space between them`() throws {
        let head = try #require(line("GET /a HTTP/1.1").message)
        #expect(head.method == "GET")
        #expect(head.methodID == .get)
        #expect(head.target == "/a")
        #expect(head.path == "/a")
        #expect(head.query == nil)
        #expect(head.minorVersion == 1)
        #expect(head.form == .origin)
        #expect(head.authority == "a")
        #expect(head.length == 28)
        #expect(head.framing == .none)
        #expect(head.keepAlive)
    }

    @Test(
        .refuses("HTTP-07"),
        arguments: [
            ("GET  /a HTTP/1.1", HTTP1Refusal.requestLineMalformed),
            ("GET /a  HTTP/1.1", .requestLineMalformed),
            ("GET /a b HTTP/1.1", .requestLineMalformed),
            ("GET /a HTTP/1.1 ", .requestLineMalformed),
            (" GET /a HTTP/1.1", .requestLineMalformed),
            ("GET /a", .requestLineMalformed),
            ("GET", .requestLineMalformed),
            ("GET ", .requestLineMalformed),
            ("GET  HTTP/1.1", .requestLineMalformed),
            ("GET HTTP/1.1", .requestLineMalformed),
            ("GET\t/a HTTP/1.1", .methodNotToken),
            ("GE(T /a HTTP/1.1", .methodNotToken),
            ("GE\u{e9}T /a HTTP/1.1", .methodNotToken),
            ("GET: /a HTTP/1.1", .methodNotToken),
            ("PRI /a HTTP/1.1", .methodReserved),
            ("PRI * HTTP/1.1", .methodReserved),
            ("PRI * HTTP/1.0", .methodReserved),
            ("PRI * HTTP/2.0", .versionNotSupported),
            ("GET /a\tb HTTP/1.1", .targetOctet),
            ("GET /a\tHTTP/1.1", .requestLineMalformed),
        ])
    func `nothing is repaired in it`(text: String, refusal: HTTP1Refusal) {
        #expect(line(text) == .refused(refusal))
    }

    @Test(
        .holds("HTTP-07"),
        arguments: zip(
            ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "TRACK", "OPTIONS"],
            [MethodID.get, .head, .post, .put, .delete, .patch, .trace, .track, .options]))
    func `every method we know is recognised`(name: String, id: MethodID) throws {
        #expect(try #require(line("\(name) /a HTTP/1.1").message).methodID == id)
        #expect(try #require(line("\(name)X /a HTTP/1.1").message).methodID == .other)
        #expect(try #require(line("\(name.dropLast()) /a HTTP/1.1").message).methodID == .other)
    }

    @Test(
        .holds("HTTP-19"),
        arguments: ["get", "Get", "PROPFIND", "M-SEARCH", "!#$%&'*+-.^_`|~", "X", "OPTIONSOPTIONS", "pri", "PRIX"])
    func `a method of another spelling is another method`(method: String) throws {
        let head = try #require(line("\(method) /a HTTP/1.1").message)
        #expect(head.methodID == .other)
        #expect(head.method == method)
    }

    @Test(.holds("HTTP-08")) func `an HTTP 1.0 request is read and its connection does not live on`() throws {
        let head = try #require(line("GET /a HTTP/1.0").message)
        #expect(head.minorVersion == 0)
        #expect(!head.keepAlive)
    }

    @Test(.holds("HTTP-08"), arguments: ["HTTP/1.2", "HTTP/1.9"])
    func `other minor versions count as 1`(version: String) throws {
        let head = try #require(line("GET /a \(version)").message)
        #expect(head.minorVersion == 1)
        #expect(head.keepAlive)
    }

    @Test(.refuses("HTTP-08"), arguments: ["HTTP/3.0", "HTTP/2.0", "HTTP/0.9", "HTTP/9.1"])
    func `another major version is not supported`(version: String) {
        #expect(line("GET /a \(version)") == .refused(.versionNotSupported))
    }

    @Test(
        .refuses("HTTP-08"),
        arguments: ["http/1.1", "Http/1.1", "HTTP/1,1", "HTTP/A.1", "HTTP/1.x", "HTTP\\1.1", "XTTP/1.1", "HTTPS1.1"])
    func `any other spelling of the version is malformed`(version: String) {
        #expect(line("GET /a \(version)") == .refused(.versionMalformed))
    }

    @Test(.refuses("HTTP-08"), arguments: ["HTTP/1.10", "HTTP/11.1", "HTTP/1", "HTTP/1.", "HTTP/01.1"])
    func `a version of another length is malformed`(version: String) {
        #expect(line("GET /a \(version)") == .refused(.requestLineMalformed))
    }

    @Test(.holds("HTTP-06")) func `one empty line before the request line is skipped`() throws {
        let head = try #require(request("\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n").message)
        #expect(head.target == "/a")
        #expect(head.method == "GET")
        #expect(head.fields == [["Host", "a"]])
        #expect(head.length == 30)
    }

    @Test(
        .refuses("HTTP-06"),
        arguments: [
            ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP1Refusal.emptyLinesRepeated),
            ("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .emptyLinesRepeated),
            ("\r\n\r\n", .emptyLinesRepeated),
            ("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareLineFeed),
            ("\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareLineFeed),
            ("\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareCarriageReturn),
            ("\r\n\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareCarriageReturn),
            ("\r\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareCarriageReturn),
        ])
    func `more than one empty line is refused`(text: String, refusal: HTTP1Refusal) {
        #expect(request(text) == .refused(refusal))
    }

    @Test(arguments: [
        "", "\r", "\r\n", "\r\n\r", "G", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r",
    ])
    func `a head that has not ended is incomplete`(text: String) {
        #expect(request(text) == .incomplete)
    }

    @Test func `what follows the head is not looked at`() throws {
        let head = try #require(request("GET / HTTP/1.1\r\nHost: a\r\n\r\n\n\u{0}\rX").message)
        #expect(head.length == 27)
    }
}
