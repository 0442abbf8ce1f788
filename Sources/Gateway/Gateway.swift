import Access
import Bytes
import Crypto
import EventLoop
import Fetch
import Glibc
import HTTPMessage
import Issuers
import JOSE
import Login
import Replay
import Sessions
import StoreClient
package import Systemd
import Synchronization
import Telemetry
import Transport

/// The running gateway: listeners × workers, the issuers' keys, the admin listener; start, reload, drain, stop.
///
///     main thread ── control loop: signals, admin listener, reloads
///     worker threads ── one loop each: its listeners' sockets, connections, pools, cache
///     worker 0's loop ── also the issuer directory and its fetches
///
/// `init` opens every socket and reads every file, so that what is wrong is known before anything is served.
///
/// `@unchecked Sendable`: what changes is the control loop's alone, and its methods are called there. Those that any thread
/// may call say so, and go there themselves. Other threads read only what `init` has set for good, `workers` among it.
package final class Gateway: @unchecked Sendable {
    let control: EventLoop
    let registry: MetricsRegistry
    let operatorLog: OperatorLog
    let logs: GatewayLogs
    /// Nil unless the operator wants an audit log.
    let audit: Auditor?
    /// What the configuration's reader thought worth a second look, for the operator's log.
    private let warnings: [String]
    private(set) var workers: [WorkerThread] = []
    /// The configuration that is served, and those that requests still refer to.
    private(set) var generation: Generation! = nil
    var older: [Generation] = []
    let reload: ReloadState
    /// Tells whoever started this process how it is.
    let service: ServiceNotifier
    private(set) var fetching: CurlFetcher! = nil
    /// Signs for the logins of all configurations.
    let signing = SigningThread()
    /// Sends the spans of all configurations.
    let traces: TraceExporter
    /// Ask the store for whoever waits for it beside the workers, each by the links of its worker.
    let storeCallers: [StoreCaller]
    let storeReports: StoreReports
    private var admin: AdminListener?
    private var signals: [SignalWatcher] = []
    private var drainTimer: LoopTimer?
    private var drainDelayTimer: LoopTimer?
    private var lateClients: LateClients?
    private var clockTimer: LoopTimer?
    private var clockSteps = ClockStepWatch()
    /// What was counted at moments of the last minute; on the control loop.
    private(set) var figureHistory = FigureHistory()
    private var drainedWorkers = 0
    private(set) var isDraining = false
    private var isFinishing = false

    var settings: GatewaySettings { generation.settings }
    /// How a remembered decision is told.
    let explain: RememberedDecision.Writer
    /// What `explain` is told of by request id; nil when nothing is remembered.
    var decisions: DecisionBuffer? { generation.resources.decisions }

    /// Prepares everything; nothing is accepted before `run()`.
    ///
    /// With a `source`, SIGHUP and a change of one of the files that the configuration names read it again. `environment`
    /// says whom to tell how the process is.
    package init(
        _ settings: GatewaySettings, version: String, warnings: [String] = [], source: ConfigurationSource? = nil,
        service environment: ServiceEnvironment = ServiceEnvironment(), explain: @escaping RememberedDecision.Writer
    ) throws(GatewayFailure) {
        self.warnings = warnings
        self.explain = explain
        let settings = ProcessLimits.fitted(settings, to: ProcessLimits.descriptorsToCome)
        let logs = try GatewayLogs(settings.log, audit: settings.audit.destination)
        self.logs = logs
        audit = try Auditor(settings.audit, logs.audit, isOwn: logs.isAuditAlone)
        operatorLog = logs.operatorLog
        service = ServiceNotifier(environment, ownPID: getpid(), log: logs.operatorLog)
        do throws(EventLoopFailure) {
            control = try EventLoop()
        } catch {
            throw GatewayFailure("the control loop could not be made", "\(error)")
        }
        let labels = MetricsLabels(settings)
        registry = MetricsRegistry(workers: settings.workers, labels: labels, version: version)
        storeCallers = (0..<settings.workers).map { _ in StoreCaller() }
        let storeReports = StoreReports(logs.operatorLog, registry.storeMetrics, workers: settings.workers)
        self.storeReports = storeReports
        registry.attach(store: { storeReports.readings })
        logs.attach(to: registry)
        traces = TraceExporter(loop: control, operatorLog: logs.operatorLog, version: version)
        registry.attach(traces: { [queue = traces.queue] in queue.readings })
        reload = ReloadState(source, startedWith: settings)
        let first = try Generation(1, settings, labels, metricsSlots: [], self, continuing: nil)
        generation = first
        registry.attach(replay: { [replay = first.resources.replay] in
            ReplayReadings(
                entries: replay.entries, bytes: replay.bytes, inserted: replay.inserted, refused: replay.refused,
                capacity: replay.capacity)
        })
        registry.attach(serving: { [weak self] in self?.generation?.readings ?? ServingReadings() })
        for index in 0..<settings.workers { workers.append(try WorkerThread(index, first, self)) }
        fetching = CurlFetcher(
            loop: workers[0].loop, connections: ProcessLimits.fetchConnections(of: ProcessLimits.descriptorsToCome))
        admin = try AdminListener(self, at: settings.admin.address)
    }

    /// Serves until SIGTERM or SIGINT, drains, and returns.
    package func run() {
        signal(SIGPIPE, SIG_IGN)
        ProcessLimits.prepare()
        for number in [SIGTERM, SIGINT] {
            signals.append(SignalWatcher(loop: control, signal: number) { [unowned self] in stopRequested() })
        }
        signals.append(SignalWatcher(loop: control, signal: SIGHUP) { [unowned self] in reloadRequested(.signal) })
        generation.start(fetching, continuing: nil)
        for worker in workers { worker.prepare(generation.stores, generation.assertionKeys?.keys) }
        startAssertionKeys(generation)
        traces.serve(by: settings.tracing)
        for worker in workers { worker.start() }
        admin?.start()
        announce()
        watchClock()
        service.ready(configuration: generation.number)
        service.watch(control: control, workers: workers.map(\.loop))
        ProcessLimits.releaseStart()
        control.run()
        for worker in workers { worker.stop() }
        sweepAudit(all: true)
        logs.finish()
    }

    /// Puts a configuration in the place of the one that is served; the workers have it already.
    func serve(by next: Generation) {
        if generation.workersInUse > 0 { older.append(generation) }
        generation.retire()
        generation = next
        traces.serve(by: next.settings.tracing)
    }

    /// Every worker has the successors of assertion keys as soon as these sign.
    func startAssertionKeys(_ generation: Generation) {
        generation.assertionKeys?.start { [unowned self] keys in
            for worker in workers { worker.tell { $0.pointee.identities.assertionKeys = keys } }
        }
    }

    /// A draining worker has closed its last connection; any thread.
    func workerDrained() {
        control.execute { [unowned self] in
            drainedWorkers += 1
            if drainedWorkers == workers.count { finishDraining(.drained) }
        }
    }

    /// A draining worker has no client left that was there when it began to take late ones; any thread.
    func earlyClientsGone() { control.execute { [unowned self] in lateClients?.earlyClientsGone() } }

    /// A worker has lost many connections; any thread.
    ///
    /// What they needed is given back beside the workers, not by them.
    func burstOver() { control.execute { FreedMemory.giveBack() } }

    private func announce() {
        operatorLog.write(
            .info, .started, LogField(.version, registry.version), LogField(.workers, settings.workers))
        auditApplied(generation, by: .start)
        warn(warnings)
        sayListening(notBy: [])
        if let admin {
            operatorLog.write(
                .info, .listening, LogField(.listener, "admin"), LogField(.address, admin.localAddress))
        }
    }

    /// Says where the public listeners are, and which of those that were there before are gone.
    func sayListening(notBy old: [ListenerSettings]) {
        for (index, listener) in settings.listeners.enumerated()
        where !old.contains(where: { $0.address.isSamePlace(as: listener.address) }) {
            let address = workers[0].localAddress(ofListener: index)
            operatorLog.write(
                .info, .listening, LogField(.listener, "public"), LogField(.address, address),
                LogField(.url, listener.publicURL))
        }
        for listener in old where !settings.listeners.contains(where: { $0.address.isSamePlace(as: listener.address) })
        {
            operatorLog.write(
                .info, .listenerClosed, LogField(.listener, "public"), LogField(.address, listener.address.text))
        }
    }

    /// What deserves a second look in the configuration that is served.
    func warn(_ warnings: [String]) {
        for warning in warnings { operatorLog.write(.warning, .configurationWarning, LogField(.detail, warning)) }
        let (needed, allowed) = (
            ProcessLimits.connections(promisedBy: settings, of: ProcessLimits.descriptors), ProcessLimits.descriptors
        )
        if settings.limits.connectionsAreOurs, settings.limits.connections < LimitSettings().connections {
            operatorLog.write(
                .info, .connectionsFitted, LogField(.count, settings.limits.connections),
                LogField(.workers, settings.workers), LogField(.found, "\(allowed)"))
        }
        if allowed < needed {
            operatorLog.write(
                .warning, .descriptorsShort, LogField(.expected, "\(needed)"), LogField(.found, "\(allowed)"))
        }
        for issuer in settings.issuers where issuer.insecureAllowHTTP {
            operatorLog.write(
                .warning, .insecureSetting, LogField(.issuer, issuer.name), LogField(.setting, "insecure_allow_http"))
        }
        for (index, listener) in settings.listeners.enumerated() where listener.allowsPlainLogins {
            operatorLog.write(
                .warning, .insecureSetting, LogField(.setting, "listeners[\(index)].insecure_allow_http"))
        }
    }

    /// Wall clock against monotonic clock, once a second: a jump explains what tokens suddenly do (OPS-09).
    private func watchClock() {
        lookAtClocks()
        lookAtFigures()
        let timer = LoopTimer(loop: control) { [unowned self] in
            let clock = WorkerClock()
            lookAtClocks()
            generation.resources.replay.sweep(now: clock.wallSeconds())
            generation.sweep(now: clock.wallSeconds())
            lookAtFiles()
            sweepAudit()
            service.sendAgain()
            lookAtFigures()
            clockTimer?.arm(milliseconds: 1000)
        }
        clockTimer = timer
        timer.arm(milliseconds: 1000)
    }

    private func lookAtClocks() {
        let monotonic = Int64(WorkerClock().microseconds() / 1000)
        guard let seconds = clockSteps.observe(wall: .now(), monotonicMilliseconds: monotonic) else { return }
        registry.setClockStep(seconds: seconds)
        operatorLog.write(.warning, .clockStepped, LogField(.seconds, Int(seconds)))
    }

    private func lookAtFigures() {
        let now = WorkerClock().microseconds()
        guard figureHistory.wantsLook(at: now) else { return }
        figureHistory.keep(registry.figures, at: now)
    }

    private func stopRequested() {
        // The second time nobody is waited for.
        if isDraining { return finishDraining(.drainTimedOut) }
        isDraining = true
        abandonReload()
        let delay = settings.timeouts.drainDelay.wholeMilliseconds
        let drain = settings.timeouts.drain.wholeMilliseconds
        operatorLog.write(.info, .stopping, LogField(.milliseconds, delay + drain))
        service.stopping(within: delay + drain + Gateway.flushTime + Gateway.margin)
        guard delay > 0 else { return beginDraining() }
        // Whoever asks /readyz is told; everything else goes on until they send nobody here any more.
        let timer = LoopTimer(loop: control) { [unowned self] in beginDraining() }
        drainDelayTimer = timer
        timer.arm(milliseconds: delay)
    }

    private func beginDraining() {
        let drain = settings.timeouts.drain.wholeMilliseconds
        lateClients = LateClients(workers: workers.count, loop: control, drain: drain) { [unowned self] work in
            for worker in workers { worker.tell(work) }
        }
        for worker in workers { worker.tell { $0.drain() } }
        let timer = LoopTimer(loop: control) { [unowned self] in finishDraining(.drainTimedOut) }
        drainTimer = timer
        timer.arm(milliseconds: drain)
    }

    /// Ends what is left; tokens of sessions that were ended are revoked first, for a while (OPS-08).
    private func finishDraining(_ event: LogEvent) {
        guard !isFinishing else { return control.stop() }
        isFinishing = true
        operatorLog.write(.info, event)
        if event == .drainTimedOut { for worker in workers { worker.tell { $0.cutStreams() } } }
        drainDelayTimer?.cancel()
        drainTimer?.cancel()
        lateClients?.stop()
        // The newest knows what those before it have left to do.
        let newest: Generation = reload.next ?? generation
        for old in older + [generation] where old !== newest { old?.retire() }
        let time = event == .drained ? Gateway.flushTime : Gateway.lastFlushTime
        let rest = RestOfWork(parts: 2) { [control] in control.stop() }
        newest.stop(within: time) { rest.partEnds() }
        guard settings.tracing != nil else { return rest.partEnds() }
        flushSpans { [control, traces] in
            control.execute { traces.stop(within: time) { rest.partEnds() } }
        }
    }

    /// Has every worker hand over the spans that it has; `then` follows, on a worker's thread.
    private func flushSpans(then: @escaping @Sendable () -> Void) {
        let all = RestOfWork(parts: workers.count, then: then)
        for worker in workers {
            worker.tell { worker in
                worker.pointee.journal.spans?.pointee.flush(at: Int64(WorkerClock().microseconds() / 1000))
                all.partEnds()
            }
        }
    }

    /// How long revocations and spans that are left may take, in milliseconds: after a drain, and where nobody is waited for.
    private static let flushTime = 5000
    private static let lastFlushTime = 500
    /// What ending takes beside waiting, in milliseconds, on a machine that is busy.
    private static let margin = 5000
}

/// Several things that are to end before something follows; each ends once, on any thread.
final class RestOfWork: Sendable {
    private let left: Atomic<Int>
    private let then: @Sendable () -> Void

    init(parts: Int, then: @escaping @Sendable () -> Void) {
        left = Atomic(parts)
        self.then = then
    }

    func partEnds() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { then() }
    }
}

/// Why the gateway could not start, for whoever started it.
package struct GatewayFailure: Error, Sendable {
    /// What was to be done.
    package let action: String
    /// What went wrong.
    package let reason: String
    /// What an operator can do about it, where that is known.
    package let remedy: String?

    init(_ action: String, _ reason: String, remedy: String? = nil) {
        self.action = action
        self.reason = reason
        self.remedy = remedy
    }

    /// Both, as one sentence.
    package var description: String { "\(action): \(reason)" }

    /// The sentence with its remedy, in one line of a log.
    var line: String { remedy.map { "\(description); \($0)" } ?? description }
}
