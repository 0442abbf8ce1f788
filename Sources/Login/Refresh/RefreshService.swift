import Bytes
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
///      flight: look again ─▶ its turn ─▶ ask the server ─▶ replace in the store ─▶ everyone who waits
///                               │             │                   ├─ gone: logged out meanwhile, tokens are given back
///                               │             │                   └─ no answer: used here, and tried again (SH-34)
///                               │             ├─ unconfirmed: kept, and nobody served by it before its user is named
///                               │             ├─ ended: the session too
///                               │             └─ unavailable: nobody asks again before a pause is over
///                               └─ another process's: what that one brought
final class RefreshService: Sendable {
    /// What the server made of a refresh.
    enum Answer: Sendable {
        /// The session with its new tokens.
        case session(Session)
        /// The session with its new tokens, of which nobody says now whose they are (OIDC-20).
        case unconfirmed(Session, retryAfterSeconds: Int?, because: RefusalDetail)
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
        /// How long a session lives without use.
        var idleSeconds: Int64 = 1800
        /// Upstreams are shown its sessions' ID tokens.
        var showsIDToken = false
        /// Endpoints that are asked once there are new tokens.
        var questions = 0

        /// As long as asking may take, with a second attempt where there was no connection, another one for the server's
        /// nonce, what is asked afterwards, and two seconds (SH-30).
        func leaseMilliseconds(_ session: Session) -> Int64 {
            let attempts = (2 + questions) * (session.proofKey == nil ? 1 : 2)
            return Int64(LoginClient.timeoutMilliseconds * attempts + 2000)
        }
    }

    let flights: RefreshFlights
    let clients: [Client]
    let clock: any IssuerClock
    private let executor: any TaskExecutor
    let onEvent: @Sendable (LoginService.Event) -> Void

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
                    discard: { revocations.revoke($0, client: place.index, within: $1) },
                    idleSeconds: Int64(place.settings.session.idle.wholeSeconds),
                    showsIDToken: place.settings.session.needsIDToken,
                    questions: UserEndpointQuestion.count(place.settings.identityFrom))
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
            let admission = flights.admit(
                key, of: ServerUser(session), amongLogins: clients.count, continuation, at: clock.now().milliseconds)
            switch admission {
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
                // A session that has moved has another cookie by now.
                if case .found(_, let newer) = store.lookUp(value, now: now) { successor = newer }
            } catch {
                return .unavailable
            }
        }
        let isNewer =
            found.generation > session.generation
            || RefreshRules.refreshAt(found, showsIDToken: clients[client].showsIDToken) > now
        return isNewer ? LoginService.Refreshed(found, value: successor) : nil
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
        let lease: RefreshLease
        switch await turn(key, session, value, client) {
        case .taken(let taken): lease = taken
        case .decided(let refreshed): return flights.land(key, refreshed)
        }
        let store = clients[client].store
        let refreshed: LoginService.Refreshed
        var reason: RefusalDetail?
        switch await clients[client].ask(session, trace) {
        case .session(let session):
            switch await keep(session, value: value, client: client, under: lease, trace) {
            case .decided(let decided, let detail): (refreshed, reason) = (decided, detail)
            case .held(let held):
                onEvent(.refreshed(client: client, outcome: LoginService.Refreshed.session(held, value: nil).word))
                flights.land(key, .session(held, value: nil))
                return await keepOn(held, value: value, client: client, under: lease, trace)
            }
        case .unconfirmed(let session, let seconds, let detail):
            _ = flights.failed(key, at: clock.now(), retryAfterSeconds: seconds)
            // The tokens before are spent, so that these are kept, though nobody is served by them yet.
            switch await keep(session, value: value, client: client, under: lease, trace) {
            case .decided(.ended, let why): (refreshed, reason) = (.ended, why)
            case .decided: (refreshed, reason) = (.unavailable, detail)
            case .held(let held):
                onEvent(.refreshed(client: client, outcome: LoginService.Refreshed.unavailable.word, detail))
                flights.land(key, .unavailable)
                return await keepOn(held, value: value, client: client, under: lease, trace)
            }
        case .ended(let tokens, let detail):
            if let tokens { clients[client].discard(tokens, trace) }
            await end(session, client: client, .refreshRefused, detail)
            (refreshed, reason) = (.ended, detail)
        case .unavailable(let seconds, let detail):
            let pause = flights.failed(key, at: clock.now(), retryAfterSeconds: seconds)
            await store.putBack(session, lease, pauseMilliseconds: pause)
            (refreshed, reason) = (.unavailable, detail)
        case .tooMany(let detail):
            // This process's own matter: another one may ask at once.
            await store.putBack(session, lease, pauseMilliseconds: 0)
            (refreshed, reason) = (.tooMany, detail)
        }
        onEvent(.refreshed(client: client, outcome: refreshed.word, reason))
        flights.land(key, refreshed)
    }
}

extension LoginService.Refreshed {
    /// A session that somebody has refreshed: nobody is served by it before it is known whose its tokens are (OIDC-20).
    init(_ session: Session, value: [UInt8]?) {
        self = session.isConfirmed ? .session(session, value: value) : .unavailable
    }

    /// The outcome's word for metrics.
    var word: String {
        switch self {
        case .session: "refreshed"
        case .ended: "ended"
        case .unavailable, .tooMany: "unavailable"
        }
    }
}
