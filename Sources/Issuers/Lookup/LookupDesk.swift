// SPDX-License-Identifier: Apache-2.0
import Crypto
import Synchronization

/// Performs a queue's questions on one executor and tells who asked; the part that both desks have in common.
final class LookupDesk<Answer: Sendable>: Sendable {
    typealias Lookup = LookupQueue.Lookup
    typealias Key = LookupQueue.Key

    private struct State {
        var queue: LookupQueue
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextTask = 0
        var isStopped = false
    }

    /// What the desk needs of its owner.
    struct Work: Sendable {
        /// Asks; called on the executor.
        var look: @Sendable (Lookup) async -> Answer
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
    func ask(_ key: Key, token: [UInt8], tokenExpiresAt: Int64, worker: Int) {
        let lookup = Lookup(
            key: key, token: Secret(token), tokenExpiresAt: tokenExpiresAt, askedAt: clock.now().milliseconds)
        let (admission, isStopped) = state.withLock { state in
            state.isStopped ? (.refuse, true) : (state.queue.ask(lookup, for: worker), false)
        }
        switch admission {
        case .wait: break
        case .start(let lookup): start(lookup)
        case .refuse:
            Task(executorPreference: executor) {
                self.work.tell(key, [worker], self.work.unasked(key, isStopped ? .stopped : .crowded))
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

    private func start(_ lookup: Lookup) {
        // The lock is held until the task is on its list, so that it cannot end before it is there.
        state.withLock { state in
            guard !state.isStopped else { return }
            let number = state.nextTask
            state.nextTask += 1
            state.tasks[number] = Task(executorPreference: executor) { await self.perform(lookup, number) }
        }
    }

    /// Asks one question after the other in the same place, as long as some wait.
    private func perform(_ first: Lookup, _ number: Int) async {
        var next: Lookup? = first
        while let lookup = next {
            let answer = await answer(to: lookup)
            let (workers, following) = state.withLock { $0.queue.end(lookup.key) }
            if !workers.isEmpty { work.tell(lookup.key, workers, answer) }
            next = following
        }
        state.withLock { $0.tasks[number] = nil }
    }

    private func answer(to lookup: Lookup) async -> Answer {
        // Behind a server that hangs, the last in the queue would be asked when nobody waits for the answer any more.
        guard clock.now().milliseconds - lookup.askedAt < work.patience(lookup.key.lane) else {
            return work.unasked(lookup.key, .waitedTooLong)
        }
        return await work.look(lookup)
    }
}
