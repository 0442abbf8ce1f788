import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-57: what the audit log says of people and their sessions.
@Suite(.serialized, .byEachProtocol) struct `the audit log of sessions` {
    private static func stage(
        _ client: [String] = [], environment: [String: String] = [:]
    ) throws -> SessionStage {
        try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass, name: app }",
                    "{ path: /gold/, upstream: $UPSTREAM, login: { client: web, acr_values: [gold] }, name: gold }",
                    "{ path: /staff/, upstream: $UPSTREAM, login: { client: web, claims: { groups: [staff] } } }",
                ], client: ["logout: { backchannel: true, frontchannel: true, at_server: false }"] + client,
                settings: AuditTrail.settings, files: AuditTrail.files, environment: environment))
    }

    private static let shared = Shared { try stage() }
    let stage: SessionStage
    let trail: AuditTrail
    let subject: String

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        // One of its own: what one user may have written is bounded.
        let user = "user-\(UInt64.random(in: 0...UInt64.max))"
        stage.server.change { $0.subject = user }
        trail = AuditTrail(stage.gateway)
        subject = user
    }

    /// What the logs call a browser's session, by a path that is its own in each run.
    private func reference(_ browser: CookieJar, _ place: String, of stage: SessionStage) throws -> String {
        let path = "\(place)-\(UInt64.random(in: 0...UInt64.max))"
        #expect(try stage.exchange("GET", path, browser: browser).status == 200)
        return try #require(stage.gateway.accessLine { $0["path"] == path }?["session"])
    }

    @Test(.holds("ECO-57")) func `has who signed in, of which request and from where`() throws {
        var browser = CookieJar()
        let answer = try stage.callback("/.portcullis/login/web?return_to=/app/a", &browser)
        let session = try reference(browser, "/app/signed-in", of: stage)
        let line = try trail.line("login") { $0["session"] == session }
        expectNames(line, of: answer)
        #expect(line["issuer"] == stage.server.url && line["client_id"] == "web" && line["gateway_client"] == "web")
        #expect(line["subject"]?.wholeMatch(of: #/[0-9a-f]{64}/#) != nil, "\(line.raw)")
        // The same user, another session; and another user.
        let second = try reference(try stage.login(), "/app/second", of: stage)
        #expect(try trail.line("login") { $0["session"] == second }["subject"] == line["subject"])
        stage.server.change { $0.subject = "bob" }
        let third = try reference(try stage.login(), "/app/third", of: stage)
        #expect(try trail.line("login") { $0["session"] == third }["subject"] != line["subject"])
    }

    @Test(.holds("ECO-57")) func `has who signed out, and that their session is over`() throws {
        let browser = try stage.login()
        let session = try reference(browser, "/app/signed-out", of: stage)
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        let logout = try trail.line("logout") { $0["session"] == session }
        expectNames(logout, of: answer)
        #expect(logout["by"] == "user" && logout["gateway_client"] == "web")
        let end = try trail.line("session_ended") { $0["session"] == session }
        #expect(end["cause"] == "user_logout" && end["subject"] == logout["subject"], "\(end.raw)")
        // Without a session nobody signed out.
        let count = trail.lines.count
        #expect(try stage.exchange("POST", "/.portcullis/logout/web", fields: ownPage).status == 200)
        #expect(try stage.gateway.status("/healthz") == 200)
        #expect(trail.lines.count == count)
    }

    @Test(.holds("ECO-57"))
    func `has whom the authorization server signed out, in a frame and behind the browser's back`()
        throws
    {
        let framed = try stage.login()
        let one = try reference(framed, "/app/framed", of: stage)
        let sid = stage.server.lastSession
        let frame = try stage.exchange(
            "GET", "/.portcullis/frontchannel-logout/web?iss=\(stage.server.url)&sid=\(sid)", browser: framed)
        let front = try trail.line("logout") { $0["by"] == "front_channel" && $0["session"] == one }
        expectNames(front, of: frame)
        #expect(try trail.line("session_ended") { $0["session"] == one }["cause"] == "front_channel_logout")
        func post(_ token: String) throws -> WireResponse {
            try stage.exchange(
                "POST", "/.portcullis/backchannel-logout/web",
                fields: ["Content-Type: application/x-www-form-urlencoded"], body: "logout_token=\(token)")
        }
        let token = stage.server.logoutToken(session: nil, audience: "web", subject: "carol")
        let answer = try post(token)
        let id = answer.fields.only("x-request-id")
        let back = try trail.line("logout") { $0["by"] == "back_channel" && $0["request_id"] == id }
        expectNames(back, of: answer)
        #expect(back["session"] == nil && back["issuer"] == stage.server.url && back["subject"] != front["subject"])
        // Of a token that is not good there is nothing to say.
        let count = trail.lines.count
        // For such a one the issuer's keys are read again, once in a while alone: what came before may have done that.
        #expect([400, 503].contains(try post(String(token.dropLast(4)) + "AAAA").status))
        #expect(trail.lines.count == count)
        #expect(!trail.text.contains(sid) && !trail.text.contains(token))
    }

    @Test(.holds("ECO-57")) func `has which session of the server's memory ended by its sid`() throws {
        let stage = try Self.stage(["session: { store: memory }"])
        let trail = AuditTrail(stage.gateway)
        let browser = try stage.login()
        let session = try reference(browser, "/app/held", of: stage)
        let token = stage.server.logoutToken(session: stage.server.lastSession, audience: "web", subject: nil)
        let answer = try stage.exchange(
            "POST", "/.portcullis/backchannel-logout/web",
            fields: ["Content-Type: application/x-www-form-urlencoded"], body: "logout_token=\(token)")
        let end = try trail.line("session_ended") { $0["session"] == session }
        expectNames(end, of: answer)
        #expect(end["cause"] == "back_channel_sid")
        #expect(try trail.line("logout")["subject"] == end["subject"])
        try trail.expectValid()
    }

    @Test(.holds("ECO-57")) func `has that a stronger authentication was asked for, and came`() throws {
        var browser = try stage.login()
        let weak = try reference(browser, "/app/weak", of: stage)
        let asked = try stage.exchange("GET", "/gold/a", browser: browser, fields: navigation)
        let start = try #require(asked.fields.only("location"))
        let line = try trail.line("step_up_asked") { $0["session"] == weak }
        expectNames(line, of: asked)
        #expect(line["route"] == "gold" && line["status"] == "303" && line["check"] == "STEP-01", "\(line.raw)")
        #expect(line["cause"] == "authentication_insufficient")
        stage.server.change { $0.acr = "gold" }
        let answer = try stage.callback(start + "&shown=1", &browser)
        let strong = try reference(browser, "/gold/b", of: stage)
        let met = try trail.line("step_up_met") { $0["session"] == strong }
        expectNames(met, of: answer)
        #expect(met["subject"] == line["subject"])
        let end = try trail.line("session_ended") { $0["session"] == weak }
        #expect(end["cause"] == "replaced" && end["request_id"] == met["request_id"], "\(end.raw)")
    }

    @Test(.holds("ECO-57"), .refuses("ECO-57"))
    func `has what a user may not do, and nothing of whoever has no session`() throws {
        let browser = try stage.login()
        let answer = try stage.exchange("GET", "/staff/a", browser: browser)
        #expect(answer.status == 403)
        let line = try trail.line("refused") { $0["request_id"] == answer.fields.only("x-request-id") }
        expectNames(line, of: answer)
        #expect(line["cause"] == "claim_rule_unmet")
        #expect(line["check"] == "RS-20" && line["status"] == "403" && line["route"] == "/staff/", "\(line.raw)")
        #expect(line["subject"] != nil && line["session"] != nil && line["jti_hash"] == nil)
        let cross = try stage.exchange(
            "POST", "/app/a", browser: browser, fields: ["Origin: https://evil.test", "Sec-Fetch-Site: cross-site"])
        #expect(cross.status == 403)
        let crossed = try trail.line("refused") { $0["request_id"] == cross.fields.only("x-request-id") }
        expectNames(crossed, of: cross)
        #expect(crossed["cause"] == "cross_site_request")
        let count = trail.lines.count
        var forged = CookieJar()
        forged[SessionStage.cookie] = "AAAA" + String(repeating: "b", count: 300)
        for _ in 0..<50 {
            #expect(try stage.exchange("GET", "/app/a").status == 401)
            #expect(try stage.exchange("GET", "/staff/a", browser: forged).status == 401)
            #expect(try stage.exchange("GET", "/gold/a", fields: navigation).status == 303)
        }
        #expect(try stage.exchange("GET", "/.portcullis/callback/web?code=x&state=y").status == 400)
        // What passes has no line either.
        for _ in 0..<50 { #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200) }
        #expect(trail.lines.count == count, "\(trail.text)")
        try trail.expectValid()
    }

    @Test(.holds("ECO-57")) func `has that the server refuses to go on with a session`() throws {
        stage.server.change { $0.tokenSeconds = 5 }
        let browser = try stage.login()
        let session = try reference(browser, "/app/refresh", of: stage)
        stage.server.endGrants()
        #expect(eventually { (try? stage.exchange("GET", "/app/a", browser: browser))?.status == 401 })
        let end = try trail.line("session_ended") { $0["session"] == session }
        #expect(end["cause"] == "refresh_refused" && end["check"] == "RF-05", "\(end.raw)")
        #expect(end["gateway_client"] == "web" && end["subject"] != nil)
    }

    @Test(.holds("ECO-57"), .refuses("ECO-57"), arguments: ["cookie", "memory"])
    func `has once which limit a session reached, wherever it is kept`(store: String) throws {
        let clock = try SteppedClock()
        let stage = try Self.stage(
            ["session: { store: \(store), idle: 2m, absolute: 1h }", "refresh: false"], environment: clock.environment)
        let trail = AuditTrail(stage.gateway)
        let browser = try stage.login()
        let idle = try reference(browser, "/app/idle", of: stage)
        try clock.set(130)
        for _ in 0..<3 { #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 401) }
        // What is held in memory is told of when it is swept, which is when a minute begins.
        #expect(
            eventually {
                try? clock.set(130 + 60 - (Int64(time(nil)) + 130) % 60)
                return !trail.lines(of: "session_ended").isEmpty
            })
        let end = try trail.line("session_ended") { $0["session"] == idle }
        #expect(end["cause"] == "idle" && end["gateway_client"] == "web", "\(end.raw)")
        #expect(trail.lines(of: "session_ended").count == 1)
        try trail.expectValid()
    }

    @Test(.refuses("ECO-57")) func `has no secret, no cookie, no code and no name of anybody`() throws {
        let before = trail.lines(of: "step_up_met").count
        var browser = try stage.login()
        var secrets = browser.cookies.map(\.value)
        let asked = try stage.exchange("GET", "/gold/a", browser: browser, fields: navigation)
        stage.server.change { $0.acr = "gold" }
        let started = try stage.exchange(
            "GET", try #require(asked.fields.only("location")) + "&shown=1", browser: browser)
        browser.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location")))
        let callback = try stage.exchange(
            "GET", String(back.dropFirst("https://gateway.test".utf8.count)), browser: browser)
        browser.take(callback)
        secrets += browser.cookies.map(\.value)
        secrets += back.split { "?&=".contains($0) }.dropFirst().map(String.init).filter { $0.utf8.count >= 8 }
        secrets += stage.server.issued + [subject, "a secret of the client's", "the key of the digests", "sid-"]
        #expect(eventually { trail.lines(of: "step_up_met").count > before })
        #expect(secrets.count > 8)
        for secret in secrets { #expect(!trail.text.contains(secret), "\(secret)") }
        #expect(!stage.gateway.allLogText.contains("the key of the digests"))
    }
}
