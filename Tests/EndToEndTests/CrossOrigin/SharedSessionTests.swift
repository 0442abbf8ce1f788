import TestSupport
import TestTraits
import Testing

/// Rows HTTP-71 and SC-09 together: pages elsewhere that act with a user's session, as far as the operator said.
@Suite(.serialized, .byEachProtocol) struct `a session that pages elsewhere share` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: web, websocket: true, cors: { origins: [https://spa.test], methods: [GET, POST], credentials: true } }",
                "{ path: /read/, upstream: $UPSTREAM, login: web, cors: { origins: [https://spa.test] } }",
                "{ path: /marked/, upstream: $UPSTREAM, login: { client: web, require_header: true }, cors: { origins: [https://spa.test], credentials: true } }",
            ]))
    }
    private static let browser = Shared { try shared.get().login() }
    let stage: SessionStage
    let browser: CookieJar

    init() throws {
        stage = try Self.shared.get()
        browser = try Self.browser.get()
        stage.upstream.forget()
    }

    private static let spa = ["Origin: https://spa.test", "Sec-Fetch-Site: cross-site"]

    @Test(.holds("SC-09", "HTTP-71")) func `may be used to change what the methods name, by that origin alone`() throws
    {
        let posted = try stage.exchange("POST", "/app/a", browser: browser, fields: Self.spa, body: "a=1")
        #expect(posted.status == 200)
        #expect(posted.fields.only("access-control-allow-credentials") == "true")
        let put = try stage.exchange("PUT", "/app/a", browser: browser, fields: Self.spa)
        expectTemplate(put, status: 403)
        #expect(put.fields.only("access-control-allow-origin") == "https://spa.test", "the script may read why")
        for origin in ["https://evil.test", "https://sub.spa.test", "null", "HTTPS://SPA.TEST"] {
            let answer = try stage.exchange("POST", "/app/a", browser: browser, fields: ["Origin: " + origin])
            expectTemplate(answer, status: 403)
            expectNothingAllowed(answer)
        }
        #expect(stage.upstream.requests.count == 1)
    }

    @Test(.refuses("SC-09")) func `is not shared with an origin that reads without credentials`() throws {
        let answer = try stage.exchange("POST", "/read/a", browser: browser, fields: Self.spa)
        expectTemplate(answer, status: 403)
        #expect(stage.upstream.requests.isEmpty)
        let read = try stage.exchange("GET", "/read/a", browser: browser, fields: Self.spa)
        #expect(read.status == 200)
        #expect(!read.fields.contains("access-control-allow-credentials"), "no browser lets a script read it")
    }

    @Test(.holds("SC-09")) func `still wants the header where the route does`() throws {
        expectTemplate(try stage.exchange("POST", "/marked/a", browser: browser, fields: Self.spa), status: 403)
        let marked = Self.spa + ["X-Requested-By: spa"]
        #expect(try stage.exchange("POST", "/marked/a", browser: browser, fields: marked).status == 200)
        let asked = preflight("https://spa.test", for: "POST", headers: "x-requested-by")
        let allowed = try stage.exchange("OPTIONS", "/marked/a", fields: asked)
        #expect(allowed.fields.only("access-control-allow-headers")?.contains("X-Requested-By") == true)
    }

    @Test(.refuses("HTTP-60")) func `opens no WebSocket to a page that CORS lets read`() throws {
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: https://spa.test",
        ]
        expectTemplate(try stage.exchange("GET", "/app/a", browser: browser, fields: handshake), status: 403)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("HTTP-72")) func `a script without a session reads where to log in`() throws {
        let answer = try stage.exchange("GET", "/app/a", fields: Self.spa)
        #expect(answer.status == 401)
        #expect(answer.fields.only("access-control-allow-origin") == "https://spa.test")
        #expect(answer.bodyText.contains("login_required"))
    }

    @Test(.holds("SC-12")) func `a script that reads problems gets one, with the way to log in`() throws {
        let answer = try stage.exchange(
            "GET", "/app/a", fields: Self.spa + ["Accept: application/problem+json, application/json;q=0.5"])
        #expect(answer.status == 401)
        #expect(answer.fields.only("content-type") == "application/problem+json")
        #expect(answer.bodyText.contains("\"status\":401"))
        #expect(answer.bodyText.contains("\"error\":\"login_required\",\"login\":\"https://"), "\(answer.bodyText)")
        let other = try stage.exchange("GET", "/app/a", fields: Self.spa + ["Accept: application/problem+json;q=0"])
        #expect(other.fields.only("content-type") == "application/json")
    }

    @Test(.holds("SC-12")) func `the session's own path stays with its own origin`() throws {
        let path = "/.portcullis/session/web"
        expectNothingAllowed(try stage.exchange("GET", path, browser: browser, fields: Self.spa))
        let asked = try stage.exchange("OPTIONS", path, browser: browser, fields: preflight("https://spa.test"))
        expectNothingAllowed(asked)
        #expect(asked.status != 401)
        #expect(stage.upstream.requests.isEmpty)
    }
}
