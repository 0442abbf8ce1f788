import Crypto
import JOSE
import JSON
import Login
import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@Suite struct `a login` {
    @Test(.holds("CF-11", "CF-34"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `leads in every form of request from a page to a session and back to that page`(
        form: AuthorizationRequestSettings.Form
    ) async throws {
        let world = try LoginWorld(form: form)
        var browser = Browser()
        let answer = try await world.login(&browser, returnTo: "/orders?page=2")
        #expect(answer.location == "/orders?page=2")
        let session = try #require(world.session(of: browser))
        #expect(session.subject == "user-1")
        #expect(session.issuer == ScriptedServer.issuer)
        #expect(world.server.tokenRequests.count == 1)
        #expect(browser.transactions.isEmpty)
        #expect(world.logins == 1)
        #expect(world.alarms.isEmpty)
    }

    @Test(.holds("DPOP-44"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `binds code and tokens to a key of the session's own`(
        form: AuthorizationRequestSettings.Form
    ) async throws {
        let world = try LoginWorld(form: form) { $0.dpop = .required }
        var browser = Browser()
        let started = await world.start(&browser)
        #expect(try await world.authorize(started).pairs["code"] != nil)
        let answer = try await world.login(&browser)
        #expect(answer.location == "/orders")
        let session = try #require(world.session(of: browser))
        let scalar = try #require(session.proofKey)
        let thumbprint = try ProofMaker(key: PrivateKey.p256(scalar: scalar)).thumbprint
        let request = try #require(world.server.requests(at: "/token").first)
        #expect(ScriptedServer.thumbprint(of: request) == thumbprint)
        #expect(ScriptedServer.proof(of: request)?.claims["ath"] == nil)
    }

    @Test(
        .holds("CF-28"),
        arguments: [
            AuthorizationRequestSettings.ResponseMode.query, .formPost, .queryJWT, .formPostJWT, .jwt,
        ])
    func `comes back in every mode of response`(
        mode: AuthorizationRequestSettings.ResponseMode
    ) async throws {
        let world = try LoginWorld { $0.authorization.responseMode = mode }
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.session(of: browser) != nil)
    }

    @Test(
        .holds("CA-01"),
        arguments: [
            ClientCredentials.Method.secretBasic(Secret(Array("a-secret-of-the-client-that-is-long".utf8))),
            .secretPost(Secret(Array("a-secret-of-the-client-that-is-long".utf8))),
            .secretJWT(.hs256, Secret(Array("a-secret-of-the-client-that-is-long".utf8))),
            .tls(certificateFile: "/c.pem", keyFile: "/k.pem"),
        ])
    func `authenticates by its one method at every endpoint`(method: ClientCredentials.Method) async throws {
        let world = try LoginWorld(form: .pushed, method: method)
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        let push = try #require(world.server.pushes.first), token = try #require(world.server.tokenRequests.first)
        // PAR-01: said once, whatever the method.
        #expect(push["client_id"] == "shop-web")
        #expect(push.names.contains("client_secret") == token.names.contains("client_secret"))
        #expect(push.names.contains("client_assertion") == token.names.contains("client_assertion"))
        if let one = push["client_assertion"], let other = token["client_assertion"] { #expect(one != other) }
    }

    @Test(.refuses("CF-26", "SC-14"))
    func `shows no token, code or secret to the browser or in what the operator is told`()
        async throws
    {
        let world = try LoginWorld(form: .pushed) { $0.dpop = .required }
        var browser = Browser()
        let started = await world.start(&browser)
        let answer = await world.callback(try await world.authorize(started), &browser)
        #expect(answer.location == "/orders")
        let shown = answer.seen + world.told
        for secret in world.server.handedOut { #expect(!shown.contains(secret)) }
        let codes = world.server.handedOut.filter { !$0.hasPrefix("pushed") }
        for secret in codes + ["a-secret-of-the-client"] { #expect(!started.seen.contains(secret)) }
        #expect("\(answer) \(started)" == "[login answer: redirect] [login answer: redirect]")
    }

    @Test(.holds("CF-02", "CF-30"))
    func `sends one redirect URI with the request and with the code, whatever the browser says`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        let started = await world.start(&browser, more: "&redirect_uri=https%3A%2F%2Fevil.example")
        let asked = try await world.parameters(started)
        #expect(asked["redirect_uri"] == LoginWorld.publicURL + "/.portcullis/callback/shop")
        _ = await world.callback(try await world.authorize(started), &browser)
        #expect(world.server.tokenRequests.first?["redirect_uri"] == asked["redirect_uri"])
    }

    @Test func `keeps the fragment of the page it began at`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let first = await world.start(&browser, query: "return_to=%2Fdocs%3Fa%3D1", destination: "document")
        guard case .keepFragment(let next) = first.page else {
            Issue.record("no page that looks for a fragment")
            return
        }
        #expect(next == "/.portcullis/login/shop?return_to=%2Fdocs%3Fa%3D1&shown=1")
        let answer = try await world.login(&browser, returnTo: "/docs?a=1", fragment: "part%2F2")
        #expect(answer.location == "/docs?a=1#part/2")
    }

    @Test(arguments: [nil, "iframe"])
    func `looks for no fragment where no browser shows a document`(destination: String?) async throws {
        let world = try LoginWorld()
        var browser = Browser()
        #expect(await world.start(&browser, query: "return_to=%2F", destination: destination).location != nil)
    }

    @Test func `goes to the server at once where no fragment is to be kept`() async throws {
        let world = try LoginWorld { $0.start.keepsFragment = false }
        var browser = Browser()
        #expect(await world.start(&browser, query: "return_to=%2F", destination: "document").location != nil)
    }

    @Test(.holds("SC-02")) func `goes on from a page of our own where the cookie is strict`() async throws {
        let world = try LoginWorld { $0.session.sameSite = .strict }
        var browser = Browser()
        let answer = try await world.login(&browser)
        guard case .goOn(let path) = answer.page else {
            Issue.record("no page of our own")
            return
        }
        #expect(path == "/orders")
    }
}
