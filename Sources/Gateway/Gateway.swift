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
package final class Gateway: @unchecked Sendable {
    let control: EventLoop
    let registry: MetricsRegistry
    let operatorLog: OperatorLog
    let logs: GatewayLogs
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
    private var admin: AdminListener?
    private var signals: [SignalWatcher] = []
    private var drainTimer: LoopTimer?
    private var clockTimer: LoopTimer?
    private var clockSteps = ClockStepWatch()
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
        let logs = try GatewayLogs(settings.log)
        self.logs = logs
        operatorLog = logs.operatorLog
        service = ServiceNotifier(environment, ownPID: getpid(), log: logs.operatorLog)
        do throws(EventLoopFailure) {
            control = try EventLoop()
        } catch {
            throw GatewayFailure("the control loop could not be made", "\(error)")
        }
        let labels = MetricsLabels(settings)
        registry = MetricsRegistry(workers: settings.workers, labels: labels, version: version)
        logs.attach(to: registry)
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
        for worker in workers { worker.start() }
        admin?.start()
        announce()
        watchClock()
        service.ready(configuration: generation.number)
        service.watch(control: control, workers: workers.map(\.loop))
        ProcessLimits.releaseStart()
        control.run()
        for worker in workers { worker.stop() }
        logs.finish()
    }

    /// Puts a configuration in the place of the one that is served; the workers have it already.
    func serve(by next: Generation) {
        if generation.workersInUse > 0 { older.append(generation) }
        generation.retire()
        generation = next
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

    /// A worker has lost many connections; any thread.
    ///
    /// What they needed is given back beside the workers, not by them.
    func burstOver() { control.execute { FreedMemory.giveBack() } }

    private func announce() {
        operatorLog.write(
            .info, .started, LogField(.version, registry.version), LogField(.workers, settings.workers))
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
    }

    /// Wall clock against monotonic clock, once a second: a jump explains what tokens suddenly do (OPS-09).
    private func watchClock() {
        lookAtClocks()
        let timer = LoopTimer(loop: control) { [unowned self] in
            let clock = WorkerClock()
            lookAtClocks()
            generation.resources.replay.sweep(now: clock.wallSeconds())
            generation.sweep(now: clock.wallSeconds())
            lookAtFiles()
            service.sendAgain()
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

    private func stopRequested() {
        // The second time nobody is waited for.
        if isDraining { return finishDraining(.drainTimedOut) }
        isDraining = true
        abandonReload()
        let drain = settings.timeouts.drain.wholeMilliseconds
        operatorLog.write(.info, .stopping, LogField(.milliseconds, drain))
        service.stopping(within: drain + Gateway.flushTime + Gateway.margin)
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
        drainTimer?.cancel()
        // The newest knows what those before it have left to do.
        let newest: Generation = reload.next ?? generation
        for old in older + [generation] where old !== newest { old?.retire() }
        newest.stop(within: event == .drained ? Gateway.flushTime : Gateway.lastFlushTime) { [control] in
            control.stop()
        }
    }

    /// How long revocations that are left may take, in milliseconds: after a drain, and where nobody is waited for.
    private static let flushTime = 5000
    private static let lastFlushTime = 500
    /// What ending takes beside waiting, in milliseconds, on a machine that is busy.
    private static let margin = 5000
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
