import Access
import EventLoop
import Login
import Sessions
import SharedState
import Telemetry

/// What a reload is asked for by.
enum ReloadCause: String {
    case signal = "SIGHUP"
    case file
}

/// Where reloading stands; on the control loop.
final class ReloadState {
    let source: ConfigurationSource?
    /// What the process started with: some of it holds until it ends.
    let startedWith: GatewaySettings
    var files: WatchedFiles
    /// What the configuration that is served was read from.
    var text: ConfigurationText
    /// What was read of the configuration file and its files when it was refused; nil where it is served, or was never asked
    /// for.
    var refusedFiles: [ReadFile]?
    var isUnderWay = false
    /// What the last one was asked for by.
    fileprivate(set) var cause = ReloadCause.signal
    /// Asked for while one was under way: what was read may be old by now.
    var isWantedAgain = false
    /// How the last one went wrong; nil when what is served is what was read last.
    var lastFault: String?
    /// How many faults there were.
    var faultCount = 0
    /// When the last reload ended, in seconds since 1970; nil before the first.
    var endedAt: Int64?
    /// What of the configuration that is served holds only after a restart.
    var restartNeeded: [String] = []
    /// Looks whether the keys are there that a configuration waits for.
    fileprivate var timer: LoopTimer?
    /// The configuration that waits for keys, and for how long it has, in milliseconds.
    fileprivate var waiting: PreparedReload?
    fileprivate var waited = 0
    /// The configuration that workers are being given, and how many of them do not serve by it yet.
    fileprivate var installing: PreparedReload?
    fileprivate var workersToInstall = 0
    /// What was started to be served next and is not yet, or never will be: it already looks after issuers, and gives
    /// tokens back.
    fileprivate(set) var next: Generation?

    init(_ source: ConfigurationSource?, startedWith: GatewaySettings) {
        self.source = source
        self.startedWith = startedWith
        text = source?.text ?? ConfigurationText()
        files = WatchedFiles([])
        files = WatchedFiles(watched(source?.files ?? [], by: startedWith))
    }

    /// Those of the files that a configuration was read from whose change is a wish to reload.
    func watched(_ files: [ReadFile], by settings: GatewaySettings) -> [ReadFile] {
        watchesText(settings) ? files : files.filter { $0.path != source?.path && !$0.isText }
    }

    /// Whether a change of the configuration file itself is one.
    func watchesText(_ settings: GatewaySettings) -> Bool {
        settings.watch ?? source.map { MountedVolume.holds($0.path) } ?? false
    }
}

/// A configuration that is ready to be served, once its issuers' keys are there.
private struct PreparedReload {
    let generation: Generation
    let configuration: NewConfiguration
    /// Its files as they were when they were read: what is renewed since then is a change.
    let files: WatchedFiles
    let successions: [PreparedSuccession]
}

/// Another configuration without an end of the process (OPS-07).
///
///     SIGHUP, a file ─▶ read ─▶ prepare: files, sockets, tables, issuers' keys ─▶ every worker, between two events
///                        └─ refused ──┴─▶ the one that is served stays, and log, metric and /readyz say so
extension Gateway {
    /// Longest wait for the keys of issuers that are new, in milliseconds: requests would wait for them otherwise.
    private static let settlingTime = 5000

    /// Reads the configuration again and serves by it, or keeps the one that is served.
    ///
    /// `changed` are the files that it is asked for by.
    func reloadRequested(_ cause: ReloadCause, changed: [String] = []) {
        if cause == .signal { logs.reopen() }
        guard let source = reload.source, !isDraining else { return }
        guard !reload.isUnderWay else {
            reload.isWantedAgain = true
            return
        }
        operatorLog.write(
            .info, .reloading, [LogField(.reason, cause.rawValue)] + changed.prefix(1).map { LogField(.detail, $0) })
        reload.cause = cause
        service.reloading()
        // A person may be in the midst of editing the file when a certificate is renewed.
        guard cause == .signal || reload.refusedFiles != nil || reload.watchesText(settings) else {
            readAgain(source.read(reload.text))
            return
        }
        let wasRefused = reload.refusedFiles != nil
        let read = source.read(nil)
        guard !readAgain(read) else { return }
        switch read {
        case .success(let configuration): reload.refusedFiles = configuration.files
        case .failure(let fault): reload.refusedFiles = fault.files
        }
        // A text that was refused keeps no certificate from being renewed that the one before it names; what came together
        // with the text may be made for it.
        let texts = (reload.refusedFiles ?? []).filter(\.isText).map(\.path) + [source.path]
        guard wasRefused, cause == .file, !changed.contains(where: texts.contains) else { return }
        if case .success(let renewed) = source.read(reload.text) { prepare(renewed) }
    }

    /// Whether what was read is prepared, and not refused.
    @discardableResult
    private func readAgain(_ read: Result<NewConfiguration, ConfigurationFault>) -> Bool {
        switch read {
        case .success(let configuration): return prepare(configuration)
        case .failure(let fault):
            refuseReload(fault.problems, fault.files)
            return false
        }
    }

    /// Looks whether a file that was read for the configuration is another one by now; called once a second.
    func lookAtFiles() {
        guard reload.source != nil, !reload.isUnderWay, !isDraining else { return }
        let changed = reload.files.changes()
        if !changed.isEmpty { reloadRequested(.file, changed: changed) }
    }

    /// Whether it is to be served, once its keys are there.
    @discardableResult
    private func prepare(_ configuration: NewConfiguration) -> Bool {
        let files = WatchedFiles(reload.watched(configuration.files, by: configuration.settings))
        var settings = configuration.settings
        // Threads, and what they hold from the start on, stay as they are until the process ends.
        settings.workers = workers.count
        settings = ProcessLimits.fitted(settings, to: ProcessLimits.descriptors)
        // A proof that was used is remembered as long as it could be used when it came: not for longer later.
        let proofs = generation.settings.proofs
        settings.proofs.past = min(settings.proofs.past, proofs.past)
        settings.proofs.future = min(settings.proofs.future, proofs.future)
        settings.proofs.nonceLifetime = min(settings.proofs.nonceLifetime, proofs.nonceLifetime)
        let labels = MetricsLabels(settings)
        let slots = registry.extend(labels, keeping: ([generation] + older).map(\.labels))
        let prepared: PreparedReload
        do throws(GatewayFailure) {
            let next = try Generation(
                generation.number + 1, settings, labels, metricsSlots: slots.routes, self, continuing: generation)
            prepared = PreparedReload(
                generation: next, configuration: configuration, files: files,
                successions: try successions(to: next, slots))
        } catch {
            // The numbers are those of the configuration that is served, after all.
            _ = registry.extend(generation.labels, keeping: older.map(\.labels))
            refuseReload([error.line], configuration.files)
            return false
        }
        reload.isUnderWay = true
        reload.next = prepared.generation
        prepared.generation.start(fetching, continuing: generation)
        reload.waiting = prepared
        reload.waited = 0
        awaitKeys()
        return true
    }

    /// What each worker is given; every socket is open then, or none that was not before.
    private func successions(
        to next: Generation, _ slots: MetricsSlots
    ) throws(GatewayFailure) -> [PreparedSuccession] {
        var successions: [PreparedSuccession] = []
        for worker in workers {
            let (index, metrics) = (worker.index, slots.workers[worker.index])
            do throws(GatewayFailure) {
                successions.append(
                    try worker.prepare(
                        next, metrics, from: generation, beside: successions.first, self,
                        onInstalled: { [unowned self] in
                            registry.workerUses(metrics, worker: index)
                            control.execute { [unowned self] in installed() }
                        }))
            } catch {
                for succession in successions { succession.abandon() }
                throw error
            }
        }
        return successions
    }

    private func awaitKeys() {
        guard let prepared = reload.waiting else { return }
        guard prepared.generation.isSettled || reload.waited >= Gateway.settlingTime else {
            let timer = reload.timer ?? LoopTimer(loop: control) { [unowned self] in awaitKeys() }
            reload.timer = timer
            reload.waited += 10
            return timer.arm(milliseconds: 10)
        }
        reload.waiting = nil
        reload.installing = prepared
        reload.workersToInstall = workers.count
        // From here on nobody hands out the keys of the configuration before: they would overwrite those of this one.
        let signing = prepared.generation.assertionKeys
        if generation.assertionKeys !== signing { generation.assertionKeys?.stop() }
        for (worker, succession) in zip(workers, prepared.successions) { worker.install(succession, signing?.keys) }
    }

    /// Gives up the configuration that waits for keys, for the process ends: whoever connects to a listener that it
    /// opened would wait for nothing, and the file of a Unix socket would stay behind.
    func abandonReload() {
        guard let prepared = reload.waiting else { return }
        reload.waiting = nil
        reload.timer?.cancel()
        for succession in prepared.successions { succession.abandon() }
        prepared.generation.retire()
        _ = registry.extend(generation.labels, keeping: older.map(\.labels))
    }

    /// One more worker serves by it; the last of them makes it the one that is served.
    private func installed() {
        reload.workersToInstall -= 1
        guard reload.workersToInstall == 0, let prepared = reload.installing else { return }
        reload.installing = nil
        reload.next = nil
        let configuration = prepared.configuration
        let listenersBefore = settings.listeners
        let before = generation
        serve(by: prepared.generation)
        startAssertionKeys(prepared.generation)
        reload.files = prepared.files
        reload.text = configuration.text
        let isOfFile = configuration.files.contains { $0.path == reload.source?.path }
        if isOfFile { reload.refusedFiles = nil }
        if let refused = reload.refusedFiles {
            // What is served was renewed; that it is not what the file says is as true as before.
            reload.files.addNew(reload.watched(refused, by: settings))
        } else {
            reload.lastFault = nil
        }
        auditApplied(prepared.generation, by: AuditCause(reload.cause), after: before)
        registry.countReload(applied: true, isOfFile: reload.refusedFiles == nil, at: .now())
        operatorLog.write(.info, .reloaded, LogField(.count, Int(prepared.generation.number)))
        sayListening(notBy: listenersBefore)
        if let before { sayLeftBehind(before.settings, settings) }
        warn(configuration.warnings + workers[0].permit(prepared.generation.settings.listeners))
        reload.restartNeeded = settingsOfTheProcess(configuration.settings)
        for setting in reload.restartNeeded {
            operatorLog.write(.warning, .restartNeeded, LogField(.setting, setting))
        }
        finishReload()
    }

    /// Says whose sessions are looked for no longer where they are: those users sign in again.
    private func sayLeftBehind(_ old: GatewaySettings, _ new: GatewaySettings) {
        for login in new.logins {
            guard let before = old.logins.first(where: { $0.name == login.name })?.session else { continue }
            let now = login.session
            if before.readsStore, now.readsStore, let left = old.store, let found = new.store,
                !found.isSameStore(as: left)
            {
                let isWithoutKeys = !found.hasKey(of: left)
                operatorLog.write(
                    .warning, .sessionsLeftBehind,
                    [
                        LogField(.loginClient, login.name),
                        LogField(
                            .expected,
                            isWithoutKeys ? "one of the keys of before, in any place" : "the same servers and prefix"),
                        LogField(
                            .found,
                            isWithoutKeys
                                ? "other keys: users with a session in the store get 503 until it is idle for too long"
                                : "other servers or prefix: users with a session that is not there too sign in again"),
                    ])
            }
            guard before.store != now.store, before.store != .memory, !now.accepts.contains(before.store) else {
                continue
            }
            operatorLog.write(
                .warning, .sessionsLeftBehind,
                [
                    LogField(.loginClient, login.name),
                    LogField(
                        .expected,
                        "accept: [\(before.store)] beside store: \(now.store), until session.absolute is over"),
                    LogField(.found, "none: users with a session in \(before.store) sign in again"),
                ])
        }
    }

    /// What of a configuration holds from the start of the process to its end, and is another now.
    private func settingsOfTheProcess(_ new: GatewaySettings) -> [String] {
        let old = reload.startedWith
        var changed: [String] = []
        if new.workers != old.workers { changed.append("workers") }
        if new.admin.address != old.admin.address { changed.append("admin") }
        if new.log != old.log { changed.append("log") }
        if !new.audit.isSame(as: old.audit) { changed.append("audit") }
        let served = generation.settings.proofs
        if new.proofs.past > served.past || new.proofs.future > served.future
            || new.proofs.nonceLifetime > served.nonceLifetime
        {
            changed.append("dpop")
        }
        if new.proofs.replayBytes != old.proofs.replayBytes { changed.append("dpop.replay_memory") }
        return changed
    }

    /// Goes on as before; another version of a file that was read, or looked for in vain, may be what it takes.
    private func refuseReload(_ problems: [String], _ files: [ReadFile]) {
        reload.files.add(reload.watched(files, by: settings))
        reload.lastFault = problems.first ?? "no configuration"
        reload.faultCount = max(problems.count, 1)
        registry.countReload(applied: false, at: .now())
        audit?.write(
            .configurationRefused,
            [AuditField(.by, AuditCause(reload.cause).rawValue), AuditField(.count, problems.count)])
        for problem in problems.prefix(20) {
            operatorLog.write(.error, .reloadRefused, LogField(.detail, problem), LogField(.count, problems.count))
        }
        finishReload()
    }

    private func finishReload() {
        reload.isUnderWay = false
        reload.endedAt = WorkerClock().wallSeconds()
        service.ready(configuration: generation.number, refusal: reload.lastFault)
        guard reload.isWantedAgain else { return }
        reload.isWantedAgain = false
        reloadRequested(.signal)
    }

    /// No request of this worker refers to an old configuration any more; any thread.
    func workerRetired(_ number: UInt32) {
        control.execute { [unowned self] in
            // The last worker may be done with it before the first one's word that it serves by the next is here.
            guard let old = (older + [generation]).first(where: { $0?.number == number }) else { return }
            old?.workersInUse -= 1
            older.removeAll { $0.workersInUse == 0 }
        }
    }
}
