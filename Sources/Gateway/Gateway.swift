// SPDX-License-Identifier: Apache-2.0
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
import Synchronization
import Telemetry
import Transport

/// The running gateway: listeners × workers, the issuers' keys, the admin listener; start, drain, stop.
///
///     main thread ── control loop: signals, admin listener
///     worker threads ── one loop each: its listeners' sockets, connections, pools, cache
///     worker 0's loop ── also the issuer directory and its fetches
///
/// `init` opens every socket and reads every file, so that what is wrong is known before anything is served.
package final class Gateway: @unchecked Sendable {
    let settings: GatewaySettings
    let control: EventLoop
    let registry: MetricsRegistry
    let operatorLog: OperatorLog
    private let replay: ReplaySet
    /// What `explain` is told of by request id; nil when nothing is remembered.
    let decisions: DecisionBuffer?
    private let exchangeRules: [ExchangeSettings]
    private let logs: GatewayLogs
    /// What the configuration's reader thought worth a second look, for the operator's log.
    private let warnings: [String]
    private(set) var workers: [WorkerThread] = []
    private var directory: IssuerDirectory?
    private var introspections: IntrospectionDesk?
    private var exchanges: ExchangeDesk?
    private var logins: LoginDoor?
    private let assertionKeys: AssertionKeyRotation?
    private var admin: AdminListener?
    private var signals: [SignalWatcher] = []
    private var drainTimer: LoopTimer?
    private var clockTimer: LoopTimer?
    private var clockSteps = ClockStepWatch()
    private var drainedWorkers = 0
    private(set) var isDraining = false

    /// Prepares everything; nothing is accepted before `run()`.
    package init(
        _ settings: GatewaySettings, version: String, warnings: [String] = []
    ) throws(GatewayFailure) {
        self.settings = settings
        self.warnings = warnings
        let logs = try GatewayLogs(settings.log)
        self.logs = logs
        operatorLog = logs.operatorLog
        do throws(EventLoopFailure) {
            control = try EventLoop()
        } catch {
            throw GatewayFailure("the control loop could not be made", "\(error)")
        }
        registry = MetricsRegistry(workers: settings.workers, labels: MetricsLabels(settings), version: version)
        logs.attach(to: registry)
        assertionKeys = try AssertionKeyRotation(settings, loop: control, operatorLog: logs.operatorLog)
        let parts = try SharedParts(settings, operatorLog: operatorLog)
        replay = parts.replay
        decisions = parts.decisions
        exchangeRules = parts.tables.exchanges
        registry.attach(replay: { [replay = parts.replay] in
            ReplayReadings(
                entries: replay.entries, bytes: replay.bytes, inserted: replay.inserted, refused: replay.refused)
        })
        for index in 0..<settings.workers {
            workers.append(try WorkerThread(index, settings, parts, self))
        }
        admin = try AdminListener(self, at: settings.admin.address)
    }

    /// Serves until SIGTERM or SIGINT, drains, and returns.
    package func run() {
        signal(SIGPIPE, SIG_IGN)
        ProcessLimits.prepare()
        for number in [SIGTERM, SIGINT] {
            signals.append(SignalWatcher(loop: control, signal: number) { [unowned self] in stopRequested() })
        }
        startIssuers()
        startAssertionKeys()
        for worker in workers { worker.start() }
        admin?.start()
        announce()
        watchClock()
        control.run()
        for worker in workers { worker.stop() }
        logs.finish()
    }

    /// How every issuer is doing, by name.
    func issuerStatuses() -> [(name: String, status: IssuerStatus)] {
        settings.issuers.enumerated().map { index, issuer in
            (issuer.name, directory?.status(of: index) ?? IssuerStatus())
        }
    }

    /// A writer of access lines for one worker, at a place of its own; nil when no access log is written.
    func makeAccessLog() -> UnsafeMutablePointer<LogWriter>? {
        guard let sink = logs.access else { return nil }
        let place = UnsafeMutablePointer<LogWriter>.allocate(capacity: 1)
        place.initialize(to: LogWriter(sink: sink))
        return place
    }

    /// Asked by a worker that met an unknown key or has no keys; any thread.
    func requestKeys(issuer: Int) { directory?.requestRefresh(issuer: issuer) }

    /// Asked by a worker about a token that only its issuer can judge or exchange; any thread.
    func ask(_ question: Question, token: [UInt8], digest: SHA256Digest, worker: Int) {
        switch question {
        case .introspection(let issuer):
            introspections?.ask(issuer: issuer, token: token, digest: digest, worker: worker)
        case .exchange(let rule, let expiresAt):
            exchanges?.ask(rule: rule, token: token, expiresAt: expiresAt, digest: digest, worker: worker)
        }
    }

    /// Asked by a worker for the answer to a login's request; any thread.
    func askLogin(_ request: LoginRequest, ticket: UInt64, worker: Int) {
        logins?.ask(request, ticket: ticket, worker: worker)
    }

    /// Asked by a worker for a session that must be loaded or refreshed; any thread.
    func askSession(login: Int, value: [UInt8], digest: SHA256Digest, worker: Int) {
        logins?.ask(login: login, value: value, digest: digest, worker: worker)
    }

    /// A draining worker has closed its last connection; any thread.
    func workerDrained() {
        control.execute { [unowned self] in
            drainedWorkers += 1
            if drainedWorkers == workers.count { finishDraining(.drained) }
        }
    }

    private func startIssuers() {
        guard !settings.issuers.isEmpty, let loop = workers.first?.loop else { return }
        let reports = IssuerReports(settings.issuers, operatorLog, registry.issuers)
        let fetching = CurlFetcher(loop: loop)
        let clock = LoopClock(loop: loop)
        let waiters = RefreshWaiters(issuers: settings.issuers.count)
        let directory = IssuerDirectory(
            settings: settings.issuers, fetching: fetching, clock: clock, executor: loop,
            listeners: IssuerDirectory.Listeners(
                onChange: { [unowned self] issuer, keys in
                    for worker in workers { worker.keysArrived(keys, issuer: issuer) }
                    reports.changed(issuer, keys)
                },
                onRefreshEnded: { [unowned self] issuer in
                    for worker in workers { worker.refreshEnded(issuer: issuer) }
                    waiters.end(issuer)
                },
                onMetadata: { [unowned self] issuer in
                    for worker in workers { worker.metadataRead(issuer: issuer) }
                },
                onEvent: { issuer, event in reports.report(issuer, event) }))
        self.directory = directory
        introspections = IntrospectionDesk(
            settings: settings.issuers, clients: settings.clients, fetching: fetching, clock: clock, executor: loop,
            sources: IntrospectionDesk.Sources(directory),
            onAnswer: { [unowned self] answer in
                for worker in answer.workers { workers[worker].introspectionAnswered(answer) }
            }, onEvent: { issuer, event in reports.report(issuer, event) })
        exchanges = ExchangeDesk(
            rules: exchangeRules, settings: settings.issuers, clients: settings.clients, fetching: fetching,
            clock: clock, executor: loop, metadata: { directory.metadata(of: $0) },
            onAnswer: { [unowned self] answer in
                for worker in answer.workers { workers[worker].exchangeAnswered(answer) }
            }, onEvent: { issuer, event in reports.report(issuer, event) })
        startLogins(directory, fetching, clock, waiters)
        directory.start()
    }

    private func startLogins(
        _ directory: IssuerDirectory, _ fetching: any Fetching, _ clock: LoopClock, _ waiters: RefreshWaiters
    ) {
        guard !settings.logins.isEmpty, let loop = workers.first?.loop else { return }
        let reports = LoginReports(logins: settings.logins, log: operatorLog, metrics: registry.logins)
        var logins = settings.logins
        for index in logins.indices { logins[index].stepUps = StepUps.all(of: index, in: settings.routes) }
        let service = LoginService(
            settings: logins, clients: settings.clients, issuers: settings.issuers, fetching: fetching,
            clock: clock, executor: loop,
            sources: LoginService.Sources(
                metadata: { directory.metadata(of: $0) }, keys: { directory.keys(of: $0) },
                refresh: { issuer in
                    await waiters.wait(for: issuer) { directory.requestRefresh(issuer: issuer) }
                }),
            onEvent: { [unowned self] event in
                reports.report(event)
                if case .sessionsEnded = event { for worker in workers { worker.sessionsEnded() } }
            })
        self.logins = LoginDoor(
            service, logins: settings.logins, loop: loop, reports: reports,
            onLoginAnswer: { [unowned self] worker, ticket, answer in
                workers[worker].loginAnswered(answer, ticket: ticket)
            }, onSessionAnswer: { [unowned self] worker, answer in workers[worker].sessionAnswered(answer) })
        for worker in workers { worker.prepare(service.stores) }
    }

    /// Every worker has the keys before it serves, and their successors as soon as these sign.
    private func startAssertionKeys() {
        guard let assertionKeys else { return }
        for worker in workers { worker.prepare(assertionKeys.keys) }
        assertionKeys.start { [unowned self] keys in
            for worker in workers { worker.assertionKeysChanged(keys) }
        }
    }

    private func announce() {
        operatorLog.write(
            .info, .started, LogField(.version, registry.version), LogField(.workers, settings.workers))
        for warning in warnings { operatorLog.write(.warning, .configurationWarning, LogField(.detail, warning)) }
        for issuer in settings.issuers where issuer.insecureAllowHTTP {
            operatorLog.write(
                .warning, .insecureSetting, LogField(.issuer, issuer.name), LogField(.setting, "insecure_allow_http"))
        }
        for (index, listener) in settings.listeners.enumerated() {
            let address = workers[0].localAddress(ofListener: index)
            operatorLog.write(
                .info, .listening, LogField(.listener, "public"), LogField(.address, address),
                LogField(.url, listener.publicURL))
        }
        if let admin {
            operatorLog.write(
                .info, .listening, LogField(.listener, "admin"), LogField(.address, admin.localAddress))
        }
    }

    /// Wall clock against monotonic clock, once a second: a jump explains what tokens suddenly do (OPS-09).
    private func watchClock() {
        let timer = LoopTimer(loop: control) { [unowned self] in
            let monotonic = Int64(WorkerClock().microseconds() / 1000)
            if let seconds = clockSteps.observe(wall: .now(), monotonicMilliseconds: monotonic) {
                registry.setClockStep(seconds: seconds)
                operatorLog.write(.warning, .clockStepped, LogField(.seconds, Int(seconds)))
            }
            replay.sweep(now: WorkerClock().wallSeconds())
            logins?.sweep(now: WorkerClock().wallSeconds())
            clockTimer?.arm(milliseconds: 1000)
        }
        clockTimer = timer
        timer.arm(milliseconds: 1000)
    }

    private func stopRequested() {
        // The second time nobody is waited for.
        if isDraining { return finishDraining(.drainTimedOut) }
        isDraining = true
        operatorLog.write(.info, .stopping, LogField(.milliseconds, settings.timeouts.drain))
        for worker in workers { worker.drain() }
        let timer = LoopTimer(loop: control) { [unowned self] in finishDraining(.drainTimedOut) }
        drainTimer = timer
        timer.arm(milliseconds: settings.timeouts.drain)
    }

    private func finishDraining(_ event: LogEvent) {
        operatorLog.write(.info, event)
        introspections?.stop()
        exchanges?.stop()
        logins?.stop()
        directory?.stop()
        control.stop()
    }
}

extension MetricsLabels {
    /// Every label value that a configuration can lead to.
    init(_ settings: GatewaySettings) {
        self.init(
            routes: settings.routes.map(\.name),
            causes: Refusal.allCases.map { RefusalLabel(cause: "\($0.word)", blame: $0.blame.rawValue) },
            algorithms: SignatureNames.all, issuers: settings.issuers.map(\.name),
            logins: settings.logins.map(\.name))
    }
}

/// Why the gateway could not start, for whoever started it.
package struct GatewayFailure: Error, Sendable {
    /// What was to be done.
    package let action: String
    /// What went wrong.
    package let reason: String

    init(_ action: String, _ reason: String) {
        self.action = action
        self.reason = reason
    }

    /// Both, as one sentence.
    package var description: String { "\(action): \(reason)" }
}
