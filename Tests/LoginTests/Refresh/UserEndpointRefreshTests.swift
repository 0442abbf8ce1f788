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
            ServerHabits.json("{\"message\":\"Bad credentials\"}", status: 401), ServerHabits.page(status: 404),
            ServerHabits.page(status: 200), .failure(.tooLarge), .failure(.redirected),
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

    // MARK: an endpoint that does not answer

    /// A session whose tokens are refreshed, and whose endpoint does not answer.
    private func outage(
        _ world: SignedIn, _ answer: ServerHabits.Answer = ServerHabits.page(status: 503)
    ) async throws -> (session: Session, value: [UInt8], kept: Session) {
        let (session, value) = try await world.logIn(sid: nil)
        world.becomeDue()
        world.server.habits.userInfoAnswer = answer
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            throw Unexpected()
        }
        return (session, value, try #require(world.lookUp(value)))
    }

    private struct Unexpected: Error {}

    @Test(
        .holds("OIDC-20"), .refuses("OIDC-20"), arguments: [SessionSettings.Store.memory, .cookie],
        [
            ServerHabits.page(status: 503), ServerHabits.page(status: 500), ServerHabits.page(status: 429),
            ServerHabits.json("{}", status: 408),
            .success(FetchResponse(status: 403, retryAfterSeconds: 9)), .failure(.timedOut),
            .failure(.connectFailed("refused")),
            .failure(.unanswered), .failure(.crowded), .failure(.tooManyOfClient), .failure(.cancelled),
        ] as [ServerHabits.Answer])
    func `A session is kept whose endpoint does not answer, and serves nobody until it does`(
        store: SessionSettings.Store, answer: ServerHabits.Answer
    ) async throws {
        let world = try world(store: store)
        let (session, value, kept) = try await outage(world, answer)
        #expect(!kept.isConfirmed && kept.generation == session.generation + 1)
        #expect(kept.refreshToken?.reveal() != session.refreshToken?.reveal())
        #expect(RefreshRules.refreshAt(kept) <= world.clock.seconds)
        #expect(!RefreshRules.isUsable(kept, now: world.clock.seconds))
        #expect(world.alarms.isEmpty && world.outcomes == ["unavailable"])
        // Nobody asks before a pause is over.
        let asked = world.server.requests(at: "/userinfo").count
        guard case .unavailable = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("a session")
            return
        }
        #expect(world.server.requests(at: "/userinfo").count == asked)
        world.clock.pass(seconds: 20)
        world.server.habits.userInfoAnswer = nil
        guard case .session(let next, _) = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.isConfirmed && next.generation == session.generation + 2)
        #expect(world.lookUp(value)?.isConfirmed == true)
        #expect(next.refreshToken?.reveal() == kept.refreshToken?.reveal())
        #expect(world.server.requests(at: "/token").count == 1, "the endpoint alone is asked again")
        _ = await world.revocations.stop(within: 1000)
        #expect(world.server.revokedTokens.isEmpty)
    }

    @Test(.refuses("OIDC-20")) func `A session that is kept ends when the endpoint names somebody else`() async throws {
        let world = try world()
        let (_, value, kept) = try await outage(world)
        world.clock.pass(seconds: 20)
        guard case .unavailable = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("a session")
            return
        }
        #expect(world.lookUp(value)?.generation == kept.generation, "nothing is written for it")
        world.clock.pass(seconds: 20)
        world.server.habits.userInfoAnswer = ServerHabits.json("{\"sub\":\"user-2\"}")
        guard case .ended = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("a session")
            return
        }
        #expect(world.lookUp(value) == nil && world.alarms == [.loginUserInfoInvalid])
        _ = await world.revocations.stop(within: 1000)
        #expect(world.server.revokedTokens.contains { $0.hasPrefix("refresh") })
    }

    @Test(.holds("OIDC-20")) func `A session that is kept is refreshed again where its token expires meanwhile`()
        async throws
    {
        let world = try world()
        let (_, value, kept) = try await outage(world)
        world.clock.pass(seconds: 301)
        world.server.habits.userInfoAnswer = nil
        guard case .session(let next, _) = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.isConfirmed && world.server.requests(at: "/token").count == 2)
    }

    @Test(.refuses("OIDC-20")) func `A session that is kept serves nobody who brings the state before it`() async throws
    {
        let world = try world()
        let (session, value, _) = try await outage(world)
        world.clock.pass(seconds: 20)
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("a session")
            return
        }
    }

    /// A session that waits for its endpoint's word, of a login that has no use for access tokens; and its cookie's value.
    private func keptWithoutUse() async throws -> (world: SignedIn, kept: Session, value: [UInt8]) {
        let world = try SignedIn(store: .memory) {
            $0.identityFrom = UserEndpointSettings(url: ScriptedServer.issuer + "/userinfo", subject: "sub")
            $0.uses.keepsAccessToken = false
            $0.authorization.isOpenID = false
        }
        let (session, value) = try await world.logIn(sid: nil) { $0.accessToken = nil }
        world.becomeDue()
        world.server.habits.userInfoAnswer = .failure(.timedOut)
        let answer = await world.refreshes.refresh(session, value: value, client: 0)
        guard case .unavailable = answer else { throw Unexpected() }
        return (world, try #require(world.lookUp(value)), value)
    }

    @Test(.holds("OIDC-20"))
    func `A session that is kept has an access token that nothing else uses for so long alone`()
        async throws
    {
        let (world, kept, value) = try await keptWithoutUse()
        #expect(kept.accessToken != nil)
        world.clock.pass(seconds: 20)
        world.server.habits.userInfoAnswer = nil
        guard case .session(let next, _) = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.accessToken == nil && world.lookUp(value)?.accessToken == nil)
    }

    @Test(.holds("OIDC-20"))
    func `A session that is kept has no access token that nothing else uses once another one was confirmed`()
        async throws
    {
        let (world, kept, value) = try await keptWithoutUse()
        // The token of then is over, so that the session is refreshed before the endpoint is asked.
        world.clock.pass(seconds: 301)
        world.server.habits.userInfoAnswer = nil
        guard case .session(let next, _) = await world.refreshes.refresh(kept, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(world.server.requests(at: "/token").count == 2)
        #expect(next.isConfirmed && next.accessToken == nil && world.lookUp(value)?.accessToken == nil)
    }

    @Test(.refuses("OIDC-20"), arguments: [SessionSettings.Store.memory, .cookie], [true, false])
    func `A session that is kept ends where its client has no endpoint any more, whether or not its token is over`(
        store: SessionSettings.Store, isOver: Bool
    ) async throws {
        // As a configuration without identity_from finds it, which can verify an ID token.
        let world = try SignedIn(store: store)
        let (session, value) = try await world.logIn { $0.isConfirmed = false }
        if isOver { world.clock.pass(seconds: 301) }
        guard case .ended = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("a session")
            return
        }
        #expect(world.lookUp(value) == nil && world.alarms.isEmpty)
        #expect(world.server.requests(at: "/token").isEmpty, "new tokens would be nobody's in particular too")
        #expect(world.reasons.last?.found == "a client without one")
        await world.revoked()
        #expect(world.server.revokedTokens.contains { $0.hasPrefix("refresh") })
    }

    @Test(.refuses("OIDC-20")) func `Addresses of mail are asked of nobody but the user of the session`() async throws {
        let world = try SignedIn {
            $0.identityFrom = UserEndpointSettings(
                url: ScriptedServer.issuer + "/userinfo", subject: "sub",
                emailsURL: ScriptedServer.issuer + "/emails")
            $0.authorization.isOpenID = false
        }
        world.server.habits.userInfoAnswer = ServerHabits.json("{\"sub\":\"user-2\"}")
        guard case .ended = try await refresh(world) else {
            Issue.record("a session")
            return
        }
        #expect(world.alarms == [.loginUserInfoInvalid])
        #expect(world.server.requests(at: "/emails").isEmpty)
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
