// SPDX-License-Identifier: Apache-2.0
package import HTTPMessage
import JOSE
package import OAuth
import Synchronization

/// Every configured issuer's keys, read ahead of need and kept fresh; one for the whole process.
///
/// Its work runs on one task executor, an event loop in the gateway. It hands immutable snapshots to its listeners on
/// that loop's thread, in the order of events; they pass them on to the workers' own loops. Nothing a client sends
/// decides which host is asked.
package final class IssuerDirectory: Sendable {
    /// Whom to tell; every closure gets the issuer's index in the settings.
    package struct Listeners: Sendable {
        /// The keys to use from now on, or nil when there are none to go on with: answer 503.
        ///
        /// Called after every successful reading, with the same `version` when the keys are the same.
        package var onChange: @Sendable (Int, IssuerKeys?) -> Void
        /// A refresh that was asked for has ended; look at the keys again.
        package var onRefreshEnded: @Sendable (Int) -> Void
        /// What an issuer says about itself was read, or could not be; look at it again.
        package var onMetadata: @Sendable (Int) -> Void
        /// Something worth a log line or a count.
        package var onEvent: @Sendable (Int, IssuerEvent) -> Void

        package init(
            onChange: @escaping @Sendable (Int, IssuerKeys?) -> Void,
            onRefreshEnded: @escaping @Sendable (Int) -> Void,
            onMetadata: @escaping @Sendable (Int) -> Void = { _ in },
            onEvent: @escaping @Sendable (Int, IssuerEvent) -> Void
        ) {
            self.onChange = onChange
            self.onRefreshEnded = onRefreshEnded
            self.onMetadata = onMetadata
            self.onEvent = onEvent
        }
    }

    private struct Desk {
        var entries: [Entry]
        var isStopped = false
    }

    private let desk: Mutex<Desk>
    private let fetching: any Fetching
    private let clock: any IssuerClock
    private let executor: any TaskExecutor
    private let listeners: Listeners

    /// A directory that reads nothing before `start()`; issuers with a static document have their keys at once.
    package init(
        settings: [IssuerSettings], fetching: any Fetching, clock: any IssuerClock, executor: any TaskExecutor,
        listeners: Listeners
    ) {
        self.fetching = fetching
        self.clock = clock
        self.executor = executor
        self.listeners = listeners
        desk = Mutex(Desk(entries: settings.map { Entry($0, at: clock.now()) }))
    }

    /// Begins to read every issuer's keys; returns at once.
    package func start() {
        Task(executorPreference: executor) { self.startAll() }
    }

    /// Asks for this issuer's keys to be read again, because a token names one that is not at hand.
    ///
    /// From any thread. `onRefreshEnded` follows in every case: when the reading ended well or not, when one that was
    /// under way ended, and at once when the last reading for this reason is too recent (JOSE-17). Calls that come
    /// before the first of them is looked at share its answer, so that a flood of tokens is no flood of answers.
    package func requestRefresh(issuer index: Int) {
        let isFirst = desk.withLock { desk in
            defer { desk.entries[index].isRefreshRequested = true }
            return !desk.entries[index].isRefreshRequested
        }
        guard isFirst else { return }
        Task(executorPreference: executor) { self.refreshRequested(index) }
    }

    /// Cancels what is under way; nothing is read any more, and whoever waits is told.
    ///
    /// A started directory lives until then.
    package func stop() {
        Task(executorPreference: executor) { self.stopAll() }
    }

    /// How this issuer is doing; from any thread.
    package func status(of index: Int) -> IssuerStatus { desk.withLock { $0.entries[index].state.status } }

    /// The keys as they are now, for a worker that starts later than the directory; from any thread.
    package func keys(of index: Int) -> IssuerKeys? { desk.withLock { $0.entries[index].state.keys } }

    /// What the issuer says about itself, as far as it is believed now; from any thread.
    ///
    /// Nil before it was read, when it has been unreadable for a day, and where nothing needs it.
    package func metadata(of index: Int) -> ServerMetadata? {
        desk.withLock { $0.entries[index].endpoints?.metadata ?? $0.entries[index].state.metadata }
    }

    // MARK: on the executor

    private func startAll() {
        for index in desk.withLock({ $0.entries.indices }) {
            advance(index) { entry, now in
                let told = entry.announcements
                entry.announcements = []
                return told + entry.state.start(at: now)
            }
            advanceEndpoints(index) { endpoints, _ in endpoints.due() }
        }
    }

    private func refreshRequested(_ index: Int) {
        let isStopped = desk.withLock { desk in
            desk.entries[index].isRefreshRequested = false
            return desk.isStopped
        }
        guard !isStopped else { return listeners.onRefreshEnded(index) }
        advance(index) { entry, now in entry.state.unknownKeyMet(at: now) }
    }

    private func stopAll() {
        let entries = desk.withLock { desk in
            desk.isStopped = true
            return desk.entries
        }
        for (index, entry) in entries.enumerated() {
            entry.reading?.cancel()
            entry.timer?.cancel()
            entry.endpointReading?.cancel()
            entry.endpointTimer?.cancel()
            listeners.onRefreshEnded(index)
        }
    }

    /// Tells one issuer's state what happened, and performs what follows.
    private func advance(_ index: Int, by event: (inout Entry, Moment) -> [KeySetState.Step]) {
        let now = clock.now()
        let (steps, keys) = desk.withLock { desk in
            guard !desk.isStopped else { return ([KeySetState.Step](), IssuerKeys?.none) }
            return (event(&desk.entries[index], now), desk.entries[index].state.keys)
        }
        for step in steps {
            switch step {
            case .fetchMetadata: startReading(index) { await self.readMetadata(of: index) }
            case .fetchKeys(let url): startReading(index) { await self.readKeys(of: index, at: url) }
            case .publish: listeners.onChange(index, keys)
            case .schedule(let time): schedule(index, in: max(0, time - now.milliseconds))
            case .endRefresh: listeners.onRefreshEnded(index)
            case .report(let event): listeners.onEvent(index, event)
            }
        }
    }

    /// Tells the part of one issuer that reads endpoints what happened, if it has one, and performs what follows.
    private func advanceEndpoints(_ index: Int, by event: (inout EndpointState, Moment) -> [EndpointState.Step]) {
        let now = clock.now()
        let steps = desk.withLock { desk in
            guard !desk.isStopped, var endpoints = desk.entries[index].endpoints else { return [EndpointState.Step]() }
            defer { desk.entries[index].endpoints = endpoints }
            return event(&endpoints, now)
        }
        for step in steps {
            switch step {
            case .fetchMetadata:
                let task = Task(executorPreference: executor) { await self.readEndpoints(of: index) }
                desk.withLock { $0.entries[index].endpointReading = task }
            case .schedule(let time):
                let task = sleeping(milliseconds: max(0, time - now.milliseconds)) {
                    self.advanceEndpoints(index) { endpoints, _ in endpoints.due() }
                }
                desk.withLock { $0.entries[index].endpointTimer = task }
            case .report(let event): listeners.onEvent(index, event)
            }
        }
    }

    private func readEndpoints(of index: Int) async {
        let requests = desk.withLock { $0.entries[index].requests }
        do throws(IssuerRefusal) {
            let (metadata, age) = try await requests.metadata(by: fetching)
            advanceEndpoints(index) { $0.accepted(metadata, maxAgeSeconds: age, at: $1) }
        } catch {
            advanceEndpoints(index) { $0.refused(error, at: $1) }
        }
        listeners.onMetadata(index)
    }

    private func startReading(_ index: Int, _ reading: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor, operation: reading)
        desk.withLock { $0.entries[index].reading = task }
    }

    private func readMetadata(of index: Int) async {
        let requests = desk.withLock { $0.entries[index].requests }
        do throws(IssuerRefusal) {
            let (metadata, age) = try await requests.metadata(by: fetching)
            advance(index) { $0.state.metadataAccepted(metadata, maxAgeSeconds: age, at: $1) }
        } catch {
            advance(index) { $0.state.refused(error, at: $1) }
        }
        listeners.onMetadata(index)
    }

    private func readKeys(of index: Int, at url: String) async {
        let requests = desk.withLock { $0.entries[index].requests }
        do throws(IssuerRefusal) {
            let (keys, age) = try await requests.keySet(at: url, by: fetching)
            advance(index) { $0.state.keysAccepted(keys, maxAgeSeconds: age, at: $1) }
        } catch {
            advance(index) { $0.state.refused(error, at: $1) }
        }
    }

    private func schedule(_ index: Int, in milliseconds: Int64) {
        let task = sleeping(milliseconds: milliseconds) { self.advance(index) { $0.state.timerFired(at: $1) } }
        desk.withLock { desk in
            desk.entries[index].timer?.cancel()
            desk.entries[index].timer = task
        }
    }

    /// A task that does something after that time, unless it is cancelled before.
    private func sleeping(milliseconds: Int64, then wake: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) {
            do {
                try await self.clock.sleep(milliseconds: Int(milliseconds))
            } catch {
                return
            }
            guard !Task.isCancelled else { return }
            wake()
        }
    }
}

extension IssuerDirectory {
    private struct Entry {
        let requests: IssuerRequests
        var state: KeySetState
        /// What became of a static document, told when the directory starts.
        var announcements: [KeySetState.Step] = []
        /// Someone asked for a refresh and was not looked at yet.
        var isRefreshRequested = false
        var reading: Task<Void, Never>?
        var timer: Task<Void, Never>?
        /// Only where the keys are not discovered and the endpoints are wanted all the same.
        var endpoints: EndpointState?
        var endpointReading: Task<Void, Never>?
        var endpointTimer: Task<Void, Never>?

        init(_ settings: IssuerSettings, at now: Moment) {
            requests = IssuerRequests(settings: settings)
            state = KeySetState(plan: KeySetPlan(settings))
            endpoints = settings.readsMetadataForEndpoints ? EndpointState() : nil
            guard case .document(let bytes) = settings.keys else { return }
            do throws(IssuerRefusal) {
                let keys = try IssuerRequests.keySet(from: bytes)
                announcements = state.keysAccepted(keys, maxAgeSeconds: nil, at: now)
            } catch {
                announcements = state.refused(error, at: now)
            }
        }
    }
}
