import Access
import Crypto
import EventLoop
import Fetch
import HTTPMessage
import Issuers
import Login
import OAuth
import Sessions
import StoreClient
import Telemetry

/// One configuration with everything that works by it beside the workers: issuers' keys, lookups, logins.
///
/// Prepared whole before any worker sees it, and kept until no request refers to it (OPS-07). Its issuers, lookups and
/// logins live on the first worker's loop; what they find is told to those workers that serve by it.
///
/// `@unchecked Sendable`: `start` sets what it has to ask, on the control loop and before anybody asks. Workers are started,
/// or are given the configuration through their loops' inboxes, after that, and the directory begins as the last thing
/// `start` does. Nothing of it is set again, and each service may be asked from any thread.
final class Generation: @unchecked Sendable {
    let number: UInt32
    let settings: GatewaySettings
    let resources: SharedResources
    let labels: MetricsLabels
    let assertionKeys: AssertionKeyRotation?
    private let certificates: [ServingReadings.Certificate]
    /// What its keys are, for the audit log; nil without one.
    let keyPrints: KeyPrints?
    /// Workers some request of which may still refer to it; touched by the control loop alone.
    var workersInUse: Int
    private unowned let gateway: Gateway
    // Set once, by `start`.
    private var directory: IssuerDirectory?
    private var introspections: IntrospectionService?
    private var exchanges: TokenExchangeService?
    /// What answers logins; in a configuration without any that of the one before: it may have tokens to give back, and
    /// logins that come again must not have forgotten which sessions ended.
    private var service: LoginService?
    private var logins: LoginDispatcher?
    /// The last minute, since 1970, in which sessions that are over were looked for; touched by the control loop alone.
    private var sweptMinute = Int64.min

    /// Reads every file and makes everything that can fail; what lives longer than a configuration is the `previous`
    /// one's.
    init(
        _ number: UInt32, _ settings: GatewaySettings, _ labels: MetricsLabels, metricsSlots: [Int],
        _ gateway: Gateway, continuing previous: Generation?
    ) throws(GatewayFailure) {
        self.number = number
        self.settings = settings
        self.labels = labels
        self.gateway = gateway
        workersInUse = settings.workers
        resources = try SharedResources(
            settings, operatorLog: gateway.operatorLog, audit: gateway.audit, metricsSlots: metricsSlots,
            continuing: previous?.resources, storeCaller: StoreCallers(gateway.storeCallers),
            storeFigures: gateway.storeReports.figures)
        if let kept = previous?.assertionKeys, kept.serves(settings) {
            assertionKeys = kept
        } else {
            assertionKeys = try AssertionKeyRotation(
                settings, loop: gateway.control, operatorLog: gateway.operatorLog, audit: gateway.audit)
        }
        certificates = ServingReadings.Certificate.shown(by: settings)
        keyPrints = gateway.audit.map { _ in KeyPrints(settings) }
        resources.decisions?.adopt(settings, as: number)
    }

    // MARK: asked by workers, from any thread

    /// A worker met an unknown key or has no keys.
    func requestKeys(issuer: Int, for client: AskingClient, within trace: TraceParent?) {
        directory?.requestRefresh(issuer: issuer, by: KeyRequester(.accessToken, for: client), within: trace)
    }

    /// An issuer's keys as they are now.
    func keys(of issuer: Int) -> IssuerKeys? { directory?.keys(of: issuer) }

    /// A worker has a token that only its issuer can judge or exchange.
    func ask(
        _ question: Question, token: [UInt8], digest: SHA256Digest, client: AskingClient, worker: Int,
        within trace: TraceParent?
    ) {
        switch question {
        case .introspection(let issuer, let isVouchedFor):
            introspections?.ask(
                issuer: issuer, token: token, digest: digest, worker: worker, client: client,
                isVouchedFor: isVouchedFor, within: trace)
        case .exchange(let rule, let expiresAt):
            exchanges?.ask(
                rule: rule, token: token, expiresAt: expiresAt, digest: digest, worker: worker, client: client,
                within: trace)
        }
    }

    /// A worker wants the answer to a login's request.
    func askLogin(_ request: LoginRequest, ticket: UInt64, worker: Int) {
        logins?.ask(request, ticket: ticket, worker: worker)
    }

    /// A worker has a session that must be loaded or refreshed.
    func askSession(login: Int, value: [UInt8], digest: SHA256Digest, worker: Int, within trace: TraceParent?) {
        logins?.ask(login: login, value: value, digest: digest, worker: worker, within: trace)
    }

    // MARK: on the control loop

    /// Where the sessions of each login are.
    var stores: [any SessionStore] { logins?.stores ?? [] }

    /// What the metrics page shows of this configuration that is not counted.
    var readings: ServingReadings {
        var readings = ServingReadings()
        readings.certificates = certificates
        for (login, store) in zip(settings.logins, stores) {
            if let count = store.alive { readings.sessions.append((client: login.name, count: count)) }
        }
        return readings
    }

    /// How every issuer is doing, by name.
    var issuerStatuses: [(name: String, status: IssuerStatus)] {
        settings.issuers.enumerated().map { index, issuer in
            (issuer.name, directory?.status(of: index) ?? IssuerStatus())
        }
    }

    /// Whether every issuer's keys are at hand, or were tried for in vain.
    var isSettled: Bool {
        settings.issuers.indices.allSatisfy { directory?.isSettled($0) ?? true }
    }

    /// Begins to read issuers' keys, and makes logins ready.
    func start(_ fetching: any Fetching, continuing previous: Generation?) {
        service = previous?.service
        guard !settings.issuers.isEmpty, let loop = gateway.workers.first?.loop else { return }
        let clock = LoopClock(loop: loop)
        let waiters = RefreshWaiters(issuers: settings.issuers.count)
        let reports = IssuerReports(
            settings.issuers, gateway.operatorLog, gateway.registry.issuers, audit: gateway.audit)
        let directory = directory(fetching, clock, loop, waiters, reports, continuing: previous?.directory)
        self.directory = directory
        startLookups(directory, fetching, clock, loop, reports)
        startLogins(directory, fetching, clock, loop, waiters, continuing: previous?.service)
        directory.start()
    }

    /// Reads nothing any more and asks nobody; what logins are being answered goes on to its end.
    func retire() {
        introspections?.stop()
        exchanges?.stop()
        directory?.stop()
    }

    /// Ends everything; `end` follows when revocations that are left are done, in so many milliseconds at most.
    func stop(within milliseconds: Int, then end: @escaping @Sendable () -> Void) {
        retire()
        guard let service, let loop = gateway.workers.first?.loop else { return end() }
        Task(executorPreference: loop) {
            await service.stop(within: milliseconds)
            end()
        }
    }

    /// Has the store asked about what is open, once a second, and gives back what sessions that are over took, once a minute.
    ///
    /// Called once a second, or a little later.
    func sweep(now: Int64) {
        guard let service else { return }
        if service.stores.contains(where: \.isElsewhere) {
            for worker in gateway.workers { worker.recheckStreams() }
        }
        guard now / 60 != sweptMinute else { return }
        sweptMinute = now / 60
        service.sweep(now: now)
    }

    private func directory(
        _ fetching: any Fetching, _ clock: LoopClock, _ loop: EventLoop, _ waiters: RefreshWaiters,
        _ reports: IssuerReports, continuing previous: IssuerDirectory?
    ) -> IssuerDirectory {
        IssuerDirectory(
            settings: settings.issuers, fetching: fetching, clock: clock, executor: loop,
            listeners: IssuerDirectory.Listeners(
                onChange: { [weak self] issuer, keys in
                    self?.tell { $0.keysArrived(keys, issuer: issuer) }
                    reports.changed(issuer, keys)
                },
                onRefreshEnded: { [weak self] issuer in
                    self?.tell { $0.refreshEnded(issuer: issuer) }
                    waiters.end(issuer)
                },
                onRefreshRefused: { [weak self] issuer, who in
                    if who.asker == .accessToken { self?.tell { $0.refreshRefused(issuer: issuer, of: who.client) } }
                    waiters.end(issuer, as: who)
                },
                onMetadata: { [weak self] issuer in
                    self?.tell { $0.metadataRead(issuer: issuer) }
                    self?.judgeMetadata(of: issuer, reports)
                },
                onEvent: { issuer, event in reports.report(issuer, event) }),
            continuing: previous)
    }

    /// What clients of an issuer want of it and do not get is told when its metadata is read, not to the first user.
    private func judgeMetadata(of issuer: Int, _ reports: IssuerReports) {
        guard let metadata = directory?.metadata(of: issuer) else { return }
        reports.judge(metadata, of: issuer, settings.clients, exchangers: resources.tables.exchanges.map(\.client))
        guard settings.logins.contains(where: { settings.clients[$0.client].issuer == issuer }) else { return }
        service?.metadataRead(issuer: issuer)
    }

    private func startLookups(
        _ directory: IssuerDirectory, _ fetching: any Fetching, _ clock: LoopClock, _ loop: EventLoop,
        _ reports: IssuerReports
    ) {
        let signing = gateway.signing
        var environment = LookupEnvironment(fetching: fetching, clock: clock, executor: loop)
        environment.slowWork = SlowWork { await signing.run($0, client: $1, $2) }
        environment.bounds = LookupBounds(perClient: settings.limits.shares.lookups)
        introspections = IntrospectionService(
            settings: settings.issuers, clients: settings.clients, environment: environment,
            sources: IntrospectionService.Sources(directory), failures: resources.failures,
            onAnswer: { [weak self] answer in
                self?.tell(answer.workers) { $0.introspectionAnswered(answer) }
            }, onEvent: { issuer, event in reports.report(issuer, event) })
        exchanges = TokenExchangeService(
            rules: resources.tables.exchanges, settings: settings.issuers, clients: settings.clients,
            environment: environment, metadata: { directory.metadata(of: $0) },
            onAnswer: { [weak self] answer in
                self?.tell(answer.workers) { $0.exchangeAnswered(answer) }
            }, onEvent: { issuer, event in reports.report(issuer, event) })
    }

    private func startLogins(
        _ directory: IssuerDirectory, _ fetching: any Fetching, _ clock: LoopClock, _ loop: EventLoop,
        _ waiters: RefreshWaiters, continuing previous: LoginService?
    ) {
        guard !settings.logins.isEmpty else { return }
        let reports = LoginReports(
            logins: settings.logins, log: gateway.operatorLog, metrics: gateway.registry.logins, audit: gateway.audit)
        var logins = settings.logins
        for index in logins.indices {
            logins[index].uses.stepUps = StepUps.all(of: index, in: settings.routes)
            logins[index].session.notesExpired = gateway.audit != nil
        }
        let (workers, signing, storeReports) = (gateway.workers, gateway.signing, gateway.storeReports)
        let service = LoginService(
            settings: logins, clients: settings.clients, issuers: settings.issuers,
            environment: LoginService.Environment(
                fetching: fetching, clock: clock, executor: loop,
                sources: LoginService.Sources(
                    metadata: { directory.metadata(of: $0) }, keys: { directory.keys(of: $0) },
                    hasFailedToReadKeys: { directory.hasFailedToReadKeys(of: $0) },
                    refresh: { issuer, who, trace in
                        await waiters.wait(for: issuer, as: who) {
                            directory.requestRefresh(issuer: issuer, by: who, within: trace)
                        }
                    }, workBeside: { await signing.run($0, client: $1, $2) }),
                store: resources.store?.store,
                onEvent: { event in
                    reports.report(event)
                    // Whichever configuration a stream began by.
                    if case .sessionTampered = event { storeReports.countTampering() }
                    if case .sessionsEnded = event { for worker in workers { worker.endStreams() } }
                }), continuing: previous)
        self.service = service
        self.logins = LoginDispatcher(
            service, logins: settings.logins, loop: loop, reports: reports,
            // Named by its ticket, whichever configuration the worker serves by now: a code was spent for it.
            onLoginAnswer: { worker, ticket, answer in
                workers[worker].tell { $0.loginAnswered(answer, ticket: ticket) }
            },
            onSessionAnswer: { [weak self] worker, answer in self?.tell([worker]) { $0.sessionAnswered(answer) } })
    }

    /// Tells the workers that serve by this configuration: to the others its numbers mean something else.
    private func tell(_ work: @escaping @Sendable (WorkerRef) -> Void) {
        for worker in gateway.workers { worker.tell(number, work) }
    }

    private func tell(_ workers: some Sequence<Int>, _ work: @escaping @Sendable (WorkerRef) -> Void) {
        for worker in workers { gateway.workers[worker].tell(number, work) }
    }
}

extension WorkerContext {
    /// What a worker of the gateway is given for one configuration.
    init(
        _ gateway: Gateway, _ generation: Generation, worker index: Int, metrics: WorkerMetrics,
        log: UnsafeMutablePointer<LogWriter>?, spans: UnsafeMutablePointer<SpanWriter>
    ) {
        self.generation = generation.number
        self.worker = index
        self.metrics = metrics
        self.log = log
        self.spans = spans
        storeReports = gateway.storeReports
        storeCaller = gateway.storeCallers[index]
        requestKeys = { issuer, client, trace in
            generation.requestKeys(issuer: issuer, for: client, within: trace)
        }
        ask = { question, token, digest, client, trace in
            generation.ask(question, token: token, digest: digest, client: client, worker: index, within: trace)
        }
        onDrained = { [unowned gateway] in gateway.workerDrained() }
        onEarlyClientsGone = { [unowned gateway] in gateway.earlyClientsGone() }
        onBurstOver = { [unowned gateway] in gateway.burstOver() }
        onRetired = { [unowned gateway] number in gateway.workerRetired(number) }
        askLogin = { request, ticket in generation.askLogin(request, ticket: ticket, worker: index) }
        askSession = { login, value, digest, trace in
            generation.askSession(login: login, value: value, digest: digest, worker: index, within: trace)
        }
    }
}

extension MetricsLabels {
    /// Two upstreams that differ in their certificates alone have one name, and are counted as one.
    private static func upstreams(of settings: GatewaySettings) -> [String] {
        var known: Set<String> = []
        return settings.routes.filter { $0.answer == nil }.map(\.upstream.name).filter { known.insert($0).inserted }
    }

    /// Every label value that a configuration can lead to.
    init(_ settings: GatewaySettings) {
        self.init(
            routes: settings.routes.map(\.name),
            causes: Refusal.allCases.map { RefusalLabel(cause: "\($0.word)", blame: $0.blame.rawValue) },
            algorithms: SignatureNames.all, issuers: settings.issuers.map(\.name),
            logins: settings.logins.map(\.name), upstreams: MetricsLabels.upstreams(of: settings))
    }
}
