import TestSupport
import TestTraits
import Testing

/// What a real authorization server can do beside the matrix: signed responses, logouts of its own, nonces, absence.
@Suite(.serialized, .byEachProtocol, .enabled(if: AuthorizationServer.isInstalled))
struct `what else a real server does with logins` {
    private static let shared = Shared { try LoginStage(plan()) }

    private static func plan(accessTokenSeconds: Int = 300) -> LoginStage.Plan {
        var plan = LoginStage.Plan(accessTokenSeconds: accessTokenSeconds)
        for name in ["jarm", "back", "nonce", "plain", "pushed"] {
            plan.registrations.append(
                (
                    name,
                    [
                        "--redirect-uri", "$ORIGIN/.portcullis/callback/\(name)", "--also", "private_key_jwt", "--key",
                        "$PLACE/object.pem", "--key-id", "object-1", "--backchannel-logout-uri",
                        "$SIDE/.portcullis/backchannel-logout/\(name)",
                    ]
                ))
            plan.routes.append("- { path: /\(name)/, upstream: \"$PLAIN\", login: \(name), identity: { X-User: sub } }")
        }
        func client(_ name: String, _ settings: String) -> String {
            """
            \(name): { issuer: main, id: \(name), authentication: { method: client_secret_basic, secret: { \
            file: $FOLDER/\(name).secret } }, id_token: { algorithm: ES256 }, \(settings) }
            """
        }
        let object = "request_object: { key: { file: $FOLDER/object.pem }, key_id: object-1 }"
        plan.clients = [
            client("jarm", "authorization_request: signed, response_mode: query.jwt, \(object)"),
            client("back", "logout: { backchannel: true, accept_without_expiry: true }"),
            client("nonce", "dpop: required"),
            client("plain", "authorization_request: plain"),
            client("pushed", "authorization_request: pushed"),
        ]
        return plan
    }

    /// Where the server sends a browser that asked for a page of this login's route, and logged in.
    private func callback(_ name: String, _ browser: Browser, on stage: LoginStage) throws -> String {
        let page = "\(stage.origin)/\(name)/page"
        let start = try browser.location(browser.send("GET", page), from: page)
        let url = try browser.location(browser.send("GET", start), from: start)
        return try browser.location(browser.authorize(url, at: stage.server), from: url)
    }

    private func logIn(_ name: String, on stage: LoginStage) throws -> (browser: Browser, callback: String) {
        let browser = stage.browser()
        let callback = try callback(name, browser, on: stage)
        let back = try browser.send("GET", callback)
        #expect(back.status == 303, "\(back.headText)\(stage.gateway.diagnosis)")
        #expect(try browser.send("GET", "\(stage.origin)/\(name)/page").status == 200)
        return (browser, callback)
    }

    @Test func `a signed response is taken`() throws {
        let stage = try Self.shared.get()
        let (_, callback) = try logIn("jarm", on: stage)
        #expect(try Set(WebAddress(callback).parameters.keys) == ["response"])
    }

    @Test(.byHTTP1(because: "the server is asked for a key that it does not have once in a while alone"))
    func `a response that is signed by somebody else, or not at all, is refused`() throws {
        let stage = try Self.shared.get()
        let browser = stage.browser()
        let callback = try callback("jarm", browser, on: stage)
        let former = stage.talk.exchanges.count
        let spoilt = try browser.send("GET", callback.dropLast(8) + "AAAAAAAA")
        #expect(spoilt.status == 400, "\(spoilt.headText)")
        #expect(stage.talk.exchanges.dropFirst(former).allSatisfy { !$0.request.path.hasSuffix("/token") })
        #expect(try browser.send("GET", "\(stage.origin)/jarm/page").status == 303)
    }

    @Test func `the server's own logout ends the session here`() throws {
        let stage = try Self.shared.get()
        let former = stage.talk.exchanges.count
        let (browser, _) = try logIn("back", on: stage)
        let (other, _) = try logIn("back", on: stage)
        let answer = stage.talk.exchanges.dropFirst(former).first { $0.request.path.hasSuffix("/token") }
        let tokens = try object(try #require(answer).response.bodyText)
        let hint = try #require(tokens["id_token"] as? String)
        let url = "\(stage.server.issuer)/end_session?id_token_hint=\(hint)"
        _ = try browser.confirmLogout(url, at: stage.server)
        let isTold = stage.side.waits { $0.contains { $0.request.path.hasSuffix("/backchannel-logout/back") } }
        let told = try #require(stage.side.exchanges.last, "\(isTold)")
        #expect(told.response.status == 200, "\(told.response.headText)\(told.response.bodyText)")
        #expect(try browser.send("GET", "\(stage.origin)/back/page").status == 303)
        #expect(try other.send("GET", "\(stage.origin)/back/page").status == 200)
    }

    @Test(.byHTTP1(because: "the gateway remembers the server's nonce"), .holds("DPOP-41"))
    func `a server that insists on its nonces gets them`() throws {
        let stage = try Self.shared.get()
        try stage.server.set("oauth-dpop-nonce-mandatory=true")
        defer { try? stage.server.set("oauth-dpop-nonce-mandatory=false") }
        let former = stage.talk.exchanges.count
        _ = try logIn("nonce", on: stage)
        let asked = stage.talk.exchanges.dropFirst(former).filter { $0.request.path.hasSuffix("/token") }
        #expect(asked.map(\.response.status) == [400, 200], "\(asked.map(\.response.status))")
        let proofs = try asked.map { try SeenToken(try #require($0.request.fields.only("dpop"))) }
        #expect(proofs.first?.text("nonce") == nil)
        #expect(proofs.last?.text("nonce") == asked.first?.response.fields.only("dpop-nonce"))
        #expect(Set(proofs.compactMap { $0.text("jti") }).count == 2)
    }

    @Test(.byHTTP1(because: "the server's absence is the same to every client, and takes its time"))
    func `a server that is down ends a login with a page, and the next one begins anew`() throws {
        let stage = try LoginStage(Self.plan())
        let browser = stage.browser()
        let callback = try callback("plain", browser, on: stage)
        stage.server.stop()
        let during = try browser.send("GET", callback)
        #expect([502, 503].contains(during.status), "\(during.headText)")
        #expect(during.bodyText.contains("<html"), "\(during.headText)")
        let start = try browser.send("GET", stage.origin + "/.portcullis/login/pushed")
        #expect(start.status == 503, "\(start.headText)")
        #expect(!browser.cookies(of: stage.origin).keys.contains { $0 == "__Host-portcullis-plain" })
        try stage.server.start()
        _ = try logIn("plain", on: stage)
        _ = try logIn("pushed", on: stage)
        try SecretSearch(stage).expectNothing()
    }

    @Test(.byHTTP1(because: "the server's absence is the same to every client, and takes its time"))
    func `a server that is down costs nobody their session`() throws {
        let stage = try LoginStage(Self.plan(accessTokenSeconds: 20))
        let (browser, _) = try logIn("plain", on: stage)
        stage.server.stop()
        let page = stage.origin + "/plain/page"
        #expect(try browser.send("GET", page).status == 200)
        var last = 0
        let isDown = try eventually(within: .seconds(120)) {
            last = try browser.send("GET", page).status
            return last != 200
        }
        #expect(isDown && last == 503, "\(last)")
        try stage.server.start()
        #expect(try eventually(within: .seconds(120)) { try browser.send("GET", page).status == 200 })
    }

    @Test(.refuses("OPS-01", "SC-14")) func `nothing secret of these logins is to be found`() throws {
        let stage = try Self.shared.get()
        _ = try logIn("plain", on: stage)
        try SecretSearch(stage).expectNothing()
    }
}
