import TestTraits
import Testing

@Suite struct `a route that does not load` {
    @Test(.refuses("HTTP-76")) func `a route without a rule of access is refused`() {
        #expect(
            refusal(of: Sample(routes: "routes: [{ path: /, upstream: http://127.0.0.1:3000 }]").text)
                == """
                gateway.yaml:3:10: routes[0]: expected exactly one of token, login, public, or token and login, found none of them
                    add  token: { issuers: [main], audience: https://api.example.com }  or  login: shop  or  public: true
                """)
    }

    @Test(.refuses("HTTP-76")) func `a route with two rules of access is refused`() {
        #expect(
            refusal(of: Sample.tokenRoute("public: true"))
                == """
                gateway.yaml:3:97: routes[0]: expected exactly one of token, login, public, or token and login, found token and public
                    keep one of them
                """)
    }

    @Test(.refuses("HTTP-76")) func `a route that is not public says so by another rule`() {
        #expect(
            refusal(of: Sample.route("public: false"))
                == """
                gateway.yaml:3:62: routes[0].public: expected true, found false
                    leave it out: it is true by being there, or not there at all
                """)
    }

    @Test(.refuses("HTTP-76"), arguments: ["yes", "On", "\"true\""])
    func `a route that is public says so by the word true`(
        word: String
    ) {
        let text = word.filter { $0 != "\"" }
        let remedy =
            word == text
            ? "say  true , the only value there is; \"\(text)\" is a text" : "say  true  without quotation marks"
        #expect(
            refusal(of: Sample.route("public: \(word)"))
                == """
                gateway.yaml:3:62: routes[0].public: expected true, found "\(text)"
                    \(remedy)
                """)
    }

    @Test(.refuses("HTTP-76")) func `a login as nobody is refused`() {
        #expect(
            refusal(of: Sample.route("login: { client: shop }"))
                == """
                gateway.yaml:3:71: routes[0].login.client: expected the name of a client, found "shop"
                    add  clients: { shop: { issuer: …, id: …, authentication: { … } } }
                """)
    }

    @Test(.refuses("HTTP-47")) func `passing the token on is no key`() {
        #expect(
            refusal(of: Sample.tokenRoute("authorization: pass"))
                == """
                gateway.yaml:3:97: routes[0].authorization: expected a key of a route, found "authorization"
                    keys here: path, name, upstream, methods, token, login, public, identity, websocket, allow_in_path, case_insensitive, public_urls, allowed_origins, cors, limits, timeouts, mcp, upstream_credential, upstream_401, error_pages, client_cert
                """)
    }

    @Test func `two routes for one path are refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "",
                    routes: """
                        routes:
                          - { path: /a/, upstream: http://127.0.0.1:3000, public: true }
                          - { path: /a/, upstream: http://127.0.0.1:3001, public: true }
                        """
                ).text)
                    == """
                    gateway.yaml:5:13: routes[1].path: expected a path of its own for each route, found "/a/" again
                        the first is on line 4; merge the two routes
                    """)
    }

    @Test func `two routes of one name are refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "",
                    routes: """
                        routes:
                          - { path: /a/, name: a, upstream: http://127.0.0.1:3000, public: true }
                          - { path: /b/, name: a, upstream: http://127.0.0.1:3001, public: true }
                        """
                ).text)
                    == """
                    gateway.yaml:5:24: routes[1].name: expected a name of its own for each route, found "a" again
                        the first is on line 4; rename one
                    """)
    }

    @Test func `a path without its slash is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "", routes: "routes: [{ path: api/, upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path such as /api/orders/, found "api/"
                        begin it with /
                    """)
    }

    @Test func `a path with a query is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "", routes: "routes: [{ path: '/api?x=1', upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path such as /api/orders/, found "/api?x=1"
                        leave out the query: only paths are matched
                    """)
    }

    @Test(arguments: ["^/api", "'*'"])
    func `a pattern without a slash is told at once that there are none`(path: String) {
        let refusal = refusal(
            of: Sample(
                issuers: "", routes: "routes: [{ path: \(path), upstream: http://127.0.0.1:3000, public: true }]"
            ).text)
        #expect(refusal.hasSuffix("there are no wildcards and no parameters"), "\(refusal)")
    }

    @Test func `a wildcard is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "", routes: "routes: [{ path: /api/*, upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path such as /api/orders/, found "/api/*"
                        a path that ends with / stands for all below it; there are no wildcards and no parameters
                    """)
    }

    @Test func `a path with dot segments is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "",
                    routes: "routes: [{ path: /api/../admin/, upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path that requests may have, found "/api/../admin/"
                        requests with such a path are refused; see allow_in_path
                    """)
    }

    @Test func `a path with an encoded slash is refused unless it is allowed`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "", routes: "routes: [{ path: /a%2Fb, upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path that requests may have, found "/a%2Fb"
                        requests with such a path are refused; see allow_in_path
                    """)
    }

    @Test func `a path in another spelling than requests are matched in is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "", routes: "routes: [{ path: /%61pi//x, upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path as requests are matched: /api/x, found "/%61pi//x"
                        write it in that form; requests are brought into it first
                    """)
    }

    @Test func `a path of the gateway itself is refused`() {
        #expect(
            refusal(
                of: Sample(
                    issuers: "",
                    routes: "routes: [{ path: /.portcullis/x, upstream: http://127.0.0.1:3000, public: true }]"
                ).text)
                    == """
                    gateway.yaml:3:18: routes[0].path: expected a path such as /api/orders/, found "/.portcullis/x"
                        paths below /.portcullis/ belong to the gateway itself
                    """)
    }
}
