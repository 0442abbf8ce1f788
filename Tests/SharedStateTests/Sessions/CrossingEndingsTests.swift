import Sessions
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// A login and a logout token that cross, step by step at a real server.
@Suite(.timeLimit(.minutes(3)))
struct `a login and an ending that cross` {
    private let now = Sample.now

    /// One of the two sees the other, whatever comes first.
    @Test(.refuses("SH-38"), .holds("SH-38"), arguments: ["server's session", "subject"])
    func `leave no session alive in whichever order their steps come`(what: String) async throws {
        let turns = Turns()
        let server = try RedisServer.shared.get()
        let prefix = StoreNumberText.random()
        let (login, logout) = try (
            Side(.login, turns, RedisAsking(server)), Side(.logout, turns, RedisAsking(server))
        )
        let (logins, logouts, judge) = try (
            store(login, prefix), store(logout, prefix), Replica(server, prefix: prefix)
        )
        let administrator = try judge.administrator()
        var dice = SystemRandomNumberGenerator()
        for race in 0..<5000 {
            var session = Sample.session(subject: "user \(race)")
            session.serverSession = "s-\(race)"
            let end: SessionEnd =
                what == "subject"
                ? .subject(issuer: Sample.issuer, subject: session.subject, until: now)
                : .serverSession(issuer: Sample.issuer, sid: "s-\(race)")
            turns.begin((0..<24).map { _ in Bool.random(using: &dice) ? .login : .logout })
            async let value: [UInt8]? = {
                defer { turns.leave(.login) }
                return try? await logins.create(session, now: now, onLeaving: { _ in })
            }()
            async let ended: Bool = {
                defer { turns.leave(.logout) }
                return (try? await logouts.end(end, now: now)) != nil
            }()
            let (cookie, isEnded) = await (value, ended)
            #expect(isEnded)
            // Not even in the store, where a marker would keep it from everybody.
            let left = try administrator.send(["HEXISTS".bytes, judge.name(of: session).bytes, "v".bytes])
            #expect(left == .integer(0))
            guard let cookie, try await judge.load(cookie, now) == nil else {
                Issue.record("race \(race): \(cookie == nil ? "no login" : "the session lives")")
                return
            }
        }
    }

    private func store(_ asking: any StoreAsking, _ prefix: String) throws -> SharedSessionStore {
        SharedSessionStore(
            try SharedStore.make(asking, prefix: prefix), settings: Replica.settings(),
            for: SharedSessionClient(name: Sample.client), executor: OwnThreads.shared)
    }
}

/// Whose step comes next; a side that is done holds nobody up.
private final class Turns: Sendable {
    enum Name: Sendable { case login, logout }

    private struct State {
        var order: [Name] = []
        var left: Set<Name> = []
        var waiting: [Name: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    func begin(_ order: [Name]) {
        state.withLock { $0 = State(order: order) }
    }

    /// Waits until it is this side's turn.
    func wait(_ name: Name) async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                guard let next = state.order.first, next != name, !state.left.contains(next) else { return true }
                state.waiting[name, default: []].append(continuation)
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    /// This side has made its step.
    func pass(_ name: Name) {
        wake { state in
            if let index = state.order.firstIndex(of: name) { state.order.remove(at: index) }
        }
    }

    func leave(_ name: Name) { wake { $0.left.insert(name) } }

    private func wake(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            while let next = state.order.first, state.left.contains(next) { state.order.removeFirst() }
            guard let next = state.order.first else {
                defer { state.waiting = [:] }
                return state.waiting.values.flatMap { $0 }
            }
            return state.waiting.removeValue(forKey: next) ?? []
        }
        for continuation in ready { continuation.resume() }
    }
}

/// Asks when it is its side's turn.
private struct Side: StoreAsking {
    let name: Turns.Name
    let turns: Turns
    let behind: RedisAsking

    init(_ name: Turns.Name, _ turns: Turns, _ behind: RedisAsking) {
        (self.name, self.turns, self.behind) = (name, turns, behind)
    }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        await turns.wait(name)
        defer { turns.pass(name) }
        return try await behind.ask(question)
    }
}
