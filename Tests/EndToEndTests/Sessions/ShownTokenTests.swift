import TestSupport
import TestTraits
import Testing

/// What apps read behind other proxies: the user in `X-Forwarded-…`, the access token in a field, the ID token as Bearer.
@Suite(.serialized, .byEachProtocol) struct `a session's tokens in an upstream's request` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    """
                    { path: /app/, upstream: $UPSTREAM, login: web, identity: { X-Forwarded-User: sub, \
                    X-Forwarded-Email: email, X-Forwarded-Groups: { claim: groups, separator: "," }, \
                    X-Forwarded-Preferred-Username: preferred_username, \
                    X-Forwarded-Access-Token: { token: access_token } } }
                    """,
                    """
                    { path: /any/, upstream: $UPSTREAM, login: { client: web, optional: true }, \
                    upstream_credential: { pass: id_token }, \
                    identity: { X-Forwarded-Access-Token: { token: access_token } } }
                    """,
                    "{ path: /id/, upstream: $UPSTREAM, login: web, upstream_credential: { pass: id_token } }",
                    "{ path: /open/, upstream: $UPSTREAM, public: true, websocket: true, cors: upstream }",
                    "{ path: /plain/, upstream: $UPSTREAM, login: web, identity: { X-Forwarded-User: sub } }",
                    """
                    { path: /api/, upstream: $UPSTREAM, identity: { X-Forwarded-Access-Token: { token: access_token } }, \
                    token: { issuers: [main], audience: "https://api.test", optional: true } }
                    """,
                ]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("HTTP-46")) func `stand in the fields that apps know`() throws {
        stage.server.change {
            $0.claims = [
                "email": quoted("alice@example.com"), "groups": #"["staff","night shift"]"#,
                "preferred_username": quoted("alice.l"),
            ]
        }
        let browser = try stage.login()
        let forged = ["X-Forwarded-Groups: admins", "X-Forwarded-Preferred-Username: root"]
        #expect(try stage.exchange("GET", "/app/a", browser: browser, fields: forged).status == 200)
        let seen = try stage.forwarded("/app/a")
        #expect(seen.fields.only("x-forwarded-user") == "alice")
        #expect(seen.fields.only("x-forwarded-email") == "alice@example.com")
        #expect(seen.fields.only("x-forwarded-groups") == "staff,night shift")
        #expect(seen.fields.only("x-forwarded-preferred-username") == "alice.l")
        #expect(seen.fields.only("x-forwarded-access-token") == stage.server.issued.last { $0.hasPrefix("access-") })
        #expect(seen.fields["authorization"] == [])
    }

    @Test(.refuses("HTTP-42", "HTTP-46")) func `are never those that a client says it has, in any spelling`() throws {
        let spellings = [
            "X-Forwarded-User", "X_Forwarded_User", "x.forwarded.user", "X-Forwarded_Access-Token",
            "X-Forwarded-Groups",
            "X-Forwarded-Preferred-Username", "x_forwarded_email", "X+Forwarded+User", "X-Forwarded~User",
            "x-forwarded_groups", "X-Forwarded-User-Bin", "X_FORWARDED_PREFERRED_USERNAME", "X|Forwarded|Access|Token",
        ]
        let fields = spellings.map { "\($0): mallory" } + ["Authorization: Bearer mallory"]
        let browser = try stage.login()
        for path in ["/plain/a", "/any/a", "/api/a"] {
            let isAPI = path == "/api/a"
            let jar = path == "/plain/a" ? browser : CookieJar()
            let sent = isAPI ? Array(fields.dropLast()) : fields
            #expect(try stage.exchange("GET", path, browser: jar, fields: sent).status == 200)
            let seen = try stage.forwarded(path)
            #expect(!seen.headText.contains("mallory"), "\(seen.headText)")
            #expect(seen.fields["x-forwarded-user"] == (path == "/plain/a" ? ["alice"] : []))
            #expect(seen.fields["x-forwarded-access-token"] == [] && seen.fields["authorization"] == [])
        }
    }

    @Test(.refuses("HTTP-42")) func `are never those of a client where nobody is asked, however it gets there`() throws
    {
        let fields = ["X-Forwarded-User: mallory", "x_forwarded_user: mallory", "X_Forwarded-Access_Token: mallory"]
        let preflight = ["Origin: https://app.test", "Access-Control-Request-Method: GET"]
        for (method, path, more) in [
            ("GET", "/open/get", []), ("HEAD", "/open/head", []), ("OPTIONS", "/open/options", []),
            ("OPTIONS", "/open/preflight", preflight), ("POST", "/open/post", []),
        ] {
            _ = try stage.exchange(method, path, fields: fields + more)
            let seen = try stage.forwarded(path)
            #expect(!seen.headText.contains("mallory"), "\(seen.headText)")
        }
    }

    @Test(
        .byHTTP1(because: "WebSockets and trailers are written otherwise by HTTP/2, whose suites have the same"),
        .refuses("HTTP-42", "HTTP-33"))
    func `are never those of a client's upgrade or trailers`() throws {
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: https://gateway.test",
        ]
        for name in ["X-Forwarded-User", "x_forwarded_user", "X.Forwarded.Access-Token"] {
            let line = "\(name): mallory"
            _ = try? stage.exchange("GET", "/open/upgrade", fields: upgrade + [line])
            let head = [
                "POST /open/trailers HTTP/1.1", "Host: gateway.test", "Trailer: \(name)", "Transfer-Encoding: chunked",
            ]
            let client = try RawClient(port: stage.gateway.port, speaking: .http1)
            try client.send(head.joined(separator: "\r\n") + "\r\n\r\n1\r\nx\r\n0\r\n\(line)\r\n\r\n")
            #expect(try client.response(to: "POST").status == 200)
        }
        let paths = stage.upstream.requests.map(\.path)
        #expect(paths.contains("/open/upgrade") && paths.contains("/open/trailers"))
        for seen in stage.upstream.requests {
            #expect(!seen.headText.contains("mallory") && !seen.bodyText.contains("mallory"), "\(seen.headText)")
        }
    }

    @Test(.holds("HTTP-47")) func `are the ID token as Bearer where the route passes that`() throws {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/id/a", browser: browser, fields: ["Authorization: Bearer x"]).status == 200)
        let value = try #require(stage.forwarded("/id/a").fields.only("authorization"))
        #expect(value.hasPrefix("Bearer ") && value.split(separator: ".").count == 3, "\(value)")
        // Nothing of it where the route does not.
        #expect(try stage.exchange("GET", "/plain/b", browser: browser).status == 200)
        #expect(try stage.forwarded("/plain/b").fields["authorization"] == [])
    }

    @Test(.refuses("RF-06")) func `are no longer shown when the ID token is over`() throws {
        // Over at once, for the server; the gateway lets its clock be wrong by half a minute at the login.
        stage.server.change { $0.idTokenSeconds = 0 }
        let browser = try stage.login()
        expectLoginNeeded(try stage.exchange("GET", "/id/a", browser: browser))
        expectSentToLogin(
            try stage.exchange("GET", "/id/b", browser: browser, fields: navigation), returnTo: "%2Fid%2Fb")
        #expect(stage.upstream.requests.isEmpty)
        // Where nobody is shown it, the session goes on.
        #expect(try stage.exchange("GET", "/plain/a", browser: browser).status == 200)
        #expect(stage.server.requests(for: "refresh_token").isEmpty)
    }

    @Test(.holds("RF-02")) func `are renewed by a refresh before the ID token is over`() throws {
        stage.server.change { $0.idTokenSeconds = 5 }
        var browser = try stage.login()
        #expect(try stage.exchange("GET", "/id/first", browser: browser).status == 200)
        let first = try #require(stage.forwarded("/id/first").fields.only("authorization"))
        let isRefreshed = eventually {
            guard let answer = try? stage.exchange("GET", "/id/poll", browser: browser) else { return false }
            browser.take(answer)
            return !stage.server.requests(for: "refresh_token").isEmpty
        }
        #expect(isRefreshed)
        stage.server.change { $0.idTokenSeconds = 300 }
        #expect(eventually { (try? stage.exchange("GET", "/id/second", browser: browser).status) == 200 })
        let second = stage.upstream.requests.last { $0.path == "/id/second" }?.fields.only("authorization")
        #expect(second != nil && second != first)
    }

    @Test(.refuses("RF-02")) func `are not asked for again and again at a server that renews none`() throws {
        stage.server.change {
            $0.idTokenSeconds = 5
            $0.refreshesIDTokens = false
        }
        var browser = try stage.login()
        var last: WireResponse?
        let isOver = eventually {
            guard let answer = try? stage.exchange("GET", "/id/poll", browser: browser) else { return false }
            browser.take(answer)
            last = answer
            return answer.status == 401
        }
        #expect(isOver)
        expectLoginNeeded(try #require(last))
        for _ in 0..<5 { expectLoginNeeded(try stage.exchange("GET", "/id/more", browser: browser)) }
        #expect(stage.server.requests(for: "refresh_token").count == 1)
    }
}
