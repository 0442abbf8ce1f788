import TestSupport
import TestTraits
import Testing

/// A browser's question whether a script of that page may go on.
func preflight(_ origin: String, for method: String = "GET", headers: String? = nil) -> [String] {
    let asked = headers.map { ["Access-Control-Request-Headers: " + $0] } ?? []
    return ["Origin: " + origin, "Access-Control-Request-Method: " + method] + asked
}

/// No answer of ours lets a script of that page go on, or read it.
func expectNothingAllowed(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) {
    let allowed = response.fields.all.filter { $0.name.lowercased().hasPrefix("access-control-") }
    #expect(allowed.isEmpty, "\(response.headText)", sourceLocation: location)
}

/// Row HTTP-71, T-46: a preflight carries no credentials, so it is judged without them, and opens nothing by itself.
@Suite(.serialized, .byEachProtocol) struct `a preflight` {
    private static let token = "token: { issuers: [main], audience: \"\(TokenForge.audience)\" }"
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /api/, upstream: $UPSTREAM, \(token), cors: { origins: [https://app.test, \"https://two.test:8443\"], methods: [GET, PUT, REPORT], headers: [Authorization, X-A], max_age: 5m } }",
                    "{ path: /kept/, upstream: $UPSTREAM, \(token), cors: { origins: [https://app.test], credentials: true } }",
                    "{ path: /all/, upstream: $UPSTREAM, public: true, methods: [GET, HEAD], cors: { origins: \"*\" } }",
                    "{ path: /theirs/, upstream: $UPSTREAM, \(token), methods: [GET, PUT], cors: upstream, identity: { X-User: sub }, upstream_credential: { static: { file: $FOLDER/basic.secret, scheme: Basic } } }",
                    "{ path: /guarded/, upstream: $UPSTREAM, \(token), cors: upstream, allowed_origins: [https://app.test] }",
                ], files: ["basic.secret": "user:password"]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("HTTP-71")) func `of a listed origin is answered 204 with what is allowed`() throws {
        let answer = try stage.exchange(
            "OPTIONS", "/api/a", fields: preflight("https://app.test", for: "PUT", headers: "authorization,dpop"))
        #expect(answer.status == 204)
        #expect(answer.fields.only("access-control-allow-origin") == "https://app.test")
        #expect(answer.fields.only("access-control-allow-methods") == "GET, PUT, REPORT")
        #expect(answer.fields.only("access-control-allow-headers") == "Authorization, X-A")
        #expect(answer.fields.only("access-control-max-age") == "300")
        #expect(!answer.fields.contains("access-control-allow-credentials"))
        let varies = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
        #expect(answer.fields.only("vary") == varies)
        #expect(stage.upstream.requests.isEmpty)
        let other = try stage.exchange("OPTIONS", "/api/a", fields: preflight("https://two.test:8443"))
        #expect(other.fields.only("access-control-allow-origin") == "https://two.test:8443")
    }

    @Test(.refuses("HTTP-71"))
    func `says that credentials may come only where the route says so, and to one origin by name`() throws {
        let kept = try stage.exchange("OPTIONS", "/kept/a", fields: preflight("https://app.test"))
        #expect(kept.fields.only("access-control-allow-credentials") == "true")
        #expect(kept.fields.only("access-control-allow-origin") == "https://app.test")
        let headers = kept.fields.only("access-control-allow-headers")
        #expect(headers == "Authorization, Content-Type, DPoP, X-Requested-By")
        let all = try stage.exchange("OPTIONS", "/all/a", fields: preflight("https://anybody.test"))
        #expect(all.status == 204)
        #expect(all.fields.only("access-control-allow-origin") == "*")
        #expect(!all.fields.contains("access-control-allow-credentials"))
        #expect(all.fields.only("access-control-allow-methods") == "GET, HEAD", "what the route lets through")
    }

    @Test(
        .refuses("HTTP-71", "T-46"),
        arguments: [
            "https://evil.test", "null", "https://app.test.evil.test", "https://evil-app.test", "http://app.test",
            "https://app.test:8443", "https://app.test:443", "HTTPS://APP.TEST", "https://app.test/",
            "https://two.test",
            "",
            "*", "https://app.test https://evil.test", "https://app.tes",
        ])
    func `of any other origin is refused without a word that lets it go on`(origin: String) throws {
        for path in ["/api/a", "/kept/a"] {
            let answer = try stage.exchange("OPTIONS", path, fields: preflight(origin, for: "GET", headers: "dpop"))
            expectTemplate(answer, status: 403)
            expectNothingAllowed(answer)
            #expect(answer.fields.only("vary") == "Origin", "no cache gives it to a page that may")
            #expect(!answer.fields.contains("www-authenticate"))
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("HTTP-71")) func `with two origins is of none of them`() throws {
        let fields = ["Origin: https://app.test", "Origin: https://evil.test", "Access-Control-Request-Method: GET"]
        for fields in [fields, [fields[1], fields[0], fields[2]]] {
            let answer = try stage.exchange("OPTIONS", "/api/a", fields: fields)
            expectTemplate(answer, status: 403)
            expectNothingAllowed(answer)
        }
    }

    @Test(.refuses("HTTP-71")) func `is never answered 401 and never reaches an upstream where the route has no cors`()
        throws
    {
        for path in ["/orders/a", "/open/a"] {
            for fields in [preflight("https://app.test"), preflight("https://app.test") + [stage.tokens.bearer()]] {
                let answer = try stage.exchange("OPTIONS", path, fields: fields)
                expectTemplate(answer, status: 403)
                expectNothingAllowed(answer)
            }
        }
        #expect(stage.upstream.requests.isEmpty)
        let line = try #require(
            stage.gateway.operatorLine { $0["check"] == "HTTP-71" && $0["found"] == "https://app.test" })
        #expect(line["cause"] == "origin_not_allowed")
    }

    @Test(.refuses("HTTP-71")) func `OPTIONS that asks for no method is authenticated like any request`() throws {
        for path in ["/api/a", "/theirs/a"] {
            let answer = try stage.exchange("OPTIONS", path, fields: ["Origin: https://app.test"])
            #expect(answer.status == (path == "/api/a" ? 401 : 405))
            #expect(try stage.exchange("OPTIONS", path).status == (path == "/api/a" ? 401 : 405))
        }
        let asks = ["Access-Control-Request-Method: GET"]
        #expect(try stage.exchange("OPTIONS", "/api/a", fields: asks).status == 401, "and so without Origin")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("HTTP-71")) func `with content is no preflight: nothing reaches an upstream that way`() throws {
        for path in ["/api/a", "/guarded/a"] {
            let answer = try stage.exchange(
                "OPTIONS", path, fields: preflight("https://app.test"), body: "what nobody has proved to be allowed")
            #expect(answer.status == 401)
        }
        let chunked = preflight("https://app.test") + ["Transfer-Encoding: chunked"]
        let client = try stage.gateway.client()
        try client.send(request("OPTIONS", "/guarded/a", fields: chunked) + "1\r\na\r\n0\r\n\r\n")
        #expect(try client.response().status == 401)
        let empty = preflight("https://app.test") + ["Content-Length: 0"]
        #expect(try stage.exchange("OPTIONS", "/api/a", fields: empty).status == 204)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("HTTP-71")) func `goes to an upstream that decides, without anybody's identity and credentials`()
        throws
    {
        stage.upstream.answer(
            "/theirs/a",
            with: .raw(
                "HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: https://any.test\r\nAccess-Control-Allow-Methods: PUT\r\n\r\n"
            ))
        let fields =
            preflight("https://any.test", for: "PUT", headers: "authorization") + [
                stage.tokens.bearer(), "Cookie: theirs=1; __Host-portcullis-web=2", "X-User: admin",
            ]
        let answer = try stage.exchange("OPTIONS", "/theirs/a", fields: fields)
        #expect(answer.status == 204)
        #expect(answer.fields.only("access-control-allow-origin") == "https://any.test")
        #expect(answer.fields.only("access-control-allow-methods") == "PUT")
        let seen = try #require(stage.upstream.onlyRequest(for: "/theirs/a"))
        #expect(seen.fields.only("origin") == "https://any.test")
        #expect(seen.fields.only("access-control-request-method") == "PUT")
        for name in ["authorization", "cookie", "x-user"] { #expect(!seen.fields.contains(name), "\(seen.headText)") }
    }

    @Test(.refuses("HTTP-71")) func `for a method or of an origin that the route refuses does not go there`() throws {
        let method = try stage.exchange("OPTIONS", "/theirs/a", fields: preflight("https://any.test", for: "DELETE"))
        expectTemplate(method, status: 405)
        expectNothingAllowed(method)
        let origin = try stage.exchange("OPTIONS", "/guarded/a", fields: preflight("https://evil.test"))
        expectTemplate(origin, status: 403)
        expectNothingAllowed(origin)
        #expect(stage.upstream.requests.isEmpty)
        #expect(try stage.exchange("OPTIONS", "/guarded/a", fields: preflight("https://app.test")).status == 200)
    }

    @Test(.holds("HTTP-20", "HTTP-71"), .refuses("HTTP-20", "HTTP-71")) func `ends here where it may go no further`()
        throws
    {
        let fields = preflight("https://any.test", for: "PUT") + ["Max-Forwards: 0"]
        let answer = try stage.exchange("OPTIONS", "/theirs/a", fields: fields)
        #expect(answer.status == 204)
        #expect(answer.fields.only("allow") == "GET, PUT")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("HTTP-71")) func `leaves the connection to the request that follows`() throws {
        let client = try stage.gateway.client()
        try client.send(request("OPTIONS", "/api/a", fields: preflight("https://app.test")))
        #expect(try client.response(to: "OPTIONS").status == 204)
        try client.send(request("GET", "/api/a", fields: ["Origin: https://app.test", stage.tokens.bearer()]))
        let answer = try client.response()
        #expect(answer.status == 200)
        #expect(answer.fields.only("access-control-allow-origin") == "https://app.test")
    }
}
