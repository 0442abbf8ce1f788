import HTTPMessage
import TestTraits
import Testing

@testable import Login
@testable import Sessions

@Suite(.timeLimit(.minutes(10)))
struct RevocationQueueTests {
    @Test(.holds("RV-01")) func `The refresh token goes first, then the access token, each with its hint`() async throws
    {
        let world = try SignedIn()
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        await world.revoked()
        let forms = world.server.forms(at: "/revoke")
        #expect(forms.map { $0["token_type_hint"] } == ["refresh_token", "access_token"])
        #expect(world.failedRevocations.isEmpty)
    }

    @Test(.holds("RV-01")) func `A server that is busy is asked again later, and not for ever`() async throws {
        let world = try SignedIn()
        world.server.habits.revocationAnswer = .success(FetchResponse(status: 503))
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        for attempt in 1..<RevocationQueue.attemptLimit {
            await SignedIn.until { world.clock.sleepers == 1 }
            #expect(world.server.requests(at: "/revoke").count == attempt)
            world.clock.pass(seconds: 300)
        }
        // Told behind the end of the last attempt.
        await SignedIn.until { world.revocations.count == 0 && !world.failedRevocations.isEmpty }
        #expect(world.server.requests(at: "/revoke").count == RevocationQueue.attemptLimit)
        #expect(world.failedRevocations == ["server_unavailable"])
    }

    @Test(.refuses("RV-01")) func `A token type that the server does not revoke is nobody's trouble`() async throws {
        let world = try SignedIn()
        world.server.habits.revocationAnswer = ServerHabits.json(
            "{\"error\":\"unsupported_token_type\"}", status: 400)
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        await world.revoked()
        #expect(world.server.requests(at: "/revoke").count == 2)
        #expect(world.failedRevocations.isEmpty)
    }

    @Test(.refuses("RV-01")) func `A server without revocation is not asked, and one that does not know us is told of`()
        async throws
    {
        let without = try SignedIn()
        without.server.habits.metadata = ["revocation_endpoint": nil]
        let (session, _) = try await without.logIn()
        without.revocations.revoke(session, client: 0)
        await without.revoked()
        #expect(without.server.requests(at: "/revoke").isEmpty)
        #expect(without.failedRevocations.isEmpty)

        let refusing = try SignedIn()
        refusing.server.habits.revocationAnswer = ServerHabits.json("{\"error\":\"invalid_client\"}", status: 401)
        let (other, _) = try await refusing.logIn()
        refusing.revocations.revoke(other, client: 0)
        await refusing.revoked()
        #expect(refusing.failedRevocations == ["client_refused", "client_refused"])
    }

    @Test(.refuses("RV-01")) func `A stop tries what is left at once, reports it, and takes no more`() async throws {
        let world = try SignedIn()
        world.server.habits.revocationAnswer = .failure(.timedOut)
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        await SignedIn.until { world.clock.sleepers == 1 }
        world.revocations.stop()
        await SignedIn.until { world.revocations.count == 0 && !world.failedRevocations.isEmpty }
        #expect(world.server.requests(at: "/revoke").count == 2)
        #expect(world.failedRevocations == ["server_unreachable"])
        world.revocations.revoke(session, client: 0)
        #expect(world.failedRevocations.count == 2)
    }

    @Test(.refuses("RV-01")) func `A full queue refuses instead of growing`() async throws {
        let world = try SignedIn()
        let told = Record<String>()
        let queue = RevocationQueue(
            clock: world.clock, executor: globalConcurrentExecutor, limit: 2,
            revoke: { _, _, _, _ in .later(retryAfterSeconds: 60, reason: "test") },
            onEvent: { if case .revocationFailed(_, let reason) = $0 { told.append(reason) } })
        let (session, _) = try await world.logIn()
        for _ in 0..<3 { queue.revoke(session, client: 0) }
        #expect(told.all == ["queue_full"])
        #expect(queue.count == 2)
    }

    @Test("One user who signs out again and again leaves the queue to others (A4)")
    func oneUserDoesNotFillIt() async throws {
        let world = try SignedIn()
        let told = Record<String>()
        let queue = RevocationQueue(
            clock: world.clock, executor: globalConcurrentExecutor, limit: 64,
            revoke: { _, _, _, _ in .later(retryAfterSeconds: 60, reason: "test") },
            onEvent: { if case .revocationFailed(_, let reason) = $0 { told.append(reason) } })
        let (session, _) = try await world.logIn()
        for _ in 0..<100 { queue.revoke(session, client: 0) }
        #expect(queue.count == 32)
        #expect(told.all == Array(repeating: "queue_share", count: 68))
        for number in 0..<8 { for _ in 0..<4 { queue.revoke(session.of("user \(number)"), client: 0) } }
        #expect(queue.count == 64)
        queue.revoke(session.of("user 9"), client: 0)
        #expect(told.all.count == 69 && told.all.last == "queue_full")
    }
}

extension Session {
    /// The same one of somebody else.
    fileprivate func of(_ subject: String) -> Session {
        var session = self
        session.subject = subject
        return session
    }
}
