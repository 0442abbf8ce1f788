// SPDX-License-Identifier: Apache-2.0
import Crypto
import Issuers
import OAuth
import Sessions
import Synchronization

/// Gives tokens back that no session has a use for (RFC 7009), behind the user's back: a logout never waits for it.
///
///     revoke ─▶ ready ─▶ under way (8 at most) ─▶ done
///                 ▲            └─▶ pausing ─▶ ready …  six times, then the operator is told
///                 └── stop: at once, and for the last time
final class RevocationQueue: Sendable {
    /// What came of one attempt.
    enum Outcome: Sendable, Equatable {
        /// Done, or nothing to be done: the server does not revoke tokens of that kind.
        case done
        /// Later, perhaps.
        case later(retryAfterSeconds: Int?, reason: String)
        /// Never.
        case refused(reason: String)
    }

    /// Asks the server of a client once; called on the executor.
    typealias Revoke = @Sendable (_ client: Int, _ token: Secret, _ hint: TokenRequest.Hint) async -> Outcome

    private struct Entry {
        let client: Int
        /// Those still to be revoked, in that order.
        var tokens: [(Secret, TokenRequest.Hint)]
        var attempts = 0
    }

    private struct State {
        var ready: [Entry] = []
        var pausing: [Int: (entry: Entry, task: Task<Void, Never>?)] = [:]
        var underWay = 0
        var nextPause = 0
        var isStopped = false

        var count: Int { ready.count + pausing.count + underWay }

        mutating func next() -> Entry? {
            guard underWay < concurrentLimit, !ready.isEmpty else { return nil }
            underWay += 1
            return ready.removeFirst()
        }
    }

    private let state = Mutex(State())
    private let clock: any IssuerClock
    private let executor: any TaskExecutor
    private let limit: Int
    private let revoke: Revoke
    private let onEvent: @Sendable (LoginService.Event) -> Void

    /// Attempts for one session's tokens, over five minutes or so.
    static let attemptLimit = 6
    /// Attempts under way at a time.
    static let concurrentLimit = 8
    /// The longest pause, whoever asks for it, in seconds.
    static let longestPauseSeconds = 300

    /// A queue of `limit` sessions at most.
    init(
        clock: any IssuerClock, executor: any TaskExecutor, limit: Int = 1024, revoke: @escaping Revoke,
        onEvent: @escaping @Sendable (LoginService.Event) -> Void
    ) {
        self.clock = clock
        self.executor = executor
        self.limit = limit
        self.revoke = revoke
        self.onEvent = onEvent
    }

    /// A queue for the tokens of these clients, told of by their listener.
    convenience init(_ places: [ClientPlace], clock: any IssuerClock, executor: any TaskExecutor) {
        self.init(
            clock: clock, executor: executor,
            revoke: { client, token, hint in await places[client].revoke(token, hint: hint) },
            onEvent: { event in
                guard case .revocationFailed(let client, _) = event else { return }
                places[client].onEvent(event)
            })
    }

    /// Revokes a session's tokens, the refresh token first; from any thread.
    ///
    /// `keepsRefreshToken` for a session with offline access that the server itself ended (LO-09).
    func revoke(_ session: Session, client: Int, keepsRefreshToken: Bool = false) {
        var tokens: [(Secret, TokenRequest.Hint)] = []
        // The refresh token first: where the access tokens go with it, the second request is for nothing, and where
        // the first one alone gets through, it was the one that mattered.
        if let token = session.refreshToken, !keepsRefreshToken { tokens.append((token, .refreshToken)) }
        if let token = session.accessToken { tokens.append((token, .accessToken)) }
        guard !tokens.isEmpty else { return }
        let entry = Entry(client: client, tokens: tokens)
        let isTaken = state.withLock { state in
            guard state.count < limit, !state.isStopped else { return false }
            state.ready.append(entry)
            return true
        }
        guard isTaken else { return onEvent(.revocationFailed(client: client, reason: "queue_full")) }
        work()
    }

    /// Tries what is left once more, at once, and reports what could not be revoked; takes no more.
    func stop() {
        let pauses = state.withLock { state in
            state.isStopped = true
            defer { state.pausing = [:] }
            state.ready += state.pausing.values.map(\.entry)
            return state.pausing.values.compactMap(\.task)
        }
        for pause in pauses { pause.cancel() }
        work()
    }

    /// Sessions whose tokens are not revoked yet.
    var count: Int { state.withLock { $0.count } }

    // MARK: the work

    /// Starts as many attempts as may be under way.
    private func work() {
        while let entry = state.withLock({ $0.next() }) {
            Task(executorPreference: executor) { await self.attempt(entry) }
        }
    }

    private func attempt(_ entry: Entry) async {
        var entry = entry
        var outcome = Outcome.done
        while let (token, hint) = entry.tokens.first {
            outcome = await revoke(entry.client, token, hint)
            if case .later = outcome { break }
            if case .refused(let reason) = outcome {
                onEvent(.revocationFailed(client: entry.client, reason: reason))
            }
            entry.tokens.removeFirst()
        }
        entry.attempts += 1
        finish(entry, outcome)
        work()
    }

    private func finish(_ entry: Entry, _ outcome: Outcome) {
        guard case .later(let retryAfter, let reason) = outcome else {
            return state.withLock { $0.underWay -= 1 }
        }
        let pause = Self.pause(after: entry.attempts, retryAfterSeconds: retryAfter, spread: clock.now().spread)
        let number: Int? = state.withLock { state in
            state.underWay -= 1
            guard !state.isStopped, entry.attempts < Self.attemptLimit else { return nil }
            state.nextPause += 1
            state.pausing[state.nextPause] = (entry, nil)
            return state.nextPause
        }
        guard let number else { return onEvent(.revocationFailed(client: entry.client, reason: reason)) }
        let task = Task(executorPreference: executor) {
            guard (try? await self.clock.sleep(milliseconds: pause)) != nil else { return }
            self.resume(number)
        }
        let isPausing = state.withLock { state in
            state.pausing[number]?.task = task
            return state.pausing[number] != nil
        }
        if !isPausing { task.cancel() }
    }

    private func resume(_ number: Int) {
        state.withLock { state in
            guard let pausing = state.pausing.removeValue(forKey: number) else { return }
            state.ready.append(pausing.entry)
        }
        work()
    }

    /// 2, 6, 18, 54 and 162 seconds, give or take a quarter; longer where the server asks for it.
    static func pause(after attempts: Int, retryAfterSeconds: Int?, spread: Double) -> Int {
        var seconds = 2.0
        for _ in 1..<max(min(attempts, 8), 1) { seconds *= 3 }
        seconds *= 1 + min(max(spread, -1), 1) / 4
        if let retryAfterSeconds { seconds = max(seconds, Double(min(max(retryAfterSeconds, 0), longestPauseSeconds))) }
        return Int(min(seconds, Double(longestPauseSeconds)) * 1000)
    }
}
