import TestSupport
import TestTraits
import Testing

/// Rows RF-01 to RF-08 over real sockets: tokens are renewed behind the browser's back, and never twice.
@Suite(.serialized, .byEachProtocol) struct `a session whose tokens expire` {
    /// Tokens of five seconds: the last of them is when they are refreshed.
    private static let life = 5

    private func stage(workers: Int = 1, client: [String] = []) throws -> SessionStage {
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"], client: client,
                workers: workers))
        stage.server.change { $0.tokenSeconds = Self.life }
        return stage
    }

    private func refreshes(_ stage: SessionStage) -> Int { stage.server.requests(for: "refresh_token").count }

    /// Asks until the session was refreshed; the jar has what the answers set.
    private func untilRefreshed(_ stage: SessionStage, _ browser: inout CookieJar, times: Int = 1) -> Bool {
        var mine = browser
        let isRefreshed = eventually {
            guard let answer = try? stage.exchange("GET", "/app/poll", browser: mine) else { return false }
            mine.take(answer)
            return refreshes(stage) >= times
        }
        browser = mine
        return isRefreshed
    }

    /// Asks on this connection, one request after the other, until one waits for a refresh that the server keeps at its gate.
    private func untilRefreshing(_ stage: SessionStage, _ client: RawClient, _ browser: CookieJar) -> Bool {
        var isAsked = false
        return eventually {
            if refreshes(stage) > 0 { return true }
            if !isAsked {
                guard (try? client.send(request("GET", "/app/a", fields: browser.lines))) != nil else { return false }
                isAsked = true
            }
            // No answer for a while is no proof of it on a machine that stands still: the server's word is.
            if (try? client.response(within: .milliseconds(300))) != nil { isAsked = false }
            return refreshes(stage) > 0
        }
    }

    @Test(.holds("RF-01", "RF-02")) func `is refreshed early and once, by a hundred requests of four workers`() throws {
        let stage = try stage(workers: 4)
        var browser = try stage.login()
        let gate = Gate()
        stage.server.change {
            $0.refreshGate = gate
            $0.tokenSeconds = 300
        }
        // The first that finds the refresh due waits for it; until then each is answered.
        let clients = try (0..<100).map { _ in try stage.gateway.client() }
        let first = try stage.gateway.client()
        #expect(untilRefreshing(stage, first, browser))
        for client in clients { try client.send(request("GET", "/app/a", fields: browser.lines)) }
        #expect(eventually { (try? stage.parked()) ?? 0 >= 100 }, "\((try? stage.parked()) ?? -1)")
        gate.open()
        var values: Set<String> = []
        for client in clients {
            let answer = try client.response()
            #expect(answer.status == 200, "\(answer.headText)")
            var jar = browser
            jar.take(answer)
            values.insert(jar[SessionStage.cookie] ?? "")
        }
        #expect(refreshes(stage) == 1)
        // With rotation, a second refresh by the browser's older cookie would have ended the login.
        #expect(values.count == 1 && values != [browser[SessionStage.cookie] ?? ""])
        browser[SessionStage.cookie] = values.first
        #expect(try stage.exchange("GET", "/app/b", browser: browser).status == 200)
        let tokens = Set(stage.upstream.requests.flatMap { $0.fields["authorization"] })
        #expect(tokens.count == 2, "\(tokens)")
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("OPS-05"))
    func `is refreshed while the server has many of another user's to answer`() throws {
        let stage = try stage()
        stage.server.change { $0.subject = "victim" }
        let victim = try stage.login()
        stage.server.change { $0.subject = "flood" }
        // Twice as many as are under way at a server at a time.
        let flood = try (0..<64).map { _ in try stage.login() }
        // When the newest of all sessions is due for the second time, the tokens of all of them have expired.
        var newest = try stage.login()
        #expect(untilRefreshed(stage, &newest, times: 2))
        let gate = Gate()
        stage.server.change {
            $0.refreshGate = gate
            $0.refreshGateSubject = "flood"
            $0.tokenSeconds = 300
        }
        let clients = try flood.map { browser in
            let client = try stage.gateway.client()
            try client.send(request("GET", "/app/a", fields: browser.lines))
            return client
        }
        // On a machine that stands still the first are answered before the last wait: their refreshes go on all the same.
        _ = eventually(within: .seconds(4)) { (try? stage.parked()) ?? 0 >= flood.count }
        let answer = try stage.exchange("GET", "/app/b", browser: victim)
        gate.open()
        #expect(answer.status == 200, "\(answer.headText)")
        for client in clients { #expect([200, 503].contains(try client.response().status)) }
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .refuses("RF-01"))
    func `is served with its earlier cookie too, without another refresh`() throws {
        let stage = try stage()
        let before = try stage.login()
        var browser = before
        #expect(untilRefreshed(stage, &browser))
        stage.server.change { $0.tokenSeconds = 300 }
        let count = refreshes(stage)
        #expect(browser[SessionStage.cookie] != before[SessionStage.cookie])
        for _ in 0..<5 {
            let answer = try stage.exchange("GET", "/app/a", browser: before)
            #expect(answer.status == 200, "\(answer.headText)")
        }
        #expect(refreshes(stage) - count <= 1)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("DPOP-43", "RF-03"))
    func `is refreshed with the key that its tokens were bound to, and a new proof`()
        throws
    {
        let stage = try stage(client: ["dpop: required"])
        var browser = try stage.login()
        #expect(untilRefreshed(stage, &browser, times: 2))
        let proofs = stage.server.issuer.server.requests.filter { $0.path == ScriptedIssuer.tokenPath }
            .map { ($0.fields.only("dpop") ?? "").split(separator: ".").map(String.init) }
        #expect(proofs.count >= 3 && proofs.allSatisfy { $0.count == 3 })
        // The header is type, algorithm and key.
        #expect(Set(proofs.map { $0[0] }).count == 1)
        #expect(Set(proofs.map { $0[1] }).count == proofs.count)
        // Each refresh token is used once.
        let used = stage.server.requests(for: "refresh_token").compactMap { $0["refresh_token"] }
        #expect(Set(used).count == used.count)
    }

    @Test(.refuses("RF-02")) func `is not refreshed because an upstream says 401`() throws {
        let stage = try stage()
        stage.server.change { $0.tokenSeconds = 300 }
        let browser = try stage.login()
        stage.upstream.answer("/app/a", with: .answer(401))
        for _ in 0..<3 { #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 401) }
        #expect(refreshes(stage) == 0)
    }

    @Test(.holds("RF-05"), .refuses("RF-05"))
    func `is over when the server refreshes it no more, and its cookie is deleted`() throws {
        let stage = try stage()
        let browser = try stage.login()
        stage.server.endGrants()
        var last: WireResponse?
        #expect(
            eventually {
                last = try? stage.exchange("GET", "/app/a", browser: browser)
                return last?.status != 200
            })
        let answer = try #require(last)
        expectLoginNeeded(answer)
        #expect(
            answer.fields["set-cookie"].contains {
                $0.hasPrefix("\(SessionStage.cookie)=;") && $0.contains("Max-Age=0")
            },
            "\(answer.headText)")
        #expect(refreshes(stage) == 1)
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: browser))
        #expect(refreshes(stage) == 1)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .refuses("RF-06"))
    func `goes on with a token that is valid while the server is down, then waits, and is never lost`()
        throws
    {
        let stage = try stage()
        var browser = CookieJar()
        var afterFailure: WireResponse?
        // The token is valid for a second more: a machine that stands still then is tried again.
        for _ in 0..<5 where afterFailure?.status != 200 {
            stage.server.change { $0.refuses = nil }
            browser = try stage.login()
            stage.server.change { $0.refuses = 503 }
            // Polled without a pause: whatever is answered while the token is valid is no refusal.
            #expect(untilRefreshed(stage, &browser, times: refreshes(stage) + 1))
            afterFailure = try stage.exchange("GET", "/app/a", browser: browser)
        }
        #expect(afterFailure?.status == 200, "\(afterFailure?.headText ?? "")")
        var down: WireResponse?
        #expect(
            eventually {
                down = try? stage.exchange("GET", "/app/a", browser: browser)
                return down?.status != 200
            })
        expectAuthorizationDown(try #require(down))
        #expect(try #require(down).fields["set-cookie"] == [])
        stage.server.change {
            $0.refuses = nil
            $0.tokenSeconds = 300
        }
        #expect(eventually { (try? stage.exchange("GET", "/app/a", browser: browser).status) == 200 })
    }

    @Test(.holds("RF-08", "RV-02"), .refuses("RF-08", "RV-02"))
    func `that ends while it is refreshed stays ended, and the new tokens are revoked`() throws {
        let stage = try stage()
        let browser = try stage.login()
        let gate = Gate()
        stage.server.change { $0.refreshGate = gate }
        let client = try stage.gateway.client()
        #expect(untilRefreshing(stage, client, browser))
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect(answer.status == 200, "\(answer.headText)")
        stage.upstream.forget()
        gate.open()
        let late = try client.response()
        #expect(late.status == 401, "\(late.headText)")
        #expect(
            !late.fields["set-cookie"].contains { $0.hasPrefix("\(SessionStage.cookie)=") && !$0.contains("Max-Age=0") }
        )
        #expect(stage.upstream.requests.isEmpty)
        let newest = try #require(stage.server.issued.last { $0.hasPrefix("refresh-") })
        #expect(eventually { stage.server.revoked.contains(newest) }, "\(stage.server.revoked)")
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: browser))
    }
}
