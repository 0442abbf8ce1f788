import TestSupport
import TestTraits
import Testing

/// Rows CF-08, CF-09, CF-11 and E-LOGIN: only a page that a person waits for begins a login.
@Suite(.serialized, .byEachProtocol) struct `a request without a session` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: web, websocket: true }",
                "{ path: /forms/, upstream: $UPSTREAM, login: { client: web, keep_form: true } }",
                "{ path: /shop/, upstream: $UPSTREAM, login: { client: web, optional: true }, identity: { X-User: sub } }",
                "{ path: /open/, upstream: $UPSTREAM, public: true }",
                "{ path: /notice/, login: web, respond: { body: for members } }",
                "{ path: /old/, login: web, redirect: { to: /app/, status: 302 }, security_headers: true }",
            ]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(
        .holds("CF-08"),
        arguments: [
            navigation, ["Sec-Fetch-Mode: navigate"], ["Sec-Fetch-Dest: document"],
            [
                "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Sec-Fetch-Site: cross-site",
                "Accept: text/html",
            ],
            ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"], ["Accept: application/json", "Accept: TEXT/HTML"],
        ])
    func `for a page is sent to the login, and back to exactly there`(fields: [String]) throws {
        let answer = try stage.exchange("GET", "/app/a%20b?x=1&y=%2F;z+", fields: fields)
        expectSentToLogin(answer, returnTo: "%2Fapp%2Fa%2520b%3Fx%3D1%26y%3D%252F%3Bz%2B")
        #expect(answer.body.isEmpty)
        let head = try stage.exchange("HEAD", "/app/a", fields: fields)
        #expect(head.status == 303)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("ECO-69", "ECO-70"), .refuses("ECO-69"))
    func `for what its route answers itself is sent to the login too, and has it with a session`() throws {
        for (path, place) in [("/notice/a", "%2Fnotice%2Fa"), ("/old/a", "%2Fold%2Fa")] {
            let answer = try stage.exchange("GET", path, fields: navigation)
            expectSentToLogin(answer, returnTo: place)
            #expect(!answer.bodyText.contains("members"))
            expectLoginNeeded(try stage.exchange("GET", path))
        }
        let browser = try stage.login()
        let notice = try stage.exchange("GET", "/notice/a", browser: browser)
        #expect(notice.status == 200 && notice.bodyText == "for members", "\(notice.headText)")
        #expect(notice.fields["cache-control"] == ["no-store"])
        let moved = try stage.exchange("GET", "/old/a?b", browser: browser)
        #expect(moved.status == 302 && moved.fields["location"] == ["/app/a?b"], "\(moved.headText)")
        #expect(moved.fields["strict-transport-security"] == ["max-age=31536000"])
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(
        .holds("CF-08"),
        arguments: [
            [], ["Accept: */*"], ["Accept: application/json"],
            // fetch, XHR, images, frames, workers, styles
            ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", "Accept: text/html"],
            ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image", "Accept: text/html"],
            ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", "Accept: text/html"],
            ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: frame", "Accept: text/html"],
            ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: embed", "Accept: text/html"],
            ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: object", "Accept: text/html"],
            ["Sec-Fetch-Mode: same-origin", "Sec-Fetch-Dest: worker", "Accept: text/html"],
            ["Sec-Fetch-Mode: websocket", "Accept: text/html"], ["Sec-Fetch-Dest: empty", "Accept: text/html"],
            ["Accept: text/html", "X-Requested-With: XMLHttpRequest"],
            navigation + ["Sec-Purpose: prefetch"], navigation + ["Sec-Purpose: prefetch;prerender"],
            // Said twice, and differently.
            ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Mode: cors", "Accept: text/html"],
            ["Sec-Fetch-Mode: Navigate", "Accept: text/html"],
        ])
    func `of a script or for a part of a page is told where to log in`(fields: [String]) throws {
        expectLoginNeeded(try stage.exchange("GET", "/app/a?secret=1", fields: fields))
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("CF-08"), arguments: ["PUT", "DELETE", "PATCH", "OPTIONS", "REPORT"])
    func `by another method than browsers' pages have is told`(method: String) throws {
        expectLoginNeeded(try stage.exchange(method, "/app/a", fields: navigation + ["Accept: text/html"]))
    }

    @Test(.refuses("CF-08")) func `that opens a WebSocket is told, and nothing is opened`() throws {
        let lines = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Accept: text/html",
        ]
        expectLoginNeeded(try stage.exchange("GET", "/app/socket", fields: lines))
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("CF-08"), .refuses("CF-08")) func `that is a HEAD of a script gets the template without its body`()
        throws
    {
        let answer = try stage.exchange("HEAD", "/app/a")
        #expect(answer.status == 401 && answer.body.isEmpty)
        #expect(answer.fields.only("content-type") == "application/json")
        #expect((answer.fields.only("content-length").flatMap { Int($0) } ?? 0) > 20)
    }

    @Test(.holds("CF-11"), .refuses("CF-11")) func `that posts a form is sent to the login by 303, without the form`()
        throws
    {
        let answer = try stage.exchange("POST", "/app/a", fields: navigation, body: "a=1&b=2")
        expectSentToLogin(answer, returnTo: "%2Fapp%2Fa")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("CF-11")) func `never gets a redirect that sends a body on, along the whole login`() throws {
        var browser = CookieJar()
        let begun = try stage.exchange("GET", "/.portcullis/login/web?return_to=/app/a")
        #expect(begun.status == 303 && begun.fields.only("cache-control") == "no-store", "\(begun.headText)")
        #expect(begun.fields.only("referrer-policy") == "no-referrer")
        let ended = try stage.callback("/.portcullis/login/web?return_to=/app/a%3Fx", &browser)
        #expect(ended.status == 303 && ended.fields.only("cache-control") == "no-store", "\(ended.headText)")
        #expect(ended.fields.only("referrer-policy") == "no-referrer")
        #expect(ended.fields.only("location") == "/app/a?x")
    }

    @Test(.refuses("CF-09")) func `that is too long to come back to comes back to the beginning`() throws {
        let answer = try stage.exchange("GET", "/app/" + String(repeating: "a", count: 3000), fields: navigation)
        expectSentToLogin(answer, returnTo: "%2F")
    }

    @Test(.holds("CF-08")) func `keeps a form where the route says so, on a page that leads to the login`() throws {
        let answer = try stage.exchange(
            "POST", "/forms/a?x=1",
            fields: navigation + ["Origin: https://gateway.test", "Content-Type: application/x-www-form-urlencoded"],
            body: "name=%3Cb%3E&text=a+b")
        #expect(answer.status == 200, "\(answer.headText)\(stage.gateway.diagnosis)")
        #expect(answer.fields.only("content-type") == "text/html; charset=utf-8")
        #expect(answer.bodyText.contains("data-form=\"name=%3Cb%3E&amp;text=a+b\""), "\(answer.bodyText)")
        #expect(answer.bodyText.contains("data-action=\"/forms/a?x=1\""), "\(answer.bodyText)")
        #expect(answer.bodyText.contains("form=1"))
        #expect(answer.fields.only("content-security-policy")?.contains("script-src 'nonce-") == true)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("CF-08")) func `keeps the largest form there may be, whatever it is made of`() throws {
        let form = "a=" + String(repeating: "\"", count: 16 * 1024 - 2)
        let fields = ownPage + ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
        let type = ["Content-Type: application/x-www-form-urlencoded"]
        let kept = try stage.exchange("POST", "/forms/a", fields: fields + type, body: form)
        #expect(kept.status == 200, "\(kept.headText)")
        #expect(kept.ending == .length && kept.bodyText.hasSuffix("</html>\n"), "\(kept.body.count)")
        let larger = try stage.exchange("POST", "/forms/a", fields: fields + type, body: form + "x")
        #expect(larger.status == 400, "\(larger.headText)")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("CF-08")) func `keeps no form of another site, of a script, or of another type`() throws {
        let type = "Content-Type: application/x-www-form-urlencoded"
        let foreign = try stage.exchange(
            "POST", "/forms/a", fields: navigation + [type, "Origin: https://evil.test"], body: "a=1")
        #expect(foreign.status == 403, "\(foreign.headText)")
        let script = try stage.exchange(
            "POST", "/forms/a", fields: ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", type], body: "a=1")
        expectLoginNeeded(script)
        let other = try stage.exchange(
            "POST", "/forms/a", fields: navigation + ["Origin: https://gateway.test", "Content-Type: text/plain"],
            body: "a=1")
        #expect(other.status == 400, "\(other.headText)")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("CF-08")) func `comes back by way of the page that sends its form, once`() throws {
        var browser = CookieJar()
        let ended = try stage.callback("/.portcullis/login/web?return_to=/forms/a&form=1", &browser)
        #expect(ended.status == 200, "\(ended.headText)")
        #expect(ended.bodyText.contains("data-action=\"/forms/a\""), "\(ended.bodyText)")
        let posted = try stage.exchange(
            "POST", "/forms/a", browser: browser, fields: ownPage + ["Content-Type: application/x-www-form-urlencoded"],
            body: "name=%3Cb%3E")
        #expect(posted.status == 200)
        #expect(try stage.forwarded("/forms/a").bodyText == "name=%3Cb%3E")
    }

    @Test(.refuses("SC-11")) func `passes where the login is optional, as nobody`() throws {
        let nobody = try stage.exchange("GET", "/shop/a", fields: ["X-User: mallory"])
        #expect(nobody.status == 200)
        #expect(try stage.forwarded("/shop/a").fields["x-user"] == [])
        let posted = try stage.exchange("POST", "/shop/b", fields: ["Origin: https://evil.test"], body: "a")
        #expect(posted.status == 200)
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/shop/c", browser: browser).status == 200)
        #expect(try stage.forwarded("/shop/c").fields["x-user"] == ["alice"])
        let planted = try stage.exchange("GET", "/shop/d", fields: ["Cookie: \(SessionStage.cookie)=planted"])
        #expect(planted.status == 200)
        #expect(try stage.forwarded("/shop/d").fields["x-user"] == [])
    }
}
