import TestSupport
import TestTraits
import Testing

/// Row ECO-66 over real sockets: two hosts, two logins.
@Suite(.serialized, .byEachProtocol) struct `logins of two hosts` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    "{ host: a.test, path: /, upstream: $UPSTREAM, login: web, identity: { X-User: sub } }",
                    "{ host: b.test, path: /, upstream: $UPSTREAM, login: second, identity: { X-User: sub } }",
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                ], others: ["second"], settings: "hosts: [{ host: a.test }, { host: b.test }]"))
    }
    private let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func exchange(
        _ target: String, at host: String, browser: CookieJar = CookieJar(), fields: [String] = []
    ) throws -> WireResponse {
        try stage.gateway.exchange(
            request("GET", target, fields: browser.lines + fields)
                .replacingOccurrences("Host: gateway.test", with: "Host: \(host)"))
    }

    /// The path of the callback, of a login that began at this host.
    private func callback(_ login: String, at host: String, _ browser: inout CookieJar) throws -> String {
        let started = try exchange("/.portcullis/login/\(login)?return_to=/app", at: host, browser: browser)
        browser.take(started)
        let location = try #require(started.fields.only("location"), "\(started.headText)\(stage.gateway.diagnosis)")
        let back = try stage.server.authorize(location)
        try #require(back.hasPrefix("https://\(host)/.portcullis/callback/\(login)?"), "\(back)")
        return String(back.dropFirst("https://\(host)".utf8.count))
    }

    private func signedIn(_ login: String, at host: String) throws -> CookieJar {
        var browser = CookieJar()
        let answer = try exchange(try callback(login, at: host, &browser), at: host, browser: browser)
        browser.take(answer)
        #expect(answer.status == 303, "\(answer.headText)")
        return browser
    }

    @Test(.holds("ECO-66")) func `begin and end at their own host`() throws {
        for (login, host) in [("web", "a.test"), ("second", "b.test")] {
            let needed = try exchange("/app", at: host)
            expectLoginNeeded(needed, login: "https://\(host)/.portcullis/login/\(login)")
            let browser = try signedIn(login, at: host)
            #expect(browser["__Host-portcullis-\(login)"] != nil)
            #expect(try exchange("/app/\(login)", at: host, browser: browser).status == 200)
            #expect(try stage.forwarded("/app/\(login)").fields["x-user"] == ["alice"])
        }
    }

    @Test(.refuses("ECO-66")) func `make sessions that are nothing at another host, under any name`() throws {
        let browser = try signedIn("web", at: "a.test")
        let value = try #require(browser["__Host-portcullis-web"])
        #expect(try exchange("/app", at: "b.test", browser: browser).status == 401)
        var renamed = CookieJar()
        renamed["__Host-portcullis-second"] = value
        #expect(try exchange("/app", at: "b.test", browser: renamed).status == 401)
        #expect(try exchange("/app", at: "a.test", browser: browser).status == 200)
        #expect(stage.upstream.requests.map(\.path) == ["/app"])
    }

    @Test(.refuses("ECO-66")) func `are not finished at another host, nor begun there`() throws {
        var browser = CookieJar()
        let path = try callback("web", at: "a.test", &browser)
        #expect(try exchange(path, at: "b.test", browser: browser).status == 404)
        #expect(try exchange("/.portcullis/login/web", at: "b.test").status == 404)
        #expect(try exchange("/.portcullis/login/web", at: "gateway.test").status == 404)
        #expect(try exchange("/app", at: "c.test").status == 421)
        #expect(try exchange("/app", at: "gateway.test").status == 404)
        #expect(try exchange("/open/x", at: "gateway.test").status == 200)
        #expect(try exchange("/open/x", at: "a.test").status == 401)
        #expect(try exchange(path, at: "a.test", browser: browser).status == 303)
    }
}
