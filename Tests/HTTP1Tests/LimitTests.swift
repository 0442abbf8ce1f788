import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `limits of a head` {
    private func small(
        requestLine: Int = 100, headerSection: Int = 1000, fieldLine: Int = 500, fieldCount: Int = 10
    ) -> HTTP1Limits {
        var limits = HTTP1Limits()
        limits.requestLine = requestLine
        limits.headerSection = headerSection
        limits.fieldLine = fieldLine
        limits.fieldCount = fieldCount
        return limits
    }

    private let rest = "\r\nHost: a\r\n\r\n"

    @Test(.holds("HTTP-65"), .refuses("HTTP-65"))
    func `a request line of exactly the limit is read, one more octet is not`() throws {
        let line = "GET /aaaa HTTP/1.1"
        let exact = small(requestLine: line.utf8.count)
        #expect(try #require(request(line + rest, limits: exact).message).target == "/aaaa")
        #expect(try #require(request("\r\n" + line + rest, limits: exact).message).target == "/aaaa")
        #expect(request("GET /aaaaa HTTP/1.1" + rest, limits: exact) == .refused(.requestLineTooLong))
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65")) func `the request line's limit is felt before its end`() {
        #expect(request("GET /aaaa", limits: small(requestLine: 9)) == .incomplete)
        #expect(request("GET /aaaaa", limits: small(requestLine: 9)) == .refused(.requestLineTooLong))
        #expect(request("GET /aaaaa\n", limits: small(requestLine: 9)) == .refused(.requestLineTooLong))
        #expect(request("GET /aaaa\n", limits: small(requestLine: 9)) == .refused(.bareLineFeed))
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65"))
    func `a field line of exactly the limit is read, one more octet is not`() throws {
        let exact = small(fieldLine: 12)
        #expect(
            try #require(request("GET / HTTP/1.1\r\nHost: a\r\nX-A: 1234567\r\n\r\n", limits: exact).message).fields
                .count == 2)
        #expect(
            request("GET / HTTP/1.1\r\nHost: a\r\nX-A: 12345678\r\n\r\n", limits: exact) == .refused(.fieldLineTooLong))
        #expect(request("GET / HTTP/1.1\r\nHost: a\r\nX-A: 12345678", limits: exact) == .refused(.fieldLineTooLong))
        #expect(request("GET / HTTP/1.1\r\nHost: a\r\nX-A: 1234567", limits: exact) == .incomplete)
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65"))
    func `a header section of exactly the limit is read, one more octet is not`() throws {
        let lines = "Host: a\r\nX-A: 123\r\n"
        let exact = small(headerSection: lines.utf8.count)
        #expect(try #require(request("GET / HTTP/1.1\r\n\(lines)\r\n", limits: exact).message).fields.count == 2)
        let more = "Host: a\r\nX-A: 1234\r\n"
        #expect(request("GET / HTTP/1.1\r\n\(more)\r\n", limits: exact) == .refused(.headerSectionTooLarge))
        #expect(request("GET / HTTP/1.1\r\nHost: a\r\nX-A: 1234", limits: exact) == .refused(.headerSectionTooLarge))
        #expect(request("GET / HTTP/1.1\r\nHost: a\r\nX-A: 123", limits: exact) == .incomplete)
        #expect(request("GET / HTTP/1.1\r\n\(lines)X: y\r\n\r\n", limits: exact) == .refused(.headerSectionTooLarge))
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65")) func `exactly as many fields as the limit are read, one more is not`()
        throws
    {
        let exact = small(fieldCount: 3)
        let three = "Host: a\r\nX: 1\r\nX: 2\r\n"
        #expect(try #require(request("GET / HTTP/1.1\r\n\(three)\r\n", limits: exact).message).fields.count == 3)
        #expect(request("GET / HTTP/1.1\r\n\(three)X: 3\r\n\r\n", limits: exact) == .refused(.tooManyFields))
        #expect(request("GET / HTTP/1.1\r\n\(three)X", limits: exact) == .refused(.tooManyFields))
        #expect(request("GET / HTTP/1.1\r\n\(three)", limits: exact) == .incomplete)
    }

    @Test(.holds("HTTP-65")) func `the defaults are those of the catalogue`() throws {
        let limits = HTTP1Limits()
        #expect(limits.requestLine == 8192)
        #expect(limits.headerSection == 65_536)
        #expect(limits.fieldLine == 32_768)
        #expect(limits.fieldCount == 100)
    }

    /// Whole only: at every cut, heads of this size would be looked at for minutes.
    private func whole(_ text: String, limits: HTTP1Limits = HTTP1Limits()) -> HeadProgress {
        var head = RequestHead()
        var parser = RequestHeadParser()
        return parser.parse(Array(text.utf8).span, limits: limits, into: &head)
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65")) func `at their defaults they hold at n and n + 1`() {
        func path(_ count: Int) -> String { "GET /" + String(repeating: "a", count: count - 14) + " HTTP/1.1" + rest }
        #expect(whole(path(8192)) == .complete)
        #expect(whole(path(8193)) == .refused(.requestLineTooLong))
        func line(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: count - 3))\r\n\r\n"
        }
        #expect(whole(line(32_768)) == .complete)
        #expect(whole(line(32_769)) == .refused(.fieldLineTooLong))
        func fields(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: count - 1) + "\r\n"
        }
        #expect(whole(fields(100)) == .complete)
        #expect(whole(fields(101)) == .refused(.tooManyFields))
        let half = String(repeating: "a", count: 32_000)
        let most = "GET / HTTP/1.1\r\nHost: a\r\nX: \(half)\r\nY: \(half)\r\nZ: "
        let left = 65_536 - (most.utf8.count - 16) - 2
        #expect(whole(most + String(repeating: "a", count: left) + "\r\n\r\n") == .complete)
        #expect(whole(most + String(repeating: "a", count: left + 1) + "\r\n\r\n") == .refused(.headerSectionTooLarge))
    }

    @Test(.refuses("HTTP-65"), arguments: [Int.max, Int.min, -1, 0])
    func `no configured number makes a head trap`(number: Int) {
        let limits = small(requestLine: number, headerSection: number, fieldLine: number, fieldCount: number)
        let progress = whole("GET / HTTP/1.1" + rest, limits: limits)
        #expect(progress == (number == Int.max ? .complete : .refused(.requestLineTooLong)))
        let many = String(repeating: "X: y\r\n", count: 200)
        #expect(
            whole("GET / HTTP/1.1\r\n\(many)", limits: small(headerSection: 10_000, fieldCount: .max))
                == .refused(.tooManyFields))
    }

    @Test(.holds("HTTP-65"), .refuses("HTTP-65")) func `they hold for responses too`() throws {
        let limits = small(requestLine: 15, headerSection: 20, fieldLine: 10, fieldCount: 2)
        #expect(try #require(response("HTTP/1.1 200 OK\r\nX: 2\r\n\r\n", limits: limits).message).status == 200)
        #expect(response("HTTP/1.1 200 OKK\r\n\r\n", limits: limits) == .refused(.requestLineTooLong))
        #expect(response("HTTP/1.1 200 OK\r\nX: 23456789\r\n\r\n", limits: limits) == .refused(.fieldLineTooLong))
        #expect(
            response("HTTP/1.1 200 OK\r\nX: 2345678\r\nX: 234567\r\n\r\n", limits: limits)
                == .refused(.headerSectionTooLarge))
        #expect(response("HTTP/1.1 200 OK\r\nX:1\r\nX:2\r\nX:3\r\n\r\n", limits: limits) == .refused(.tooManyFields))
    }

    @Test(.holds("HTTP-66")) func `a head that comes an octet at a time is read`() {
        let half = String(repeating: "a", count: 32_000)
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: \(half)\r\nY: \(half)\r\n\r\n".utf8)
        var head = RequestHead()
        var parser = RequestHeadParser()
        for count in 0..<bytes.count {
            guard parser.parse(bytes.span.extracting(first: count), limits: HTTP1Limits(), into: &head) == .incomplete
            else {
                Issue.record("decided after \(count) octets")
                return
            }
        }
        #expect(parser.parse(bytes.span, limits: HTTP1Limits(), into: &head) == .complete)
        #expect(head.fields.count == 3)
    }

    @Test(
        .holds("HTTP-66"),
        arguments: [
            "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "GET / HTTP/1.1\r\nHost: a\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ])
    func `octets that were looked at are not looked at again`(text: String) {
        var head = RequestHead()
        var parser = RequestHeadParser()
        var bytes = Array(text.utf8)
        #expect(parser.parse(bytes.span, limits: HTTP1Limits(), into: &head) == .incomplete)
        for _ in 0..<40 {
            // Whoever looks at old octets again finds a bare LF among them.
            bytes = bytes.map { _ in 0x0a } + [0x61]
            #expect(parser.parse(bytes.span, limits: HTTP1Limits(), into: &head) == .incomplete)
        }
        #expect(parser.parse((bytes + [0x0a]).span, limits: HTTP1Limits(), into: &head) == .refused(.bareLineFeed))
    }

    @Test func `a parser is ready for the next message after a reset`() {
        var head = RequestHead()
        var parser = RequestHeadParser()
        let first = Array("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nAuthorization: x\r\n\r\n".utf8)
        let second = Array("GET /second?q HTTP/1.0\r\nX: y\r\n\r\n".utf8)
        #expect(parser.parse(first.span.extracting(first: 30), limits: HTTP1Limits(), into: &head) == .incomplete)
        #expect(parser.parse(first.span, limits: HTTP1Limits(), into: &head) == .complete)
        #expect(head.authorizationCount == 1)
        parser.reset()
        #expect(parser.parse(second.span, limits: HTTP1Limits(), into: &head) == .complete)
        #expect(head.fields.count == 1)
        #expect(head.fields.count(of: .host) == 0)
        #expect(head.authorizationCount == 0)
        #expect(head.authorizationIndex == -1)
        #expect(head.authority.count == 0)
        #expect(head.framing == .none)
        #expect(head.hasQuery == true)
        #expect(head.keepAlive == false)
    }

    @Test func `parsers of two connections share one head`() {
        var head = RequestHead()
        var left = RequestHeadParser()
        var right = RequestHeadParser()
        let one = Array("GET /one HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n".utf8)
        let two = Array("PUT /two HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\n".utf8)
        for count in 1..<one.count {
            #expect(left.parse(one.span.extracting(first: count), limits: HTTP1Limits(), into: &head) == .incomplete)
            right.reset()
            #expect(right.parse(two.span, limits: HTTP1Limits(), into: &head) == .complete)
        }
        #expect(left.parse(one.span, limits: HTTP1Limits(), into: &head) == .complete)
        #expect(head.methodID == .get)
        #expect(head.framing == .none)
        #expect(head.fields.count == 2)
    }
}
