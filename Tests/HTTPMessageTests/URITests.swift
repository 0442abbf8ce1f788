import HTTPMessage
import TestTraits
import Testing

@Suite struct `absolute URI` {
    @Test func `RFC 3986 section 3 all parts are found`() throws {
        let uri = try #require(URI("HTTPS://ID.Example.com:8443/a%20b/c;d?e=f&g#h/i?j"))
        #expect(uri.scheme == "https")
        #expect(uri.host == "id.example.com")
        #expect(uri.port == 8443)
        #expect(uri.effectivePort == 8443)
        #expect(uri.path == "/a%20b/c;d")
        #expect(uri.query == "e=f&g")
        #expect(uri.fragment == "h/i?j")
        #expect(uri.authority == "id.example.com:8443")
    }

    @Test func `parts that are missing are told from parts that are empty`() throws {
        let bare = try #require(URI("https://a"))
        #expect(bare.path.isEmpty)
        #expect(bare.query == nil)
        #expect(bare.fragment == nil)
        #expect(bare.port == nil)
        #expect(bare.effectivePort == 443)
        let empty = try #require(URI("http://a/?#"))
        #expect(empty.path == "/")
        #expect(empty.query == "")
        #expect(empty.fragment == "")
        #expect(empty.effectivePort == 80)
        #expect(try #require(URI("urn-x://a")).effectivePort == nil)
        #expect(try #require(URI("https://a?q")).query == "q")
        #expect(try #require(URI("https://a#f")).fragment == "f")
    }

    @Test(arguments: [
        ("https://[2001:DB8::1]:8443/", "2001:db8::1", "[2001:db8::1]:8443"),
        ("http://127.0.0.1", "127.0.0.1", "127.0.0.1"),
        ("http://[::ffff:10.0.0.1]", "::ffff:10.0.0.1", "[::ffff:10.0.0.1]"),
    ])
    func `addresses are hosts`(text: String, host: String, authority: String) throws {
        let uri = try #require(URI(text))
        #expect(uri.host == host)
        #expect(uri.authority == authority)
    }

    @Test(arguments: [
        "", "a", "https", "https:", "https:/", "https://", "https:///", "https:///a", "//a/b", "/a", "https:a",
        "https:/a", "mailto:a@b", "urn:a:b",
        "https://u@a/", "https://u:p@a/", "https://@a/", "https://a@b@c/", "https://a:/", "https://a:99999/",
        "https://a:x/", "https://a:80:80/",
        "https://a b/", "https://a/ b", "https://a/\tb", "https://a/\n", " https://a/", "https://a/ ",
        "https://a/\u{e9}", "https://\u{e9}/", "https://a/%zz",
        "https://a/%4", "https://a/%", "https://a/?%", "https://a/#%g0", "https://a/\\b", "https://a\\b/",
        "https://a/\"", "https://a/<b>", "https://a/{b}",
        "https://a/|", "https://a/^", "https://a/`", "https://a/?\u{7f}", "https://a/[b]", "https://a/#b#c",
        "1http://a/", "ht tp://a/", "-x://a/", "://a/",
        "https://a%2fb/", "https://a,b/", "https://[::1/", "https://::1/", "https://[::1]x/", "https://[1.2.3.4]/",
        "https://[fe80::1%25eth0]/",
        "https://a..b/", "https://.a/", "https://a/\u{0}", "https://*.a/",
    ])
    func `RFC 3986 anything else is refused`(text: String) {
        #expect(URI(text) == nil)
    }

    @Test func `no cut of a URI and no octet in it traps`() {
        let text = Array("https://[::ffff:1.2.3.4]:80/a%20?b#c".utf8)
        for count in 0...text.count { _ = URI(String(decoding: text[..<count], as: UTF8.self)) }
        for place in text.indices {
            for octet: UInt8 in [0, 0x20, 0x25, 0x3a, 0x40, 0x5b, 0x5d, 0x2e, 0x2f, 0x7f] {
                var other = text
                other[place] = octet
                _ = URI(String(decoding: other, as: UTF8.self))
            }
        }
        #expect(URI("https://a/" + String(repeating: "a", count: 70_000)) == nil)
    }
}

@Suite struct `authority grammar` {
    private func isValid(_ text: String) -> Bool {
        Authority.isValid(Array(text.utf8).span)
    }

    @Test(
        .holds("HTTP-14"),
        arguments: [
            "[::]", "[::1]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1::8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
            "[::ffff:1.2.3.4]", "[1:2:3:4:5:6:1.2.3.4]",
            "[ABCD::ef01]", "[::1.2.3.4]:0", "[64:ff9b::255.255.255.255]",
        ])
    func `an IPv6 address in brackets is a host`(text: String) {
        #expect(isValid(text))
    }

    @Test(
        .refuses("HTTP-14"),
        arguments: [
            "[:]", "[:::]", "[1]", "[1:2]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]", "[::1::]",
            "[1::2::3]", "[12345::]", "[::g]", "[1:]", "[:1]",
            "[::1.2.3]", "[::1.2.3.4.5]", "[::1.2.3.256]", "[::01.2.3.4]", "[::1.2.3.]", "[::.1.2.3]", "[1.2.3.4]",
            "[1:2:3:4:5:6:7:1.2.3.4]", "[::1.2.3.4:5]", "[::1%eth0]", "[ ::1]",
            "[::1 ]", "[::1", "::1]", "[[::1]]", "[::1]a", "[::1]:", "[::1]:65536", "[::1.2.3.1111]",
            "[0:0:0:0:0:0:0:0:]",
            "[]",
        ])
    func `anything else in brackets is none`(text: String) {
        #expect(!isValid(text))
    }

    @Test(.holds("HTTP-14"), .refuses("HTTP-14")) func `a host and a port are bounded`() {
        #expect(isValid(String(repeating: "a", count: 255)))
        #expect(!isValid(String(repeating: "a", count: 256)))
        #expect(isValid("a:65535"))
        #expect(isValid("a:00080"))
        #expect(!isValid("a:65536"))
        #expect(!isValid("a:100000"))
        #expect(!isValid("a:+80"))
    }

    @Test(.holds("HTTP-16"), .refuses("HTTP-16")) func `CONNECT needs a port`() {
        func hasPort(_ text: String) -> Bool { Authority.isValidWithPort(Array(text.utf8).span) }
        #expect(hasPort("a:443"))
        #expect(hasPort("[::1]:443"))
        #expect(!hasPort("a"))
        #expect(!hasPort("a:"))
        #expect(!hasPort(":443"))
        #expect(!hasPort(""))
        #expect(!hasPort("[::1]"))
    }
}
