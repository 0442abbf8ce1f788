import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `field lines` {
    /// A request with one more field line, and another one behind it.
    private func with(_ line: String) -> Verdict<ReadRequest> {
        request("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\nX-Last: z\r\n\r\n")
    }

    private func with(_ line: [UInt8]) -> Verdict<ReadRequest> {
        request(Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + line + Array("\r\nX-Last: z\r\n\r\n".utf8))
    }

    @Test(.holds("HTTP-01")) func `a value's octets are forwarded as they are`() throws {
        let bytes =
            Array("GET / HTTP/1.1\r\nHost: a\r\nX-A: ".utf8) + [0xc3, 0xa9, 0xff, 0x80] + Array("\r\n\r\n".utf8)
        var head = RequestHead()
        var parser = RequestHeadParser()
        #expect(parser.parse(bytes.span, limits: HTTP1Limits(), into: &head) == .complete)
        #expect(Array(bytes[head.fields[1].value.range]) == [0xc3, 0xa9, 0xff, 0x80])
    }

    @Test(.refuses("HTTP-01")) func `half of a multibyte character that looks like a line feed is no line end`() throws
    {
        // U+010A is C4 8A: read as UTF-16 or as its low byte it would be a line feed.
        let bytes = Array("X-A: b".utf8) + [0xc4, 0x8a] + Array("X-User: admin".utf8)
        let head = try #require(with(bytes).message)
        #expect(head.fields.map { $0[0] } == ["Host", "X-A", "X-Last"])
    }

    @Test(.holds("HTTP-02")) func `lines end with CR LF`() throws {
        let head = try #require(with("X-A: b").message)
        #expect(head.fields == [["Host", "a"], ["X-A", "b"], ["X-Last", "z"]])
    }

    @Test(
        .refuses("HTTP-02"),
        arguments: [
            "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b\nY: c\r\n\r\n",
        ])
    func `a bare LF is refused`(text: String) {
        #expect(request(text) == .refused(.bareLineFeed))
    }

    @Test(.refuses("HTTP-02")) func `a bare LF is refused as soon as it is there`() {
        #expect(request("GET / HTTP/1.1\n") == .refused(.bareLineFeed))
        #expect(request("GET / HTTP/1.1\r\nHost: a\r\nX\n") == .refused(.bareLineFeed))
        #expect(request("GET / HTTP/1.1\r\nHost: a\r\nX: y\u{0}") == .refused(.controlOctet))
    }

    @Test(
        .refuses("HTTP-03"),
        arguments: ["X-A: b\rX-User: admin", "X-A\r: b", "\rX-A: b", "X-A: b\r", "X-A: b\r\rY: c", "X-A:\r b"])
    func `a bare CR is refused wherever it stands`(line: String) {
        #expect(with(line) == .refused(.bareCarriageReturn))
        #expect(request("GE\rT / HTTP/1.1\r\nHost: a\r\n\r\n") == .refused(.bareCarriageReturn))
    }

    @Test(.holds("HTTP-04")) func `a tab inside a value is kept`() throws {
        #expect(try #require(with("X-A: a\tb").message).fields[1] == ["X-A", "a\tb"])
        #expect(try #require(with("X-A: \t a\t \tb \t").message).fields[1] == ["X-A", "a\t \tb"])
        #expect(try #require(with("X-A:a\t\t\t\t\t\t\t\t\t\t\tb").message).fields[1][1].utf8.count == 13)
    }

    @Test(.refuses("HTTP-04")) func `every other control octet is refused at every distance`() {
        for octet in [UInt8](0...0x1f) + [0x7f] where octet != 0x09 && octet != 0x0a && octet != 0x0d {
            for padding in 0...9 {
                let line = Array("X-A: ".utf8) + [UInt8](repeating: 0x61, count: padding) + [octet, 0x62]
                #expect(with(line) == .refused(.controlOctet), "octet \(octet) behind \(padding)")
            }
            #expect(with([0x58, octet, 0x3a, 0x62]) == .refused(.controlOctet))
        }
    }

    @Test(.refuses("HTTP-05"), arguments: [" X-User: a", "\tX-User: a", " ", "  : a", " Host: a"])
    func `whitespace between the request line and the first field is refused`(line: String) {
        #expect(request("GET / HTTP/1.1\r\n\(line)\r\nHost: a\r\n\r\n") == .refused(.whitespaceBeforeFirstField))
    }

    @Test(.refuses("HTTP-13"), arguments: [" b", "\tb", " ", "  X: y"])
    func `a folded line is refused`(line: String) {
        #expect(with(line) == .refused(.obsoleteLineFolding))
        #expect(with("X-A: a\r\n\(line)") == .refused(.obsoleteLineFolding))
    }

    @Test(
        .refuses("HTTP-10"),
        arguments: [
            "X-User : a", "X-User\t: a", "X-User  \t : a", "Transfer-Encoding : chunked", "Content-Length : 5",
            "Host : b",
        ])
    func `whitespace before the colon is refused`(line: String) {
        #expect(with(line) == .refused(.whitespaceBeforeColon))
    }

    @Test(
        .holds("HTTP-11"),
        arguments: [
            "X_A", "x", "!#$%&'*+-.^_`|~", "0123456789", "Content-Length-", "A-very-long-name-that-is-a-token-9",
        ])
    func `a name is a token`(name: String) throws {
        #expect(try #require(with("\(name): 1").message).fields[1] == [name, "1"])
        #expect(try #require(with("\(name):").message).fields[1] == [name, ""])
    }

    @Test(
        .refuses("HTTP-11"),
        arguments: [
            (": v", HTTP1Refusal.fieldNameEmpty), (":", .fieldNameEmpty), ("X A: 1", .fieldNameNotToken),
            ("X\u{e9}: 1", .fieldNameNotToken), ("\u{e9}: 1", .fieldNameNotToken), ("X@: 1", .fieldNameNotToken),
            ("X(: 1", .fieldNameNotToken), ("\"X\": 1", .fieldNameNotToken), ("X/Y: 1", .fieldNameNotToken),
            ("Transfer-Encoding\u{a0}: chunked", .fieldNameNotToken), ("X", .colonMissing),
            ("XXXXXXXXXXXX", .colonMissing),
            ("GET /admin HTTP/1.1", .fieldNameNotToken), ("[x]: 1", .fieldNameNotToken), ("X=1", .fieldNameNotToken),
        ])
    func `a name that is empty or no token is refused`(line: String, refusal: HTTP1Refusal) {
        #expect(with(line) == .refused(refusal))
    }

    @Test(.refuses("HTTP-11")) func `every octet that is no token character is refused in a name`() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        for octet in UInt8.min...UInt8.max where !tokens.contains(octet) && octet != 0x3a {
            for padding in [0, 3, 8, 11] {
                let line = [UInt8](repeating: 0x61, count: padding) + [octet, 0x62, 0x3a, 0x63]
                #expect(with(line).refusal != nil, "octet \(octet) behind \(padding)")
            }
        }
    }

    @Test func `a value keeps what is inside it`() throws {
        #expect(try #require(with("X-A:  a  b , c  ").message).fields[1] == ["X-A", "a  b , c"])
        #expect(try #require(with("X-A: a:b:c").message).fields[1] == ["X-A", "a:b:c"])
    }
}
