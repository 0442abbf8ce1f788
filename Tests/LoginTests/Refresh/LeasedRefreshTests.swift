import Crypto
import Issuers
import Refusals
import Sessions
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Login
@testable import SharedState
@testable import SharedStateTests

/// Refreshes of one session by several processes at one store.
@Suite(.timeLimit(.minutes(5)))
struct `refreshes of a shared session` {
    private let clock = ManualClock()
    private let server = RefreshingServer()

    private func replicas(_ count: Int) throws -> [RefreshingReplica] {
        try Replica.several(count).map { RefreshingReplica($0, server, clock) }
    }

    @Test(.holds("SH-30"), .refuses("SH-30")) func `by eight processes make one request each, and all have the result`()
        async throws
    {
        let clock = YieldingClock()
        let replicas = try Replica.several(8).map { RefreshingReplica($0, server, clock) }
        var due: [(Session, [UInt8])] = []
        for number in 0..<200 {
            let session = RefreshingServer.due(at: clock.now().wallSeconds, subject: "user \(number)")
            due.append((session, try await replicas[0].replica.create(session, clock.now().wallSeconds)))
        }
        let generations = await withTaskGroup(of: UInt32?.self) { group in
            for (index, replica) in replicas.enumerated() {
                for (session, value) in index.isMultiple(of: 2) ? due : due.reversed() {
                    group.addTask { await replica.refresh(session, value)?.generation }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(server.requests == 200)
        #expect(generations.count == 1600 && generations.allSatisfy { $0 == 1 })
    }

    @Test(.refuses("SH-32")) func `are dropped and revoked when another process has ended it`() async throws {
        let a = try replicas(1)[0]
        let other = try a.another()
        let (session, value) = try await a.logIn()
        server.whileAsked { _ = try? await other.store.end(.session(session), now: Sample.now) }
        guard case .ended = await a.service.refresh(session, value: value, client: 0) else {
            Issue.record("not ended")
            return
        }
        #expect(a.discarded.all.map(\.generation) == [1])
        #expect(try await a.replica.load(value) == nil)
    }

    @Test(.refuses("SH-32"), .holds("SH-31", "SH-32"))
    func `by a holder who was too slow write nothing, and the other's state is used`() async throws {
        let a = try replicas(1)[0]
        let b = try RefreshingReplica(a.another(), RefreshingServer(), clock)
        let (session, value) = try await a.logIn()
        server.whileAsked {
            // The lease has ended; nothing else of it is left either.
            let client = try? a.replica.administrator()
            _ = try? client?.send(["HDEL".bytes, a.replica.name(of: session).bytes, "l".bytes])
            _ = await b.refresh(session, value)
        }
        let result = await a.refresh(session, value)
        #expect(result?.generation == 1)
        #expect(result.map(b.made) == true, "the one that holds the lease is right")
        #expect(a.discarded.all.count == 1 && b.discarded.all.isEmpty)
    }

    @Test(.holds("SH-33")) func `wait for the line of the log, and ask the store no more than now and then`()
        async throws
    {
        let a = try replicas(1)[0]
        let b = try RefreshingReplica(a.another(), server, clock)
        let (session, value) = try await a.logIn()
        let waiting = Mutex<Task<Session?, Never>?>(nil)
        server.whileAsked {
            waiting.withLock { $0 = Task { await b.refresh(session, value) } }
            // B has been told to wait.
            await SignedIn.until { clock.sleepers == 3 }
        }
        #expect(await a.refresh(session, value)?.generation == 1)
        a.replica.settle()
        b.replica.store.learn(try a.replica.lines(), now: Sample.now)
        #expect(await waiting.withLock { $0 }?.value?.generation == 1, "no time has passed")
        #expect(server.requests == 1)
        #expect(b.replica.asking.takeAsked().filter { $0 == "begin" }.count <= 3)
    }

    @Test(.refuses("SH-33")) func `give up after five seconds when nothing is heard`() async throws {
        let a = try replicas(1)[0]
        let b = try RefreshingReplica(a.another(), server, clock)
        let (session, value) = try await a.logIn()
        server.whileAsked {
            let waiting = Task { await b.service.refresh(session, value: value, client: 0) }
            await SignedIn.until { clock.sleepers == 3 }
            clock.pass(seconds: 5)
            guard case .unavailable = await waiting.value else {
                Issue.record("not given up")
                return
            }
        }
        _ = await a.service.refresh(session, value: value, client: 0)
        #expect(server.requests == 1)
    }

    @Test(.holds("SH-34")) func `are used here while the store is away, and are written when it is back`() async throws
    {
        let a = try replicas(1)[0]
        let (session, value) = try await a.logIn()
        a.replica.asking.follow { $0[0] == "commit" ? .refuse(.unavailable) : .pass }
        let new = try #require(await a.refresh(session, value))
        #expect(new.generation == 1)
        for second in 0..<19 as Range<Int64> { #expect(a.replica.look(value, Sample.now + second) == .found(1)) }
        a.replica.settle()
        #expect(try await a.replica.load(value, Sample.now + 19)?.generation == 1, "the old tokens are never given out")
        // Away for good, the same holds as of any other session.
        a.replica.asking.goDown()
        await SignedIn.until { clock.sleepers == 1 }
        clock.pass(seconds: 1)
        await SignedIn.until { clock.sleepers == 1 }
        a.replica.asking.follow(nil)
        clock.pass(seconds: 1)
        let other = try a.another()
        await eventuallyAsync { (try? await other.load(value))??.generation == 1 }
        #expect(server.requests == 1 && a.discarded.all.isEmpty)
    }

    /// When the lease is over, whoever comes elsewhere takes the old refresh token, which is spent.
    @Test(.refuses("SH-34")) func `are written within two seconds when the store is back while the lease lasts`()
        async throws
    {
        let a = try replicas(1)[0]
        let (session, value) = try await a.logIn()
        a.replica.asking.follow { $0[0] == "commit" ? .refuse(.unavailable) : .pass }
        _ = try #require(await a.refresh(session, value))
        for _ in 0..<8 {
            await SignedIn.until { clock.sleepers == 1 }
            clock.pass(seconds: 2)
        }
        await SignedIn.until { clock.sleepers == 1 }
        a.replica.asking.follow(nil)
        clock.pass(seconds: 2)
        let other = try a.another()
        await eventuallyAsync { (try? await other.load(value))??.generation == 1 }
        #expect(server.requests == 1 && a.discarded.all.isEmpty)
    }

    @Test(.holds("OIDC-20"), .refuses("OIDC-20"), arguments: [false, true])
    func `that nobody has confirmed are used by no process, and confirmed by one`(isKnown: Bool) async throws {
        let a = try replicas(1)[0]
        let b = try RefreshingReplica(a.another(), server, clock)
        let (session, value) = try await a.logIn()
        // It has the state of before at hand, and hears of the newer one when it asks for its turn.
        if isKnown { _ = try await b.replica.load(value) }
        server.confirms(false)
        #expect(await a.refresh(session, value) == nil)
        #expect(await b.refresh(session, value) == nil)
        #expect(server.requests == 1 && a.discarded.all.isEmpty && b.discarded.all.isEmpty)
        let kept = try #require(try await a.another().load(value))
        #expect(kept.generation == 1 && !kept.isConfirmed)
        server.confirms(true)
        let confirmed = try #require(await b.refresh(kept, value))
        #expect(confirmed.generation == 2 && confirmed.isConfirmed && server.requests == 2)
        #expect(try await a.another().load(value)?.isConfirmed == true)
    }

    @Test(.holds("SH-34", "OIDC-20"), .refuses("OIDC-20"))
    func `that nobody has confirmed are held while the store is away, serve nobody, and are written`() async throws {
        let a = try replicas(1)[0]
        let (session, value) = try await a.logIn()
        server.confirms(false)
        a.replica.asking.follow { $0[0] == "commit" ? .refuse(.unavailable) : .pass }
        #expect(await a.refresh(session, value) == nil)
        #expect(a.replica.look(value) == .found(1), "the old tokens are never given out")
        await SignedIn.until { clock.sleepers == 1 }
        a.replica.asking.follow(nil)
        clock.pass(seconds: 1)
        let other = try a.another()
        await eventuallyAsync { (try? await other.load(value))??.isConfirmed == false }
        #expect(server.requests == 1 && a.discarded.all.isEmpty)
    }

    @Test(.refuses("SH-34")) func `that are held are revoked when the session has been ended meanwhile`() async throws {
        let a = try replicas(1)[0]
        let (session, value) = try await a.logIn()
        a.replica.asking.follow { $0[0] == "commit" ? .lose : .pass }
        #expect(await a.refresh(session, value)?.generation == 1)
        _ = try await a.another().store.end(.session(session), now: Sample.now)
        a.replica.asking.follow(nil)
        await SignedIn.until { clock.sleepers == 1 }
        clock.pass(seconds: 1)
        await SignedIn.until { !a.discarded.all.isEmpty }
        #expect(try await a.replica.load(value) == nil)
    }

    @Test(.holds("SH-35"), .refuses("SH-35"))
    func `are left alone by every process while the server does not answer`() async throws {
        let all = try replicas(3)
        let (session, value) = try await all[0].logIn()
        server.fails(true)
        for replica in all {
            guard case .unavailable = await replica.service.refresh(session, value: value, client: 0) else {
                Issue.record("refreshed")
                return
            }
        }
        #expect(server.requests == 1)
        #expect(all[1].discarded.all.isEmpty)
    }

    @Test(.refuses("SH-21", "SH-31")) func `are not begun where the store does not say whose turn it is`() async throws
    {
        let a = try replicas(1)[0]
        let (session, value) = try await a.logIn()
        a.replica.asking.follow { $0[0] == "begin" ? .refuse(.unknown) : .pass }
        guard case .unavailable = await a.service.refresh(session, value: value, client: 0) else {
            Issue.record("refreshed")
            return
        }
        #expect(server.requests == 0)
    }

    @Test(.refuses("SH-54")) func `are not begun from a state that is newer than the store's`() async throws {
        let a = try replicas(1)[0]
        let (session, value) = try await a.logIn()
        let client = try a.replica.administrator()
        let old = try #require(try client.send(["HGET".bytes, a.replica.name(of: session).bytes, "v".bytes]).bytes)
        let newer = RefreshingServer.refreshed(session, at: Sample.now - 290)
        _ = try await a.replica.store.replace(value, by: newer, now: Sample.now)
        _ = try client.send(["HSET".bytes, a.replica.name(of: session).bytes, "v".bytes, old, "g".bytes, "0".bytes])
        guard case .ended = await a.service.refresh(newer, value: value, client: 0) else {
            Issue.record("not ended")
            return
        }
        #expect(server.requests == 0 && a.replica.told.contains(.rolledBack))
    }
}

/// Waits for what somebody else is about to do at a server.
private func eventuallyAsync(_ condition: () async -> Bool) async {
    while !(await condition()) { await Task.yield() }
}

/// The server's side: each request brings other tokens.
private final class RefreshingServer: Sendable {
    private struct State {
        var requests = 0
        var fails = false
        var confirms = true
        var meanwhile: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var requests: Int { state.withLock { $0.requests } }
    func fails(_ fails: Bool) { state.withLock { $0.fails = fails } }
    /// Whether it says whose the tokens are that it gives.
    func confirms(_ confirms: Bool) { state.withLock { $0.confirms = confirms } }
    /// What happens while the next request is under way.
    func whileAsked(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.meanwhile = body } }

    func ask(_ session: Session, at now: Int64) async -> RefreshService.Answer {
        let (fails, confirms, meanwhile) = state.withLock { state in
            state.requests += 1
            defer { state.meanwhile = nil }
            return (state.fails, state.confirms, state.meanwhile)
        }
        await meanwhile?()
        guard !fails else {
            return .unavailable(
                retryAfterSeconds: 60, because: RefusalDetail(expected: "an answer", found: "none", check: "RF-06"))
        }
        var refreshed = Self.refreshed(session, at: now)
        refreshed.refreshToken = Secret(RandomBytes.fill(16))
        refreshed.isConfirmed = confirms
        guard confirms else {
            return .unconfirmed(
                refreshed, retryAfterSeconds: nil,
                because: RefusalDetail(expected: "an answer of the endpoint", found: "none", check: "OIDC-18"))
        }
        return .session(refreshed)
    }

    static func due(at now: Int64, subject: String = "alice") -> Session {
        var session = Sample.session(subject: subject)
        session.createdAt = now
        session.seenAt = now
        session.endsAt = now + 28_800
        session.accessToken = Secret("access".bytes)
        session.accessTokenIssuedAt = now - 290
        session.accessTokenExpiresAt = now + 10
        return session
    }

    static func refreshed(_ session: Session, at now: Int64) -> Session {
        var next = Sample.refreshed(session)
        next.accessTokenIssuedAt = now
        next.accessTokenExpiresAt = now + 300
        return next
    }
}

/// One process that refreshes sessions of the shared store.
private final class RefreshingReplica: Sendable {
    let replica: Replica
    let service: RefreshService
    let discarded = Record<Session>()
    private let kept = Record<[UInt8]>()

    init(_ replica: Replica, _ server: RefreshingServer, _ clock: any IssuerClock) {
        self.replica = replica
        let (discarded, kept) = (discarded, kept)
        let client = RefreshService.Client(
            name: "shop", store: replica.store,
            ask: { session, _ in
                let answer = await server.ask(session, at: clock.now().wallSeconds)
                if case .session(let new) = answer { kept.append(new.refreshToken?.reveal() ?? []) }
                return answer
            },
            alarm: { _, _ in }, end: { _ in }, discard: { session, _ in discarded.append(session) })
        service = RefreshService(
            clients: [client], flights: RefreshFlights(), clock: clock, executor: OwnThreads.shared, onEvent: { _ in })
    }

    /// Another process at the same store.
    func another() throws -> Replica { try Replica(RedisServer.shared.get(), prefix: replica.prefix) }

    func logIn() async throws -> (Session, [UInt8]) {
        let session = RefreshingServer.due(at: Sample.now)
        return (session, try await replica.create(session))
    }

    func refresh(_ session: Session, _ value: [UInt8]) async -> Session? {
        guard case .session(let refreshed, _) = await service.refresh(session, value: value, client: 0) else {
            return nil
        }
        return refreshed
    }

    /// Whether a session has tokens that were made for this process.
    func made(_ session: Session) -> Bool { kept.all.contains(session.refreshToken?.reveal() ?? []) }
}

/// A clock on which who waits for less than a second goes on when others have had their turn, and nobody else ever.
private struct YieldingClock: IssuerClock {
    func now() -> Moment { Moment(milliseconds: 0, wallSeconds: Sample.now) }

    func sleep(milliseconds: Int) async throws {
        guard milliseconds >= 1000 else { return await Task.yield() }
        let forever = AsyncStream<Void> { _ in }
        for await _ in forever {}
        throw CancellationError()
    }
}
