import Crypto
import HTTPMessage
import Issuers
import OAuth
import Refusals
import Replay
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Login

@Suite(.timeLimit(.minutes(10)))
struct `logins over a reload` {
    /// A login up to the browser's return, begun at the world's service.
    private func begun(_ world: LoginWorld, _ browser: inout Browser) async throws -> ScriptedResponse {
        try await world.authorize(await world.start(&browser))
    }

    @Test(.holds("OPS-07", "CF-06")) func `a login that was begun before is finished after`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser)
        let next = world.reloaded { $0.session.keys.insert(Secret([UInt8](repeating: 8, count: 32)), at: 0) }
        let answer = await next.answer(world.request(response, browser))
        #expect(answer.location == "/orders")
        browser.keep(answer.cookies)
        // The session that came of it is one for both: a worker may not have moved on yet.
        #expect(world.session(of: browser) != nil)
    }

    @Test(.holds("OPS-07")) func `a callback that came before is answered, and its session is found after`()
        async throws
    {
        let world = try LoginWorld { $0.session.store = .memory }
        var browser = Browser()
        let response = try await begun(world, &browser)
        world.server.habits.held = "/token"
        let request = world.request(response, browser)
        async let answering = world.service.answer(request)
        await world.server.arrival(of: 1, at: "/token")
        let next = world.reloaded { $0.session.store = .memory }
        // A double click: the same code is not redeemed twice.
        async let again = next.answer(request)
        for _ in 0..<3 { await Task.yield() }
        world.server.release()
        let answer = await answering
        #expect(answer.location == "/orders")
        #expect(await again.location == "/orders")
        #expect(world.server.tokenRequests.count == 1)
        browser.keep(answer.cookies)
        let cookies = browser.cookies()
        guard case .one(let value) = CookieField.value(of: LoginWorld.sessionCookie, in: cookies.span),
            case .found = next.stores[0].lookUp(value, now: world.clock.seconds)
        else {
            Issue.record("the session is not found after the reload")
            return
        }
    }

    @Test(.holds("CF-25")) func `a state that was used before stays used`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser)
        let request = world.request(response, browser)
        #expect(await world.service.answer(request).location == "/orders")
        world.clock.pass(seconds: 60)
        let refused = await world.reloaded().answer(request)
        #expect(refused.refusal == .loginTransactionUsed)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.holds("JAR-22")) func `a request object that was published before is fetched after`() async throws {
        let world = try LoginWorld(form: .signedByReference)
        var browser = Browser()
        let started = await world.start(&browser)
        let next = world.reloaded()
        let location = try #require(started.location)
        let response = try await world.server.authorize(location) { uri in
            let name = uri.split(separator: "/").last.map { $0.prefix { $0 != "#" } } ?? ""
            let answer = await next.answer(
                LoginRequest(endpoint: .requestObject(id: String(name)), publicURL: LoginWorld.publicURL))
            guard case .document(_, let bytes) = answer.content else { return nil }
            return bytes
        }
        #expect(await next.answer(world.request(response, browser)).location == "/orders")
    }

    @Test(.holds("RF-01")) func `a refresh under way is waited for after a reload, and not begun again`() async throws {
        for kind in [SessionSettings.Store.cookie, .memory] {
            let world = try LoginWorld { $0.session.store = kind }
            var browser = Browser()
            _ = try await world.login(&browser)
            let cookies = browser.cookies()
            guard case .one(let value) = CookieField.value(of: LoginWorld.sessionCookie, in: cookies.span),
                case .found(let session, _) = world.service.stores[0].lookUp(value, now: world.clock.seconds)
            else {
                Issue.record("no session")
                return
            }
            world.clock.pass(seconds: 290)
            let before = world.server.tokenRequests.count
            world.server.habits.held = "/token"
            async let first = world.service.refresh(session, value: value, client: 0)
            await world.server.arrival(of: before + 1, at: "/token")
            let next = world.reloaded { $0.session.store = kind }
            async let second = next.refresh(session, value: value, client: 0)
            for _ in 0..<3 { await Task.yield() }
            world.server.release()
            guard case .session(let one, _) = await first, case .session(let other, _) = await second else {
                Issue.record("no session")
                return
            }
            #expect(one.generation == 1 && other.generation == 1)
            #expect(world.server.tokenRequests.count == before + 1)
            guard case .session(let later, _) = await next.refresh(session, value: value, client: 0) else {
                Issue.record("no session")
                return
            }
            #expect(later.generation == 1)
            #expect(world.server.tokenRequests.count == before + 1)
        }
    }

    @Test func `begins sessions anew where the cookie has another name`() async throws {
        let world = try LoginWorld { $0.session.store = .memory }
        var browser = Browser()
        _ = try await world.login(&browser)
        let cookies = browser.cookies()
        guard case .one(let value) = CookieField.value(of: LoginWorld.sessionCookie, in: cookies.span) else {
            Issue.record("no session")
            return
        }
        let next = world.reloaded {
            $0.session.store = .memory
            $0.session.cookieName = "__Host-portcullis-other"
        }
        if case .found = next.stores[0].lookUp(value, now: world.clock.seconds) {
            Issue.record("found under another cookie's name")
        }
    }

    @Test(.holds("CF-25"), .refuses("OPS-05")) func `whoever floods the used states stops their own logins first`()
        async throws
    {
        let world = try LoginWorld(usedStateBytes: 256 << 10)
        let used = world.service.memory.states.used
        let attacker = SHA256.hash(AddressBudget.network(of: "192.0.2.66").utf8Span.span)
        var count = 0
        let now = world.clock.seconds
        while used.insert(
            SHA256.hash("state \(count)".utf8Span.span), thumbprint: attacker, until: now + 600, now: now) == .first
        { count += 1 }
        #expect(count >= used.capacity / 2 - 1)
        for (peer, refusal) in [("192.0.2.66", Refusal.clientLoginsTooMany), ("192.0.2.7", nil)] {
            var browser = Browser()
            let response = try await begun(world, &browser)
            var request = world.request(response, browser)
            request.peer = peer
            let answer = await world.service.answer(request)
            #expect(answer.refusal == refusal, "\(peer)")
        }
    }

    @Test(.holds("CF-25")) func `used states have room for hundreds of thousands of logins`() {
        let memory = LoginMemory(executor: globalConcurrentExecutor, stateBytes: 16 << 20)
        #expect(memory.states.used.capacity > 450_000)
        #expect(memory.states.used.bytes < 1 << 20, "memory is taken before it is needed")
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `revocations over a reload` {
    /// A queue that continues the one of `world`, for the same client or for one at another issuer.
    private func next(_ world: SignedIn, issuer: String = ScriptedServer.issuer) throws -> RevocationQueue {
        var settings = world.place.settings
        settings.idToken.issuer = issuer
        let place = try LoginClient(
            index: 0, settings: settings, client: world.place.client,
            issuer: IssuerSettings(name: "main", url: issuer, rules: AccessTokenRules(issuer: issuer)),
            environment: world.place.environment)
        return RevocationQueue(
            [place], clock: world.clock, executor: globalConcurrentExecutor,
            continuing: (world.revocations, [world.place]))
    }

    @Test(.holds("RV-01")) func `what could not be revoked before is revoked after`() async throws {
        let world = try SignedIn()
        world.server.habits.revocationAnswer = .failure(.timedOut)
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        await SignedIn.until { world.clock.sleepers == 1 }
        let queue = try next(world)
        world.clock.pass(seconds: 300)
        await SignedIn.until { queue.count == 1 && world.clock.sleepers == 1 }
        #expect(world.revocations.count == 0)
        // And what comes late, of a callback that was answered before, goes the same way.
        world.revocations.revoke(session, client: 0)
        await SignedIn.until { queue.count == 2 && world.clock.sleepers == 2 }
        world.server.habits.revocationAnswer = nil
        world.clock.pass(seconds: 300)
        await SignedIn.until { queue.count == 0 }
        #expect(world.failedRevocations.isEmpty)
    }

    @Test(.refuses("CF-23")) func `tokens go to no other server than the one that they are from`() async throws {
        let world = try SignedIn()
        world.server.habits.revocationAnswer = .failure(.timedOut)
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        await SignedIn.until { world.clock.sleepers == 1 }
        let queue = try next(world, issuer: "https://other.example")
        world.clock.pass(seconds: 300)
        await SignedIn.until { world.server.requests(at: "/revoke").count == 2 && world.clock.sleepers == 1 }
        #expect(queue.count == 0)
        #expect(world.revocations.count == 1)
    }

    @Test(.holds("OPS-08")) func `the end waits for what is left, in both`() async throws {
        let world = try SignedIn()
        world.server.habits.revocationAnswer = .failure(.timedOut)
        let (session, _) = try await world.logIn()
        world.revocations.revoke(session, client: 0)
        await SignedIn.until { world.clock.sleepers == 1 }
        let queue = try next(world)
        world.server.habits.revocationAnswer = nil
        #expect(await queue.stop(within: 1000) == 0)
        #expect(world.revocations.count == 0)
        #expect(world.failedRevocations.isEmpty)
        #expect(world.server.requests(at: "/revoke").count == 3, "once before, then both tokens")
    }

    @Test(.refuses("OPS-08")) func `the end is bounded, and says what was not revoked`() async throws {
        let world = try SignedIn()
        world.server.habits.held = "/revoke"
        let (session, _) = try await world.logIn()
        for _ in 0..<10 { world.revocations.revoke(session, client: 0) }
        await world.server.arrival(of: RevocationQueue.concurrentLimit, at: "/revoke")
        async let given = world.revocations.stop(within: 1000)
        await SignedIn.until { world.clock.sleepers == 1 }
        world.clock.pass(seconds: 1)
        #expect(await given == 10)
        #expect(world.failedRevocations == [String](repeating: "stopped", count: 10))
        world.server.release()
        await world.revoked()
        #expect(world.failedRevocations.count == 10, "told twice")
    }

    @Test(.holds("OPS-08")) func `the end of nothing comes at once`() async throws {
        let world = try SignedIn()
        #expect(await world.revocations.stop(within: 60_000) == 0)
    }
}
