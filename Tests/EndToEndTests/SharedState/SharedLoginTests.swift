import Glibc
import TestSupport
import TestTraits
import Testing

/// Rows SH-20 to SH-41 and SH-74 to SH-76 over real sockets: a browser whose requests come to three gateways.
@Suite(.serialized, .byEachProtocol) struct `a login at several replicas` {
    private static let session = "session: { store: shared, keys: [{ file: $FOLDER/session.key }] }"

    private func fleet(
        _ store: StoreServer, _ further: String = "", client: [String] = [], workers: Int = 1
    ) throws -> (stage: SessionStage, others: [GatewayProcess]) {
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }"],
                client: [Self.session] + client, workers: workers, settings: Fleet.settings(store, further),
                files: Fleet.keys))
        return (stage, [try stage.another(), try stage.another()])
    }

    private func ask(
        _ gateway: GatewayProcess, _ browser: CookieJar, _ method: String = "GET", _ target: String = "/app/a",
        fields: [String] = []
    ) throws -> WireResponse {
        try gateway.exchange(request(method, target, fields: browser.lines + fields), method: method)
    }

    @Test(.holds("SH-20", "SH-37"), .refuses("SH-37"))
    func `is good at each of them, and over at each of them after a logout at one`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        let browser = try stage.login()
        #expect((browser[SessionStage.cookie] ?? "").utf8.count == 64)
        for gateway in [stage.gateway] + others { #expect(try ask(gateway, browser).status == 200) }
        let answer = try ask(others[1], browser, "POST", "/.portcullis/logout/web", fields: ownPage)
        #expect(answer.status == 303 || answer.status == 200, "\(answer.headText)")
        for gateway in others + [stage.gateway] {
            let isOver = eventually { (try? ask(gateway, browser))?.status == 401 }
            #expect(isOver, "\(gateway.diagnosis)")
        }
    }

    @Test(.holds("SH-87"), .refuses("SH-87"))
    func `that waited for the store says in the access log how long, and that did not says nothing`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, "recheck: 10m, " + Fleet.patiently)
        // Once the log of endings is read, nothing that is known is asked about again.
        let first = try stage.login()
        let isWarm = eventually {
            (try? ask(others[0], first, "GET", "/app/warm"))?.status == 200
                && others[0].accessLog.last { $0["path"] == "/app/warm" }.map { $0["store_us"] == nil } == true
        }
        #expect(isWarm, "\(others[0].diagnosis)")
        let browser = try stage.login()
        for path in ["/app/read", "/app/known"] {
            #expect(try ask(others[0], browser, "GET", path).status == 200, "\(others[0].diagnosis)")
        }
        let read = try #require(others[0].accessLine { $0["path"] == "/app/read" })
        let known = try #require(others[0].accessLine { $0["path"] == "/app/known" })
        #expect(read["store_us"] != nil && read["store_us"] != "0" && known["store_us"] == nil)
    }

    @Test(.holds("SH-12"), .refuses("SH-12"))
    func `is left behind, and said to be, by a reload that brings another store`() throws {
        let (store, other) = (try StoreServer(), try StoreServer())
        let (stage, others) = try fleet(store, "recheck: 0s, " + Fleet.patiently)
        let browser = try stage.login()
        let moved = try stage.another()
        #expect(try ask(moved, browser).status == 200)
        // The same store by other words leaves nobody behind.
        try moved.reload(stage.yaml.replacingOccurrences("recheck: 0s", with: "recheck: 1s"))
        #expect(try ask(moved, browser).status == 200)
        #expect(moved.operatorLog.allSatisfy { $0["event"] != "sessions_left_behind" })
        try moved.reload(times: 2, stage.yaml.replacingOccurrences(store.path, with: other.path))
        let line = try #require(moved.operatorLine { $0["event"] == "sessions_left_behind" }, "\(moved.diagnosis)")
        #expect(line["login_client"] == "web" && line["found"]?.contains("sign in again") == true)
        let isLeft = eventually { (try? ask(moved, browser))?.status == 401 }
        #expect(isLeft, "\(moved.diagnosis)")
        #expect(try ask(others[0], browser).status == 200, "nobody ended it where it is")
    }

    @Test(.holds("SH-63"), .refuses("SH-63"))
    func `leads back to its page at each of them when its browser comes to the callback again`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        var browser = CookieJar()
        let started = try stage.exchange("GET", "/.portcullis/login/web?return_to=/app/a", browser: browser)
        browser.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location")))
        let target = String(back.dropFirst("https://gateway.test".utf8.count))
        browser.take(try stage.exchange("GET", target, browser: browser))
        #expect(browser.cookies.map(\.name).contains(SessionStage.cookie), "\(stage.gateway.diagnosis)")
        let stranger = try stage.login()
        for gateway in others + [stage.gateway] {
            let answer = try ask(gateway, browser, "GET", target, fields: navigation)
            #expect(answer.status == 303, "\(answer.headText)\(gateway.diagnosis)")
            #expect(answer.fields.only("location")?.hasSuffix("/app/a") == true)
            #expect(answer.fields["set-cookie"].isEmpty)
            #expect(try ask(gateway, stranger, "GET", target, fields: navigation).status == 400)
        }
    }

    @Test func `is read once for all who ask for it at once, and all of them are answered`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        let browser = try stage.login()
        let clients = try (0..<6).map { _ in try others[0].client() }
        store.signal(SIGSTOP)
        for client in clients { try client.send(request("GET", "/app/a", fields: browser.lines)) }
        let isWaiting = eventually { others[0].reading("portcullis_parked_requests") == 6 }
        store.signal(SIGCONT)
        #expect(isWaiting, "\(others[0].diagnosis)")
        for client in clients { #expect(try client.response().status == 200) }
        #expect(others[0].reading("portcullis_store_sessions_total{outcome=\"load\"}") == 1)
    }

    @Test(.holds("SH-39"), .refuses("SH-39"))
    func `ends with its streams at once when somebody signs out elsewhere`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, "recheck: 60s, " + Fleet.patiently)
        let browser = try stage.login()
        for gateway in [stage.gateway] + others { #expect(try ask(gateway, browser).status == 200) }
        _ = try ask(others[1], browser, "POST", "/.portcullis/logout/web", fields: ownPage)
        let start = ContinuousClock.now
        let isOver = eventually { (try? ask(others[0], browser))?.status == 401 }
        #expect(isOver, "\(others[0].diagnosis)")
        // A minute would be the recheck's doing.
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test(.holds("SH-71"), .refuses("SH-71")) func `is over at the next question where the store has lost it`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, "recheck: 1s, " + Fleet.patiently, workers: 2)
        let browser = try stage.login()
        for gateway in [stage.gateway] + others { #expect(try ask(gateway, browser).status == 200) }
        // Nobody writes a line about that.
        let lost = "for _, key in ipairs(redis.call('keys', 'pc:s:*')) do redis.call('del', key) end return 1"
        #expect(try store.ask("EVAL", lost, "0") == ":1")
        for gateway in others + [stage.gateway] {
            let isOver = eventually { (try? ask(gateway, browser))?.status == 401 }
            #expect(isOver, "\(gateway.diagnosis)")
        }
    }

    @Test(.holds("SH-71"), .refuses("SH-21")) func `is asked about before each request where that is wanted`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, "recheck: 0s, " + Fleet.patiently)
        let browser = try stage.login()
        for _ in 0..<5 { for gateway in [stage.gateway] + others { #expect(try ask(gateway, browser).status == 200) } }
        store.kill()
        let answer = try ask(others[0], browser)
        #expect(answer.status == 503, "\(answer.headText)")
        #expect(answer.fields["set-cookie"] == [])
    }

    @Test(.holds("SH-51"), .refuses("SH-51")) func `leaves nothing in the store that says who it is`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        let browser = try stage.login()
        #expect(try ask(others[0], browser).status == 200)
        let contents = try store.contents()
        #expect(contents.contains("pc:s:"))
        for secret in ["alice", stage.server.url, browser[SessionStage.cookie] ?? "?"] {
            #expect(!contents.contains(secret))
        }
    }

    @Test(.holds("SH-21"), .refuses("SH-21", "SH-74"))
    func `is neither over nor there while nobody can ask the store`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        let browser = try stage.login()
        #expect(try ask(stage.gateway, browser).status == 200)
        store.kill()
        // Known here, and asked about a moment ago.
        #expect(try ask(stage.gateway, browser).status == 200)
        // Unknown there.
        let answer = try ask(others[0], browser, fields: navigation)
        #expect(answer.status == 503, "\(answer.headText)")
        #expect(answer.fields["set-cookie"].isEmpty)
        #expect(answer.fields.only("retry-after") != nil)
        let logout = try ask(others[0], browser, "POST", "/.portcullis/logout/web", fields: ownPage)
        #expect(logout.status == 503, "\(logout.headText)")
        #expect(logout.fields["set-cookie"].allSatisfy { !$0.contains(SessionStage.cookie) })
        try store.start()
        // It forgot: the browser signs in again by a redirect, and no error.
        let isBack = eventually { (try? ask(others[0], browser, fields: navigation))?.status == 303 }
        #expect(isBack, "\(others[0].diagnosis)")
    }

    /// The server takes a second use of a refresh token for theft, and ends the login.
    @Test(.holds("SH-30"), .refuses("SH-30", "SH-32"))
    func `that is over is refreshed once for three hundred requests at once, and all of them are served`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently, workers: 2)
        stage.server.change { $0.tokenSeconds = 1 }
        let browser = try stage.login()
        let gate = Gate()
        stage.server.change {
            $0.tokenSeconds = 300
            $0.refreshGate = gate
        }
        // Its token is over by then, and nobody is served by it any more.
        dawdle(for: .milliseconds(1100))
        let gateways = [stage.gateway] + others
        let clients = try (0..<300).map { try gateways[$0 % 3].client() }
        for client in clients { try client.send(request("GET", "/app/a", fields: browser.lines)) }
        #expect(eventually { stage.server.issuer.fetches(ScriptedIssuer.tokenPath) == 2 })
        gate.open()
        let statuses = try clients.map { try $0.response().status }
        #expect(statuses.allSatisfy { $0 == 200 }, "\(Dictionary(grouping: statuses) { $0 }.mapValues(\.count))")
        #expect(stage.server.requests(for: "refresh_token").count == 1)
        let tokens = Set(stage.upstream.requests.compactMap { $0.fields.only("authorization") })
        #expect(tokens.count == 1, "the new one, and never the old")
        #expect(stage.server.revoked.isEmpty)
    }

    @Test(.holds("SH-30"), .refuses("SH-30")) func `is refreshed once by all of them`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently, workers: 2)
        stage.server.change { $0.tokenSeconds = 2 }
        let browser = try stage.login()
        stage.server.change { $0.tokenSeconds = 300 }
        let gateways = [stage.gateway] + others
        let isDue = eventually {
            guard (try? ask(stage.gateway, browser))?.status == 200 else { return false }
            let clients = gateways.flatMap { gateway in (0..<10).compactMap { _ in try? gateway.client() } }
            for client in clients { try? client.send(request("GET", "/app/a", fields: browser.lines)) }
            let statuses = clients.map { (try? $0.response())?.status }
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
            return !stage.server.requests(for: "refresh_token").isEmpty
        }
        #expect(isDue, "\(stage.gateway.diagnosis)")
        for gateway in gateways { #expect(try ask(gateway, browser).status == 200) }
        #expect(stage.server.requests(for: "refresh_token").count == 1)
    }
}
