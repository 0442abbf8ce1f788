import JSON
import Login
import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@Suite struct `the start of a login` {
    @Test(.holds("JAR-06", "CF-03")) func `makes state, nonce, challenge and request object anew each time`()
        async throws
    {
        let world = try LoginWorld(form: .signed)
        var browser = Browser()
        let first = try await world.parameters(await world.start(&browser))
        let second = try await world.parameters(await world.start(&browser))
        for name in ["state", "nonce", "code_challenge", "jti"] {
            #expect(first[name] != nil)
            #expect(first[name] != second[name])
        }
        #expect(first["state"]?.utf8.count == 43)
        #expect(first["nonce"]?.utf8.count == 43)
    }

    @Test(.holds("JAR-06"), .refuses("JAR-06"))
    func `puts the state of the transaction into the request object, and nothing beside it`() async throws {
        let world = try LoginWorld(form: .signed)
        var browser = Browser()
        let started = await world.start(&browser)
        let inside = try await world.parameters(started)
        let name = TransactionSealer.cookieName(state: inside["state"] ?? "")
        #expect(browser.value(of: name) != nil)
        #expect(FormText.query(of: started.location ?? "").names == ["client_id", "request"])
    }

    @Test(.refuses("CF-10")) func `sends nothing on that a browser asks for`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let started = await world.start(&browser, more: "&scope=admin&prompt=none&acr_values=low&resource=x")
        let asked = try await world.parameters(started)
        #expect(asked["scope"] == "openid")
        #expect(asked.names.isDisjoint(with: ["prompt", "acr_values", "resource"]))
    }

    @Test(
        .holds("CF-09", "CF-08"),
        arguments: [
            "//evil.example", "/\\evil.example", "https:evil", "/%0d%0aSet-Cookie:a=b", "/.portcullis/logout/shop",
        ])
    func `returns nowhere but to a path of this origin`(target: String) async throws {
        let world = try LoginWorld()
        var browser = Browser()
        #expect(try await world.login(&browser, returnTo: target).location == "/")
    }

    @Test(
        .refuses("CF-08"),
        arguments: [
            "iss=https%3A%2F%2Fevil.example", "iss=https%3A%2F%2Fid.example.com", "login_hint=anna",
            "target_link_uri=https%3A%2F%2Fshop.example.com%2F", "return_to=%2F&return_to=%2Fother", "return_to=%zz",
            "step_up=-1", "step_up=x", "step_up=99999999999999999999",
        ])
    func `is refused for what nobody enabled`(query: String) async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let answer = await world.start(&browser, query: query + "&shown=1")
        #expect(answer.refusal == .loginStartMalformed)
        #expect(browser.jar.isEmpty)
        #expect(world.server.requests.isEmpty)
    }

    @Test(
        .holds("CF-08"),
        arguments: [
            ("return_to=%zz", "more, or an escape that is none"),
            ("return_to=%2F&return_to=%2Fother", "return_to more than once"),
            ("step_up=%22x%22", "step_up \"%22x%22\""),
            ("iss=https%3A%2F%2Fevil.example%0A", "iss \"https://evil.example%0A\""),
            ("login_hint=anna", "iss (absent)"),
            ("iss=https%3A%2F%2Fid.example.com&login_hint=%00", "other characters"),
            ("iss=https%3A%2F%2Fid.example.com&login_hint=\(String(repeating: "a", count: 257))", "257 bytes"),
        ] as [(String, String)])
    func `tells the operator what was found instead of a start`(query: String, found: String) async throws {
        let world = try LoginWorld { $0.start.allowsThirdParty = true }
        var browser = Browser()
        #expect(await world.start(&browser, query: query + "&shown=1").found == found)
    }

    @Test(.holds("CF-08")) func `tells the operator which parameters make a start somebody else's`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let answer = await world.start(&browser, query: "login_hint=anna&iss=x&shown=1")
        #expect(answer.found == "one with iss and login_hint")
    }

    @Test(.holds("CF-08")) func `takes a start from elsewhere where that is enabled and names our server`() async throws
    {
        let world = try LoginWorld { $0.start.allowsThirdParty = true }
        var browser = Browser()
        let query =
            "iss=https%3A%2F%2Fid.example.com&login_hint=anna"
            + "&target_link_uri=https%3A%2F%2Fshop.example.com%2Fcart&shown=1"
        let started = await world.start(&browser, query: query)
        #expect(try await world.parameters(started)["login_hint"] == "anna")
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/cart")
        let other = await world.start(&browser, query: "iss=https%3A%2F%2Fevil.example&shown=1")
        #expect(other.refusal == .loginStartMalformed)
    }

    @Test(
        .holds("CF-09"), .refuses("CF-09"),
        arguments: [
            "https%3A%2F%2Fshop.example.com.evil.example%2F", "https%3A%2F%2Fshop.example.com%40evil.example%2F",
        ])
    func `goes to no other origin that a start from elsewhere names`(target: String) async throws {
        let world = try LoginWorld { $0.start.allowsThirdParty = true }
        var browser = Browser()
        let query = "iss=https%3A%2F%2Fid.example.com&target_link_uri=\(target)&shown=1"
        let started = await world.start(&browser, query: query)
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/")
    }

    @Test(
        .refuses("CF-08"),
        arguments: [
            (nil, "login"), ("consent", "login consent"), ("select_account", "select_account"),
            ("consent login", "consent login"), ("none", "login"),
        ] as [(String?, String)])
    func `whoever is signed in as the wrong one is asked who they are`(configured: String?, asked: String)
        async throws
    {
        let world = try LoginWorld { $0.authorization.prompt = configured }
        var browser = Browser()
        let other = await world.start(&browser, query: "return_to=%2Fstaff%2F&other=1&shown=1")
        #expect(try await world.parameters(other)["prompt"] == asked)
        #expect(await world.callback(try await world.authorize(other), &browser).location == "/staff/")
        let plain = await world.start(&browser, query: "return_to=%2F&other=0&shown=1")
        #expect(try await world.parameters(plain)["prompt"] == configured)
    }

    @Test(.holds("CF-09")) func `a login that began at no page ends where the app begins`() async throws {
        let world = try LoginWorld { $0.start.page = "/app/" }
        var browser = Browser()
        let started = await world.start(&browser, query: "shown=1")
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/app/")
        #expect(
            await world.start(&browser, query: "return_to=a&return_to=b").retry?.hasSuffix("?return_to=%2Fapp%2F")
                == true)
    }

    @Test(.holds("CF-08")) func `is a navigation by GET`() async throws {
        let world = try LoginWorld()
        var request = LoginRequest(
            endpoint: .start(client: 0), query: Array("return_to=%2F&shown=1".utf8), publicURL: LoginWorld.publicURL)
        request.isNavigation = false
        #expect(await world.service.answer(request).refusal == .loginStartMalformed)
        request.method = .other
        let answer = await world.service.answer(request)
        #expect(answer.refusal == .methodNotAllowed)
        #expect(answer.fields.contains { $0.0 == "Allow" })
        #expect(await world.service.answer(LoginRequest(endpoint: .start(client: 7), publicURL: "")).refusal != nil)
    }

    @Test(.refuses("CF-12")) func `stops when one login after the other ends without a session`() async throws {
        let world = try LoginWorld()
        world.server.habits.authorizationError = "access_denied"
        var browser = Browser()
        for _ in 0..<EndedLogins.limit {
            #expect(try await world.login(&browser).refusal == .loginAccessDenied)
        }
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginLoop)
        #expect(answer.location == nil)
        #expect(answer.retry?.hasPrefix("/.portcullis/login/shop?return_to=") == true)
        world.clock.pass(seconds: EndedLogins.windowSeconds + 1)
        #expect(await world.start(&browser).location != nil)
    }

    @Test(.holds("CF-07", "CF-12"))
    func `lets twenty tabs begin at once, with cookies that stay small, and finish in any order`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        var responses: [ScriptedResponse] = []
        for tab in 0..<20 {
            let started = await world.start(&browser, returnTo: "/tab/\(tab)")
            responses.append(try await world.authorize(started))
            #expect(browser.cookies().count < 4096)
        }
        let left = browser.transactions.count
        #expect(left >= 8)
        for tab in ((20 - left)..<20).reversed() {
            #expect(await world.callback(responses[tab], &browser).location == "/tab/\(tab)")
        }
        #expect(world.session(of: browser) != nil)
    }

    @Test(.holds("OIDC-16")) func `Who wanted to be asked who they are is asked again after a login that failed`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        world.server.habits.authorizationError = "access_denied"
        let query = "return_to=%2Fstaff%2F&other=1&shown=1"
        let failed = await world.callback(try await world.authorize(world.start(&browser, query: query)), &browser)
        let retry = try #require(failed.retry)
        let again = await world.start(&browser, query: String(retry.split(separator: "?")[1]) + "&shown=1")
        #expect(try await world.parameters(again)["prompt"] == "login")
        // Where the server asks for the user, it is not less.
        world.server.habits.authorizationError = "interaction_required"
        let asked = await world.callback(try await world.authorize(again), &browser)
        #expect(try await world.parameters(asked)["prompt"] == "login")
    }

    @Test(.holds("D-17")) func `waits for metadata once, and says that the server is not there`() async throws {
        let world = try LoginWorld()
        world.forgetMetadata(comesBack: false)
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginServerUnavailable)
        #expect(answer.fields.contains { $0.0 == "Retry-After" })
        #expect(browser.jar.isEmpty)
        #expect(world.refreshes == 1)
        world.forgetMetadata(comesBack: true)
        #expect(await world.start(&browser).location != nil)
    }

    @Test(.holds("CF-08")) func `takes any bytes for a query`() async throws {
        let world = try LoginWorld()
        var state: UInt64 = 88_172_645_463_325_252
        let good = Array("return_to=%2Forders%3Fa&step_up=0&fragment=x&form=1&shown=1&iss=a&login_hint=b".utf8)
        for round in 0..<400 {
            var query = Array(good.prefix(round % (good.count + 1)))
            for _ in 0..<3 where !query.isEmpty {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                query[Int(state % UInt64(query.count))] = UInt8(truncatingIfNeeded: state >> 8)
            }
            let answer = await world.service.answer(
                LoginRequest(endpoint: .start(client: 0), query: query, publicURL: LoginWorld.publicURL))
            // Where it goes on, it is to our server or to a page of ours, and what it carries is no line of its own.
            let isOurs = answer.location?.hasPrefix(ScriptedServer.issuer + "/authorize?") ?? true
            #expect(isOurs)
            #expect(!answer.seen.utf8.contains(13))
        }
    }

    // MARK: forms

    private func form(_ change: (inout LoginRequest) -> Void = { _ in }) -> LoginRequest {
        var request = LoginRequest(
            endpoint: .start(client: 0), method: .post, query: Array("return_to=%2Fbasket".utf8),
            body: Array("item=1&count=2".utf8), contentType: "application/x-www-form-urlencoded; charset=UTF-8",
            publicURL: LoginWorld.publicURL)
        request.fetchSite = "same-origin"
        change(&request)
        return request
    }

    @Test func `keeps a form of our own pages in the browser, and sends it where it was meant to go`() async throws {
        let world = try LoginWorld()
        let answer = await world.service.answer(form())
        guard case .keepForm(let next, let form, let action) = answer.page else {
            Issue.record("no page that keeps the form")
            return
        }
        #expect(form == Array("item=1&count=2".utf8))
        #expect(action == "/basket")
        #expect(next == "/.portcullis/login/shop?return_to=%2Fbasket&form=1")
        var browser = Browser()
        let ended = try await world.login(&browser, returnTo: "/basket", more: "&form=1")
        guard case .sendForm(let sent) = ended.page else {
            Issue.record("no page that sends the form")
            return
        }
        #expect(sent == "/basket")
        #expect(world.session(of: browser) != nil)
    }

    @Test(.refuses("SC-09")) func `keeps no form of another site, nor what is no form`() async throws {
        let world = try LoginWorld()
        #expect(await world.service.answer(form { $0.fetchSite = "cross-site" }).refusal == .crossSiteRequest)
        #expect(
            await world.service.answer(
                form {
                    $0.fetchSite = nil
                    $0.origin = "https://evil.example"
                }
            ).refusal == .crossSiteRequest)
        #expect(await world.service.answer(form { $0.contentType = "text/plain" }).refusal == .loginStartMalformed)
        #expect(
            await world.service.answer(form { $0.body = [UInt8](repeating: 0x61, count: 16 * 1024 + 1) }).refusal
                == .loginStartMalformed)
    }
}
