import Glibc
import TestSupport
import TestTraits
import Testing

/// Row RF-03 in the running gateway: refresh tokens that are used once each, and a process that dies in between.
@Suite(.serialized) struct `a server's new refresh token` {
    private static let route = "{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"
    /// Cookies that every process of the configuration opens.
    private static let keys = [
        "session.key": "8f2a6c1be59d4073a1c7f0e3d2b48596071f3e5d6c7b8a9908172635445362f1"
    ]

    private func stage() throws -> SessionStage {
        try SessionStage(
            LoginPlan(
                routes: [Self.route], client: ["session: { keys: [{ file: $FOLDER/session.key }] }"], files: Self.keys))
    }

    private func used(_ stage: SessionStage) -> [String] {
        stage.server.requests(for: "refresh_token").compactMap { $0["refresh_token"] }
    }

    @Test(.holds("RF-03")) func `takes the place of the one before it, five times in a row`() throws {
        let stage = try stage()
        stage.server.change { $0.tokenSeconds = 1 }
        var browser = try stage.login()
        let isRefreshed = eventually(within: .seconds(120)) {
            guard let answer = try? stage.exchange("GET", "/app/a", browser: browser) else { return false }
            browser.take(answer)
            return used(stage).count >= 5
        }
        #expect(isRefreshed, "\(used(stage))\(stage.gateway.diagnosis)")
        let tokens = used(stage)
        #expect(Set(tokens).count == tokens.count, "\(tokens)")
        // In the order in which the server gave them out: each is the one that the refresh before it brought.
        let given = stage.server.issued.filter { $0.hasPrefix("refresh-") }
        #expect(tokens == Array(given.prefix(tokens.count)), "\(given)")
        #expect(stage.server.revoked.isEmpty)
    }

    @Test(.holds("RF-03"), .refuses("RF-03"))
    func `that a process died with costs one login, and its user's old token is not tried again and again`()
        throws
    {
        let stage = try stage()
        stage.server.change { $0.tokenSeconds = 1 }
        let browser = try stage.login()
        // The server has spent the old token and made a new one, which nobody ever hears of.
        let gate = Gate()
        stage.server.change { $0.answerGate = gate }
        let waiting = try stage.gateway.client()
        #expect(
            eventually {
                if used(stage).isEmpty {
                    try? waiting.send(request("GET", "/app/a", fields: browser.lines))
                    _ = try? waiting.response(within: .milliseconds(300))
                }
                return stage.server.issued.count { $0.hasPrefix("refresh-") } == 2
            }, "\(stage.gateway.diagnosis)")
        stage.gateway.process.signal(SIGKILL)
        #expect(stage.gateway.process.waitForEnd() != nil)
        stage.server.change { $0.answerGate = nil }
        gate.open()

        let next = try stage.another()
        let clients = try (0..<50).map { _ in try next.client() }
        for client in clients { try client.send(request("GET", "/app/b", fields: browser.lines)) }
        for client in clients { expectLoginNeeded(try client.response()) }
        for _ in 0..<10 {
            expectLoginNeeded(try next.exchange(request("GET", "/app/c", fields: browser.lines)))
        }
        let first = try #require(stage.server.issued.first { $0.hasPrefix("refresh-") })
        // Once by the process that died, and once by the one that did not know.
        #expect(used(stage) == [first, first], "\(used(stage))")
        #expect(stage.upstream.requests.allSatisfy { $0.path == "/app/a" })
        let line = try #require(next.operatorLine { $0["event"] == "session_refreshed" })
        #expect(line["outcome"] == "ended" && line["check"] == "RF-05", "\(line.raw)")
        #expect(line["expected"] == "new tokens" && line["found"] == "status 400, error invalid_grant", "\(line.raw)")

        stage.server.change { $0.tokenSeconds = 300 }
        var again = CookieJar()
        let started = try next.exchange(request("GET", "/.portcullis/login/web?return_to=/app/d"))
        again.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location"), "\(started.headText)"))
        let target = String(back.dropFirst("https://gateway.test".utf8.count))
        again.take(try next.exchange(request("GET", target, fields: again.lines)))
        #expect(try next.exchange(request("GET", "/app/d", fields: again.lines)).status == 200)
    }

    @Test(.refuses("RF-06")) func `that a server does not give because it cannot be reached has that in its line`()
        throws
    {
        let stage = try stage()
        stage.server.change { $0.tokenSeconds = 1 }
        let browser = try stage.login()
        // A connection that ends without a byte of an answer, as of a server that is being stopped.
        stage.server.issuer.answer(ScriptedIssuer.tokenPath, with: WireScript(.close))
        #expect(eventually { (try? stage.exchange("GET", "/app/a", browser: browser).status) == 503 })
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "session_refreshed" })
        #expect(line["outcome"] == "unavailable" && line["level"] == "warning", "\(line.raw)")
        #expect(line["check"] == "CA-16" && line["expected"] == "an answer of the token endpoint", "\(line.raw)")
        #expect(line["found"] == "unanswered", "\(line.raw)")
    }
}
