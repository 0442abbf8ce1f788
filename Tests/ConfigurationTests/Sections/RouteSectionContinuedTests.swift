import TestTraits
import Testing

@Suite struct `a route that does not load, continued` {
    @Test func `a route without an upstream is refused`() {
        #expect(
            refusal(of: Sample(issuers: "", routes: "routes: [{ path: /, public: true }]").text)
                == """
                gateway.yaml:3:10: routes[0].upstream: expected a URL such as http://127.0.0.1:3001 or a mapping with url, found nothing
                    add  upstream: http://127.0.0.1:3001
                """)
    }

    @Test func `an upstream with a path is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:3000/api, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:31: routes[0].upstream: expected a URL such as http://127.0.0.1:3001, found "http://127.0.0.1:3000/api"
                        leave out path and query: the request's own are forwarded unchanged
                    """)
    }

    @Test func `an upstream of another scheme is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: ws://127.0.0.1:3000, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:31: routes[0].upstream: expected a URL such as http://127.0.0.1:3001, found "ws://127.0.0.1:3000"
                        write it as  http://127.0.0.1:3001
                    """)
    }

    @Test(.refuses("HTTP-51")) func `an upstream that is an own listener is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:8443, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:31: routes[0].upstream: expected an upstream other than this gateway, found "http://127.0.0.1:8443", its own listener 127.0.0.1:8443
                        write the address of the server behind the gateway
                    """)
    }

    @Test(.refuses("HTTP-51")) func `an upstream that is an own listener by another name is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: http://localhost:8443, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:31: routes[0].upstream: expected an upstream other than this gateway, found "http://localhost:8443", its own listener 127.0.0.1:8443
                        write the address of the server behind the gateway
                    """)
    }

    @Test(.refuses("HTTP-51")) func `an upstream that a wildcard listener answers is refused`() {
        #expect(
            refusal(
                of: Sample(
                    listeners: "listeners: [{ address: 0.0.0.0:80, public_url: https://a.example }]",
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:1:24: warning: listeners[0].address: expected tls, or an address on loopback, found plain HTTP on 0.0.0.0:80
                        make sure that a TLS terminator stands in front and nothing else reaches this port
                    gateway.yaml:3:31: routes[0].upstream: expected an upstream other than this gateway, found "http://127.0.0.1", its own listener 0.0.0.0:80
                        write the address of the server behind the gateway
                    """)
    }

    @Test(.refuses("OPS-06")) func `an upstream that is the admin listener is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: http://127.0.0.1:9901, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:31: routes[0].upstream: expected an upstream other than this gateway, found "http://127.0.0.1:9901", its own admin listener
                        metrics and health are not served through routes; ask the admin listener
                    """)
    }

    @Test func `authorities for a plain upstream are refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: { url: http://127.0.0.1:3000, certificate_authority: ca.pem }, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:61: routes[0].upstream.certificate_authority: expected an https upstream, found "http://127.0.0.1:3000"
                        write https, or leave certificate_authority out
                    """)
    }

    @Test func `an upstream mapping without a URL is refused`() {
        #expect(
            refusal(
                of: Sample(
                    routes:
                        "routes: [{ path: /, upstream: { server_name: a.example }, token: { issuers: [main], audience: api } }]"
                ).text)
                    == """
                    gateway.yaml:3:31: routes[0].upstream.url: expected a URL such as http://127.0.0.1:3001 or a list of servers, found nothing
                        add  url: https://orders.internal:8443
                    """)
    }

    @Test func `a method in lower case is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("methods: [get]"))
                == """
                gateway.yaml:3:107: routes[0].methods[0]: expected a method such as GET, found "get"
                    methods are case-sensitive: write GET
                """)
    }

    @Test func `TRACE is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("methods: [TRACE]"))
                == """
                gateway.yaml:3:107: routes[0].methods[0]: expected a method that may pass a gateway, found "TRACE"
                    TRACE is never forwarded; leave it out
                """)
    }

    @Test func `a method said twice is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("methods: [GET, GET]"))
                == """
                gateway.yaml:3:112: routes[0].methods[1]: expected each method once, found "GET" again
                    keep one of them
                """)
    }

    @Test func `a methods text is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("methods: GET"))
                == """
                gateway.yaml:3:106: routes[0].methods: expected a list of methods, found a text
                    write it as a list:  methods: [GET]
                """)
    }

    @Test func `an unknown relaxation of paths is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("allow_in_path: [encoded_slashes, dot_segments]"))
                == """
                gateway.yaml:3:113: routes[0].allow_in_path[0]: expected one of encoded_slash, backslash, double_encoding, semicolon, non_ascii, found "encoded_slashes"
                    did you mean encoded_slash?
                gateway.yaml:3:130: routes[0].allow_in_path[1]: expected one of encoded_slash, backslash, double_encoding, semicolon, non_ascii, found "dot_segments"
                    words here: encoded_slash, backslash, double_encoding, semicolon, non_ascii
                """)
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: [
            ("/Shop/", "write /shop/; it fits in any case"), ("/caf%C3%A9", "leave case_insensitive out"),
            ("/A%20B", "leave case_insensitive out"),
        ])
    func `a path that fits in any case is in lower case`(path: String, remedy: String) {
        let text = Sample(
            routes: "routes: [{ path: \(path), upstream: http://127.0.0.1:3000, public: true, case_insensitive: true }]"
        ).text
        #expect(
            refusal(of: text)
                == """
                gateway.yaml:3:18: routes[0].path: expected a path in lower case, of ASCII without escapes, where case_insensitive is true, found "\(path)"
                    \(remedy)
                """)
    }

    @Test(
        .refuses("HTTP-57"),
        arguments: ["/shop/admin", "/Shop/Admin/", "/Shop", "/shop/Admin", "/SHOP/", "/%C5%BFhop/x"])
    func `a path that fits in one case below one that fits in any is refused`(path: String) {
        let text = Sample(
            routes: """
                routes: [{ path: /shop/, upstream: http://127.0.0.1:3000, public: true, case_insensitive: true },
                  { path: \(path), upstream: http://127.0.0.1:3000, public: true }]
                """
        ).text
        #expect(
            refusal(of: text)
                == """
                gateway.yaml:4:11: routes[1].path: expected case_insensitive: true, as "/shop/" has it, found "\(path)", which is that path or below it in another case
                    say case_insensitive: true in both, or in neither; the first is on line 3
                """)
    }

    @Test func `a path with a space is refused`() {
        #expect(
            refusal(of: Sample(routes: "routes: [{ path: /a b, upstream: http://127.0.0.1:3000, public: true }]").text)
                == """
                gateway.yaml:3:18: routes[0].path: expected a path such as /api/orders/, found "/a b"
                    write it without spaces and control characters
                """)
    }
}
