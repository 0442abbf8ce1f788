package import HTTPMessage
import JOSE
package import OAuth
import Synchronization

/// Every configured issuer's keys, read ahead of need and kept fresh; one for the whole process.
///
/// Its work runs on one task executor, an event loop in the gateway. It hands immutable snapshots to its listeners on
/// that loop's thread, in the order of events; they pass them on to the workers' own loops. Nothing a client sends
/// decides which host is asked.
///
/// A reloaded configuration gets a directory of its own that continues this one: see `continuing` and `start()`.
package final class IssuerDirectory: Sendable {
    /// Whom to tell; every closure gets the issuer's index in the settings.
    package struct Listeners: Sendable {
        /// The keys to use from now on, or nil when there are none to go on with: answer 503.
        ///
        /// Called after every successful reading, with the same `version` when the keys are the same.
        package var onChange: @Sendable (Int, IssuerKeys?) -> Void
        /// A refresh that was asked for has ended; look at the keys again.
        package var onRefreshEnded: @Sendable (Int) -> Void
        /// There is no refresh for who asked as that and for that client; for everybody else nothing has ended.
        package var onRefreshRefused: @Sendable (Int, KeyRequester) -> Void
        /// What an issuer says about itself was read, or could not be; look at it again.
        package var onMetadata: @Sendable (Int) -> Void
        /// Something worth a log line or a count.
        package var onEvent: @Sendable (Int, IssuerEvent) -> Void

        package init(
            onChange: @escaping @Sendable (Int, IssuerKeys?) -> Void,
            onRefreshEnded: @escaping @Sendable (Int) -> Void,
            onRefreshRefused: (@Sendable (Int, KeyRequester) -> Void)? = nil,
            onMetadata: @escaping @Sendable (Int) -> Void = { _ in },
            onEvent: @escaping @Sendable (Int, IssuerEvent) -> Void
        ) {
            self.onChange = onChange
            self.onRefreshEnded = onRefreshEnded
            self.onRefreshRefused = onRefreshRefused ?? { index, _ in onRefreshEnded(index) }
            self.onMetadata = onMetadata
            self.onEvent = onEvent
        }
    }

    struct Service {
        var entries: [Entry]
        var isStopped = false
    }

    let service: Mutex<Service>
    private let fetching: any Fetching
    let clock: any IssuerClock
    private let executor: any TaskExecutor
    private let listeners: Listeners

    /// A directory that reads nothing before `start()`; issuers with a static document have their keys at once.
    ///
    /// An issuer that `previous` has too, with the same name, URL, discovery and source of keys, is *continued*: its
    /// keys and metadata, their versions and generations, when they are due, how long a failure is waited out and when
    /// an unknown key last cost a reading are those of `previous`, and its keys are at hand at once. Limits are those of
    /// `settings`. Both directories must run on the same executor.
    package init(
        settings: [IssuerSettings], fetching: any Fetching, clock: any IssuerClock, executor: any TaskExecutor,
        listeners: Listeners, continuing previous: IssuerDirectory? = nil
    ) {
        self.fetching = fetching
        self.clock = clock
        self.executor = executor
        self.listeners = listeners
        let now = clock.now()
        service = Mutex(Service(entries: settings.map { Entry($0, after: previous?.place(named: $0.name), at: now) }))
    }

    /// Tells the keys of continued issuers and begins to read every other's; returns at once.
    ///
    /// From then on this directory alone reads for the issuers that it continues. What `previous` is asked about them
    /// is answered here, and until `previous` is stopped its listeners are told too, so that those who still work with
    /// it miss nothing. When this directory is stopped first, `previous` goes on instead.
    package func start() {
        Task(executorPreference: executor) { self.startAll() }
    }

    /// Asks for this issuer's keys to be read again, because something is signed by none that is at hand.
    ///
    /// From any thread. `onRefreshEnded` follows in every case: when the reading ended well or not, or when one that was
    /// under way ended; or `onRefreshRefused`, at once, when `who` has none left (JOSE-17). Calls for one client that come
    /// before the first of them is looked at share its answer, so that a flood of tokens is no flood of answers. The issuer
    /// is told of the first one's span, `trace`, in what is read for this alone.
    package func requestRefresh(
        issuer index: Int, by who: KeyRequester = KeyRequester(.accessToken), within trace: TraceParent? = nil
    ) {
        requestRefresh(issuer: index, by: who, within: trace, onBehalfOf: nil)
    }

    /// The same; tells also `asker`, a stopped directory, when the refresh has ended.
    private func requestRefresh(
        issuer index: Int, by who: KeyRequester, within trace: TraceParent?, onBehalfOf asker: Place?
    ) {
        if let after = successor(of: index) { return passOn(index, by: who, within: trace, to: after, asker) }
        let isFirst = service.withLock { service in
            if let asker, !service.entries[index].askers.contains(asker) { service.entries[index].askers.append(asker) }
            return service.entries[index].refreshRequests.insert(who).inserted
        }
        guard isFirst else { return }
        Task(executorPreference: executor) { self.refreshRequested(index, by: who, within: trace) }
    }

    /// While this directory runs it is told of the end anyway.
    private func passOn(
        _ index: Int, by who: KeyRequester, within trace: TraceParent?, to after: Place, _ asker: Place?
    ) {
        let isStopped = service.withLock { $0.isStopped }
        let asker = asker ?? (isStopped ? Place(directory: self, index: index) : nil)
        after.directory.requestRefresh(issuer: after.index, by: who, within: trace, onBehalfOf: asker)
    }

    /// Cancels what is under way; nothing is read any more, and whoever waits is told.
    ///
    /// A started directory lives until then.
    package func stop() {
        Task(executorPreference: executor) { self.stopAll() }
    }

    /// How this issuer is doing; from any thread.
    package func status(of index: Int) -> IssuerStatus { look(at: index) { $0.state.status } }

    /// Whether this issuer has keys, or a first attempt to read them has failed, and so its endpoints if they are read
    /// apart; from any thread.
    package func isSettled(_ index: Int) -> Bool { look(at: index) { $0.isSettled } }

    /// The keys as they are now, for a worker that starts later than the directory; from any thread.
    package func keys(of index: Int) -> IssuerKeys? { look(at: index) { $0.state.keys } }

    /// Whether the last attempt to read this issuer's keys came to nothing; from any thread.
    package func hasFailedToReadKeys(of index: Int) -> Bool { look(at: index) { $0.state.status.failures > 0 } }

    /// What the issuer says about itself, as far as it is believed now; from any thread.
    ///
    /// Nil before it was read, when it has been unreadable for a day, and where nothing needs it.
    package func metadata(of index: Int) -> ServerMetadata? { look(at: index) { $0.metadata } }

    // MARK: on the executor

    private func startAll() {
        for index in service.withLock({ $0.entries.indices }) {
            takeOver(index)
            advance(index) { entry, now in
                let told = entry.announcements
                entry.announcements = []
                return told + (entry.isContinued ? entry.state.resume(at: now) : entry.state.start(at: now))
            }
            advanceEndpoints(index) { endpoints, now in endpoints.resume(at: now) }
            if metadata(of: index) != nil { tell(index) { $0.onMetadata($1) } }
        }
    }

    /// Goes on with an issuer that was continued elsewhere, where that has ended.
    func resume(_ index: Int) {
        advance(index) { entry, now in entry.state.resume(at: now) }
        advanceEndpoints(index) { endpoints, now in endpoints.resume(at: now) }
    }

    private func refreshRequested(_ index: Int, by who: KeyRequester, within trace: TraceParent?) {
        let isStopped = service.withLock { service in
            service.entries[index].refreshRequests.remove(who)
            return service.isStopped
        }
        if let after = successor(of: index) { return passOn(index, by: who, within: trace, to: after, nil) }
        guard !isStopped else { return endRefresh(index) }
        advance(index, within: trace) { entry, now in entry.state.unknownKeyMet(by: who, at: now) }
    }

    private func stopAll() {
        let entries = service.withLock { service in
            service.isStopped = true
            return service.entries
        }
        for (index, entry) in entries.enumerated() {
            entry.cancel()
            endRefresh(index)
            leave(index)
        }
    }

    /// Tells the listeners of this directory, and of those that it continues and that are not stopped yet.
    private func tell(_ index: Int, _ what: (Listeners, Int) -> Void) {
        var place = Place(directory: self, index: index)
        what(listeners, index)
        while let before = place.directory.service.withLock({ $0.entries[place.index].predecessor }) {
            place = before
            what(place.directory.listeners, place.index)
        }
    }

    private func endRefresh(_ index: Int) {
        let askers = service.withLock { service in
            defer { service.entries[index].askers = [] }
            return service.entries[index].askers
        }
        tell(index) { $0.onRefreshEnded($1) }
        for asker in askers { asker.directory.listeners.onRefreshEnded(asker.index) }
    }

    /// Those who wait as that are told; whoever waits for a reading goes on waiting.
    private func refuseRefresh(_ index: Int, of who: KeyRequester) {
        // Nothing is read now. Where nobody else asks either, no end will come that they wait for: whoever was left in the
        // row would be kept for good.
        let askers = service.withLock { service in
            let askers = service.entries[index].askers
            if service.entries[index].refreshRequests.isEmpty { service.entries[index].askers = [] }
            return askers
        }
        tell(index) { $0.onRefreshRefused($1, who) }
        for asker in askers { asker.directory.listeners.onRefreshRefused(asker.index, who) }
    }

    /// Tells one issuer's state what happened, and performs what follows; the issuer is told of the span that it is done for.
    ///
    /// What a timer begins is nobody's.
    private func advance(
        _ index: Int, within trace: TraceParent? = nil, by event: (inout Entry, Moment) -> [KeySetState.Step]
    ) {
        // What was cancelled may end after its successor began, and must not be taken for it.
        guard !Task.isCancelled else { return }
        let now = clock.now()
        let (steps, keys) = service.withLock { service in
            guard !service.isStopped, service.entries[index].successor == nil else {
                return ([KeySetState.Step](), IssuerKeys?.none)
            }
            return (event(&service.entries[index], now), service.entries[index].state.keys)
        }
        for step in steps {
            switch step {
            case .fetchMetadata: startReading(index) { await self.readMetadata(of: index, within: trace) }
            case .fetchKeys(let url):
                startReading(index) { await self.readKeys(of: index, at: url, within: trace) }
            case .publish: tell(index) { $0.onChange($1, keys) }
            case .schedule(let time): schedule(index, in: max(0, time - now.milliseconds))
            case .endRefresh: endRefresh(index)
            case .refuseRefresh(let who): refuseRefresh(index, of: who)
            case .report(let event): listeners.onEvent(index, event)
            }
        }
    }

    /// Tells the part of one issuer that reads endpoints what happened, if it has one, and performs what follows.
    private func advanceEndpoints(_ index: Int, by event: (inout EndpointState, Moment) -> [EndpointState.Step]) {
        guard !Task.isCancelled else { return }
        let now = clock.now()
        let steps = service.withLock { service in
            guard !service.isStopped, service.entries[index].successor == nil,
                var endpoints = service.entries[index].endpoints
            else { return [EndpointState.Step]() }
            defer { service.entries[index].endpoints = endpoints }
            return event(&endpoints, now)
        }
        for step in steps {
            switch step {
            case .fetchMetadata:
                let task = Task(executorPreference: executor) { await self.readEndpoints(of: index) }
                service.withLock { $0.entries[index].endpointReading = task }
            case .schedule(let time):
                let task = sleeping(milliseconds: max(0, time - now.milliseconds)) {
                    self.advanceEndpoints(index) { endpoints, _ in endpoints.due() }
                }
                service.withLock { $0.entries[index].endpointTimer = task }
            case .report(let event): listeners.onEvent(index, event)
            }
        }
    }

    private func readEndpoints(of index: Int) async {
        let requests = service.withLock { $0.entries[index].requests }
        do throws(IssuerRefusal) {
            let (metadata, age) = try await requests.metadata(by: fetching)
            advanceEndpoints(index) { $0.accepted(metadata, maxAgeSeconds: age, at: $1) }
        } catch {
            advanceEndpoints(index) { $0.refused(error, at: $1) }
        }
        tell(index) { $0.onMetadata($1) }
    }

    private func startReading(_ index: Int, _ reading: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor, operation: reading)
        service.withLock { $0.entries[index].reading = task }
    }

    private func readMetadata(of index: Int, within trace: TraceParent?) async {
        let requests = service.withLock { $0.entries[index].requests }
        do throws(IssuerRefusal) {
            let (metadata, age) = try await requests.metadata(by: fetching.within(trace))
            advance(index, within: trace) { $0.state.metadataAccepted(metadata, maxAgeSeconds: age, at: $1) }
        } catch {
            advance(index) { $0.state.refused(error, at: $1) }
        }
        tell(index) { $0.onMetadata($1) }
    }

    private func readKeys(of index: Int, at url: String, within trace: TraceParent?) async {
        let requests = service.withLock { $0.entries[index].requests }
        do throws(IssuerRefusal) {
            let (keys, age) = try await requests.keySet(at: url, by: fetching.within(trace))
            advance(index) { $0.state.keysAccepted(keys, maxAgeSeconds: age, at: $1) }
        } catch {
            advance(index) { $0.state.refused(error, at: $1) }
        }
    }

    private func schedule(_ index: Int, in milliseconds: Int64) {
        let task = sleeping(milliseconds: milliseconds) { self.advance(index) { $0.state.timerFired(at: $1) } }
        service.withLock { service in
            service.entries[index].timer?.cancel()
            service.entries[index].timer = task
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
