import Crypto
import HTTPMessage
import Refusals
import Sessions
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct RefreshServiceTests {
    @Test(.holds("RF-01", "T-50"), arguments: [SessionSettings.Store.cookie, .memory])
    func `Two hundred callers at once make one request, and all get the new tokens`(
        _ store: SessionSettings.Store
    ) async throws {
        let world = try SignedIn(store: store)
        let (session, value) = try await world.logIn()
        world.becomeDue()
        world.server.habits.held = "/token"
        let results = await withTaskGroup(of: LoginService.Refreshed.self) { group in
            for _ in 0..<200 {
                group.addTask { await world.refreshes.refresh(session, value: value, client: 0) }
            }
            await world.server.arrival(of: 1, at: "/token")
            world.server.release()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(world.server.tokenRequests.count == 1)
        #expect(results.count == 200)
        for result in results {
            guard case .session(let refreshed, _) = result else {
                Issue.record("no session")
                continue
            }
            #expect(refreshed.generation == 1)
            #expect(refreshed.id == session.id)
        }
        #expect(world.outcomes == ["refreshed"])
        #expect(world.lookUp(value)?.generation == 1)
    }

    @Test(.holds("RF-01", "T-50")) func `Who comes afterwards with the old cookie gets the new session and its cookie`()
        async throws
    {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(_, let newer?) = await world.refreshes.refresh(session, value: value, client: 0),
            case .session(let again, let same) = await world.refreshes.refresh(session, value: value, client: 0)
        else {
            Issue.record("no session")
            return
        }
        // The server would take a second use of the first refresh token for theft.
        #expect(world.server.tokenRequests.count == 1)
        #expect(again.generation == 1)
        #expect(same == newer)
    }

    @Test(.holds("RF-01")) func `Nobody waits longer than five seconds, and the answer that comes later is kept`()
        async throws
    {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        world.becomeDue()
        world.server.habits.held = "/token"
        async let waiting = world.refreshes.refresh(session, value: value, client: 0)
        await world.server.arrival(of: 1, at: "/token")
        await SignedIn.until { world.clock.sleepers == 1 }
        world.clock.pass(seconds: 5)
        guard case .unavailable = await waiting else {
            Issue.record("waited on")
            return
        }
        // Neither does the next one wait, nor is the server asked a second time.
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("asked again")
            return
        }
        world.server.release()
        await SignedIn.until { world.memory.flights.count == 0 }
        #expect(world.lookUp(value)?.generation == 1)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.holds("RF-03")) func `A chain of five refreshes uses each refresh token once`() async throws {
        let world = try SignedIn()
        // The scripted server counts auth_time from now: between two refreshes it would be another login's.
        world.server.habits.idTokenClaims = ["auth_time": nil]
        var (session, value) = try await world.logIn()
        for round in 1...5 {
            world.becomeDue()
            guard case .session(let next, let newer) = await world.refreshes.refresh(session, value: value, client: 0)
            else {
                Issue.record("no session")
                return
            }
            (session, value) = (next, newer ?? value)
            #expect(session.generation == round)
        }
        let used = world.server.tokenRequests.map { $0["refresh_token"] ?? "" }
        #expect(Set(used).count == 5)
        #expect(used.first == "refresh-0-of-this-server")
    }

    @Test(.holds("RF-03")) func `A server that gives no new refresh token leaves the old one in place`() async throws {
        let world = try SignedIn()
        world.server.habits.rotates = false
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .session(let next, _) = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("no session")
            return
        }
        #expect(next.refreshToken?.reveal() == session.refreshToken?.reveal())
        #expect(next.accessToken?.reveal() != session.accessToken?.reveal())
    }

    @Test(.refuses("RF-05")) func `A refresh token that is not accepted ends the session, and nobody asks again`()
        async throws
    {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = ServerHabits.json("{\"error\":\"invalid_grant\"}", status: 400)
        let (session, value) = try await world.logIn()
        world.becomeDue()
        for _ in 0..<2 {
            guard case .ended = await world.refreshes.refresh(session, value: value, client: 0) else {
                Issue.record("not ended")
                return
            }
        }
        #expect(world.server.tokenRequests.count == 1)
        #expect(world.lookUp(value) == nil)
        #expect(world.outcomes == ["ended"])
        #expect(
            world.reasons == [
                RefusalDetail(expected: "new tokens", found: "status 400, error invalid_grant", check: "RF-05")
            ])
        #expect(world.endings == 1)
    }

    @Test(.holds("RF-05")) func `What the server says of its no is told in its own words`() async throws {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = ServerHabits.json(
            "{\"error\":\"invalid_grant\",\"error_description\":\"Token is expired\"}", status: 400)
        let (session, value) = try await world.logIn()
        world.becomeDue()
        _ = await world.refreshes.refresh(session, value: value, client: 0)
        #expect(
            world.reasons.map(\.found) == ["status 400, error invalid_grant, \"Token is expired\""])
    }

    @Test(.holds("RF-08")) func `A session that was ended while it was refreshed is told as that`() async throws {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        world.becomeDue()
        world.server.habits.held = "/token"
        async let refreshed = world.refreshes.refresh(session, value: value, client: 0)
        await world.server.arrival(of: 1, at: "/token")
        _ = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        world.server.release()
        _ = await refreshed
        await world.revoked()
        #expect(
            world.reasons == [
                RefusalDetail(
                    expected: "a session to keep the new tokens in",
                    found: "one that was ended while it was refreshed", check: "RF-08")
            ])
    }

    @Test(
        .holds("RF-06"),
        arguments: [
            (.success(FetchResponse(status: 503)), "new tokens", "status 503", "RF-06"),
            (.failure(.timedOut), "an answer of the token endpoint", "timed_out", "CA-16"),
            (.failure(.connectFailed("refused")), "an answer of the token endpoint", "connect_failed", "CA-16"),
            (.failure(.unanswered), "an answer of the token endpoint", "unanswered", "CA-16"),
            (
                ServerHabits.page(status: 200), "a token response (RFC 6749 section 5.1)", "Content-Type \"text/html\"",
                "CF-31"
            ),
            (
                ServerHabits.json("{\"error\":\"invalid_client\"}", status: 401),
                "a server that takes us for the client", "status 401, error invalid_client", "CA-15"
            ),
        ] as [(ServerHabits.Answer, String, String, String)])
    func `A refresh that brought nothing says what was wanted and what was found`(
        _ answer: ServerHabits.Answer, _ expected: String, _ found: String, _ check: String
    ) async throws {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = answer
        let (session, value) = try await world.logIn()
        world.becomeDue()
        _ = await world.refreshes.refresh(session, value: value, client: 0)
        #expect(world.outcomes == ["unavailable"])
        #expect(world.reasons == [RefusalDetail(expected: expected, found: found, check: check)])
    }

    @Test(.holds("RF-03")) func `A refresh that brought tokens has no reason to tell`() async throws {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        world.becomeDue()
        _ = await world.refreshes.refresh(session, value: value, client: 0)
        #expect(world.outcomes == ["refreshed"] && world.reasons.isEmpty)
    }

    @Test(.holds("CA-16")) func `A refresh token goes over a connection that no server is about to close`() async throws
    {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        world.becomeDue()
        _ = await world.refreshes.refresh(session, value: value, client: 0)
        #expect(world.server.requests(at: "/token").last?.connection == .fresh)
        #expect(world.outcomes == ["refreshed"])
    }

    @Test(.refuses("RF-05")) func `A server that says no without a word ends the session too`() async throws {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = .success(FetchResponse(status: 400))
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .ended = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("not ended")
            return
        }
        #expect(world.lookUp(value) == nil)
    }

    @Test(
        .holds("RF-06"), .refuses("RF-06"),
        arguments: [
            .success(FetchResponse(status: 503)), .success(FetchResponse(status: 500)), .failure(.timedOut),
            .failure(.connectFailed("refused")), .failure(.unanswered), ServerHabits.page(status: 502),
            ServerHabits.page(status: 404), ServerHabits.page(status: 200),
        ] as [ServerHabits.Answer])
    func `A server that is down ends nothing, and is asked again only after a pause`(
        _ answer: ServerHabits.Answer
    ) async throws {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = answer
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("not unavailable")
            return
        }
        let asked = world.server.tokenRequests.count
        for _ in 0..<10 { _ = await world.refreshes.refresh(session, value: value, client: 0) }
        #expect(world.server.tokenRequests.count == asked)
        #expect(world.lookUp(value)?.generation == 0)

        world.server.habits.refreshAnswer = nil
        world.clock.pass(seconds: 2)
        guard case .session = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("not refreshed")
            return
        }
    }

    @Test(.refuses("OPS-05")) func `A user whose own refreshes are too many is told so, and may ask again at once`()
        async throws
    {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = .failure(.tooManyOfClient)
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .tooMany = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("the server is blamed")
            return
        }
        #expect(world.reasons.map(\.check) == ["OPS-05"])
        world.server.habits.refreshAnswer = nil
        guard case .session = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("not refreshed")
            return
        }
    }

    @Test(.refuses("RF-06")) func `An expired token makes no logout while the server is down`() async throws {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = .failure(.timedOut)
        let (session, value) = try await world.logIn()
        world.clock.pass(seconds: 900)
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("not unavailable")
            return
        }
        #expect(world.lookUp(value) != nil)
        #expect(world.endings == 0)
    }

    @Test(.refuses("RF-06")) func `A server that does not take us for the client makes an alarm and no logout`()
        async throws
    {
        let world = try SignedIn()
        world.server.habits.refreshAnswer = ServerHabits.json("{\"error\":\"invalid_client\"}", status: 401)
        let (session, value) = try await world.logIn()
        world.becomeDue()
        guard case .unavailable = await world.refreshes.refresh(session, value: value, client: 0) else {
            Issue.record("not unavailable")
            return
        }
        #expect(world.alarms == [.loginClientRefused])
        #expect(world.lookUp(value) != nil)
        // Every session runs into it: the operator is told once.
        let (other, otherValue) = try await world.logIn(refreshToken: "refresh-1-of-this-server") {
            $0.accessTokenExpiresAt = $0.accessTokenIssuedAt
        }
        _ = await world.refreshes.refresh(other, value: otherValue, client: 0)
        #expect(world.server.tokenRequests.count == 2)
        #expect(world.alarms == [.loginClientRefused])
    }

    @Test(.holds("RF-08", "RV-02", "T-51"), arguments: [SessionSettings.Store.cookie, .memory])
    func `A logout during a refresh wins, and the late tokens are revoked`(
        _ store: SessionSettings.Store
    ) async throws {
        let world = try SignedIn(store: store)
        let (session, value) = try await world.logIn()
        world.becomeDue()
        world.server.habits.held = "/token"
        async let refreshed = world.refreshes.refresh(session, value: value, client: 0)
        await world.server.arrival(of: 1, at: "/token")
        let answer = await world.logouts.answer(world.request(.logout(client: 0), method: .post, value: value))
        #expect(answer.deletes(SignedIn.cookieName))
        world.server.release()
        guard case .ended = await refreshed else {
            Issue.record("the session lives")
            return
        }
        await world.revoked()
        #expect(world.lookUp(value) == nil)
        let late = world.server.handedOut.filter { $0.hasPrefix("refresh-") || $0.hasPrefix("access-") }
        #expect(late.count == 2)
        for token in late { #expect(world.server.revokedTokens.contains(token)) }
        #expect(world.server.revokedTokens.contains("refresh-0-of-this-server"))
    }

    @Test(.refuses("RF-01")) func `A service that has stopped tells whoever waits, and asks nobody any more`()
        async throws
    {
        let world = try SignedIn()
        let (session, value) = try await world.logIn()
        world.becomeDue()
        world.server.habits.held = "/token"
        async let waiting = world.refreshes.refresh(session, value: value, client: 0)
        await world.server.arrival(of: 1, at: "/token")
        world.refreshes.stop()
        guard case .unavailable = await waiting,
            case .unavailable = await world.refreshes.refresh(session, value: value, client: 0)
        else {
            Issue.record("not told")
            return
        }
        world.server.release()
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.refuses("RF-05")) func `The session of a cookie that opens nothing is over`() async throws {
        let world = try SignedIn()
        let (session, _) = try await world.logIn()
        guard case .ended = await world.refreshes.refresh(session, value: Array("no-cookie".utf8), client: 0),
            case .unavailable = await world.refreshes.refresh(session, value: [], client: 7)
        else {
            Issue.record("not ended")
            return
        }
        #expect(world.server.tokenRequests.isEmpty)
    }
}
