import Crypto
import OAuth
import Refusals
import Sessions
import TestTraits
import Testing

@testable import Login

/// What the audit log is told of logins, logouts and sessions, before anybody decides what it shows.
@Suite struct `what the audit log is told of` {
    @Test(.holds("ECO-57")) func `a login, a step-up and the session before it`() async throws {
        let world = try LoginWorld { $0.uses.stepUps = [StepUp(acrValues: ["gold"])] }
        var browser = Browser()
        _ = try await world.login(&browser)
        let weak = try #require(world.session(of: browser))
        #expect(world.audited.map(\.event) == [.login])
        #expect(world.audited[0].session == weak.reference && world.audited[0].subject == weak.subject)
        #expect(world.audited[0].issuer == weak.issuer)
        world.server.habits.acr = "gold"
        _ = try await world.login(&browser, more: "&step_up=0")
        let strong = try #require(world.session(of: browser))
        #expect(world.audited.map(\.event) == [.login, .ended(.replaced), .login, .stepUpMet])
        #expect(world.audited.map(\.session) == [weak, weak, strong, strong].map(\.reference))
    }

    @Test(.holds("ECO-57"), .refuses("ECO-57")) func `a user who is known and gets no session, and nobody who is not`()
        async throws
    {
        let world = try LoginWorld {
            $0.authorization.scopes = ["openid", "orders"]
            $0.uses.neededScopes = ["openid", "orders"]
        }
        world.server.habits.tokenMembers = ["scope": "\"openid\""]
        var browser = Browser()
        #expect(try await world.login(&browser).refusal == .loginScopeNotGranted)
        #expect(world.audited.map(\.event) == [.refused(.loginScopeNotGranted)])
        #expect(world.audited[0].session == nil && world.audited[0].subject != nil)
        // Of a callback that nobody began, and of a logout without a session, there is nothing to tell.
        var other = Browser()
        let begun = await world.start(&other)
        var stranger = Browser()
        _ = await world.callback(try await world.authorize(begun), &stranger)
        #expect(world.audited.count == 1)
    }

    @Test(.holds("ECO-57")) func `a logout, with the request that asked for it`() async throws {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        _ = await world.logouts.answer(
            world.request(.logout(client: 0), value: value) {
                $0.method = .post
                $0.fetchSite = "same-origin"
                $0.origin = $0.publicURL
                $0.names.decisionID = "1-0123"
                $0.peer = "192.0.2.7"
            })
        #expect(world.audited.map(\.event) == [.logout(by: .user), .ended(.userLogout)])
        for audit in world.audited {
            #expect(audit.session == session.reference && audit.subject == session.subject)
            #expect(audit.names.requestID == "0123456789abcdef0123456789abcdef")
            #expect(audit.names.decisionID == "1-0123" && audit.peer == "192.0.2.7")
        }
        #expect("\(world.events)".contains("[login audit]") && !"\(world.events)".contains("192.0.2.7"))
    }
}
