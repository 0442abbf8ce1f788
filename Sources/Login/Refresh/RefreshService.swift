import HTTPMessage
import Issuers
import Refusals
import Sessions

/// Refreshes sessions, each once however many requests of whichever worker wait for it (RF-01); one for the process.
///
/// A server that rotates refresh tokens takes a second use of one for theft and ends the whole login, so that two
/// requests at the same time would log their user out: who comes while a flight is under way waits for its end, and who
/// comes later with a cookie from before it finds the newer session in the store.
///
///     refresh ─▶ newer in the store? that one
///        │  └──▶ under way? wait for it, 5 s at most
///        │  └──▶ too many of this user's under way? too many
///        ▼
///      flight: look again ─▶ ask the server ─▶ replace in the store ─▶ everyone who waits
///                                 │                   └─ nil: logged out meanwhile, the tokens are given back
///                                 ├─ ended: the session too
///                                 └─ unavailable: nobody asks again before a pause is over
final class RefreshService: Sendable {
    /// What the server made of a refresh.
    enum Answer: Sendable {
        /// The session with its new tokens.
        case session(Session)
        /// It does not refresh this session any more (RF-05, RF-07).
        ///
        /// `tokens` came all the same, and nobody will use them.
        case ended(tokens: Session?, because: RefusalDetail)
        /// Nobody can say: it is down, or takes us for nobody (RF-06).
        case unavailable(retryAfterSeconds: Int?, because: RefusalDetail)
        /// The server was not asked: as many of the user's own wait for it as one may have.
        case tooMany(because: RefusalDetail)
    }

    /// What the service needs of one client.
    struct Client: Sendable {
        /// The login's name, by which its refreshes are the same ones after a reload.
        var name: String
        var store: any SessionStore
        /// Asks the server, which is told of the span; called on the executor, once at a time for one session.
        var ask: @Sendable (Session, TraceParent?) async -> Answer
        /// Tells the operator that somebody has to act: once a minute for one cause.
        var alarm: @Sendable (Refusal, RefusalDetail) -> Void
        /// Ends the session, and tells the operator when that fails.
        var end: @Sendable (Session) async -> Void
        /// Tokens that nobody will use: the session ended while they were fetched (RF-08).
        var discard: @Sendable (Session, TraceParent?) -> Void
    }

    private let flights: RefreshFlights
    private let clients: [Client]
    private let clock: any IssuerClock
    private let executor: any TaskExecutor
    private let onEvent: @Sendable (LoginService.Event) -> Void

    /// A request waits for a refresh that long at most (RF-01).
    static let patienceMilliseconds = 5000

    init(
        clients: [Client], flights: RefreshFlights, clock: any IssuerClock, executor: any TaskExecutor,
        onEvent: @escaping @Sendable (LoginService.Event) -> Void
    ) {
        self.clients = clients
        self.flights = flights
        self.clock = clock
        self.executor = executor
        self.onEvent = onEvent
    }

    /// A service for these clients, whose late tokens go into that queue.
    convenience init(
        _ places: [LoginClient], revocations: RevocationQueue, flights: RefreshFlights, clock: any IssuerClock,
        executor: any TaskExecutor, onEvent: @escaping @Sendable (LoginService.Event) -> Void
    ) {
        self.init(
            clients: places.map { place in
                let ask = AskForRefresh(place)
                return Client(
                    name: place.settings.name, store: place.store, ask: { await ask($0, within: $1) },
                    alarm: { place.alarm($0, $1) },
                    end: { _ = try? await place.end(.session($0)) },
                    discard: { revocations.revoke($0, client: place.index, within: $1) })
            }, flights: flights, clock: clock, executor: executor, onEvent: onEvent)
    }

    /// The session after its refresh, waited for 5 s at most; from any thread.
    func refresh(
        _ session: Session, value: [UInt8], client: Int, within trace: TraceParent? = nil
    ) async -> LoginService.Refreshed {
        guard clients.indices.contains(client) else { return .unavailable }
        if let known = await known(session, value: value, client: client) { return known }
        let key = RefreshFlights.Key(login: clients[client].name, session: session.id)
        return await withCheckedContinuation { continuation in
            switch flights.admit(key, of: ServerUser(session), continuation, at: clock.now().milliseconds) {
            case .wait: break
            case .refuse: continuation.resume(returning: .unavailable)
            case .refuseUser: continuation.resume(returning: .tooMany)
            case .start: start(key, session, value, client, trace)
            }
        }
    }

    /// Nothing is refreshed any more, and whoever waits is told: here, and wherever these flights are shared.
    func stop() { flights.stop() }

    // MARK: before a flight

    /// What the store knows already: that the session was refreshed since the request found it, or that it ended.
    private func known(_ session: Session, value: [UInt8], client: Int) async -> LoginService.Refreshed? {
        let now = clock.now().wallSeconds
        let store = clients[client].store
        let found: Session
        var successor: [UInt8]?
        switch store.lookUp(value, now: now) {
        case .found(let session, successor: let newer): (found, successor) = (session, newer)
        case .none: return .ended
        case .elsewhere:
            do throws(SessionStoreRefusal) {
                guard let loaded = try await store.load(value, now: now) else { return .ended }
                found = loaded
            } catch {
                return .unavailable
            }
        }
        let isNewer = found.generation > session.generation || RefreshRules.refreshAt(found) > now
        return isNewer ? .session(found, value: successor) : nil
    }

    private func start(
        _ key: RefreshFlights.Key, _ session: Session, _ value: [UInt8], _ client: Int, _ trace: TraceParent?
    ) {
        let flight = Task(executorPreference: executor) { await self.fly(key, session, value, client, trace) }
        let timer = Task(executorPreference: executor) {
            // Cancelled when the flight ends in time.
            guard (try? await self.clock.sleep(milliseconds: Self.patienceMilliseconds)) != nil else { return }
            self.flights.giveUp(key)
        }
        if !flights.keep(key, task: flight, timer: timer) { timer.cancel() }
    }

    // MARK: the flight

    private func fly(
        _ key: RefreshFlights.Key, _ session: Session, _ value: [UInt8], _ client: Int, _ trace: TraceParent?
    ) async {
        // Another flight may have ended between this request's look into the store and its turn here.
        if let known = await known(session, value: value, client: client) { return flights.land(key, known) }
        let refreshed: LoginService.Refreshed
        var reason: RefusalDetail?
        switch await clients[client].ask(session, trace) {
        case .session(let session): (refreshed, reason) = await keep(session, value: value, client: client, trace)
        case .ended(let tokens, let detail):
            if let tokens { clients[client].discard(tokens, trace) }
            await end(session, client: client, .refreshRefused, detail)
            (refreshed, reason) = (.ended, detail)
        case .unavailable(let seconds, let detail):
            flights.failed(key, at: clock.now(), retryAfterSeconds: seconds)
            (refreshed, reason) = (.unavailable, detail)
        case .tooMany(let detail): (refreshed, reason) = (.tooMany, detail)
        }
        onEvent(.refreshed(client: client, outcome: refreshed.word, reason))
        flights.land(key, refreshed)
    }

    /// Puts the new tokens in the place of the old ones, before anybody uses them (RF-03); says why where it cannot.
    private func keep(
        _ session: Session, value: [UInt8], client: Int, _ trace: TraceParent?
    ) async -> (LoginService.Refreshed, RefusalDetail?) {
        var session = session
        for pause in [200, 1000, nil] as [Int?] {
            do throws(SessionStoreRefusal) {
                let store = clients[client].store
                guard let newer = try await store.replace(value, by: session, now: clock.now().wallSeconds) else {
                    // RF-08: logged out meanwhile. What came too late must not outlive it.
                    clients[client].discard(session, trace)
                    return (
                        .ended,
                        RefusalDetail(
                            expected: "a session to keep the new tokens in",
                            found: "one that was ended while it was refreshed", check: "RF-08")
                    )
                }
                return (.session(session, value: newer == value ? nil : newer), nil)
            } catch .tooLarge(let bytes, let limit, let parts) where session.idToken == nil {
                // The old tokens may be spent already: nothing is left to go on with.
                let detail = RefusalDetail(
                    expected: "a session of \(limit) bytes at most",
                    found: "\(bytes) bytes: " + parts.joined(separator: ", "), check: "SC-07")
                clients[client].alarm(.loginSessionTooLarge, detail)
                clients[client].discard(session, trace)
                await end(session, client: client, .tooLarge, detail)
                return (.ended, detail)
            } catch .tooLarge {
                // Worth less than the session: a logout at the server then asks the user whom to log out.
                session.idToken = nil
            } catch {
                guard let pause else { break }
                try? await clock.sleep(milliseconds: pause)
            }
        }
        return (
            .unavailable,
            RefusalDetail(
                expected: "a store that keeps the new tokens", found: "one that could not be written three times",
                check: "SC-13")
        )
    }

    private func end(_ session: Session, client: Int, _ signal: SessionSignal, _ detail: RefusalDetail) async {
        // Where even that fails, the session goes on without a token that anybody takes, until its own limits.
        await clients[client].end(session)
        onEvent(.audited(client: client, LoginAudit(.ended(signal, check: detail.check), of: session)))
        onEvent(.sessionsEnded)
    }
}

extension LoginService.Refreshed {
    /// The outcome's word for metrics.
    var word: String {
        switch self {
        case .session: "refreshed"
        case .ended: "ended"
        case .unavailable, .tooMany: "unavailable"
        }
    }
}
