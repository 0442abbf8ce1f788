import TestSupport
import TestTraits
import Testing

/// Row ECO-69 over real sockets: routes that have no upstream.
@Suite(.serialized, .byEachProtocol) struct `a route without an upstream` {
    private static let guarded = #"token: { issuers: [main], audience: "https://api.test/orders" }"#
    private static let page = BrowserURL(scheme: "http", host: "gateway.test", path: "/old/x")
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: [
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                    "{ path: /old/, public: true, redirect: { to: \"https://new.test:8443/app/\" } }",
                    "{ path: /moved/, public: true, redirect: { to: / , status: 302 } }",
                    "{ path: /here/, public: true, redirect: { to: /there, status: 307 } }",
                    "{ path: /secure/, public: true, redirect: { to: \"https://gateway.test/secure/\" } }",
                    "{ path: /one, public: true, redirect: { to: \"https://new.test/other/\", status: 301 } }",
                    """
                    { path: /away/, public: true, redirect: { to: "https://new.test" }, \
                    allow_in_path: [encoded_slash, backslash, double_encoding, semicolon, non_ascii] }
                    """,
                    """
                    { path: /loose/, public: true, redirect: { to: / }, \
                    allow_in_path: [encoded_slash, backslash, double_encoding, semicolon, non_ascii] }
                    """,
                    "{ path: /guarded/, \(guarded), redirect: { to: /there } }",
                    """
                    { path: /health, public: true, respond: { body: "ok\\n" }, \
                    cors: { origins: [https://app.test], methods: [GET] } }
                    """,
                    "{ path: /page, methods: [GET, HEAD], public: true, respond: { type: text/html, file: $FOLDER/page.html } }",
                    "{ path: /gone/, public: true, respond: { status: 410 } }",
                    "{ path: /empty, public: true, respond: { status: 204 } }",
                    "{ path: /secret, \(guarded), respond: { body: secret } }",
                ], files: ["page.html": "<p>here</p>"]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(
        .holds("ECO-69"),
        arguments: [
            ("/old/a/b?c=d&e=//f", 308, "https://new.test:8443/app/a/b?c=d&e=//f"),
            ("/old", 308, "https://new.test:8443/app"),
            ("/old/", 308, "https://new.test:8443/app/"), ("/old/a%20b?", 308, "https://new.test:8443/app/a%20b?"),
            ("/moved/a", 302, "/a"), ("/moved", 302, "/"), ("/here/a?b", 307, "/there/a?b"),
            ("/one?a=b", 301, "https://new.test/other/?a=b"), ("/away/a", 308, "https://new.test/a"),
            ("/secure/a?b=c&d=%20", 308, "https://gateway.test/secure/a?b=c&d=%20"),
        ])
    func `sends its clients to the configured place, with the rest of the path and the query`(
        target: String, status: Int, location: String
    ) throws {
        for method in ["GET", "HEAD", "POST", "DELETE"] {
            let answer = try stage.exchange(method, target)
            #expect(answer.status == status, "\(answer.headText)")
            #expect(answer.fields["location"] == [location])
            #expect(answer.bodyText == "")
        }
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("ECO-69")) func `sends nobody to a place that a request names, however it is written`() throws {
        let spoof = [
            "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example", "X-Original-URL: //evil.example",
        ]
        var followed = 0
        for target in HostileTarget.all where target.text.utf8.count < 2000 {
            // What cannot stand in a request line is no target of one.
            guard target.text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { continue }
            for start in ["/moved/", "/moved", "/loose/", "/here/", "/old/", "/away/", ""]
            where !(start + target.text).isEmpty {
                let answer: WireResponse
                do {
                    answer = try stage.exchange("GET", start + target.text, fields: spoof)
                } catch WireFailure.closed {
                    // HTTP/2 resets a stream for what is no path.
                    continue
                }
                guard let location = answer.fields.only("location") else { continue }
                followed += 1
                for text in [location, location.removingEscapes] {
                    let place = BrowserURL(text, from: Self.page)
                    #expect(
                        place?.host == "gateway.test" || place?.host == "new.test",
                        "\(start)\(target.text): \(location)")
                }
            }
        }
        #expect(followed > 300, "\(followed)")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("ECO-69")) func `answers what it was told, to HEAD without the content`() throws {
        for (target, type, text) in [
            ("/health", "text/plain; charset=utf-8", "ok\n"), ("/page", "text/html", "<p>here</p>"),
        ] {
            for method in ["GET", "HEAD"] {
                let answer = try stage.exchange(method, target)
                #expect(answer.status == 200, "\(answer.headText)")
                #expect(answer.bodyText == (method == "GET" ? text : ""))
                #expect(answer.fields["content-type"] == [type])
                #expect(answer.fields["content-length"] == ["\(text.utf8.count)"])
                #expect(answer.fields["cache-control"] == [])
                #expect(answer.fields["x-content-type-options"] == ["nosniff"])
            }
        }
        #expect(try stage.exchange("GET", "/gone/a").status == 410)
        let empty = try stage.exchange("GET", "/empty")
        #expect(empty.status == 204 && empty.fields["content-length"] == [])
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/gone/a" })
        #expect(line["status"] == "410" && line["route"] == "/gone/")
    }

    @Test(.refuses("ECO-69")) func `has the rules of others: tokens, methods, pages elsewhere`() throws {
        #expect(try stage.exchange("GET", "/secret").status == 401)
        #expect(try stage.exchange("GET", "/guarded/a").status == 401)
        let token = [stage.tokens.bearer()]
        let secret = try stage.exchange("GET", "/secret", fields: token)
        #expect(secret.status == 200 && secret.bodyText == "secret" && secret.fields["cache-control"] == ["no-store"])
        #expect(try stage.exchange("GET", "/guarded/a", fields: token).fields["location"] == ["/there/a"])
        let refused = try stage.exchange("POST", "/page", body: "x")
        #expect(refused.status == 405 && refused.fields["allow"] == ["GET, HEAD"])
        let origin = ["Origin: https://app.test"]
        #expect(
            try stage.exchange("GET", "/health", fields: origin).fields["access-control-allow-origin"] == [
                "https://app.test"
            ])
        let preflight = try stage.exchange(
            "OPTIONS", "/health", fields: origin + ["Access-Control-Request-Method: GET"])
        #expect(preflight.status == 204)
        let other = try stage.exchange("GET", "/health", fields: ["Origin: https://evil.test"])
        #expect(other.fields["access-control-allow-origin"] == [])
    }

    @Test(.refuses("ECO-69"), .byHTTP1(because: "a stream ends by itself"))
    func `reads a body away, or closes the connection behind its answer`() throws {
        let client = try stage.gateway.client()
        try client.send(request("POST", "/health", body: "GET /open/smuggled HTTP/1.1\r\nHost: gateway.test\r\n\r\n"))
        #expect(try client.response().status == 200)
        try client.send(request("GET", "/gone/b"))
        #expect(try client.response().status == 410)
        try client.send(request("POST", "/health", fields: ["Content-Length: 1000000"]))
        let last = try client.response()
        #expect(last.status == 200 && last.announcesClose)
        try stage.expectNothingForwarded()
    }
}
