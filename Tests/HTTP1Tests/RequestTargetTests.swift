import HTTP1
import HTTPMessage
import TestTraits
import Testing

@Suite struct `request target` {
    private func target(_ target: String, method: String = "GET") -> Verdict<ReadRequest> {
        request("\(method) \(target) HTTP/1.1\r\nHost: evil\r\n\r\n")
    }

    @Test(
        .holds("HTTP-55"),
        arguments: [
            ("/", "/", nil), ("/a/b", "/a/b", nil), ("/a?", "/a", ""), ("/a?b=c&d", "/a", "b=c&d"),
            ("/?x?y?", "/", "x?y?"), ("//a//b", "//a//b", nil), ("/a%2Bb?q=%2f", "/a%2Bb", "q=%2f"),
            ("/12345678?9", "/12345678", "9"), ("/1234567?9", "/1234567", "9"),
            ("/123456?9012345678", "/123456", "9012345678"),
        ] as [(String, String, String?)])
    func `path and query are exactly what was sent`(text: String, path: String, query: String?) throws {
        let head = try #require(target(text).message)
        #expect(head.target == text)
        #expect(head.path == path)
        #expect(head.query == query)
        #expect(head.form == .origin)
        #expect(head.authority == "evil")
    }

    @Test(.refuses("HTTP-07")) func `no octet outside the visible ones stands in a target`() {
        for octet in UInt8.min...UInt8.max where !(0x21...0x7e).contains(octet) {
            // Above 0x7E the path policy decides about a path (HTTP-56); a query never has them.
            for prefix in octet < 0x80 ? ["/", "/1234567", "/?123456789012345"] : ["/?", "/?123456789012345"] {
                let bytes = Array("GET \(prefix)".utf8) + [octet] + Array("z HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                #expect(request(bytes).refusal != nil, "octet \(octet)")
            }
        }
        #expect(target("/?\u{e9}") == .refused(.targetOctet))
        #expect(target("/a\u{7f}") == .refused(.controlOctet))
    }

    @Test(.holds("HTTP-56"), .refuses("HTTP-56"))
    func `bytes above the visible ones in a path are left to the path policy`() {
        #expect(target("/\u{e9}").message?.path == "/\u{e9}")
        let path = Array("/\u{e9}".utf8)
        let strict = PathPolicy.refusal(of: path.span, allowing: [])
        let allowed = PathPolicy.refusal(of: path.span, allowing: .nonASCII)
        #expect(strict == .nonASCII)
        #expect(allowed == nil)
    }

    @Test(.refuses("HTTP-56"), arguments: ["/a#b", "/#", "/a?b#c", "http://a/#b", "#"])
    func `a fragment is refused`(text: String) {
        #expect(target(text) == .refused(.targetFragment))
    }

    @Test(
        .holds("HTTP-15"),
        arguments: [
            ("https://api.example/x", "api.example", "/x", nil, TargetScheme.https),
            ("http://api.example:8080/x?y", "api.example:8080", "/x", "y", .http),
            ("HTTP://API.example", "API.example", "", nil, .http),
            ("HttpS://[2001:db8::1]:443?q", "[2001:db8::1]:443", "", "q", .https),
            ("http://a/b?http://c/d", "a", "/b", "http://c/d", .http),
        ] as [(String, String, String, String?, TargetScheme)])
    func `a target in absolute-form brings its own authority, not Host's`(
        text: String, authority: String, path: String, query: String?, scheme: TargetScheme
    ) throws {
        let head = try #require(target(text).message)
        #expect(head.form == .absolute)
        #expect(head.authority == authority)
        #expect(head.path == path)
        #expect(head.query == query)
        #expect(head.scheme == scheme)
    }

    @Test(
        .refuses("HTTP-15"),
        arguments: [
            ("ftp://a/x", HTTP1Refusal.targetSchemeNotHTTP), ("file:///etc/passwd", .targetSchemeNotHTTP),
            ("ws://a/", .targetSchemeNotHTTP), ("httpx://a/", .targetSchemeNotHTTP),
            ("http:/a", .targetFormNotAllowed), ("http:a", .targetFormNotAllowed), ("://a", .targetFormNotAllowed),
            ("http://", .targetAuthorityInvalid), ("http:///x", .targetAuthorityInvalid),
            ("http://u@a/", .targetAuthorityInvalid), ("http://u:p@a/", .targetAuthorityInvalid),
            ("http://a:99999/", .targetAuthorityInvalid), ("http://a,b/", .targetAuthorityInvalid),
            ("http://a:/", .targetAuthorityInvalid), ("http://[::1/", .targetAuthorityInvalid),
            ("http://a%2fb/", .targetAuthorityInvalid), ("http://?x", .targetAuthorityInvalid),
            ("a/b", .targetFormNotAllowed), ("?x", .targetFormNotAllowed), ("\\a", .targetFormNotAllowed),
            ("a.example", .targetFormNotAllowed),
        ])
    func `another scheme or no clear authority is refused`(text: String, refusal: HTTP1Refusal) {
        #expect(target(text) == .refused(refusal))
    }

    @Test(.refuses("HTTP-14")) func `Host is needed and checked although absolute-form makes it moot`() {
        #expect(request("GET http://a/ HTTP/1.1\r\n\r\n") == .refused(.hostMissing))
        #expect(request("GET http://a/ HTTP/1.1\r\nHost: b/c\r\n\r\n") == .refused(.hostInvalid))
    }

    @Test(.holds("HTTP-16")) func `an asterisk is for OPTIONS`() throws {
        let head = try #require(target("*", method: "OPTIONS").message)
        #expect(head.form == .asterisk)
        #expect(head.path.isEmpty)
        #expect(head.authority == "evil")
    }

    @Test(.refuses("HTTP-16"), arguments: ["GET", "POST", "CONNECT", "options", "OPTION"])
    func `an asterisk with another method is refused`(method: String) {
        #expect(target("*", method: method) == .refused(.targetFormNotAllowed))
        #expect(target("**", method: "OPTIONS") == .refused(.targetFormNotAllowed))
        #expect(target("*/", method: "OPTIONS") == .refused(.targetFormNotAllowed))
    }

    @Test(.holds("HTTP-16")) func `a host with port is for CONNECT`() throws {
        let head = try #require(target("host:443", method: "CONNECT").message)
        #expect(head.form == .authority)
        #expect(head.authority == "host:443")
        #expect(head.path.isEmpty)
        #expect(head.methodID == .connect)
    }

    @Test(
        .refuses("HTTP-16"),
        arguments: [
            ("host:443", "GET"), ("host:443", "POST"), ("host:443", "OPTIONS"), ("127.0.0.1:80", "GET"),
            ("host", "CONNECT"), ("/", "CONNECT"), ("http://a/", "CONNECT"), ("host:", "CONNECT"),
            ("u@host:443", "CONNECT"), ("host:443/x", "CONNECT"), ("host:65536", "CONNECT"),
        ])
    func `an authority with another method, and CONNECT with another target, are refused`(
        text: String, method: String
    ) {
        #expect(target(text, method: method) == .refused(.targetFormNotAllowed))
    }
}
