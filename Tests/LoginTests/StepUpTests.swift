import Login
import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@Suite struct `asking for more than a login` {
    private static let stepUps = [StepUp(acrValues: ["gold", "silver"]), StepUp(maximumAge: 60)]

    private func world() throws -> LoginWorld { try LoginWorld { $0.uses.stepUps = Self.stepUps } }

    @Test(.holds("STEP-04")) func `asks the server for what a route asks for, and takes no less`() async throws {
        let world = try world()
        world.server.habits.acr = "gold"
        var browser = Browser()
        let started = await world.start(&browser, more: "&step_up=0")
        #expect(try await world.parameters(started)["acr_values"] == "gold silver")
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/orders")
        #expect(world.session(of: browser) != nil)
    }

    @Test(.holds("STEP-04", "OIDC-09"), .refuses("STEP-04", "OIDC-09"))
    func `asks once more with prompt=login, and then says no`() async throws {
        let world = try world()
        world.server.habits.acr = "bronze"
        var browser = Browser()
        let started = await world.start(&browser, more: "&step_up=0")
        #expect(try await world.parameters(started)["prompt"] == nil)
        let again = await world.callback(try await world.authorize(started), &browser)
        let asked = try await world.parameters(again)
        #expect(asked["prompt"] == "login")
        #expect(asked["acr_values"] == "gold silver")
        let last = await world.callback(try await world.authorize(again), &browser)
        #expect(last.refusal == .loginAuthenticationInsufficient)
        #expect(last.location == nil)
        #expect(last.retry == "/.portcullis/login/shop?return_to=%2Forders&step_up=0")
        #expect(world.session(of: browser) == nil)
        #expect(browser.transactions.isEmpty)
    }

    @Test(.holds("STEP-04")) func `succeeds where the server listens the second time`() async throws {
        let world = try world()
        world.server.habits.authenticatedAgo = 3600
        var browser = Browser()
        let started = await world.start(&browser, more: "&step_up=1", fragment: "here")
        #expect(try await world.parameters(started)["max_age"] == "60")
        let again = await world.callback(try await world.authorize(started), &browser)
        world.server.habits.authenticatedAgo = 0
        #expect(await world.callback(try await world.authorize(again), &browser).location == "/orders#here")
        #expect(world.session(of: browser) != nil)
    }

    @Test(.holds("OIDC-09")) func `wants to know when the user was authenticated`() async throws {
        let world = try LoginWorld { $0.authorization.maximumAge = 300 }
        world.server.habits.authenticatedAgo = nil
        var browser = Browser()
        let again = try await world.login(&browser)
        #expect(try await world.parameters(again)["prompt"] == "login")
        #expect(
            await world.callback(try await world.authorize(again), &browser).refusal == .loginAuthenticationInsufficient
        )
    }

    @Test(.holds("SC-05", "STEP-04"), .refuses("SC-05", "STEP-04"))
    func `ends the weaker session, and keeps it while nothing stronger came of the attempt`()
        async throws
    {
        let world = try world()
        var browser = Browser()
        _ = try await world.login(&browser)
        let weak = browser
        let again = try await world.login(&browser, more: "&step_up=0")
        #expect(world.session(of: weak) != nil)
        world.server.habits.acr = "gold"
        _ = await world.callback(try await world.authorize(again), &browser)
        #expect(world.session(of: browser) != nil)
        #expect(world.session(of: weak) == nil)
    }

    @Test(.holds("OPS-07", "STEP-04")) func `a step-up that no route asks for any more is a login like any other`()
        async throws
    {
        let world = try world()
        var browser = Browser()
        let started = await world.start(&browser, more: "&step_up=2")
        #expect(try await world.parameters(started)["acr_values"] == nil)
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/orders")
        #expect(await world.start(&browser, more: "&step_up=-1").refusal == .loginStartMalformed)
    }

    @Test(.holds("STEP-04"), .refuses("STEP-04"))
    func `takes the demand from the sealed transaction, and not from the callback`() async throws {
        let world = try world()
        world.server.habits.acr = "bronze"
        world.server.habits.response = ["step_up": "1", "acr_values": "bronze"]
        var browser = Browser()
        let again = try await world.login(&browser, more: "&step_up=0")
        #expect(try await world.parameters(again)["acr_values"] == "gold silver")
    }

    // MARK: in silence

    private func silent(_ browser: Browser, site: String? = "same-origin") -> LoginRequest {
        var request = LoginRequest(
            endpoint: .session(client: 0), query: Array("silent=1".utf8), cookies: browser.cookies(),
            publicURL: LoginWorld.publicURL)
        request.fetchSite = site
        request.isNavigation = false
        return request
    }

    @Test(.holds("OIDC-16")) func `asks in silence where the session endpoint is asked to, and nowhere else`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        let asked = await world.service.answer(silent(browser))
        browser.keep(asked.cookies)
        #expect(try await world.parameters(asked)["prompt"] == "none")
        let answer = await world.callback(try await world.authorize(asked), &browser)
        guard case .document(let type, _) = answer.content else {
            Issue.record("no document")
            return
        }
        #expect(type == "application/json")
        #expect(world.session(of: browser) != nil)
        let started = await world.start(&browser, more: "&silent=1")
        #expect(try await world.parameters(started)["prompt"] == nil)
    }

    @Test(.refuses("OIDC-16"), arguments: ["login_required", "interaction_required", "access_denied"])
    func `says that there is no session when the server would have to ask, and does not ask again`(
        error: String
    ) async throws {
        let world = try LoginWorld()
        world.server.habits.authorizationError = error
        var browser = Browser()
        let asked = await world.service.answer(silent(browser))
        browser.keep(asked.cookies)
        let answer = await world.callback(try await world.authorize(asked), &browser)
        #expect(answer.refusal == .loginRequired)
        #expect(answer.location == nil)
        #expect(world.server.tokenRequests.isEmpty)
    }

    @Test(.refuses("OIDC-16")) func `asks nothing for another site's page, nor where there is a session`() async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        #expect(await world.service.answer(silent(browser, site: "cross-site")).location == nil)
        _ = try await world.login(&browser)
        guard case .document = await world.service.answer(silent(browser)).content else {
            Issue.record("no document")
            return
        }
    }
}
