import Access
import Crypto
import EventLoop
import HTTPMessage
import Issuers
import Login
import OAuth
import Sessions
import Synchronization
import Telemetry

/// The way from workers to the service that answers logins, and back; lives on the first worker's loop.
final class LoginDispatcher: Sendable {
    private let service: LoginService
    private let logins: [LoginSettings]
    private let loop: EventLoop
    private let reports: LoginReports
    private let onLoginAnswer: @Sendable (_ worker: Int, _ ticket: UInt64, LoginAnswer) -> Void
    private let onSessionAnswer: @Sendable (_ worker: Int, SessionAnswer) -> Void

    init(
        _ service: LoginService, logins: [LoginSettings], loop: EventLoop, reports: LoginReports,
        onLoginAnswer: @escaping @Sendable (_ worker: Int, _ ticket: UInt64, LoginAnswer) -> Void,
        onSessionAnswer: @escaping @Sendable (_ worker: Int, SessionAnswer) -> Void
    ) {
        self.service = service
        self.logins = logins
        self.loop = loop
        self.reports = reports
        self.onLoginAnswer = onLoginAnswer
        self.onSessionAnswer = onSessionAnswer
    }

    /// Where the sessions of each login are.
    var stores: [any SessionStore] { service.stores }

    /// From any thread; an answer follows in every case.
    func ask(_ request: LoginRequest, ticket: UInt64, worker: Int) {
        Task(executorPreference: loop) {
            let answer = await self.service.answer(request)
            self.reports.count(answer, to: request.endpoint)
            self.onLoginAnswer(worker, ticket, answer)
        }
    }

    /// Loads a session, and refreshes it where that is due; from any thread, an answer follows in every case.
    func ask(login: Int, value: [UInt8], digest: SHA256Digest, worker: Int, within trace: TraceParent?) {
        Task(executorPreference: loop) {
            let result = await self.session(login: login, value: value, within: trace)
            self.onSessionAnswer(worker, SessionAnswer(login: login, digest: digest, value: value, result: result))
        }
    }

    private func session(
        login: Int, value: [UInt8], within trace: TraceParent?
    ) async -> LoginService.Refreshed {
        let now = WorkerClock().wallSeconds()
        let store = service.stores[login]
        let session: Session
        var successor: [UInt8]?
        switch store.lookUp(value, now: now) {
        case .found(let found, let newer):
            session = found
            successor = newer
        case .none: return .ended
        case .elsewhere:
            do throws(SessionStoreRefusal) {
                guard let loaded = try await store.load(value, now: now) else { return .ended }
                session = loaded
                // A session that has moved has another cookie by now.
                if case .found(_, let newer) = store.lookUp(value, now: now) { successor = newer }
            } catch {
                return .unavailable
            }
        }
        let settings = logins[login]
        guard settings.refreshes || !session.isConfirmed,
            RefreshRules.refreshAt(session, showsIDToken: settings.session.needsIDToken) <= now
        else {
            return .session(session, value: successor)
        }
        return await service.refresh(session, value: successor ?? value, client: login, within: trace)
    }
}

/// Those who wait until an issuer's keys were read once more.
final class RefreshWaiters: Sendable {
    private struct Waiter {
        let who: KeyRequester
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let waiting: Mutex<[[Waiter]]>

    init(issuers: Int) { waiting = Mutex(Array(repeating: [], count: issuers)) }

    /// Asks, and waits until `end` is said of this issuer; whoever is asked says it in every case.
    ///
    /// False when there was no reading for `who`.
    @discardableResult
    func wait(for issuer: Int, as who: KeyRequester, asking ask: @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0[issuer].append(Waiter(who: who, continuation: continuation)) }
            ask()
        }
    }

    /// A reading has ended, for everybody; or there is none, for those who asked as `who`.
    ///
    /// A stranger who asks too soon does not send a login on that waits for the reading it will get.
    func end(_ issuer: Int, as who: KeyRequester? = nil) {
        let ended = waiting.withLock { waiting in
            let ended = waiting[issuer].filter { who == nil || $0.who == who }
            waiting[issuer].removeAll { who == nil || $0.who == who }
            return ended
        }
        for waiter in ended { waiter.continuation.resume(returning: who == nil) }
    }
}

/// Turns what happens to logins into lines of the operator's log, and numbers; called on the logins' loop.
struct LoginReports: Sendable {
    let logins: [LoginSettings]
    let log: OperatorLog
    let metrics: LoginMetrics
    private let audit: Auditor?
    private let paces = LoginLineRateLimits()

    init(logins: [LoginSettings], log: OperatorLog, metrics: LoginMetrics, audit: Auditor? = nil) {
        self.audit = audit
        self.logins = logins
        self.log = log
        self.metrics = metrics
    }

    /// A login that is refused has no event of its own: its answer says so.
    func count(_ answer: LoginAnswer, to endpoint: LoginRequest.Endpoint) {
        guard case .refused(let refusal, _) = answer.content else { return }
        switch endpoint {
        case .start(let client), .callback(let client):
            if logins.indices.contains(client) { metrics.countRefusal(client: client, cause: Int(refusal.rawValue)) }
        case .logout, .loggedOut, .session, .backchannelLogout, .frontchannelLogout, .requestObject: break
        }
    }

    func report(_ event: LoginService.Event) {
        switch event {
        case .started(let client, let names):
            metrics.countStart(client: client)
            log.write(.debug, .loginStarted, [name(client)] + Self.fields(names))
        case .loggedIn(let client, let note):
            metrics.countSuccess(client: client)
            log.write(
                .info, .loggedIn,
                [name(client)] + Self.fields(note.names) + [
                    LogField(.client, note.peer), LogField(.subjectDigest, Self.digits(note.subjectDigest)),
                    session(note.session),
                ])
        case .loggedOut(let client, let names, let reference):
            metrics.countLogout(client: client)
            log.write(
                .info, .loggedOut, [name(client)] + Self.fields(names) + (reference.map { [session($0)] } ?? []))
        case .refreshed(let client, let outcome, let detail):
            if let outcome = LoginMetrics.Refresh(rawValue: outcome) { metrics.count(client: client, outcome) }
            let fields = [name(client), LogField(.outcome, outcome)] + (detail.map(Self.fields) ?? [])
            // What the server said is of that session alone; that nobody could be asked is said of all.
            guard outcome == "unavailable" else { return log.write(.info, .sessionRefreshed, fields) }
            warn(client, .sessionRefreshed, outcome, fields)
        case .alarm(let client, let refusal, let detail):
            var setting: [LogField] = []
            if let key = LoginKey.key(behind: refusal, detail.check), logins.indices.contains(client) {
                setting = [LogField(.setting, "clients.\(logins[client].name).\(key)")]
            }
            log.write(
                .error, .loginAlarm,
                [name(client), LogField(.cause, "\(refusal.word)")] + Self.fields(detail) + setting)
        case .revocationFailed(let client, let reason):
            warn(client, .revocationFailed, reason, [name(client), LogField(.reason, reason)])
        // Counted with the store; the alarm tells of it.
        case .sessionsEnded, .sessionTampered: break
        case .audited(let client, let event):
            if let audit, logins.indices.contains(client) { event.write(to: audit, logins[client]) }
        }
    }

    /// Tells the operator, so often of one word at one login and no more.
    private func warn(_ client: Int, _ event: LogEvent, _ word: String, _ fields: [LogField]) {
        guard log.writes(.warning),
            let suppressed = paces.admit(client: client, event, word, at: WorkerClock().microseconds())
        else { return }
        log.write(.warning, event, fields.with(suppressed: suppressed))
    }

    private static func fields(_ names: RequestNames) -> [LogField] {
        [
            (LogFieldName.requestID, names.requestID), (.decisionID, names.decisionID),
            (.proxyRequestID, names.proxyRequestID), (.traceID, names.traceID),
        ].filter { !$0.1.isEmpty }.map { LogField($0.0, $0.1) }
    }

    private static func fields(_ detail: RefusalDetail) -> [LogField] {
        [LogField(.check, detail.check), LogField(.expected, detail.expected), LogField(.found, detail.found)]
    }

    private func session(_ reference: UInt64) -> LogField { LogField(.session, Self.digits(reference)) }

    /// Half of a digest's 64 bits, as the access log shows them.
    static func digits(_ bits: UInt64) -> String {
        let text = String(bits >> 32, radix: 16)
        return String(repeating: "0", count: 8 - text.utf8.count) + text
    }

    private func name(_ client: Int) -> LogField {
        LogField(.loginClient, logins.indices.contains(client) ? logins[client].name : "")
    }
}
