import TestSupport
import TestTraits
import Testing

/// Rows SC-05, SC-07, SC-13 and TX-01 with a session: stores that are full, cookies that would be too large.
@Suite(.serialized, .byEachProtocol) struct `where sessions are kept` {
    private static let routes = [
        "{ path: /app/, upstream: $UPSTREAM, login: web, identity: { X-User: sub, X-Much: much } }"
    ]

    @Test(.refuses("SC-07"))
    func `a session of more than four cookies is refused, and says what is too large in the log alone`()
        throws
    {
        let stage = try SessionStage(LoginPlan(routes: Self.routes))
        stage.server.change { $0.claims = ["much": quoted(String(repeating: "a", count: 20_000))] }
        var browser = CookieJar()
        let answer = try stage.callback("/.portcullis/login/web?return_to=/app/a", &browser)
        expectPage(answer, status: 502)
        #expect(browser[SessionStage.cookie] == nil)
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "login_session_too_large" })
        #expect(line["found"]?.contains("bytes") == true, "\(line)")
        #expect(!answer.bodyText.contains("bytes"))
    }

    @Test(.holds("SC-07")) func `a session of several cookies is one all the same, in whichever order they come`()
        throws
    {
        let stage = try SessionStage(LoginPlan(routes: Self.routes))
        let much = String(repeating: "abcdefgh", count: 700)
        stage.server.change { $0.claims = ["much": quoted(much)] }
        let browser = try stage.login()
        let names = browser.cookies.map(\.name).filter { $0.hasPrefix(SessionStage.cookie) }
        #expect(names.count >= 2 && names.count <= 4, "\(names)")
        #expect(browser.cookies.allSatisfy { $0.name.utf8.count + $0.value.utf8.count <= 4096 })
        var cookies = browser.cookies
        for _ in 0..<3 {
            cookies.reverse()
            cookies.append(cookies.removeFirst())
            let line = "Cookie: " + cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            let answer = try stage.exchange("GET", "/app/a", fields: [line])
            #expect(answer.status == 200, "\(answer.headText)")
        }
        // One of its cookies alone is none.
        for cookie in browser.cookies where cookie.name.hasPrefix(SessionStage.cookie) {
            let line = "Cookie: \(cookie.name)=\(cookie.value)"
            expectLoginNeeded(try stage.exchange("GET", "/app/a", fields: [line]))
        }
    }

    @Test(.holds("SC-13"), .refuses("SC-13"))
    func `a full memory refuses the next login, keeps those that are, and has room after a logout`() throws {
        let stage = try SessionStage(
            LoginPlan(routes: Self.routes, client: ["session: { store: memory, limit: 2 }"]))
        // Three users, so that nobody has an older session to give up for a newer one.
        var browsers: [CookieJar] = []
        for subject in ["alice", "bob"] {
            stage.server.change { $0.subject = subject }
            browsers.append(try stage.login())
        }
        stage.server.change { $0.subject = "carol" }
        #expect(browsers.allSatisfy { ($0[SessionStage.cookie] ?? "").utf8.count < 100 })
        var third = CookieJar()
        let answer = try stage.callback("/.portcullis/login/web?return_to=/app/a", &third)
        expectPage(answer, status: 503)
        #expect(answer.fields.only("retry-after") == "60", "\(answer.headText)")
        #expect(third[SessionStage.cookie] == nil)
        for browser in browsers { #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200) }
        _ = try stage.exchange("POST", "/.portcullis/logout/web", browser: browsers[0], fields: ownPage)
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: browsers[0]))
        #expect(try stage.exchange("GET", "/app/a", browser: try stage.login()).status == 200)
    }

    @Test(.refuses("SC-05", "CF-34")) func `no value that was planted is ever a session`() throws {
        let stage = try SessionStage(LoginPlan(routes: Self.routes, client: ["session: { store: memory }"]))
        var browser = CookieJar()
        browser[SessionStage.cookie] = "planted-by-somebody-else"
        _ = try stage.callback("/.portcullis/login/web?return_to=/app/a", &browser)
        #expect(browser[SessionStage.cookie] != "planted-by-somebody-else")
        expectLoginNeeded(
            try stage.exchange("GET", "/app/a", fields: ["Cookie: \(SessionStage.cookie)=planted-by-somebody-else"]))
    }

    @Test(.holds("SC-05", "CF-34")) func `another login in the same browser ends the session before it`() throws {
        let stage = try SessionStage(LoginPlan(routes: Self.routes))
        let before = try stage.login()
        stage.server.change { $0.subject = "bob" }
        var browser = before
        #expect(try stage.callback("/.portcullis/login/web?return_to=/app/a", &browser).status == 303)
        #expect(browser[SessionStage.cookie] != before[SessionStage.cookie])
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: before))
        #expect(try stage.exchange("GET", "/app/b", browser: browser).status == 200)
        #expect(try stage.forwarded("/app/b").fields["x-user"] == ["bob"])
    }

    @Test(.refuses("SC-15")) func `a cookie of one login is none at another, nor under another name`() throws {
        let stage = try SessionStage(
            LoginPlan(
                routes: Self.routes + ["{ path: /other/, upstream: $UPSTREAM, login: other }"],
                others: ["other"]))
        let browser = try stage.login()
        let value = try #require(browser[SessionStage.cookie])
        for name in ["__Host-portcullis-other", "__Host-portcullis-web", "__host-portcullis-web"] {
            let answer = try stage.exchange("GET", "/other/a", fields: ["Cookie: \(name)=\(value)"])
            #expect(answer.status == 401, "\(name)")
        }
        #expect(try stage.exchange("GET", "/app/a", fields: ["Cookie: __host-portcullis-web=\(value)"]).status == 401)
    }

    @Test(.holds("TX-01")) func `the session's token is exchanged for the upstream's, once for many requests`() throws {
        let stage = try SessionStage(
            LoginPlan(
                routes: [
                    """
                    { path: /stock/, upstream: $UPSTREAM, login: web, upstream_credential: { exchange: { \
                    client: web, audience: stock } } }
                    """
                ]))
        let browser = try stage.login()
        stage.server.change { $0.exchanged = "for-stock" }
        for _ in 0..<3 { #expect(try stage.exchange("GET", "/stock/a", browser: browser).status == 200) }
        #expect(
            stage.upstream.requests.map { $0.fields["authorization"] }
                == Array(repeating: ["Bearer for-stock"], count: 3))
        let asked = stage.server.requests(for: "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(asked.count == 1)
        #expect(asked.first?["subject_token"] == stage.server.issued.first { $0.hasPrefix("access-") })
        // Another session's token is another one.
        let other = try stage.login()
        #expect(try stage.exchange("GET", "/stock/a", browser: other).status == 200)
        #expect(stage.server.requests(for: "urn:ietf:params:oauth:grant-type:token-exchange").count == 2)
    }
}
