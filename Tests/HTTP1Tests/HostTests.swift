import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `host field` {
    @Test(
        .holds("HTTP-14"),
        arguments: [
            "api.example", "api.example:8443", "127.0.0.1", "127.0.0.1:80", "[::1]", "[2001:db8::1]:443", "a_b.example",
            "localhost", "EXAMPLE.com", "example.com.",
        ])
    func `a name or address, with or without port, is accepted`(host: String) throws {
        let head = try #require(request("GET / HTTP/1.1\r\nhOST:\t \(host) \r\n\r\n").message)
        #expect(head.authority == host)
    }

    @Test(
        .refuses("HTTP-14"),
        arguments: [
            "a@b", "a/b", "a, b", "a,b", "", "a b", "a:b", "a:", ":80", "a:65536", "a:000080", "a:-1", "[::1", "::1",
            "[::g]",
            "[]", "[::1]x", "[v1.x]", "[fe80::1%25eth0]", "a?b", "a#b", "a\\b", "http://a", "a\"b", "a%2eb", "\u{e9}",
            "a..b",
            ".a", "a;b", "*", "a'b", "a\tb",
        ])
    func `anything else is refused`(host: String) {
        #expect(request("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == .refused(.hostInvalid))
        #expect(request("GET / HTTP/1.0\r\nHost: \(host)\r\n\r\n") == .refused(.hostInvalid))
    }

    @Test(
        .refuses("HTTP-14"),
        arguments: ["Host: a\r\nHost: a", "Host: a\r\nhost: b", "Host: a\r\nX: y\r\nHOST: a", "Host:\r\nHost: a"])
    func `several lines are refused, equal ones too`(lines: String) {
        #expect(request("GET / HTTP/1.1\r\n\(lines)\r\n\r\n") == .refused(.hostRepeated))
        #expect(request("GET / HTTP/1.0\r\n\(lines)\r\n\r\n") == .refused(.hostRepeated))
    }

    @Test(.refuses("HTTP-14")) func `HTTP 1.1 without Host is refused`() {
        #expect(request("GET / HTTP/1.1\r\n\r\n") == .refused(.hostMissing))
        #expect(request("GET / HTTP/1.2\r\nX-Host: a\r\nHos: a\r\n\r\n") == .refused(.hostMissing))
    }

    @Test(.holds("HTTP-14")) func `HTTP 1.0 may do without Host`() throws {
        #expect(try #require(request("GET / HTTP/1.0\r\n\r\n").message).authority.isEmpty)
        #expect(try #require(request("GET / HTTP/1.0\r\nHost: a\r\n\r\n").message).authority == "a")
    }
}
