import Crypto
import HTTPMessage
import Issuers
import OAuth
import Refusals
import Sessions
import Synchronization

/// Revokes tokens that no session uses any more (RFC 7009), after the answer: a logout never waits for it.
///
///     revoke ─▶ ready ─▶ under way (8 at most) ─▶ done
///                 ▲            └─▶ pausing ─▶ ready …  six times, then the operator is told
///                 └── stop: at once, and for the last time
///
/// After a reload another queue continues this one: what is revoked, or tried again, from then on goes through that, to
/// be asked for with the credentials of now. What only this one knows how to revoke stays here until it is done.
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
    typealias Revoke =
        @Sendable (_ client: Int, _ token: Secret, _ hint: TokenRequest.Hint, _ trace: TraceParent?) async -> Outcome

    private struct Entry {
        let client: Int
        /// Whose session it was; empty for one that nobody was ever given.
        let subject: String
        /// Those still to be revoked, in that order.
        var tokens: [(Secret, TokenRequest.Hint)]
        var attempts = 0
        /// The span that the session ended in, where the server is to be told.
        var trace: TraceParent?
    }

    /// Who continues this queue, for as long as somebody has it, and what each client here is there.
    private struct Successor {
        weak var queue: RevocationQueue?
        var clients: [Int?] = []
    }

    /// Whom this queue continues, for as long as somebody has it.
    private struct Predecessor {
        weak var queue: RevocationQueue?
    }

    private struct State {
        var ready: [Entry] = []
        var pausing: [Int: (entry: Entry, task: Task<Void, Never>?)] = [:]
        var underWay: [Int: Entry] = [:]
        var lastNumber = 0
        var isStopped = false
        /// Nothing is told any more: all that is left was given up, and told.
        var isOver = false
        var successor = Successor()
        var predecessor = Predecessor()
        /// Those who wait until nothing is left.
        var waiting: [CheckedContinuation<Void, Never>] = []

        var count: Int { ready.count + pausing.count + underWay.count }

        func count(of subject: String) -> Int {
            ready.count { $0.subject == subject } + pausing.values.count { $0.entry.subject == subject }
                + underWay.values.count { $0.subject == subject }
        }

        mutating func next() -> (number: Int, entry: Entry)? {
            guard underWay.count < concurrentLimit, !ready.isEmpty else { return nil }
            lastNumber += 1
            let entry = ready.removeFirst()
            underWay[lastNumber] = entry
            return (lastNumber, entry)
        }

        /// Everyone who waits, once there is nothing left to wait for.
        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            guard count == 0 || isOver else { return [] }
            defer { waiting = [] }
            return waiting
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
    /// Queues for fewer sessions have no shares.
    static let sharedLimit = 16
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

    /// A queue for the tokens of these clients, told of by their listener, which goes on with what the one before has
    /// not done yet.
    convenience init(
        _ places: [LoginClient], clock: any IssuerClock, executor: any TaskExecutor,
        continuing previous: (queue: RevocationQueue, places: [LoginClient])? = nil
    ) {
        self.init(
            clock: clock, executor: executor,
            revoke: { client, token, hint, trace in
                await places[client].within(trace).revoke(token, hint: hint)
            },
            onEvent: { event in
                guard case .revocationFailed(let client, _) = event else { return }
                places[client].onEvent(event)
            })
        for place in places { place.orphans.use(self) }
        guard let previous else { return }
        // Tokens go to no other server than the one that they are from.
        let clients = previous.places.map { before in
            places.firstIndex {
                $0.settings.name == before.settings.name
                    && $0.issuer.url.utf8.elementsEqual(before.issuer.url.utf8)
            }
        }
        previous.queue.state.withLock { $0.successor = Successor(queue: self, clients: clients) }
        state.withLock { $0.predecessor.queue = previous.queue }
    }

    /// Revokes a session's tokens, the refresh token first; from any thread.
    ///
    /// `keepsRefreshToken` for a session with offline access that the server itself ended (LO-09).
    func revoke(_ session: Session, client: Int, keepsRefreshToken: Bool = false, within trace: TraceParent? = nil) {
        var tokens: [(Secret, TokenRequest.Hint)] = []
        // The refresh token first: where the access tokens go with it, the second request is for nothing, and where
        // the first one alone gets through, it was the one that mattered.
        if let token = session.refreshToken, !keepsRefreshToken { tokens.append((token, .refreshToken)) }
        if let token = session.accessToken { tokens.append((token, .accessToken)) }
        guard !tokens.isEmpty else { return }
        take(Entry(client: client, subject: session.subject, tokens: tokens, trace: trace))
    }

    /// Revokes a refresh token whose session is not known; from any thread.
    func revoke(refreshToken: Secret, client: Int) {
        take(Entry(client: client, subject: "", tokens: [(refreshToken, .refreshToken)]))
    }

    private func take(_ entry: Entry) {
        if passOn(entry) { return }
        let refusal: String? = state.withLock { state in
            if let refusal = judge(entry, state) { return refusal }
            state.ready.append(entry)
            return nil
        }
        if let refusal { return onEvent(.revocationFailed(client: entry.client, reason: refusal)) }
        work()
    }

    /// Why there is no room.
    ///
    /// While the server does not answer, one user who signs in and out again and again would fill the queue, and nobody
    /// else's tokens would be revoked: where half of it is taken, one user holds a sixteenth.
    private func judge(_ entry: Entry, _ state: borrowing State) -> String? {
        guard state.count < limit, !state.isStopped else { return "queue_full" }
        guard state.count >= limit / 2, limit >= Self.sharedLimit else { return nil }
        return state.count(of: entry.subject) < limit / 16 ? nil : "queue_share"
    }

    /// Tries what is left once more, at once, and reports what could not be revoked; takes no more.
    func stop() {
        let before = state.withLock { $0.predecessor.queue }
        before?.stop()
        let pauses = state.withLock { state in
            state.isStopped = true
            defer { state.pausing = [:] }
            state.ready += state.pausing.values.map(\.entry)
            return state.pausing.values.compactMap(\.task)
        }
        for pause in pauses { pause.cancel() }
        work()
    }

    /// The same, and waits until all of it is done; what is not by then is given up and reported (OPS-08).
    ///
    /// The number of sessions that were given up.
    func stop(within milliseconds: Int) async -> Int {
        let before = state.withLock { $0.predecessor.queue }
        let earlier = Task(executorPreference: executor) { await before?.stop(within: milliseconds) ?? 0 }
        stop()
        let timer = Task(executorPreference: executor) {
            guard (try? await self.clock.sleep(milliseconds: milliseconds)) != nil else { return 0 }
            return self.giveUp()
        }
        await end()
        timer.cancel()
        return await timer.value + earlier.value
    }

    /// Waits until nothing is left, or what is left is given up.
    private func end() async {
        await withCheckedContinuation { continuation in
            let waiting = state.withLock { state in
                state.waiting.append(continuation)
                return state.takeWaiting()
            }
            for one in waiting { one.resume() }
        }
    }

    private func giveUp() -> Int {
        let (clients, waiting) = state.withLock { state in
            guard !state.isOver else { return ([Int](), state.takeWaiting()) }
            state.isOver = true
            defer { state.ready = [] }
            return ((Array(state.underWay.values) + state.ready).map(\.client), state.takeWaiting())
        }
        for client in clients { onEvent(.revocationFailed(client: client, reason: "stopped")) }
        for one in waiting { one.resume() }
        return clients.count
    }

    /// Sessions whose tokens are not revoked yet.
    var count: Int { state.withLock { $0.count } }

    // MARK: the work

    /// Gives the entry to the queue that continues this one, if there is one that can ask its server.
    private func passOn(_ entry: Entry) -> Bool {
        let successor = state.withLock { $0.isStopped ? Successor() : $0.successor }
        guard let queue = successor.queue, successor.clients.indices.contains(entry.client),
            let client = successor.clients[entry.client]
        else { return false }
        queue.take(
            Entry(
                client: client, subject: entry.subject, tokens: entry.tokens, attempts: entry.attempts,
                trace: entry.trace))
        return true
    }

    /// Starts as many attempts as may be under way.
    private func work() {
        while let (number, entry) = state.withLock({ $0.next() }) {
            Task(executorPreference: executor) { await self.attempt(entry, number) }
        }
    }

    private func attempt(_ entry: Entry, _ number: Int) async {
        var entry = entry
        var outcome = Outcome.done
        while let (token, hint) = entry.tokens.first {
            outcome = await revoke(entry.client, token, hint, entry.trace)
            if case .later = outcome { break }
            if case .refused(let reason) = outcome { tell(entry, reason) }
            entry.tokens.removeFirst()
        }
        entry.attempts += 1
        finish(entry, number, outcome)
        let waiting = state.withLock { $0.takeWaiting() }
        for one in waiting { one.resume() }
        work()
    }

    private func tell(_ entry: Entry, _ reason: String) {
        guard !state.withLock(\.isOver) else { return }
        onEvent(.revocationFailed(client: entry.client, reason: reason))
    }

    private func finish(_ entry: Entry, _ attempt: Int, _ outcome: Outcome) {
        guard case .later(let retryAfter, let reason) = outcome else {
            return state.withLock { $0.underWay[attempt] = nil }
        }
        let pause = Self.pause(after: entry.attempts, retryAfterSeconds: retryAfter, spread: clock.now().spread)
        let number: Int? = state.withLock { state in
            state.underWay[attempt] = nil
            guard !state.isStopped, entry.attempts < Self.attemptLimit else { return nil }
            state.lastNumber += 1
            state.pausing[state.lastNumber] = (entry, nil)
            return state.lastNumber
        }
        guard let number else { return tell(entry, reason) }
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
        guard let entry = state.withLock({ $0.pausing.removeValue(forKey: number)?.entry }) else { return }
        if passOn(entry) { return }
        state.withLock { $0.ready.append(entry) }
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
