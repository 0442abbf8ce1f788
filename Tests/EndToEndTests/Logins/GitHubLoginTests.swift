import TestSupport
import TestTraits
import Testing

/// A gateway whose users sign in at a server with GitHub's shapes.
private final class GitHubStage: Sendable {
    let server: GitHubServer
    let upstream: RecordingUpstream
    let gateway: GatewayProcess
    static let origin = "https://gateway.test"
    static let cookie = "__Host-portcullis-shop"

    init() throws {
        server = try GitHubServer()
        upstream = try RecordingUpstream()
        gateway = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "\(Self.origin)" }]
            admin: { address: "127.0.0.1:0" }
            issuers:
              github:
                url: "\(server.web.url)/login/oauth"
                insecure_allow_http: true
                endpoints:
                  authorization: "\(server.web.url)/login/oauth/authorize"
                  token: "\(server.web.url)/login/oauth/access_token"
            clients:
              shop:
                issuer: github
                id: \(GitHubServer.client)
                authentication: { method: client_secret_post, secret: { file: $FOLDER/github.secret } }
                scopes: [read:user, user:email]
                assume_pkce: true
                identity_from:
                  url: "\(server.api.url)/user"
                  subject: id
                  emails_url: "\(server.api.url)/user/emails?per_page=100"
            routes:
              - path: /app/
                upstream: "\(upstream.url)"
                login: { client: shop, scopes: [user:email] }
                identity: { X-Issuer: iss, X-User: sub, X-Id: id, X-Login: login, X-Name: name, X-Mail: email }
              - { path: /staff/, upstream: "\(upstream.url)", login: { client: shop, email: { domain: [github.com] } } }
            log: { level: debug, operator: stderr, access: stdout }

            """, files: ["github.secret": GitHubServer.secret])
    }

    func exchange(_ target: String, _ browser: CookieJar) throws -> WireResponse {
        try gateway.exchange(request("GET", target, fields: browser.lines + navigation))
    }

    /// To the server and back: the callback's answer, which the jar has taken the cookies of.
    func callback(_ browser: inout CookieJar) throws -> WireResponse {
        let started = try exchange("/.portcullis/login/shop?return_to=/app/a&shown=1", browser)
        browser.take(started)
        let location = try #require(started.fields.only("location"), "\(started.headText)\(gateway.diagnosis)")
        return try comeBack(try server.authorize(location), &browser)
    }

    func comeBack(_ url: String, _ browser: inout CookieJar) throws -> WireResponse {
        guard url.hasPrefix(Self.origin + "/") else { throw WireFailure.malformed(url) }
        let answer = try exchange(String(url.dropFirst(Self.origin.utf8.count)), browser)
        browser.take(answer)
        return answer
    }

    func login() throws -> CookieJar {
        var browser = CookieJar()
        let answer = try callback(&browser)
        guard answer.status == 303, browser[Self.cookie] != nil else {
            throw WireFailure.malformed("\(answer.headText)\(gateway.diagnosis)")
        }
        return browser
    }

    /// A login that ends with this status, without a session, and what the log says of it.
    func refuse(_ status: Int, _ cause: String, at place: SourceLocation = #_sourceLocation) throws -> LogLine {
        var browser = CookieJar()
        let answer = try callback(&browser)
        #expect(answer.status == status, "\(answer.headText)", sourceLocation: place)
        #expect(browser[Self.cookie] == nil, sourceLocation: place)
        #expect(answer.fields.only("content-type")?.hasPrefix("text/html") == true, sourceLocation: place)
        // Its own line, for those of requests before it may come later than its answer.
        let id = try #require(answer.fields.only("x-request-id"), sourceLocation: place)
        let line = gateway.operatorLine { $0["event"] == "refused" && $0["request_id"] == id }
        #expect(line?["cause"] == cause, "\(gateway.diagnosis)", sourceLocation: place)
        return try #require(line, sourceLocation: place)
    }

    func reset() {
        server.reset()
        upstream.forget()
    }
}

/// Rows OIDC-18 to OIDC-20 and CF-35 over real sockets.
@Suite(.serialized, .byEachProtocol) struct `a login at a server with the shapes that GitHub documents` {
    private static let shared = Shared { try GitHubStage() }
    private let stage: GitHubStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("OIDC-18", "OIDC-19", "CF-35")) func `knows its user by the number, as a text, under the issuer`()
        throws
    {
        let browser = try stage.login()
        #expect(try stage.exchange("/app/a", browser).status == 200)
        let seen = try #require(stage.upstream.onlyRequest(for: "/app/a")).fields
        #expect(seen.only("x-issuer") == stage.server.web.url + "/login/oauth")
        #expect(seen.only("x-user") == "583231" && seen.only("x-id") == "583231")
        #expect(seen.only("x-login") == "octocat" && seen.only("x-name") == "monalisa octocat")
        #expect(seen.only("x-mail") == "octocat@github.com")
        #expect(try stage.exchange("/staff/a", browser).status == 200)
        let asked = try #require(stage.server.tokenRequests.first)
        #expect(asked["grant_type"] == "authorization_code" && asked["code_verifier"]?.utf8.count == 43)
        #expect(stage.server.api.requests.map(\.target) == ["/user", "/user/emails?per_page=100"])
        #expect(!stage.gateway.allLogText.contains("gho_access"))
    }

    @Test(.holds("CF-04", "CF-10")) func `asks with PKCE and a state, for no nonce and no ID token`() throws {
        let started = try stage.exchange("/.portcullis/login/shop?return_to=/app/a&shown=1", CookieJar())
        let location = try #require(started.fields.only("location"))
        let query = WireForm.parameters(String(location.split(separator: "?", maxSplits: 1).last ?? ""))
        #expect(query["scope"] == "read:user user:email" && query["code_challenge_method"] == "S256")
        #expect(query["state"]?.isEmpty == false && query["nonce"] == nil && query["prompt"] == nil)
    }

    @Test(.holds("OIDC-18"), arguments: ["9007199254740993", "18446744073709551617", "\"583231\""])
    func `knows users beyond 2^53 apart`(id: String) throws {
        stage.server.change { $0.user.1 = GitHubServer.octocat(id: id) }
        let browser = try stage.login()
        #expect(try stage.exchange("/app/a", browser).status == 200)
        let seen = try #require(stage.upstream.onlyRequest(for: "/app/a")).fields
        #expect(seen.only("x-user") == id.filter { $0 != "\"" })
    }

    @Test(
        .refuses("OIDC-18"), arguments: [nil, "null", "583231.0", "5.83231e5", "-1", "true", "\"\"", "[583231]", "{}"])
    func `knows nobody by anything else, and says which member it looked at`(id: String?) throws {
        stage.server.change { $0.user.1 = GitHubServer.octocat(id: id) }
        let line = try stage.refuse(502, "login_userinfo_invalid")
        #expect(line["check"] == "OIDC-18")
        #expect(line["expected"]?.contains("\"id\"") == true && line["expected"]?.contains("identity_from.url") == true)
    }

    @Test(.refuses("OIDC-18")) func `takes its issuer, and what is about the login, from no answer`() throws {
        stage.server.change {
            $0.user.1 = GitHubServer.octocat(
                more: ",\"iss\":\"https://id.example.com/\",\"sub\":\"1\",\"email_verified\":true")
        }
        let browser = try stage.login()
        #expect(try stage.exchange("/app/a", browser).status == 200)
        let seen = try #require(stage.upstream.onlyRequest(for: "/app/a")).fields
        #expect(seen.only("x-issuer") == stage.server.web.url + "/login/oauth" && seen.only("x-user") == "583231")
    }

    @Test(
        .refuses("OIDC-18"),
        arguments: [
            (401, "{\"message\":\"Bad credentials\"}"), (403, "{}"), (404, "{}"), (500, "{}"), (503, ""), (200, "[]"),
            (200, "<html>"), (200, "{\"id\":1,\"id\":2}"), (304, ""),
        ]) func `goes no further without a good answer`(status: Int, body: String) throws
    {
        stage.server.change { $0.user = (status, body) }
        _ = try stage.refuse(502, "login_userinfo_invalid")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("OIDC-18")) func `goes no further where the endpoint does not answer`() throws {
        stage.server.change { $0.isAPIDown = true }
        _ = try stage.refuse(502, "login_userinfo_invalid")
    }

    @Test(.refuses("OIDC-19")) func `opens no route by an address that is not verified, or in another domain`() throws {
        for emails in [
            GitHubServer.emails(verified: false), GitHubServer.emails(primary: false), "[]",
            GitHubServer.emails("octocat@github.com.example"), GitHubServer.emails("octocat@example.com"),
        ] {
            stage.server.change {
                $0.user.1 = GitHubServer.octocat(more: ",\"email_verified\":true")
                    .replacing("\"email\":null", with: "\"email\":\"octocat@github.com\"")
                $0.emails.1 = emails
            }
            let browser = try stage.login()
            #expect(try stage.exchange("/staff/a", browser).status == 403, "\(emails)")
            #expect(try stage.exchange("/app/a", browser).status == 200)
        }
    }

    @Test(.refuses("OIDC-19")) func `goes no further with addresses that contradict each other, or are none`() throws {
        let entry = "{\"email\":\"a@github.com\",\"verified\":true,\"primary\":true}"
        for (status, emails) in [
            (200, "[\(entry),\(entry)]"), (200, entry), (200, "[{\"email\":\"a@github.com\"}]"), (404, "[]"),
            (200, "[\"a@github.com\"]"),
        ] {
            stage.server.change { $0.emails = (status, emails) }
            let line = try stage.refuse(502, "login_userinfo_invalid")
            #expect(line["expected"]?.contains("identity_from.emails_url") == true, "\(line)")
        }
    }

    @Test(.refuses("CF-35")) func `takes an error with status 200 for the error that it is`() throws {
        stage.server.change { $0.tokenAnswer = "{\"error\":\"bad_verification_code\",\"access_token\":\"gho_x\"}" }
        _ = try stage.refuse(400, "login_code_refused")
        stage.server.change { $0.tokenAnswer = "{\"error\":\"incorrect_client_credentials\"}" }
        _ = try stage.refuse(502, "login_client_refused")
        #expect(stage.server.api.requests.isEmpty)
    }

    @Test(.refuses("CF-32")) func `goes no further without a scope that every route needs`() throws {
        stage.server.change { $0.scope = "read:user,user" }
        let browser = try stage.login()
        // The other route needs none, so that the login opens that one.
        #expect(try stage.exchange("/app/a", browser).status == 403)
        #expect(try stage.exchange("/staff/a", browser).status == 200)
    }

    @Test(.refuses("CF-03", "CF-22")) func `takes no response of another browser, or of another server`() throws {
        var browser = CookieJar(), other = CookieJar()
        let started = try stage.exchange("/.portcullis/login/shop?return_to=/app/a&shown=1", browser)
        browser.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location")))
        #expect(try stage.comeBack(back, &other).status == 400)
        #expect(try stage.comeBack(back + "&iss=https%3A%2F%2Felsewhere.example", &browser).status == 400)
        #expect(stage.server.tokenRequests.isEmpty)
    }

    @Test(.holds("OIDC-20")) func `is refreshed where its tokens expire, and asks again who it is`() throws {
        stage.server.change { $0.tokenSeconds = 0 }
        var browser = try stage.login()
        stage.server.change {
            $0.tokenSeconds = 28_800
            $0.user.1 = GitHubServer.octocat().replacing("monalisa octocat", with: "mona")
        }
        let answer = try stage.exchange("/app/b", browser)
        browser.take(answer)
        #expect(answer.status == 200, "\(stage.gateway.diagnosis)")
        #expect(try #require(stage.upstream.onlyRequest(for: "/app/b")).fields.only("x-name") == "mona")
        #expect(stage.server.tokenRequests.map { $0["grant_type"] ?? "" } == ["authorization_code", "refresh_token"])
    }

    @Test(.refuses("OIDC-20")) func `ends where a refresh brings the tokens of another user, or of nobody`() throws {
        for user in [
            (200, GitHubServer.octocat(id: "583232")), (200, GitHubServer.octocat(id: nil)), (401, "{}"), (403, "{}"),
        ] {
            stage.reset()
            stage.server.change { $0.tokenSeconds = 0 }
            let browser = try stage.login()
            stage.server.change { $0.user = user }
            #expect(try stage.exchange("/app/c", browser).status == 303, "\(user)")
            stage.server.change { $0.user = (200, GitHubServer.octocat()) }
            #expect(try stage.exchange("/app/c", browser).status == 303, "\(user)")
            #expect(stage.upstream.requests.isEmpty)
        }
    }

    @Test(.holds("OIDC-20"), .refuses("OIDC-20"), arguments: [false, true])
    func `is kept while the API is down behind a refresh, serves nobody, and goes on when it is back`(
        answers: Bool
    ) throws {
        stage.server.change { $0.tokenSeconds = 0 }
        let before = try stage.login()
        stage.server.change {
            $0.tokenSeconds = 28_800
            if answers { $0.user = (503, "{}") } else { $0.isAPIDown = true }
        }
        var browser = before
        let refused = try stage.exchange("/app/d", browser)
        #expect(refused.status == 503 && refused.fields.only("retry-after") != nil, "\(refused.headText)")
        // What it had is spent at the server.
        browser.take(refused)
        #expect(browser[GitHubStage.cookie] != before[GitHubStage.cookie])
        for cookies in [browser, before] { #expect(try stage.exchange("/app/d", cookies).status == 503) }
        let unsaid = try document(browser)
        #expect(unsaid.status == 503 && unsaid.fields.only("retry-after") != nil, "\(unsaid.headText)")
        #expect(!unsaid.bodyText.contains("authenticated"))
        #expect(stage.upstream.requests.isEmpty)
        let line = stage.gateway.operatorLine { $0["event"] == "session_refreshed" && $0["outcome"] == "unavailable" }
        #expect(line?["check"] == "OIDC-18", "\(stage.gateway.diagnosis)")
        stage.server.change {
            $0.isAPIDown = false
            $0.user = (200, GitHubServer.octocat())
        }
        for cookies in [browser, before] {
            let isServed = eventually { (try? stage.exchange("/app/d", cookies))?.status == 200 }
            #expect(isServed, "\(stage.gateway.diagnosis)")
        }
        #expect(try document(browser).bodyText.hasPrefix("{\"authenticated\":true,"))
        #expect(stage.server.tokenRequests.map { $0["grant_type"] ?? "" } == ["authorization_code", "refresh_token"])
    }

    /// What a page's script is told of the session.
    private func document(_ browser: CookieJar) throws -> WireResponse {
        try stage.gateway.exchange(
            request("GET", "/.portcullis/session/shop", fields: browser.lines + ["Sec-Fetch-Site: same-origin"]))
    }

    @Test(.holds("OIDC-16")) func `is never asked for in silence`() throws {
        let answer = try stage.gateway.exchange(
            request("GET", "/.portcullis/session/shop?silent=1", fields: ["Sec-Fetch-Site: same-origin"]))
        #expect(answer.status == 401 && answer.fields.only("location") == nil, "\(answer.headText)")
    }
}
