// SPDX-License-Identifier: Apache-2.0
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
final class LoginDoor: Sendable {
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
    func ask(login: Int, value: [UInt8], digest: SHA256Digest, worker: Int) {
        Task(executorPreference: loop) {
            let result = await self.session(login: login, value: value)
            self.onSessionAnswer(worker, SessionAnswer(login: login, digest: digest, value: value, result: result))
        }
    }

    private func session(login: Int, value: [UInt8]) async -> LoginService.Refreshed {
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
            } catch {
                return .unavailable
            }
        }
        guard logins[login].refreshes, RefreshRules.refreshAt(session) <= now else {
            return .session(session, value: successor)
        }
        return await service.refresh(session, value: successor ?? value, client: login)
    }
}

/// Those who wait until an issuer's keys were read once more.
final class RefreshWaiters: Sendable {
    private let waiting: Mutex<[[CheckedContinuation<Void, Never>]]>

    init(issuers: Int) { waiting = Mutex(Array(repeating: [], count: issuers)) }

    /// Asks, and waits until `end` is said of this issuer; whoever is asked says it in every case.
    func wait(for issuer: Int, asking ask: @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0[issuer].append(continuation) }
            ask()
        }
    }

    func end(_ issuer: Int) {
        let ended = waiting.withLock { waiting in
            defer { waiting[issuer] = [] }
            return waiting[issuer]
        }
        for continuation in ended { continuation.resume() }
    }
}

/// Turns what happens to logins into lines of the operator's log, and numbers; called on the logins' loop.
struct LoginReports: Sendable {
    let logins: [LoginSettings]
    let log: OperatorLog
    let metrics: LoginMetrics

    /// A login that is refused has no event of its own: its answer says so.
    func count(_ answer: LoginAnswer, to endpoint: LoginRequest.Endpoint) {
        guard case .refused = answer.content else { return }
        switch endpoint {
        case .start(let client), .callback(let client):
            if logins.indices.contains(client) { metrics.count(client: client, .refused) }
        case .logout, .loggedOut, .session, .backchannelLogout, .frontchannelLogout, .requestObject: break
        }
    }

    func report(_ event: LoginService.Event) {
        switch event {
        case .loggedIn(let client):
            metrics.count(client: client, LoginMetrics.Login.succeeded)
            log.write(.info, .loggedIn, name(client))
        case .loggedOut(let client):
            metrics.countLogout(client: client)
            log.write(.info, .loggedOut, name(client))
        case .refreshed(let client, let outcome):
            if let outcome = LoginMetrics.Refresh(rawValue: outcome) { metrics.count(client: client, outcome) }
            log.write(
                outcome == "unavailable" ? .warning : .info, .sessionRefreshed, name(client),
                LogField(.outcome, outcome))
        case .alarm(let client, let refusal, let detail):
            log.write(
                .error, .loginAlarm, name(client), LogField(.cause, "\(Refusal(refusal).word)"),
                LogField(.check, detail.check), LogField(.expected, detail.expected), LogField(.found, detail.found))
        case .revocationFailed(let client, let reason):
            log.write(.warning, .revocationFailed, name(client), LogField(.reason, reason))
        case .sessionsEnded: break
        }
    }

    private func name(_ client: Int) -> LogField {
        LogField(.loginClient, logins.indices.contains(client) ? logins[client].name : "")
    }
}
