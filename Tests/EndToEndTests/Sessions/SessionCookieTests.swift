import TestSupport
import TestTraits
import Testing

/// Rows HTTP-48, HTTP-49, SC-06 and SC-14: whose cookie is whose.
@Suite(.serialized, .byEachProtocol) struct `the gateway's cookies` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass, identity: { X-User: sub } }",
                "{ path: /open/, upstream: $UPSTREAM, public: true }",
            ]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("HTTP-48")) func `stay here, and all others go on as they are`() throws {
        let browser = try stage.login()
        let session = try #require(browser[SessionStage.cookie])
        let answer = try stage.exchange(
            "GET", "/app/a", fields: ["Cookie: a=1; \(SessionStage.cookie)=\(session); b=\"2 ,x\"; c==; d"])
        #expect(answer.status == 200, "\(answer.headText)")
        let seen = try stage.forwarded("/app/a")
        #expect(seen.fields["cookie"] == ["a=1; b=\"2 ,x\"; c==; d"])
        #expect(seen.fields["x-user"] == ["alice"])
        #expect(!text(stage.upstream.allBytes).contains(session))
    }

    @Test(.refuses("HTTP-48")) func `leave no field behind where there are no others`() throws {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/app/b", browser: browser).status == 200)
        #expect(try stage.forwarded("/app/b").fields["cookie"] == [])
    }

    @Test(.holds("HTTP-48")) func `are found in each of several Cookie lines, and in every case`() throws {
        let browser = try stage.login()
        let session = try #require(browser[SessionStage.cookie])
        let lines = [
            "Cookie: first=1", "Cookie: \(SessionStage.cookie)=\(session)",
            "Cookie: last=2; __host-PORTCULLIS-login-x=secret",
        ]
        #expect(try stage.exchange("GET", "/app/c", fields: lines).status == 200)
        let seen = try stage.forwarded("/app/c")
        // In HTTP/2 they are parts of one (RFC 9113 §8.2.3).
        let isOne = WireProtocol.current == .http2
        #expect(seen.fields["cookie"] == (isOne ? ["first=1; last=2"] : ["first=1", "last=2"]))
        #expect(!seen.headText.contains("secret"))
    }

    @Test(
        .refuses("HTTP-48"),
        arguments: [
            "__Host-portcullis-web=gone; a=1", "a=1; __Host-portcullis-web.1=gone", "a=1;__Host-portcullis-ended=gone",
            "__Host-portcullis-logout=gone;a=1", "__host-portcullis-web=gone; a=1", "__Host-portcullis-web =gone; a=1",
            "a=1; __Host-portcullis=gone", "; ;a=1; __Host-portcullis-web=gone;",
        ])
    func `never reach a public route's upstream either`(line: String) throws {
        #expect(try stage.exchange("GET", "/open/a", fields: ["Cookie: \(line)"]).status == 200)
        let seen = try stage.forwarded("/open/a")
        #expect(seen.fields["cookie"] == ["a=1"], "\(seen.headText)")
    }

    @Test(.holds("HTTP-48")) func `that others named alike are others' and go on`() throws {
        let line = "__Host-other=1; X__Host-portcullis-web=2; __Secure-other=3; portcullis=__Host-portcullis-web"
        #expect(try stage.exchange("GET", "/open/b", fields: ["Cookie: \(line)"]).status == 200)
        #expect(try stage.forwarded("/open/b").fields["cookie"] == [line])
    }

    @Test(
        .refuses("HTTP-49"),
        arguments: [
            "__Host-portcullis-web=evil; Path=/; Secure", "__HOST-PORTCULLIS-WEB=evil", "__Host-portcullis-web.1=evil",
            "  __Host-portcullis-login-abcdefgh =evil", "__Host-portcullis-ended=evil", "__Host-portcullis-web",
        ])
    func `are set by nobody else`(value: String) throws {
        stage.upstream.answer(
            "/open/c",
            with: .answer(200, fields: ["Set-Cookie: app=1; HttpOnly", "Set-Cookie: \(value)", "Set-Cookie: b=evil2"]))
        let answer = try stage.exchange("GET", "/open/c")
        #expect(answer.fields["set-cookie"] == ["app=1; HttpOnly", "b=evil2"], "\(answer.headText)")
        let name = value.split { "= ".contains($0) }[0]
        let line = stage.gateway.operatorLine {
            $0["event"] == "upstream_cookie_dropped" && $0["found"] == String(name)
        }
        #expect(line?["request_id"]?.count == 32)
        #expect(line?["route"] != nil)
    }

    @Test(.holds("HTTP-49")) func `leave what an upstream sets for itself as it is`() throws {
        let mine = ["app=1; Path=/app/; Secure", "__Host-other=2; Path=/; Secure", "x=__Host-portcullis-web"]
        stage.upstream.answer("/app/d", with: .answer(200, fields: mine.map { "Set-Cookie: \($0)" }))
        let browser = try stage.login()
        let answer = try stage.exchange("GET", "/app/d", browser: browser)
        #expect(answer.status == 200)
        #expect(answer.fields["set-cookie"] == mine)
    }

    @Test(.holds("HTTP-49"), .refuses("HTTP-49"))
    func `go with the fields that name users: none of them comes from an upstream`() throws {
        stage.upstream.answer(
            "/open/d", with: .answer(200, fields: ["X-User: mallory", "x-USER: mallory", "X-Other: kept"]))
        let answer = try stage.exchange("GET", "/open/d")
        #expect(answer.fields["x-user"] == [])
        #expect(answer.fields["x-other"] == ["kept"])
    }

    @Test(.refuses("SC-06")) func `count for nothing when there are two, in whichever order and line`() throws {
        let browser = try stage.login()
        let good = "\(SessionStage.cookie)=\(try #require(browser[SessionStage.cookie]))"
        let bad = "\(SessionStage.cookie)=planted"
        #expect(try stage.exchange("GET", "/app/e", fields: ["Cookie: \(good)"]).status == 200)
        stage.upstream.forget()
        for lines in [["\(good); \(bad)"], ["\(bad); \(good)"], [good, bad], [bad, good], ["\(good); \(good)"]] {
            let answer = try stage.exchange("GET", "/app/e", fields: lines.map { "Cookie: \($0)" })
            expectLoginNeeded(answer)
            let ended = answer.fields["set-cookie"]
            #expect(ended.count == 4, "\(answer.headText)")
            for (index, line) in ended.enumerated() {
                let name = SessionStage.cookie + (index == 0 ? "" : ".\(index)")
                #expect(line == "\(name)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0", "\(line)")
            }
            let page = try stage.exchange("GET", "/app/e", fields: lines.map { "Cookie: \($0)" } + navigation)
            expectSentToLogin(page, returnTo: "%2Fapp%2Fe")
            #expect(page.fields["set-cookie"] == ended)
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("SC-06")) func `are not deleted when there is one that does not open`() throws {
        let answer = try stage.exchange("GET", "/app/f", fields: ["Cookie: \(SessionStage.cookie)=planted"])
        expectLoginNeeded(answer)
        #expect(answer.fields["set-cookie"] == [])
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("SC-14")) func `are all that browsers get of a login: no answer and no log has a token`() throws {
        var browser = CookieJar()
        let page = try stage.callback("/.portcullis/login/web?return_to=/app/g", &browser)
        let app = try stage.exchange("GET", "/app/g", browser: browser, fields: ["X-Requested-By: x"])
        let document = try stage.exchange("GET", "/.portcullis/session/web", browser: browser, fields: ownPage)
        #expect(app.status == 200 && document.status == 200, "\(document.headText)")
        let tokens = Array(stage.server.issued.filter { !$0.hasPrefix("code-") }.suffix(2))
        #expect(tokens.count == 2)
        // The sample upstream says what it was sent; only there is the token.
        #expect(app.bodyText.contains(tokens[0]))
        for token in stage.server.issued {
            #expect(!text(page.raw).contains(token) && !text(document.raw).contains(token))
            #expect(!stage.gateway.allLogText.contains(token))
        }
        #expect(!stage.gateway.allLogText.contains(try #require(browser[SessionStage.cookie])))
    }

    @Test(.holds("SC-08")) func `are written once a minute at most, however many requests come`() throws {
        let browser = try stage.login()
        for _ in 0..<20 {
            let answer = try stage.exchange("GET", "/app/h", browser: browser)
            #expect(answer.status == 200 && answer.fields["set-cookie"] == [], "\(answer.headText)")
        }
    }
}
