import Crypto
import HTTPMessage
import JSON
import OAuth
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct UserEndpointRefreshTests {
    private func world(store: SessionSettings.Store = .memory) throws -> SignedIn {
        try SignedIn(store: store) {
            $0.identityFrom = UserEndpointSettings(url: ScriptedServer.issuer + "/userinfo", subject: "sub")
            $0.uses.claimNames = ["name", "email"]
            $0.authorization.isOpenID = false
            $0.logout.atServer = false
        }
    }

    private func refresh(_ world: SignedIn) async throws -> LoginService.Refreshed {
        let (session, value) = try await world.logIn(sid: nil)
        world.becomeDue()
        return await world.refreshes.refresh(session, value: value, client: 0)
    }

    @Test(.holds("OIDC-20")) func `A refresh asks again who it is, with the new token, and keeps what is said now`()
        async throws
    {
        let world = try world()
        world.server.habits.userInfoMembers = ["name": "\"New Name\""]
        guard case .session(let next, _) = try await refresh(world) else {
            Issue.record("no session")
            return
        }
        let asked = try #require(world.server.requests(at: "/userinfo").first)
        let token = String(decoding: try #require(next.accessToken).reveal(), as: UTF8.self)
        #expect(asked.headers.contains { $0 == ("Authorization", "Bearer " + token) })
        let claims = String(decoding: next.claims, as: UTF8.self)
        #expect(claims.contains("\"name\":\"New Name\"") && claims.contains("\"sub\":\"user-1\""))
        #expect(world.server.requests(at: "/userinfo").count == 1)
        #expect(world.alarms.isEmpty)
    }

    @Test(
        .refuses("OIDC-20"),
        arguments: [
            ServerHabits.json("{\"sub\":\"user-2\"}"), ServerHabits.json("{\"sub\":\"USER-1\"}"),
            ServerHabits.json("{\"name\":\"x\"}"), ServerHabits.json("{\"sub\":null}"), ServerHabits.json("[]"),
            ServerHabits.json("{\"message\":\"Bad credentials\"}", status: 401), ServerHabits.page(status: 503),
            .failure(.timedOut),
        ] as [ServerHabits.Answer])
    func `A session ends whose user is not named any more, and its new tokens are given back`(
        answer: ServerHabits.Answer
    ) async throws {
        let world = try world()
        world.server.habits.userInfoAnswer = answer
        guard case .ended = try await refresh(world) else {
            Issue.record("a session")
            return
        }
        #expect(world.alarms == [.loginUserInfoInvalid])
        _ = await world.revocations.stop(within: 1000)
        #expect(world.server.revokedTokens.contains { $0.hasPrefix("refresh") })
    }

    @Test(.holds("OIDC-20")) func `An ID token that comes with a refresh is not looked at`() async throws {
        let world = try world()
        world.server.habits.idToken = "no.id.token"
        guard case .session = try await refresh(world) else {
            Issue.record("no session")
            return
        }
    }

    @Test(.refuses("CF-35")) func `A refresh that is refused with status 200 ends the session`() async throws {
        let world = try world()
        world.server.habits.refreshAnswer = ServerHabits.json(
            "{\"error\":\"bad_refresh_token\",\"error_description\":\"The refresh token is incorrect.\"}")
        guard case .ended = try await refresh(world) else {
            Issue.record("a session")
            return
        }
        #expect(world.server.requests(at: "/userinfo").isEmpty)
    }

    @Test(.holds("SH-30")) func `The turn at the server lasts as long as all its questions may take`() async throws {
        let world = try world()
        let (session, _) = try await world.logIn(sid: nil)
        let asking = world.refreshes.clients[0].leaseMilliseconds(session)
        let silent = try SignedIn().refreshes.clients[0].leaseMilliseconds(session)
        #expect(asking - silent == Int64(LoginClient.timeoutMilliseconds))
    }
}
