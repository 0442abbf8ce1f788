import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows SH-39, LO-09, H2-40 and H2-93: what is open at one replica when its session ends at another.
@Suite(.serialized, .byEachProtocol) struct `what is open of a login at another replica` {
    /// A message of two bytes, unmasked.
    private static let message: [UInt8] = [0x82, 2, 7, 8]
    /// A Close frame with status 1008.
    private static let goodbye: [UInt8] = [0x88, 0x02, 0x03, 0xF0]

    private func fields(_ browser: CookieJar) -> [String] { browser.lines + ["Origin: https://gateway.test"] }

    /// A WebSocket through which a message has gone.
    private func socket(_ gateway: GatewayProcess, _ browser: CookieJar) throws -> RawClient {
        let client = try gateway.client()
        let lines = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        try client.send(request("GET", "/app/socket", fields: fields(browser) + lines))
        let answer = try client.response()
        #expect(answer.status == 101, "\(answer.headText)\(gateway.diagnosis)")
        try expectOpen(client)
        return client
    }

    private func expectOpen(_ socket: RawClient, at location: SourceLocation = #_sourceLocation) throws {
        try socket.send(Self.message)
        #expect(try socket.bytes(Self.message.count) == Self.message, sourceLocation: location)
    }

    /// A response that goes on and on, of which the beginning has come.
    private func stream(_ gateway: GatewayProcess, _ browser: CookieJar) throws -> RawClient {
        let client = try gateway.client()
        try client.send(request("GET", "/app/stream", fields: fields(browser)))
        _ = try client.bytes(through: "5\r\nhello\r\n")
        return client
    }

    @Test(
        .holds("SH-39", "LO-09", "H2-40", "H2-93"), .refuses("SH-39", "H2-40", "H2-93"), arguments: [false, true])
    func `ends at once, and what others have open goes on`(byServer: Bool) throws {
        let (store, server, gate) = (try StoreServer(), try FrameServer(), Gate())
        defer { gate.open() }
        let stage = try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web, websocket: true }",
                    "{ path: /user.S/, upstream: \(server.upstream), login: web, grpc: true }",
                ],
                client: [
                    "session: { store: shared, keys: [{ file: $FOLDER/session.key }] }",
                    "logout: { backchannel: true }",
                ],
                // Asked about again so seldom, the session would be served for a minute more.
                settings: Fleet.settings(store, "recheck: 60s, " + Fleet.patiently), files: Fleet.keys))
        let there = try stage.another()
        stage.upstream.answer("/app/socket", with: .switching)
        stage.upstream.answer(
            "/app/stream",
            with: WireScript(
                .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .wait(gate),
                .text("0\r\n\r\n")))
        let mine = try stage.login(), session = stage.server.lastSession
        let other = try stage.login()
        let (ended, kept) = (try socket(there, mine), try socket(there, other))
        let (cut, going) = (try stream(there, mine), try stream(there, other))
        let caller = try FrameClient(port: there.port)
        for (stream, browser) in [(UInt32(1), mine), (3, other)] {
            let call = [
                ("content-type", "application/grpc"), ("te", "trailers"), ("cookie", browser.text),
                ("origin", "https://gateway.test"), ("sec-fetch-site", "same-origin"),
            ]
            try caller.client.send(FrameClient.request(stream, "/user.S/Any", method: "POST", call, ends: false))
        }
        let peer = try server.connection()
        let calls = try (0..<2).map { _ in
            try #require(try peer.frames { $0.type == Frame.headers }.last).stream
        }
        let began = ContinuousClock.now
        let answer =
            byServer
            ? try stage.exchange(
                "POST", "/.portcullis/backchannel-logout/web",
                fields: ["Content-Type: application/x-www-form-urlencoded"],
                body: "logout_token=\(stage.server.logoutToken(session: session, audience: "web"))")
            : try stage.exchange("POST", "/.portcullis/logout/web", browser: mine, fields: ownPage)
        #expect((200..<400).contains(answer.status), "\(answer.headText)")
        #expect(try ended.bytesToEnd() == Self.goodbye)
        #expect(!text(try cut.bytesToEnd()).contains("0\r\n\r\n"), "cut short")
        #expect(try caller.status(of: 1) == "200")
        #expect(caller.values("grpc-status", of: 1) == ["16"], "\(caller.fields)")
        let reset = try #require(try peer.frames { $0.type == Frame.reset }.last)
        #expect(reset.stream == calls[0] && reset.code == 8, "\(reset)")
        // A minute would be the recheck's doing.
        #expect(ContinuousClock.now - began < .seconds(30))

        try expectOpen(kept)
        gate.open()
        _ = try going.bytes(through: "0\r\n\r\n")
        let whole = [(":status", "200"), ("content-type", "application/grpc")]
        try peer.client.send(
            FrameClient.section(calls[1], whole, ends: false)
                + FrameClient.section(calls[1], [("grpc-status", "0")], ends: true))
        #expect(try caller.status(of: 3) == "200")
        #expect(caller.values("grpc-status", of: 3) == ["0"])
        caller.client.close()
    }

    @Test(.holds("SH-39", "LO-09"), .refuses("SH-39", "LO-09"))
    func `is answered as the next request would be, where no byte of its answer has been sent`() throws {
        let (store, gate) = (try StoreServer(), Gate())
        defer { gate.open() }
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"],
                client: ["session: { store: shared, keys: [{ file: $FOLDER/session.key }] }"],
                settings: Fleet.settings(store, "recheck: 60s, " + Fleet.patiently), files: Fleet.keys))
        let there = try stage.another()
        stage.upstream.answer(
            "/app/slow",
            with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")))
        let (mine, other) = (try stage.login(), try stage.login())
        func begin(_ browser: CookieJar, _ lines: [String] = [], _ method: String = "GET", body: String = "") throws
            -> RawClient
        {
            let client = try there.client()
            let all = browser.lines + (lines.isEmpty ? ownPage : lines)
            try client.send(request(method, "/app/slow", fields: all, body: body))
            return client
        }
        let script = try begin(mine), form = try begin(mine, [], "POST", body: "x=1")
        let page = try begin(mine, navigation), kept = try begin(other)
        #expect(eventually { stage.upstream.requests.count { $0.target == "/app/slow" } == 4 }, "\(there.diagnosis)")
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: mine, fields: ownPage)
        #expect((200..<400).contains(answer.status), "\(answer.headText)")
        for client in [script, form] {
            let refused = try client.response()
            expectLoginNeeded(refused)
            // The browser may have another login's by now.
            #expect(refused.fields["set-cookie"].isEmpty)
        }
        let sent = try page.response()
        #expect(sent.status == 303 && sent.fields.only("location") == "/.portcullis/login/web", "\(sent.headText)")
        #expect(sent.fields["set-cookie"].isEmpty)
        #expect(there.accessLine { $0["path"] == "/app/slow" && $0["cause"] == "login_required" } != nil)
        gate.open()
        let whole = try kept.response()
        #expect(whole.status == 200 && whole.bodyText == "here", "\(whole.headText)")
        #expect(try there.exchange(request("GET", "/app/b", fields: other.lines)).status == 200)
    }

    /// An orderly end would have it take a part for the whole.
    @Test(.byHTTP1(because: "a stream of HTTP/2 is reset by name"), .refuses("HTTP-31", "SH-39"))
    func `is answered in the middle of its upload, and its upstream's connection is reset`() throws {
        let store = try StoreServer()
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"],
                client: ["session: { store: shared, keys: [{ file: $FOLDER/session.key }] }"],
                settings: Fleet.settings(store, "recheck: 60s, " + Fleet.patiently), files: Fleet.keys))
        let (there, mine) = (try stage.another(), try stage.login())
        let client = try there.client()
        let lines = (mine.lines + ownPage + ["Host: gateway.test", "Content-Length: 10"]).joined(separator: "\r\n")
        try client.send("POST /app/upload HTTP/1.1\r\n\(lines)\r\n\r\nabcde")
        #expect(stage.upstream.waits { $0.requests.contains { $0.target == "/app/upload" && $0.bodyCount == 5 } })
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: mine, fields: ownPage)
        #expect((200..<400).contains(answer.status), "\(answer.headText)")
        expectLoginNeeded(try client.response())
        #expect(stage.upstream.waits { !$0.resetConnections.isEmpty })
        #expect(stage.upstream.requests.allSatisfy { $0.target != "/app/upload" || !$0.isComplete })
    }
}
