import Crypto
import HTTPMessage
import Synchronization

/// Performs a queue's questions on one executor and tells who asked; the part that both services have in common.
final class LookupService<Answer: Sendable>: Sendable {
    typealias Lookup = LookupQueue.Lookup
    typealias Key = LookupQueue.Key

    private struct State {
        var queue: LookupQueue
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextTask = 0
        var isStopped = false
    }

    /// What the service needs of its owner.
    struct Work: Sendable {
        /// Asks; called on the executor.
        var look: @Sendable (Lookup) async -> Answer
        /// Whether an answer says that the token is bad.
        var isBad: @Sendable (Answer) -> Bool = { _ in false }
        /// Whether an answer says that the server is there, and answers what it is asked.
        var isAnswered: @Sendable (Answer) -> Bool
        /// The answer to a question that was not asked.
        var unasked: @Sendable (Key, LookupRefusal) -> Answer
        /// Tells the workers; called on the executor.
        var tell: @Sendable (Key, [Int], Answer) -> Void
        /// How long a question of that lane may wait for its turn, in milliseconds.
        var patience: @Sendable (Int) -> Int64
    }

    private let state: Mutex<State>
    private let clock: any IssuerClock
    private let executor: any TaskExecutor
    private let work: Work

    init(queue: LookupQueue, clock: any IssuerClock, executor: any TaskExecutor, work: Work) {
        state = Mutex(State(queue: queue))
        self.clock = clock
        self.executor = executor
        self.work = work
    }

    /// From any thread; `tell` follows in every case.
    func ask(
        _ key: Key, token: [UInt8], tokenExpiresAt: Int64 = .max, worker: Int, client: AskingClient,
        isVouchedFor: Bool = false, within trace: TraceParent?
    ) {
        let now = clock.now().milliseconds
        let lookup = Lookup(
            key: key, token: Secret(token), tokenExpiresAt: tokenExpiresAt, askedAt: now, client: client,
            isVouchedFor: isVouchedFor, trace: trace)
        let admission = state.withLock { state in
            state.isStopped ? .refuse(.stopped) : state.queue.ask(lookup, for: worker, at: now)
        }
        switch admission {
        case .wait: break
        case .start(let lookup): start(lookup, lateness: .waitedTooLong)
        case .refuse(let refusal):
            Task(executorPreference: executor) {
                self.work.tell(key, [worker], self.work.unasked(key, refusal))
            }
        }
    }

    /// Cancels what is under way and tells everyone who waits; nothing is asked any more.
    func stop() {
        let (left, tasks) = state.withLock { state in
            state.isStopped = true
            defer { state.tasks = [:] }
            return (state.queue.clear(), Array(state.tasks.values))
        }
        for task in tasks { task.cancel() }
        Task(executorPreference: executor) {
            for one in left { self.work.tell(one.key, one.workers, self.work.unasked(one.key, .stopped)) }
        }
    }

    /// Questions under way, and those that wait.
    var load: (concurrent: Int, waiting: Int) { state.withLock { ($0.queue.concurrent, $0.queue.waiting) } }

    /// `lateness` is what a question is told that has waited too long.
    private func start(_ lookup: Lookup, lateness: LookupRefusal) {
        // The lock is held until the task is on its list, so that it cannot end before it is there.
        state.withLock { state in
            guard !state.isStopped else { return }
            let number = state.nextTask
            state.nextTask += 1
            state.tasks[number] = Task(executorPreference: executor) {
                await self.perform(lookup, number, lateness)
            }
        }
    }

    /// Asks a question, and sees to those that its end makes room for.
    private func perform(_ lookup: Lookup, _ number: Int, _ lateness: LookupRefusal) async {
        let answer = await answer(to: lookup, lateness)
        let (isBad, now) = (work.isBad(answer), clock.now().milliseconds)
        let end = state.withLock { state in
            state.tasks[number] = nil
            return state.queue.end(lookup.key, isBad: isBad, at: now)
        }
        // First of all the next ones are on their way: what is told may take a while.
        for next in end.next { start(next, lateness: self.lateness(of: next, after: answer, end)) }
        if !end.workers.isEmpty { work.tell(lookup.key, end.workers, answer) }
        for one in end.spent { work.tell(one.key, one.workers, work.unasked(one.key, .tooManyBad)) }
    }

    /// Why a question that has its turn now had none before.
    ///
    /// A client's own hundreds are neither the server's doing nor the operator's concern. Where there was room, only its client's share kept it waiting; but behind questions that
    /// are left unanswered it is the server that is late.
    private func lateness(of lookup: Lookup, after answer: Answer, _ end: LookupQueue.End) -> LookupRefusal {
        !end.wasFull && !lookup.client.isMany && work.isAnswered(answer) ? .tooManyOfClient : .waitedTooLong
    }

    private func answer(to lookup: Lookup, _ lateness: LookupRefusal) async -> Answer {
        // Behind a server that hangs, the last in the queue would be asked when nobody waits for the answer any more.
        guard clock.now().milliseconds - lookup.askedAt < work.patience(lookup.key.lane) else {
            return work.unasked(lookup.key, lateness)
        }
        return await work.look(lookup)
    }
}
