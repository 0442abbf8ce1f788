import Foundation
import TestSupport
import TestTraits
import Testing

/// Row OPS-07: what goes from one configuration to the next, and what is given up between them.
@Suite(.byEachProtocol) struct `from one configuration to the next` {
    private static func plan(_ extra: String, settings: String = "") -> StagePlan {
        var plan = StagePlan(settings: settings)
        plan.publicURL += extra
        return plan
    }

    @Test(.refuses("OPS-07", "OPS-08")) func `SIGTERM closes what a reload has opened that waits for keys`() throws {
        let stage = try Stage(StagePlan(workers: 2))
        let (keys, download) = (Gate(), Gate())
        defer { keys.open() }
        let slow = try ScriptedIssuer(keys: stage.issuer.keys)
        slow.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(keys), .close))
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"
        stage.upstream.answer("/open/a", with: WireScript(.text(head), .wait(download), .text("last.")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "first")
        let path = stage.gateway.folder + "/new.sock"
        var plan = Self.plan("\n  - { address: \"unix:\(path)\", public_url: \"http://new.test\" }")
        plan.workers = 2
        plan.issuers = "  slow: { url: \"\(slow.url)\", insecure_allow_http: true, discovery: openid }"
        try stage.rewrite(plan)
        stage.gateway.process.signal(SIGHUP)
        #expect(slow.server.waits { !$0.requests.isEmpty })
        let waiting = try RawClient(unixPath: path)
        stage.gateway.terminate()
        #expect(eventually { access(path, F_OK) != 0 })
        // Not left in a queue that nobody takes from while the download lasts.
        #expect(waiting.isClosedByPeer())
        #expect(stage.gateway.process.isRunning)
        download.open()
        #expect(text(try client.bytes(5)) == "last.")
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test(.holds("OPS-07")) func `a request that waits is answered after a dozen reloads`() throws {
        let stage = try Stage()
        let gate = Gate()
        defer { gate.open() }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        stage.upstream.answer("/open/slow", with: WireScript(.wait(gate), .text(answer)))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/slow"))
        #expect(stage.upstream.waits { !$0.requests.isEmpty })
        for number in 1...12 { try stage.reload(times: number) }
        gate.open()
        #expect(try client.response().status == 200)
    }

    @Test(.byHTTP1(because: "streams are told apart by their numbers"), .refuses("HTTP-35", "OPS-07"))
    func `the rest of a refused body is read away though a reload comes between`() throws {
        let stage = try Stage()
        let clients = try (0..<3).map { _ in try stage.gateway.client() }
        for client in clients {
            try client.send("POST /unknown HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 40\r\n\r\nGET /open/")
            #expect(try client.response(to: "POST").status == 404)
        }
        try stage.reload(times: 1)
        for client in clients {
            try client.send("smuggled HTTP/1.1\r\n\r\n123456789" + request("GET", "/open/a"))
            #expect(try client.response().status == 200)
        }
        #expect(stage.upstream.requests.map(\.path) == ["/open/a", "/open/a", "/open/a"])
    }

    @Test(.holds("OPS-07")) func `the permissions of a Unix socket change in place, and its connections go on`() throws
    {
        let folder = try TemporaryFolder.make(for: "permissions")
        defer { TemporaryFolder.remove(folder) }
        let path = "\(folder)/web.sock"
        func listener(_ mode: String) -> String {
            "\n  - { address: \"unix:\(path)\", mode: \"\(mode)\", public_url: \"http://gateway.test\" }"
        }
        func mode() -> UInt32 {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
        }
        var plan = Self.plan(listener("0600"))
        plan.workers = 2
        let stage = try Stage(plan)
        #expect(mode() == 0o600)
        let client = try RawClient(unixPath: path)
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        plan.publicURL = Self.plan(listener("0666")).publicURL
        try stage.rewrite(plan)
        try stage.reload()
        #expect(eventually { mode() == 0o666 })
        try client.send(request("GET", "/open/b"))
        #expect(try client.response().status == 200)
        let another = try RawClient(unixPath: path)
        try another.send(request("GET", "/open/c"))
        #expect(try another.response().status == 200)
        // Somebody else's file at that place is left alone, and the operator hears of it.
        unlink(path)
        try #require(
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o640]))
        plan.publicURL = Self.plan(listener("0600")).publicURL
        try stage.rewrite(plan)
        try stage.reload(times: 2)
        let line = stage.gateway.operatorLine {
            $0["event"] == "configuration_warning" && $0["detail"]?.contains(path) == true
        }
        #expect(line != nil, "\(stage.gateway.diagnosis)")
        #expect(mode() == 0o640)
    }

    @Test(.holds("OPS-07")) func `decisions are explained by the configuration that they were made by`() throws {
        let stage = try Stage(Self.plan("", settings: "explain_buffer: 50"))
        let refused = try stage.exchange("GET", "/orders/a")
        #expect(refused.status == 401)
        let id = try #require(refused.fields["x-request-id"].first)
        func explanation() throws -> (status: Int, text: String) {
            let page = try stage.gateway.admin("/explain/\(id)")
            return (page.status, text(page.body))
        }
        let before = try explanation()
        #expect(before.text.contains("orders, /orders/ (routes[1])"), "\(before.text)")
        #expect(!before.text.contains("replaced"))
        // One route only, so that the place of the old one is nobody's.
        var plan = StagePlan(routes: ["{ path: /new/, upstream: $UPSTREAM, public: true }"])
        plan.settings = "explain_buffer: 50"
        try stage.rewrite(plan)
        try stage.reload()
        let after = try explanation()
        #expect(after.status == 200)
        #expect(after.text.contains("orders, /orders/ (routes[1])"), "\(after.text)")
        #expect(after.text.contains("by a configuration that was replaced since"))
        let json = text(try stage.gateway.admin("/explain/\(id).json").body)
        #expect(json.contains("\"configuration\":\"replaced\""))
        // What is decided now is told of as ever, and a buffer of another size begins anew.
        let new = try stage.exchange("GET", "/elsewhere")
        let newID = try #require(new.fields["x-request-id"].first)
        #expect(!text(try stage.gateway.admin("/explain/\(newID)").body).contains("replaced"))
        plan.settings = "explain_buffer: 51"
        try stage.rewrite(plan)
        try stage.reload(times: 2)
        #expect(try explanation().status == 404)
    }
}

/// Rows OPS-07 and OPS-08 for logins.
@Suite struct `logins over a reload` {
    private static let plan = LoginPlan(
        routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, websocket: true }"],
        client: ["logout: { backchannel: true }"])

    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    /// SIGHUP after a change of the file, and the word that it is served.
    private func reload(_ stage: SessionStage, times: Int = 1, _ change: (String) -> String) throws {
        try rewrite(stage, change)
        stage.gateway.process.signal(SIGHUP)
        let isReloaded = stage.gateway.process.errors.wait { lines in
            lines.count { $0.contains("\"event\":\"reloaded\"") } >= times
        }
        guard isReloaded else { throw WireFailure.timedOut("no reload:\n\(stage.gateway.diagnosis)") }
    }

    private func rewrite(_ stage: SessionStage, _ change: (String) -> String) throws {
        let path = stage.gateway.folder + "/gateway.yaml"
        let yaml = try String(contentsOfFile: path, encoding: .utf8)
        try change(yaml).write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func withoutLogins(_ yaml: String) -> String {
        yaml.replacingOccurrences("login: web,", with: "public: true,")
    }

    private func revocations(_ stage: SessionStage) -> Int {
        stage.server.issuer.fetches(LoginServer.revocationPath)
    }

    /// Logs in and out again, and the server does not take the tokens back for now.
    private func leaveTokens(_ stage: SessionStage) throws {
        stage.server.issuer.answer(LoginServer.revocationPath, with: .answer(503))
        let browser = try stage.login()
        #expect(try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage).status == 200)
    }

    @Test(.holds("LO-09", "OPS-07"), .refuses("LO-09", "OPS-07"))
    func `a WebSocket ends with its login, and outlives a reload that keeps it`() throws {
        let stage = try SessionStage(Self.plan)
        stage.upstream.answer("/app/socket", with: WireScript(.text(Self.switching), .tunnel))
        let browser = try stage.login()
        let client = try stage.gateway.client()
        let lines = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: https://gateway.test",
        ]
        try client.send(request("GET", "/app/socket", fields: browser.lines + lines))
        #expect(try client.response().status == 101)
        let frame: [UInt8] = [0x81, 0x05] + Array("hello".utf8)
        try client.send(frame)
        #expect(try client.bytes(frame.count) == frame)
        try reload(stage) { $0 }
        try client.send(frame)
        #expect(try client.bytes(frame.count) == frame)
        try reload(stage, times: 2, Self.withoutLogins)
        #expect(try client.bytesToEnd() == [0x88, 0x02, 0x03, 0xF0])
    }

    @Test(.holds("OPS-07")) func `end where they were asked for though the listener is gone by then`() throws {
        let folder = try TemporaryFolder.make(for: "logins")
        defer { TemporaryFolder.remove(folder) }
        let gate = Gate()
        defer { gate.open() }
        let stage = try SessionStage(Self.plan)
        let listener = "\n  - { address: \"unix:\(folder)/web.sock\", public_url: \"https://second.test\" }\n"
        let first = "public_url: https://gateway.test\n"
        try reload(stage) { $0.replacingOccurrences(first, with: first.dropLast() + listener) }
        var browser = CookieJar()
        let client = try RawClient(unixPath: "\(folder)/web.sock")
        func ask(_ target: some StringProtocol) throws {
            let fields = (["Host: second.test"] + browser.lines).joined(separator: "\r\n")
            try client.send("GET \(target) HTTP/1.1\r\n\(fields)\r\n\r\n")
        }
        try ask("/.portcullis/login/web?return_to=/app/a")
        let started = try client.response()
        browser.take(started)
        let back = try stage.server.authorize(try #require(started.fields.only("location"), "\(started.headText)"))
        #expect(back.hasPrefix("https://second.test/"))
        stage.server.change { $0.tokenGate = gate }
        try ask(back.dropFirst("https://second.test".utf8.count))
        // The code is spent, and only its answer is to come.
        #expect(eventually { !stage.server.requests(for: "authorization_code").isEmpty })
        try reload(stage, times: 2) { $0.replacingOccurrences(listener, with: "\n") }
        #expect(throws: (any Error).self) { try RawClient(unixPath: "\(folder)/web.sock") }
        gate.open()
        let answer = try client.response()
        browser.take(answer)
        #expect(answer.status == 303 && answer.fields.only("location") == "/app/a", "\(answer.headText)")
        #expect(client.isClosedByPeer())
        // What began at a listener that is gone is a login like another.
        let page = try stage.exchange("GET", "/app/b", browser: browser)
        #expect(page.status == 200, "\(page.headText)")
    }

    @Test(.refuses("OPS-08", "RV-01")) func `tokens are given back at the end though a reload has removed all logins`()
        throws
    {
        let stage = try SessionStage(Self.plan)
        try leaveTokens(stage)
        #expect(eventually { revocations(stage) >= 1 })
        try reload(stage, Self.withoutLogins)
        let before = revocations(stage)
        stage.server.issuer.answer(LoginServer.revocationPath, with: .answer(200, ""))
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        #expect(revocations(stage) > before)
    }

    @Test(.holds("OPS-08", "RV-01")) func `tokens are given back at the end though a reload waits for keys`() throws {
        let stage = try SessionStage(Self.plan)
        let gate = Gate()
        defer { gate.open() }
        let slow = try ScriptedIssuer(keys: stage.server.issuer.keys)
        slow.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .close))
        try rewrite(stage) {
            let issuer = "  slow: { url: \"\(slow.url)\", insecure_allow_http: true, discovery: openid }\n"
            return $0.replacingOccurrences("clients:\n", with: issuer + "clients:\n")
        }
        stage.gateway.process.signal(SIGHUP)
        #expect(slow.server.waits { !$0.requests.isEmpty })
        // By the configuration that is served, whose tokens go to the one that waits.
        try leaveTokens(stage)
        #expect(eventually { revocations(stage) >= 1 })
        let before = revocations(stage)
        stage.server.issuer.answer(LoginServer.revocationPath, with: .answer(200, ""))
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        #expect(revocations(stage) > before)
    }
}
