import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `body framing` {
    private func framed(_ lines: String, method: String = "POST", version: String = "HTTP/1.1") -> Verdict<ReadRequest>
    {
        request("\(method) / \(version)\r\nHost: a\r\n\(lines)\r\n\r\n")
    }

    @Test(
        .holds("HTTP-22"),
        arguments: [
            ("0", 0), ("1", 1), ("42", 42), ("007", 7), ("9223372036854775807", Int64.max),
            ("00000000000000000000000000000005", 5),
        ] as [(String, Int64)])
    func `a length is decimal digits`(text: String, length: Int64) throws {
        #expect(try #require(framed("Content-Length: \(text)").message).framing == .length(length))
    }

    @Test(
        .refuses("HTTP-22"),
        arguments: [
            "+5", "-0", "-5", "5 6", "0x5", "", "5;", "5.0", "5e1", "a", "\u{0665}", "5\t5", "_5", "5_0", "'5'",
            "\"5\"",
            "0b1",
            "5 ;x",
        ])
    func `anything else is no length`(text: String) {
        #expect(framed("Content-Length: \(text)") == .refused(.lengthNotDecimal))
    }

    @Test(
        .refuses("HTTP-22"),
        arguments: [
            "9223372036854775808", "18446744073709551615", "18446744073709551616", "18446744073709551621",
            "99999999999999999999999999999999999999999999",
        ])
    func `a length that overflows is refused, not wrapped`(text: String) {
        #expect(framed("Content-Length: \(text)") == .refused(.lengthTooLarge))
    }

    @Test(
        .refuses("HTTP-23"),
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\nContent-Length: 5",
            "content-length: 5\r\nX: y\r\nCONTENT-LENGTH: 5", "Content-Length: 0\r\nContent-Length: 0",
            "Content-Length: 5, 5", "Content-Length: 5,6", "Content-Length: 5,", "Content-Length: ,5",
            "Content-Length: 5\r\nContent-Length:",
        ])
    func `several lengths are refused, equal ones too`(lines: String) {
        #expect(framed(lines) == .refused(.lengthRepeated))
    }

    @Test(
        .refuses("HTTP-24"),
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            "Content-Length: 0\r\ntransfer-encoding: chunked", "Transfer-Encoding: xchunked\r\nContent-Length: 5",
            "Transfer-Encoding:\r\nContent-Length: 5", "Content-Length: x\r\nTransfer-Encoding: identity",
            "Content-Length: 5\r\nX: y\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ])
    func `a length beside a transfer coding is refused`(lines: String) {
        #expect(framed(lines) == .refused(.lengthAndTransferEncoding))
        #expect(framed(lines, version: "HTTP/1.0") == .refused(.lengthAndTransferEncoding))
    }

    @Test(.holds("HTTP-25", "HTTP-26"), arguments: ["chunked", "Chunked", "CHUNKED", "  chunked  ", "\tchunked\t"])
    func `exactly chunked, in any case, is the chunked coding`(value: String) throws {
        #expect(try #require(framed("Transfer-Encoding:\(value)").message).framing == .chunked)
    }

    @Test(
        .refuses("HTTP-25", "HTTP-26"),
        arguments: [
            "gzip", "identity", "chunked, identity", "chunked, gzip", "chunked, chunked", "gzip, chunked, chunked",
            "chunked, gzip, chunked", "chunked;q=1", "chunked ;x", "xchunked", "chunkedx", "chunked,", ",chunked",
            ", chunked",
            "gzip, chunked,", "", ",", "\"chunked\"", "'chunked'", "chunked chunked", "chunked\tx", "gzip;q=1, chunked",
            "chunked\u{a0}", "\u{a0}chunked", "chunk", "cow", "[chunked]", "gzip,\u{e9}, chunked", "{chunked}",
        ])
    func `any other value leaves the end of the body in doubt`(value: String) {
        #expect(framed("Transfer-Encoding: \(value)") == .refused(.codingNotChunked))
    }

    @Test(.refuses("HTTP-26")) func `a control octet before the coding is refused`() {
        #expect(framed("Transfer-Encoding: \u{b}chunked") == .refused(.controlOctet))
        #expect(framed("Transfer-Encoding: chunked\u{0}") == .refused(.controlOctet))
    }

    @Test(
        .refuses("HTTP-25"),
        arguments: ["gzip, chunked", "gzip,chunked", "GZIP, br, Chunked", "identity, chunked", "x, y, z, chunked"])
    func `a coding we do not know before chunked is not implemented`(value: String) {
        #expect(framed("Transfer-Encoding: \(value)") == .refused(.codingUnknown))
    }

    @Test(
        .refuses("HTTP-26"),
        arguments: [
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nX: y\r\ntransfer-encoding:",
        ])
    func `two coding lines are refused`(lines: String) {
        #expect(framed(lines) == .refused(.transferEncodingRepeated))
    }

    @Test(.refuses("HTTP-27"), arguments: ["chunked", "identity", "", "gzip, chunked"])
    func `a coding in an HTTP 1.0 message is refused`(value: String) {
        #expect(framed("Transfer-Encoding: \(value)", version: "HTTP/1.0") == .refused(.transferEncodingInHTTP10))
    }

    @Test(.holds("HTTP-27")) func `a length in an HTTP 1.0 message is fine`() throws {
        #expect(try #require(framed("Content-Length: 3", version: "HTTP/1.0").message).framing == .length(3))
    }

    @Test(.holds("HTTP-34"), arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
    func `framing does not depend on the method`(method: String) throws {
        #expect(try #require(framed("Content-Length: 3", method: method).message).framing == .length(3))
        #expect(try #require(framed("Transfer-Encoding: chunked", method: method).message).framing == .chunked)
        #expect(try #require(framed("X: y", method: method).message).framing == .none)
        #expect(framed("Content-Length: 3\r\nContent-Length: 3", method: method) == .refused(.lengthRepeated))
    }

    @Test(
        .refuses("HTTP-34"),
        arguments: [
            "Content_Length: 5", "Content.Length: 5", "Content-Lengt: 5", "Content-Length-: 5", "X-Content-Length: 5",
            "Transfer_Encoding: chunked", "Transfer-Encodin: chunked", "Transfer-Encodings: chunked",
        ])
    func `a name that only resembles a framing field frames nothing`(line: String) throws {
        #expect(try #require(framed(line).message).framing == .none)
    }
}
