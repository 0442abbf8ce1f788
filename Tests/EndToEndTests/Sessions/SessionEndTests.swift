import TestSupport
import TestTraits
import Testing

/// Rows LO-01, LO-05, LO-08, LO-09, LO-12 and RV-01: what ends with a session.
@Suite(.serialized, .byEachProtocol) struct `the end of a session` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web, websocket: true }"],
                client: ["logout: { backchannel: true }"], workers: 2))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A WebSocket of that browser, through which bytes go.
    private func socket(_ browser: CookieJar) throws -> RawClient {
        stage.upstream.answer("/app/socket", with: .switching)
        let client = try stage.gateway.client()
        let lines = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: https://gateway.test",
        ]
        try client.send(request("GET", "/app/socket", fields: browser.lines + lines))
        let answer = try client.response()
        guard answer.status == 101 else { throw WireFailure.malformed(answer.headText) }
        try client.send("hello")
        guard text(try client.bytes(5)) == "hello" else { throw WireFailure.malformed("no echo") }
        return client
    }

    /// A response that goes on and on, of which the beginning has come.
    private func stream(_ browser: CookieJar, _ gate: Gate) throws -> RawClient {
        stage.upstream.answer(
            "/app/stream",
            with: WireScript(
                .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .wait(gate),
                .text("0\r\n\r\n")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/app/stream", fields: browser.lines))
        _ = try client.bytes(through: "5\r\nhello\r\n")
        return client
    }

    private func logOut(_ browser: CookieJar) throws -> WireResponse {
        try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
    }

    private func backchannel(_ token: String, path: String = "/.portcullis/backchannel-logout/web") throws
        -> WireResponse
    {
        try stage.exchange(
            "POST", path, fields: ["Content-Type: application/x-www-form-urlencoded"], body: "logout_token=\(token)")
    }

    private func expectUsable(_ socket: RawClient, at location: SourceLocation = #_sourceLocation) throws {
        try socket.send("still")
        #expect(text(try socket.bytes(5)) == "still", sourceLocation: location)
    }

    @Test(.holds("LO-01", "RV-01"), .refuses("LO-01", "RV-01"))
    func `by its user: the cookie is deleted, its copy is worth nothing, and its tokens are revoked`()
        throws
    {
        var browser = try stage.login()
        let copy = browser
        #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200)
        let answer = try logOut(browser)
        #expect(answer.status == 200, "\(answer.headText)")
        browser.take(answer)
        #expect(browser[SessionStage.cookie] == nil)
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: copy))
        let tokens = Set(stage.server.issued.suffix(2))
        // The access token, which no route shows to anybody, is not kept: it goes with the refresh token (RFC 7009 §2.1).
        #expect(eventually { !stage.server.revoked.isEmpty } && tokens.isSuperset(of: stage.server.revoked))
    }

    @Test(.refuses("LO-01")) func `by its user is complete though the server cannot be reached`() throws {
        stage.server.issuer.answer(LoginServer.revocationPath, with: .answer(503))
        let browser = try stage.login()
        #expect(try logOut(browser).status == 200)
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: browser))
    }

    @Test(.refuses("LO-01")) func `without a session is a logout all the same, and asks nobody`() throws {
        #expect(try logOut(CookieJar()).status == 200)
        #expect(stage.server.revoked == [])
    }

    @Test(.refuses("LO-09"))
    func `by its user ends its WebSockets and streams, and nobody else's`() throws {
        let mine = try stage.login()
        let other = try stage.login()
        let gate = Gate()
        defer { gate.open() }
        let sockets = try [socket(mine), socket(mine)]
        let stream = try stream(mine, gate)
        let kept = try socket(other)
        #expect(try logOut(mine).status == 200)
        for socket in sockets { #expect((try? socket.bytesToEnd()) != nil) }
        // Cut short: nobody takes what came for all there was.
        let rest = text(try stream.bytesToEnd())
        #expect(!rest.contains("0\r\n\r\n"), "\(rest)")
        try expectUsable(kept)
        #expect(try stage.exchange("GET", "/app/a", browser: other).status == 200)
    }

    @Test(.holds("LO-09"))
    func `by the server ends the session it names, with its WebSockets, and no other`() throws {
        let mine = try stage.login()
        let session = stage.server.lastSession
        let other = try stage.login()
        let (ended, kept) = (try socket(mine), try socket(other))
        let answer = try backchannel(stage.server.logoutToken(session: session, audience: "web"))
        expectTemplate(answer, status: 200)
        #expect((try? ended.bytesToEnd()) != nil)
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: mine))
        try expectUsable(kept)
        #expect(try stage.exchange("GET", "/app/a", browser: other).status == 200)
    }

    @Test(.holds("LO-09")) func `by the server ends all sessions of a user, and no other user's`() throws {
        let browsers = try [stage.login(), stage.login()]
        stage.server.change { $0.subject = "bob" }
        let other = try stage.login()
        let sockets = try browsers.map { try socket($0) }
        let kept = try socket(other)
        #expect(try backchannel(stage.server.logoutToken(session: nil, audience: "web")).status == 200)
        for socket in sockets { #expect((try? socket.bytesToEnd()) != nil) }
        for browser in browsers { expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: browser)) }
        try expectUsable(kept)
        #expect(try stage.exchange("GET", "/app/a", browser: other).status == 200)
        // Whoever logs in again is in.
        stage.server.change { $0.subject = "carol" }
        #expect(try stage.exchange("GET", "/app/a", browser: try stage.login()).status == 200)
    }

    @Test(.holds("LO-08")) func `by the server happens once for one token`() throws {
        let token = stage.server.logoutToken(session: "sid-none", audience: "web")
        #expect(try backchannel(token).status == 200)
        let again = try backchannel(token)
        expectTemplate(again, status: 400)
        #expect(again.bodyText == "{\"error\":\"invalid_request\"}")
    }

    @Test(.byHTTP1(because: "the issuer's keys are read again once in a while alone"), .refuses("LO-05", "LO-06"))
    func `by nobody else: a token that is not right ends nothing`() throws {
        let browser = try stage.login()
        let session = stage.server.lastSession
        let good = stage.server.logoutToken(session: session, audience: "web")
        for token in [
            stage.server.logoutToken(session: session, audience: "other"), String(good.dropLast(4)) + "AAAA", "",
            "a.b.c",
        ] {
            let answer = try backchannel(token)
            expectTemplate(answer, status: 400)
            #expect(answer.bodyText == "{\"error\":\"invalid_request\"}")
        }
        let get = try stage.exchange("GET", "/.portcullis/backchannel-logout/web?logout_token=\(good)")
        #expect(get.status == 405 && get.fields.only("allow") == "POST", "\(get.headText)")
        let json = try stage.exchange(
            "POST", "/.portcullis/backchannel-logout/web", fields: ["Content-Type: application/json"],
            body: "{\"logout_token\":\"\(good)\"}")
        #expect(json.status == 400)
        #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200)
    }
}

/// What strangers spend of the readings of keys is one gateway's own, so that this one has a stage to itself.
@Suite struct `a logout token by no key at hand` {
    @Test(.refuses("LO-06", "JOSE-17")) func `is to be sent again while the keys may not be read again`() throws {
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"],
                client: ["logout: { backchannel: true }"], issuer: ", keys: { unknown_key_interval: 1h }"))
        func post(_ token: String) throws -> WireResponse {
            try stage.exchange(
                "POST", "/.portcullis/backchannel-logout/web",
                fields: ["Content-Type: application/x-www-form-urlencoded"], body: "logout_token=\(token)")
        }
        let browser = try stage.login()
        let good = stage.server.logoutToken(session: stage.server.lastSession, audience: "web")
        let forged = String(good.dropLast(4)) + "AAAA"
        // The keys are read again for the first one, and are what they were; for the second one it is too soon.
        #expect(try post(forged).status == 400)
        let answer = try post(forged)
        #expect(answer.status == 503 && answer.fields.only("retry-after") == "5", "\(answer.headText)")
        #expect(stage.gateway.operatorLine { $0["cause"] == "login_keys_unavailable" } != nil)
        #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200)
        #expect(try post(good).status == 200)
    }
}
