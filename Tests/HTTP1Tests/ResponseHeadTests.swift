import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `response head` {
    private func with(
        _ lines: String, status: String = "200 OK", version: String = "HTTP/1.1", answering method: MethodID = .get
    ) -> Verdict<ReadResponse> {
        response("\(version) \(status)\r\n\(lines)\r\n\r\n", answering: method)
    }

    @Test(.holds("HTTP-67")) func `a status line is version, three digits and a reason`() throws {
        let head = try #require(with("Content-Length: 3", status: "404 Not Found").message)
        #expect(head.status == 404)
        #expect(head.reason == "Not Found")
        #expect(head.minorVersion == 1)
        #expect(head.fields == [["Content-Length", "3"]])
        #expect(head.framing == .length(3))
        #expect(head.keepAlive)
        #expect(!head.isInterim)
        #expect(head.length == 45)
        #expect(try #require(with("X: y", status: "200 ").message).reason.isEmpty)
        #expect(try #require(with("X: y", status: "599 \t\u{e9} x").message).reason == "\t\u{e9} x")
    }

    @Test(.holds("HTTP-67"), arguments: ["301", "301 "])
    func `a status without a reason is taken, with the space behind it or without`(status: String) throws {
        let head = try #require(with("Content-Length: 0", status: status).message)
        #expect(head.status == 301)
        #expect(head.reason.isEmpty)
        #expect(head.framing == .length(0))
    }

    @Test(
        .refuses("HTTP-67"),
        arguments: [
            ("20", HTTP1Refusal.statusLineMalformed), ("2000", .statusLineMalformed), (" 200 OK", .statusLineMalformed),
            ("20 OK", .statusLineMalformed),
            ("2000 OK", .statusLineMalformed), ("2x0 OK", .statusInvalid), ("-20 OK", .statusInvalid),
            ("+20 OK", .statusInvalid),
            ("099 X", .statusInvalid), ("600 X", .statusInvalid), ("999 X", .statusInvalid), ("000 X", .statusInvalid),
            ("", .statusLineMalformed), ("200\tOK", .statusLineMalformed), ("OK 200", .statusLineMalformed),
            ("2 0 0 ", .statusInvalid),
            (" 20 OK", .statusInvalid),
        ])
    func `any other status is refused`(status: String, refusal: HTTP1Refusal) {
        #expect(with("X: y", status: status) == .refused(refusal))
    }

    @Test(
        .refuses("HTTP-67"),
        arguments: [
            ("HTTP/2.0", HTTP1Refusal.versionNotSupported), ("HTTP/0.9", .versionNotSupported),
            ("http/1.1", .versionMalformed),
            ("ICY", .versionMalformed), ("HTTP/1.10", .statusLineMalformed), ("\r\nHTTP/1.1", .statusLineMalformed),
            (" HTTP/1.1", .versionMalformed), ("HTTP/1.1\t", .statusLineMalformed),
        ])
    func `any other version is refused`(version: String, refusal: HTTP1Refusal) {
        #expect(with("X: y", version: version) == .refused(refusal))
    }

    @Test(.refuses("HTTP-67")) func `a status line is needed, and only one`() {
        #expect(with("HTTP/1.1 200 OK") == .refused(.fieldNameNotToken))
        #expect(response("X: y\r\n\r\n") == .refused(.statusLineMalformed))
        #expect(response("Content-Length: 5\r\n\r\n") == .refused(.versionMalformed))
        #expect(response("\r\n\r\n") == .refused(.statusLineMalformed))
    }

    @Test(
        .refuses("HTTP-67"),
        arguments: [
            ("X: a\u{0}b", HTTP1Refusal.controlOctet), ("X: a\rb", .bareCarriageReturn), ("X: a\nY: b", .bareLineFeed),
            ("X\u{1}: a", .controlOctet), ("X Y: a", .fieldNameNotToken), (": a", .fieldNameEmpty),
            ("X", .colonMissing),
            ("X: \u{1b}[2J", .controlOctet),
        ])
    func `names and values are checked as in requests`(line: String, refusal: HTTP1Refusal) {
        #expect(with(line) == .refused(refusal))
        #expect(with("A: b\r\n\(line)") == .refused(refusal))
    }

    @Test(.refuses("HTTP-67")) func `control octets in the reason are refused`() {
        #expect(with("X: y", status: "200 O\rK") == .refused(.bareCarriageReturn))
        #expect(with("X: y", status: "200 O\u{0}K") == .refused(.controlOctet))
        #expect(response("HTTP/1.1 200 OK\nX: y\r\n\r\n") == .refused(.bareLineFeed))
    }

    @Test(.holds("HTTP-09")) func `an upstream of HTTP 1.0 is read, its connection ends with the response`() throws {
        let head = try #require(with("Content-Length: 2\r\nConnection: keep-alive", version: "HTTP/1.0").message)
        #expect(head.minorVersion == 0)
        #expect(head.framing == .length(2))
        #expect(!head.keepAlive)
        #expect(try #require(with("X: y", version: "HTTP/1.7").message).minorVersion == 1)
    }

    @Test(.refuses("HTTP-10"), arguments: ["Transfer-Encoding : chunked", "X-User : a", "Content-Length\t: 5"])
    func `whitespace before the colon is refused in a response`(line: String) {
        #expect(with(line) == .refused(.whitespaceBeforeColon))
    }

    @Test(.refuses("HTTP-13")) func `a folded line is refused in a response`() {
        #expect(with("X: a\r\n b") == .refused(.obsoleteLineFolding))
        #expect(with(" X: a") == .refused(.whitespaceBeforeFirstField))
    }

    @Test(
        .holds("HTTP-38"),
        arguments: [
            "100 Continue", "101 Switching Protocols", "103 Early Hints", "199 X", "204 No Content", "304 Not Modified",
        ])
    func `these statuses have no body`(status: String) throws {
        let head = try #require(with("X: y", status: status).message)
        #expect(head.framing == .none)
        #expect(head.keepAlive)
        #expect(head.isInterim == status.hasPrefix("1"))
    }

    @Test(.holds("HTTP-38")) func `a response to HEAD has no body whatever it announces`() throws {
        for lines in ["Content-Length: 5", "Transfer-Encoding: chunked", "X: y"] {
            let head = try #require(with(lines, answering: .head).message)
            #expect(head.framing == .none)
            #expect(head.keepAlive)
        }
        #expect(try #require(with("Content-Length: 5", status: "304 X").message).keepAlive)
    }

    @Test(
        .refuses("HTTP-38"), arguments: ["100 X", "103 X", "204 X"],
        ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func `a body announced where none can be ends the connection`(status: String, line: String) throws {
        let head = try #require(with(line, status: status).message)
        #expect(head.framing == .none)
        #expect(!head.keepAlive)
        #expect(try #require(with("Content-Length: 0", status: status).message).keepAlive)
    }

    @Test(.holds("HTTP-38")) func `without a length the body ends with the connection`() throws {
        let head = try #require(with("X: y").message)
        #expect(head.framing == .untilClose)
        #expect(!head.keepAlive)
        #expect(try #require(with("Transfer-Encoding: Chunked").message).framing == .chunked)
        #expect(try #require(with("Transfer-Encoding: chunked").message).keepAlive)
        #expect(try #require(with("Content-Length: 0").message).framing == .length(0))
    }

    @Test(
        .refuses("HTTP-39"),
        arguments: [
            ("Content-Length: 1\r\nContent-Length: 2", HTTP1Refusal.lengthRepeated),
            ("Content-Length: 1\r\nContent-Length: 1", .lengthRepeated), ("Content-Length: 1, 2", .lengthRepeated),
            ("Content-Length: x", .lengthNotDecimal), ("Content-Length: -1", .lengthNotDecimal),
            ("Content-Length:", .lengthNotDecimal),
            ("Content-Length: 99999999999999999999", .lengthTooLarge),
            ("Content-Length: 1\r\nTransfer-Encoding: chunked", .lengthAndTransferEncoding),
            ("Transfer-Encoding: chunked\r\nContent-Length: 1", .lengthAndTransferEncoding),
            ("Transfer-Encoding: gzip, chunked", .codingUnknown), ("Transfer-Encoding: gzip", .codingNotChunked),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .transferEncodingRepeated),
            ("Transfer-Encoding: chunked, chunked", .codingNotChunked),
        ])
    func `a response whose end is in doubt is refused, whatever it answers`(
        lines: String, refusal: HTTP1Refusal
    ) {
        for status in ["200 OK", "204 X", "304 X", "500 X", "100 X"] {
            #expect(with(lines, status: status) == .refused(refusal))
        }
        #expect(with(lines, answering: .head) == .refused(refusal))
    }

    @Test(.refuses("HTTP-27")) func `a coding in an HTTP 1.0 response is refused`() {
        #expect(with("Transfer-Encoding: chunked", version: "HTTP/1.0") == .refused(.transferEncodingInHTTP10))
    }

    @Test(
        .holds("HTTP-37"), arguments: ["close", "Close", "keep-alive, close", "x\r\nConnection: close", "not a token"])
    func `close ends the upstream's connection`(value: String) throws {
        #expect(try !#require(with("Content-Length: 1\r\nConnection: \(value)").message).keepAlive)
        #expect(try #require(with("Content-Length: 1\r\nConnection: keep-alive").message).keepAlive)
    }

    @Test(.holds("HTTP-45")) func `a response's Connection field may name others`() throws {
        #expect(try #require(with("Connection: X-Hop").message).connectionNamesFields)
        #expect(try #require(with("Connection: Content-Length, close").message).connectionNamesFields)
        #expect(try !#require(with("Connection: close").message).connectionNamesFields)
        let most = Array(repeating: "X-Hop", count: 64).joined(separator: ",")
        #expect(try #require(with("Connection: \(most)").message).connectionNamesFields)
        #expect(with("Connection: \(most)\r\nConnection: close") == .refused(.connectionOptionsTooMany))
    }

    @Test(arguments: [
        "", "H", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: y\r\n\r",
    ])
    func `a head that has not ended is incomplete`(text: String) {
        #expect(response(text) == .incomplete)
    }
}
