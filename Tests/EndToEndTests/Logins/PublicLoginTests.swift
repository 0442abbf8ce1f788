import TestSupport
import TestTraits
import Testing

/// Row CA-14 over real sockets: a client that proves nothing, whose logins PKCE alone guards.
@Suite(.serialized, .byEachProtocol) struct `a login of a public client over the network` {
    private static let route = """
        { path: /app/, upstream: $UPSTREAM, login: web, identity: { X-User: sub }, upstream_credential: pass }
        """

    private func stage(_ form: String) throws -> SessionStage {
        try SessionStage(
            LoginPlan(
                routes: [Self.route], authentication: "{ method: none, public: true }",
                client: ["authorization_request: \(form)"]))
    }

    /// The parameters of a request to the server, which says who asks, and proves it with nothing.
    private func parameters(
        _ request: WireRequest, at location: SourceLocation = #_sourceLocation
    ) throws -> [String: String] {
        let sent = WireForm.parameters(request.bodyText)
        #expect(sent["client_id"] == "web", "\(sent)", sourceLocation: location)
        #expect(!request.fields.contains("authorization"), sourceLocation: location)
        for name in ["client_secret", "client_assertion", "client_assertion_type"] {
            #expect(sent[name] == nil, sourceLocation: location)
        }
        return sent
    }

    private func asked(_ path: String, _ stage: SessionStage) -> [WireRequest] {
        stage.server.issuer.server.requests.filter { $0.path == path && $0.isComplete }
    }

    @Test(.holds("CA-14"), arguments: ["plain", "pushed"])
    func `redeems its code with the verifier of what it asked for, and no secret is sent to its end`(
        form: String
    ) throws {
        let stage = try stage(form)
        // Over so soon that it is renewed by the next request.
        stage.server.change { $0.tokenSeconds = 1 }
        var browser = CookieJar()
        let sent = try stage.exchange("GET", "/app/a", fields: navigation)
        expectSentToLogin(sent, returnTo: "%2Fapp%2Fa")
        let started = try stage.exchange("GET", try #require(sent.fields.only("location")))
        browser.take(started)
        let location = try #require(started.fields.only("location"), "\(started.headText)\(stage.gateway.diagnosis)")
        let query = WireForm.parameters(String(location.drop { $0 != "?" }.dropFirst()))
        #expect(query["client_id"] == "web")
        let pushed = try asked(LoginServer.pushPath, stage).map { try parameters($0) }
        #expect(pushed.count == (form == "pushed" ? 1 : 0))
        let requested = pushed.first ?? query
        #expect(requested["code_challenge_method"] == "S256")
        let back = try stage.server.authorize(location)
        let answer = try stage.exchange(
            "GET", String(back.dropFirst("https://gateway.test".utf8.count)), browser: browser)
        browser.take(answer)
        #expect(answer.status == 303 && browser[SessionStage.cookie] != nil, "\(stage.gateway.diagnosis)")

        let redeemed = try parameters(try #require(asked(ScriptedIssuer.tokenPath, stage).first))
        #expect(redeemed["grant_type"] == "authorization_code")
        #expect(digest(try #require(redeemed["code_verifier"])) == requested["code_challenge"])

        let renewed = eventually {
            guard let answer = try? stage.exchange("GET", "/app/b", browser: browser) else { return false }
            browser.take(answer)
            return answer.status == 200 && !stage.server.requests(for: "refresh_token").isEmpty
        }
        #expect(renewed, "\(stage.gateway.diagnosis)")
        #expect(stage.upstream.requests.allSatisfy { $0.fields.only("x-user") == "alice" })
        for request in asked(ScriptedIssuer.tokenPath, stage) { _ = try parameters(request) }
        let ended = try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect((200..<400).contains(ended.status), "\(ended.headText)\(ended.bodyText)")
        #expect(eventually { !asked(LoginServer.revocationPath, stage).isEmpty })
        for request in asked(LoginServer.revocationPath, stage) { _ = try parameters(request) }
    }

    @Test(.refuses("CA-14"), arguments: ["plain", "pushed"])
    func `has no use for a code of somebody else's login, though nobody proves who redeems it`(form: String) throws {
        let stage = try stage(form)
        func begun() throws -> (browser: CookieJar, back: String) {
            var browser = CookieJar()
            let started = try stage.exchange("GET", "/.portcullis/login/web?return_to=/app/a")
            browser.take(started)
            return (browser, try stage.server.authorize(try #require(started.fields.only("location"))))
        }
        func value(_ name: String, of back: String) throws -> String {
            try #require(WireForm.parameters(String(back.drop { $0 != "?" }.dropFirst()))[name])
        }
        // The thief's own login is right in all but the code, which the victim's browser was sent back with.
        let (victim, thief) = (try begun(), try begun())
        let (stolen, own) = (try value("code", of: victim.back), try value("code", of: thief.back))
        var browser = thief.browser
        let target = String(thief.back.dropFirst("https://gateway.test".utf8.count))
        let answer = try stage.exchange(
            "GET", target.replacingOccurrences(own, with: stolen), browser: browser, fields: navigation)
        browser.take(answer)
        #expect(stage.server.requests(for: "authorization_code").map { $0["code"] } == [stolen])
        #expect(answer.status >= 400 && browser[SessionStage.cookie] == nil, "\(answer.headText)")
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: browser))
        #expect(stage.upstream.requests.isEmpty)
    }
}
