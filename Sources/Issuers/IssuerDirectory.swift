// SPDX-License-Identifier: Apache-2.0
package import HTTPMessage
import JOSE
import Synchronization

/// Every configured issuer's keys, read ahead of need and kept fresh; one for the whole process.
///
/// It runs on one loop and hands immutable snapshots to all: `onChange` and `onRefreshEnded` are called on that loop's
/// thread, and pass what they get to the workers' own loops. Nothing a client sends decides which host is asked.
package actor IssuerDirectory {
    /// The one executor that actor and tasks share; an event loop is both kinds.
    package typealias Executor = SerialExecutor & TaskExecutor

    /// Whom to tell; every closure gets the issuer's index in the settings.
    package struct Listeners: Sendable {
        /// The keys to use from now on, or nil when there are none to go on with: answer 503.
        ///
        /// Called after every successful reading, with the same `version` when the keys are the same.
        package var onChange: @Sendable (Int, IssuerKeys?) -> Void
        /// A refresh that was asked for has ended; look at the keys again.
        package var onRefreshEnded: @Sendable (Int) -> Void
        package var onEvent: @Sendable (Int, IssuerEvent) -> Void

        package init(
            onChange: @escaping @Sendable (Int, IssuerKeys?) -> Void,
            onRefreshEnded: @escaping @Sendable (Int) -> Void,
            onEvent: @escaping @Sendable (Int, IssuerEvent) -> Void
        ) {
            self.onChange = onChange
            self.onRefreshEnded = onRefreshEnded
            self.onEvent = onEvent
        }
    }

    private nonisolated let executor: any Executor
    private nonisolated let board: Mutex<Board>
    private let fetching: any Fetching
    private let clock: any IssuerClock
    private let listeners: Listeners
    private var entries: [Entry]
    private var isStopped = false

    /// The loop's thread is this actor's.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A directory that reads nothing before `start()`; issuers with a static document have their keys at once.
    package init(
        settings: [IssuerSettings], fetching: any Fetching, clock: any IssuerClock, executor: any Executor,
        listeners: Listeners
    ) {
        self.fetching = fetching
        self.clock = clock
        self.executor = executor
        self.listeners = listeners
        let entries = settings.map { Entry($0, at: clock.now()) }
        self.entries = entries
        board = Mutex(Board(statuses: entries.map(\.state.status), keys: entries.map(\.state.keys)))
    }

    // MARK: any thread

    /// Begins to read every issuer's keys; returns at once.
    package nonisolated func start() {
        Task(executorPreference: executor) { await self.startAll() }
    }

    /// Asks for this issuer's keys to be read again, because a token names one that is not at hand.
    ///
    /// `onRefreshEnded` follows in every case: when the reading ended well or not, when one that was under way ended,
    /// and at once when the last reading for this reason is too recent (JOSE-17).
    package nonisolated func requestRefresh(issuer index: Int) {
        Task(executorPreference: executor) { await self.refreshRequested(index) }
    }

    /// How this issuer is doing.
    package nonisolated func status(of index: Int) -> IssuerStatus { board.withLock { $0.statuses[index] } }

    /// The keys handed out last, for a worker that starts later than the directory.
    package nonisolated func keys(of index: Int) -> IssuerKeys? { board.withLock { $0.keys[index] } }

    /// Cancels what is under way; nothing is read or told any more.
    package nonisolated func stop() {
        Task(executorPreference: executor) { await self.stopAll() }
    }

    // MARK: the loop's thread

    private func startAll() {
        for index in entries.indices {
            perform(entries[index].announcements + entries[index].state.start(at: clock.now()), for: index)
            entries[index].announcements = []
        }
    }

    private func refreshRequested(_ index: Int) {
        guard !isStopped else { return listeners.onRefreshEnded(index) }
        perform(entries[index].state.unknownKeyMet(at: clock.now()), for: index)
    }

    private func timerFired(_ index: Int) {
        perform(entries[index].state.timerFired(at: clock.now()), for: index)
    }

    private func stopAll() {
        isStopped = true
        for index in entries.indices {
            entries[index].reading?.cancel()
            entries[index].timer?.cancel()
            listeners.onRefreshEnded(index)
        }
    }

    private func perform(_ steps: [KeySetState.Step], for index: Int) {
        guard !isStopped else { return }
        let state = entries[index].state
        board.withLock { board in
            board.statuses[index] = state.status
            board.keys[index] = state.keys
        }
        for step in steps {
            switch step {
            case .fetchMetadata: startReading(index) { await self.readMetadata(of: index) }
            case .fetchKeys(let url): startReading(index) { await self.readKeys(of: index, at: url) }
            case .publish: listeners.onChange(index, state.keys)
            case .schedule(let time): schedule(index, at: time)
            case .endRefresh: listeners.onRefreshEnded(index)
            case .report(let event): listeners.onEvent(index, event)
            }
        }
    }

    // MARK: what takes time

    private func startReading(_ index: Int, _ reading: @escaping @Sendable () async -> Void) {
        entries[index].reading = Task(executorPreference: executor, operation: reading)
    }

    private func readMetadata(of index: Int) async {
        let requests = entries[index].requests
        do throws(IssuerRefusal) {
            let (metadata, age) = try await requests.metadata(by: fetching)
            perform(
                entries[index].state.metadataAccepted(metadata, maxAgeSeconds: age, at: clock.now()), for: index)
        } catch {
            perform(entries[index].state.refused(error, at: clock.now()), for: index)
        }
    }

    private func readKeys(of index: Int, at url: String) async {
        let requests = entries[index].requests
        do throws(IssuerRefusal) {
            let (keys, age) = try await requests.keySet(at: url, by: fetching)
            perform(entries[index].state.keysAccepted(keys, maxAgeSeconds: age, at: clock.now()), for: index)
        } catch {
            perform(entries[index].state.refused(error, at: clock.now()), for: index)
        }
    }

    private func schedule(_ index: Int, at time: Int64) {
        entries[index].timer?.cancel()
        let wait = Int(max(0, time - clock.now().milliseconds))
        entries[index].timer = Task(executorPreference: executor) {
            do {
                try await self.clock.sleep(milliseconds: wait)
            } catch {
                return
            }
            if !Task.isCancelled { await self.timerFired(index) }
        }
    }
}

extension IssuerDirectory {
    private struct Entry {
        let requests: IssuerRequests
        var state: KeySetState
        /// What became of a static document, told when the directory starts.
        var announcements: [KeySetState.Step] = []
        var reading: Task<Void, Never>?
        var timer: Task<Void, Never>?

        init(_ settings: IssuerSettings, at now: Moment) {
            requests = IssuerRequests(settings: settings)
            state = KeySetState(plan: KeySetPlan(settings))
            guard case .document(let bytes) = settings.keys else { return }
            do throws(IssuerRefusal) {
                announcements = state.keysAccepted(
                    try IssuerRequests.keySet(from: bytes), maxAgeSeconds: nil, at: now)
            } catch {
                announcements = state.refused(error, at: now)
            }
        }
    }

    /// What other threads may look at.
    private struct Board {
        var statuses: [IssuerStatus]
        var keys: [IssuerKeys?]
    }
}
