import TestSupport
import TestTraits
import Testing

/// Row OPS-03: what the logs say of people on their way to sign in, and of their sessions.
@Suite(.serialized, .byEachProtocol) struct `the lines of a login` {
    /// One of its own: lines of one cause are paced, and other tests have many of them.
    private static let shared = Shared {
        try SessionStage(LoginPlan(routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.refuses("OPS-03"))
    func `a page that is sent to sign in is no refusal that anybody reads, and has its own status`() throws {
        let page = try stage.exchange("GET", "/app/a", fields: navigation)
        #expect(page.status == 303)
        let line = try #require(stage.gateway.operatorLine { $0["request_id"] == page.fields.only("x-request-id") })
        #expect(line["event"] == "refused" && line["cause"] == "login_required", "\(line.raw)")
        #expect(line["status"] == "303" && line["level"] == "debug", "\(line.raw)")
        let script = try stage.exchange("GET", "/app/a")
        #expect(script.status == 401)
        let other = try #require(stage.gateway.operatorLine { $0["request_id"] == script.fields.only("x-request-id") })
        #expect(other["status"] == "401" && other["level"] == "info", "\(other.raw)")
    }

    @Test(.holds("OPS-03"))
    func `a login has its request, its user's digest and its session, as the requests that follow`() throws {
        let starts = #"portcullis_login_starts_total{client="web"}"#
        let before = stage.gateway.reading(starts) ?? 0
        let told = stage.gateway.lines("login_started")
        let browser = try stage.login()
        let path = "/app/told-\(UInt64.random(in: 0...UInt64.max))"
        #expect(try stage.exchange("GET", path, browser: browser).status == 200)
        let request = try #require(stage.gateway.accessLine { $0["path"] == path })
        let session = try #require(request["session"])
        #expect(session.wholeMatch(of: #/[0-9a-f]{8}/#) != nil)
        let login = try #require(
            stage.gateway.operatorLine { $0["event"] == "logged_in" && $0["session"] == session })
        #expect(login["login_client"] == "web" && login["client"] == "127.0.0.1", "\(login.raw)")
        #expect(login["sub_digest"] == request["sub_digest"])
        let callback = try #require(stage.gateway.accessLine { $0["request_id"] == login["request_id"] })
        #expect(callback["path"]?.hasPrefix("/.portcullis/callback/web") == true)
        #expect(eventually { stage.gateway.lines("login_started") == told + 1 })
        let started = try #require(stage.gateway.operatorLog.last { $0["event"] == "login_started" })
        #expect(started["login_client"] == "web" && started["level"] == "debug", "\(started.raw)")
        #expect(stage.gateway.reading(starts) == before + 1)
        let out = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect(out.status < 400)
        #expect(stage.gateway.operatorLine { $0["event"] == "logged_out" && $0["session"] == session } != nil)
    }
}
