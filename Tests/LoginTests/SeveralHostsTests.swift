import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@testable import Login

/// One sign-in for clients of several hosts, which are one client to the server (ECO-98).
@Suite struct `one sign-in for several hosts` {
    private func world() throws -> LoginWorld { try LoginWorld { $0.start.isSilentFirst = true } }

    @Test(.holds("ECO-98")) func `asks in silence first, and lets in whom the server knows`() async throws {
        let world = try world()
        var browser = Browser()
        let started = await world.start(&browser)
        #expect(try await world.parameters(started)["prompt"] == "none")
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/orders")
        #expect(world.session(of: browser) != nil)
    }

    @Test(
        .holds("ECO-98"),
        arguments: ["login_required", "consent_required", "access_denied", "invalid_request", "server_error"])
    func `shows the server's page to whom it does not know, once, and then makes it ask`(error: String) async throws {
        let world = try world()
        world.server.habits.authorizationError = error
        var browser = Browser()
        let started = await world.start(&browser)
        let shown = await world.callback(try await world.authorize(started), &browser)
        #expect(try await world.parameters(shown)["prompt"] == nil)
        #expect(browser.transactions.count == 1)
        world.server.habits.authorizationError = nil
        #expect(await world.callback(try await world.authorize(shown), &browser).location == "/orders")
        #expect(world.session(of: browser) != nil)
    }

    @Test(.refuses("ECO-98")) func `ends where the server says no to its page too`() async throws {
        let world = try world()
        world.server.habits.authorizationError = "login_required"
        var browser = Browser()
        var answer = await world.start(&browser)
        for prompt in ["none", nil, "login"] {
            #expect(try await world.parameters(answer)["prompt"] == prompt)
            answer = await world.callback(try await world.authorize(answer), &browser)
        }
        #expect(answer.refusal == .loginResponseError)
        #expect(browser.transactions.isEmpty)
        #expect(world.server.tokenRequests.isEmpty)
    }

    @Test(.refuses("ECO-98"), arguments: ["access_denied", "server_error"])
    func `takes a no at the server's page for a no`(error: String) async throws {
        let world = try world()
        world.server.habits.authorizationError = error
        var browser = Browser()
        let started = await world.start(&browser)
        let shown = await world.callback(try await world.authorize(started), &browser)
        let answer = await world.callback(try await world.authorize(shown), &browser)
        #expect([.loginAccessDenied, .loginServerBusy].contains(answer.refusal))
        #expect(answer.location == nil)
    }

    @Test(.refuses("ECO-98")) func `never asks in silence who wants to be another user, or is to sign in again`()
        async throws
    {
        let world = try LoginWorld {
            $0.start.isSilentFirst = true
            $0.uses.stepUps = [StepUp(acrValues: ["gold"])]
        }
        for more in ["&other=1", "&step_up=0"] {
            var browser = Browser()
            let started = await world.start(&browser, more: more)
            #expect(try await world.parameters(started)["prompt"] != "none", "\(more)")
        }
    }

    // MARK: its end

    private func signedIn(_ kind: SessionSettings.Store) throws -> SignedIn {
        try SignedIn(store: kind, others: [("office", "shop-web"), ("stranger", "another-web")]) {
            $0.logout.backchannel = true
            $0.logout.frontchannel = true
        }
    }

    @Test(.holds("ECO-98"), .refuses("ECO-98"), arguments: [SessionSettings.Store.memory, .cookie])
    func `is over at all of them, and at no other client, when its user logs out at one`(
        kind: SessionSettings.Store
    ) async throws {
        let world = try signedIn(kind)
        let (session, value) = try await world.logIn()
        let (other, otherValue) = try await world.logIn(sid: "sid-2", refreshToken: "refresh-of-another-login")
        let office = try await world.logIn(at: 1, as: session, token: "refresh-of-the-office")
        let officeOfOther = try await world.logIn(at: 1, as: other, token: "refresh-of-the-office-2")
        let stranger = try await world.logIn(at: 2, as: session, token: "refresh-of-the-stranger")
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        #expect(answer.refusal == nil)
        #expect(world.lookUp(value) == nil)
        #expect(!world.isKnown(office, at: 1))
        #expect(world.lookUp(otherValue) != nil && world.isKnown(officeOfOther, at: 1))
        #expect(world.isKnown(stranger, at: 2))
        await world.revoked()
        let revoked = world.server.revokedTokens
        #expect(!revoked.contains("refresh-of-the-stranger") && !revoked.contains("refresh-of-the-office-2"))
        // What lies in a browser's cookie alone is nobody's to revoke.
        #expect(revoked.contains("refresh-of-the-office") == (kind == .memory))
    }

    @Test(.holds("ECO-98"), .refuses("ECO-98"))
    func `is over at all of them when the server says so to one`() async throws {
        let world = try signedIn(.memory)
        let (session, value) = try await world.logIn()
        let office = try await world.logIn(at: 1, as: session, token: "refresh-of-the-office")
        let stranger = try await world.logIn(at: 2, as: session, token: "refresh-of-the-stranger")
        let answer = await LogoutTokens.post(world, "logout_token=\(LogoutTokens.token(world))")
        guard case .done = answer.content else {
            Issue.record("\(String(describing: answer.check))")
            return
        }
        #expect(world.lookUp(value) == nil && !world.isKnown(office, at: 1))
        #expect(world.isKnown(stranger, at: 2))
        await world.revoked()
        #expect(world.server.revokedTokens.contains("refresh-of-the-office"))
    }

    @Test(.refuses("ECO-98")) func `of a server that names no session of its own ends where its user logs out`()
        async throws
    {
        let world = try signedIn(.memory)
        let (session, value) = try await world.logIn(sid: nil)
        let office = try await world.logIn(at: 1, as: session, token: "refresh-of-the-office")
        _ = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        #expect(world.lookUp(value) == nil && world.isKnown(office, at: 1))
    }
}
