import Crypto
package import HTTPMessage
package import Issuers
package import JOSE
package import OAuth
package import Refusals
package import Sessions
package import SharedState

/// Logins, refreshes and logouts of all login clients; one for the whole process.
///
/// Requests come as values and answers go as values: whoever has the sockets carries them. Works on one executor, from
/// which it reports; the functions may be called from any thread.
///
///     start ─▶ push (PAR) ─▶ 303 to the server … callback ─▶ exchange ─▶ ID token ─▶ session ─▶ 303 back
///
/// A reloaded configuration gets a service of its own that continues this one; this one goes on answering what it was
/// asked, its answers are as good as before, and whoever has no more use for it lets it go.
package final class LoginService: Sendable {
    /// Where the service looks things up; every closure gets the issuer's index.
    package struct Sources: Sendable {
        package var metadata: @Sendable (Int) -> ServerMetadata?
        package var keys: @Sendable (Int) -> IssuerKeys?
        /// Whether the last attempt to read the issuer's keys came to nothing.
        package var hasFailedToReadKeys: @Sendable (Int) -> Bool
        /// Waits until the issuer's keys and metadata were read once more, or that failed; false, at once, where
        /// none is left to whoever asks.
        ///
        /// The issuer is told of the span, where there is one.
        package var refresh: @Sendable (Int, KeyRequester, TraceParent?) async -> Bool
        /// Does what takes a millisecond or more beside the executor; says why nothing was done when too much waits.
        package var workBeside: SlowWork.Beside

        package init(
            metadata: @escaping @Sendable (Int) -> ServerMetadata?, keys: @escaping @Sendable (Int) -> IssuerKeys?,
            hasFailedToReadKeys: @escaping @Sendable (Int) -> Bool,
            refresh: @escaping @Sendable (Int, KeyRequester, TraceParent?) async -> Bool,
            workBeside: @escaping SlowWork.Beside = { _, _, work in
                work()
                return nil
            }
        ) {
            self.metadata = metadata
            self.keys = keys
            self.hasFailedToReadKeys = hasFailedToReadKeys
            self.refresh = refresh
            self.workBeside = workBeside
        }
    }

    /// What the service works with.
    package struct Environment: Sendable {
        package let fetching: any Fetching
        package let clock: any IssuerClock
        /// Where the service works, and from where it reports.
        package let executor: any TaskExecutor
        package let sources: Sources
        /// What replicas have in common; nil: nothing.
        package let store: SharedStore?
        package let onEvent: @Sendable (Event) -> Void

        package init(
            fetching: any Fetching, clock: any IssuerClock, executor: any TaskExecutor, sources: Sources,
            store: SharedStore? = nil, onEvent: @escaping @Sendable (Event) -> Void
        ) {
            self.fetching = fetching
            self.clock = clock
            self.executor = executor
            self.sources = sources
            self.store = store
            self.onEvent = onEvent
        }
    }

    /// What a refresh came to.
    package enum Refreshed: Sendable {
        /// The session as it is now; `value` is its cookie's, where the browser is to get another.
        case session(Session, value: [UInt8]?)
        /// The session is over: the server does not refresh it any more, or it was ended (RF-05, RF-07).
        case ended
        /// Nobody can say; a token that is still valid may be used until it expires (RF-06).
        case unavailable
        /// Nobody was asked: the user has so many refreshes under way that another one would take others' place (OPS-05).
        case tooMany
    }

    /// What the operator is told beside the answers.
    package enum Event: Sendable {
        /// A browser was sent to the server; whether it comes back is seen by comparing (OPS-03).
        case started(client: Int, RequestNames)
        case loggedIn(client: Int, LoginNote)
        /// `session` is the reference of the one that ended, where one is known.
        case loggedOut(client: Int, RequestNames, session: UInt64? = nil)
        /// A refresh, and how it ended: `refreshed`, `ended`, `unavailable`; why, where it brought no tokens.
        case refreshed(client: Int, outcome: String, RefusalDetail? = nil)
        /// The server does not take us for the client, or ours for its request: somebody has to act (CA-15, PAR-05).
        case alarm(client: Int, Refusal, detail: RefusalDetail)
        /// A session in the shared store was not what a gateway had written (SH-53).
        case sessionTampered(client: Int)
        /// Tokens could not be revoked, even later (RV-01).
        case revocationFailed(client: Int, reason: String)
        /// Sessions ended: tunnels and streams of theirs are to be looked at (LO-09).
        case sessionsEnded
        /// What the audit log says of somebody's login or session.
        case audited(client: Int, LoginAudit)
    }

    /// The stores of the login clients, in their order: workers look sessions up there.
    package let stores: [any SessionStore]
    /// The keys of all clients, to be published at the JWK Set URL: public members only (MD-30).
    package let publishedKeys: [JWK]

    private let places: [LoginClient]
    private let starts: StartService
    private let callbacks: CallbackService
    private let refreshes: RefreshService
    private let logouts: LogoutService
    private let revocations: RevocationQueue
    let memory: LoginMemory
    private let clock: any IssuerClock
    /// What logins have in common with those at other replicas.
    private let shared: SharedLogins?

    /// A service for these clients, whose settings were checked when they were read: keys of sessions are 32 bytes.
    ///
    /// What `previous` remembers is remembered here too, by both: used states, request objects, refreshes and callbacks
    /// under way, used logout tokens. A login of the same name and issuer keeps the nonces of its servers, and its
    /// sessions where the kind of store and the cookie's name are the same; the limits and keys of `settings` apply.
    /// Tokens that `previous` could not revoke yet are revoked as the client that has the login's name now. Both
    /// services must run on the same executor. `usedStateBytes` is the memory that used states may take, some 30 bytes
    /// each for ten minutes; a service that continues another has that one's.
    package init(
        settings: [LoginSettings], clients: [ClientSettings], issuers: [IssuerSettings], environment: Environment,
        continuing previous: LoginService? = nil, usedStateBytes: Int = 16 << 20
    ) {
        let (clock, executor) = (environment.clock, environment.executor)
        let memory = previous?.memory ?? LoginMemory(executor: executor, stateBytes: usedStateBytes)
        let places = settings.enumerated().map { index, login in
            let client = clients[login.client]
            do throws(CryptoRefusal) {
                return try LoginClient(
                    index: index, settings: login, client: client, issuer: issuers[client.issuer],
                    environment: environment,
                    continuing: previous?.places.first { $0.settings.name == login.name })
            } catch {
                preconditionFailure("the session keys of client \(login.name) were not checked when they were read")
            }
        }
        let revocations = RevocationQueue(
            places, clock: clock, executor: executor, continuing: previous.map { ($0.revocations, $0.places) })
        let starts = StartService(hosted: memory.hosted)
        self.places = places
        self.memory = memory
        self.revocations = revocations
        self.starts = starts
        self.clock = clock
        shared = SharedLogins(environment.store)
        callbacks = CallbackService(
            starts: starts, exchange: CodeExchange(revocations: revocations), memory: memory)
        refreshes = RefreshService(
            places, revocations: revocations, flights: memory.flights, clock: clock, executor: executor,
            onEvent: environment.onEvent)
        logouts = LogoutService(places: places, revocations: revocations, memory: memory)
        stores = places.map(\.store)
        publishedKeys = PublishedKeys.keys(of: settings, clients: clients)
    }

    /// Answers a request to one of the paths of logins; runs on the executor.
    package func answer(_ request: LoginRequest) async -> LoginAnswer {
        switch request.endpoint {
        case .start(let client):
            guard let place = place(client, for: request) else { return Self.unknownClient }
            return await starts.answer(request, at: place)
        case .callback(let client):
            guard let place = place(client, for: request) else { return Self.unknownClient }
            return await callbacks.answer(request, at: place)
        case .session(let client):
            guard let place = place(client, for: request) else { return Self.unknownClient }
            return await session(request, at: place)
        case .logout, .loggedOut, .backchannelLogout, .frontchannelLogout:
            return await logouts.answer(request)
        case .requestObject:
            return await memory.hosted.answer(request, in: shared, at: clock.now().milliseconds)
        }
    }

    /// Refreshes a session's tokens, once for all who ask at the same time (RF-01); `value` is its cookie's.
    ///
    /// The server is told of the first one's span, `trace`.
    package func refresh(
        _ session: Session, value: [UInt8], client: Int, within trace: TraceParent? = nil
    ) async -> Refreshed {
        guard places.indices.contains(client) else { return .unavailable }
        return await refreshes.refresh(session, value: value, client: client, within: trace)
    }

    /// An issuer's metadata was read: what its clients want of it and do not get is told before anybody signs in (MD-07).
    package func metadataRead(issuer: Int) {
        for place in places where place.client.issuer == issuer { place.judgeMetadata() }
    }

    /// Forgets what has expired; to be called now and then.
    package func sweep(now: Int64) {
        for store in stores { store.sweep(now: now) }
        for place in places { place.store.takeExpired().forEach(place.audit) }
        memory.hosted.sweep(at: clock.now().milliseconds)
    }

    /// Ends what is under way, here and in every service that this one continues, and tries once more to revoke what
    /// tokens are left; for the end of the process (OPS-08).
    ///
    /// Waits for it; after so many milliseconds it reports which tokens were not revoked, and returns.
    /// The executor must go on running until then. The number of sessions whose tokens were given up.
    @discardableResult
    package func stop(within milliseconds: Int) async -> Int {
        refreshes.stop()
        return await revocations.stop(within: milliseconds)
    }

    private func place(_ client: Int, for request: LoginRequest) -> LoginClient? {
        places.indices.contains(client) ? places[client].within(request.trace, for: request.client) : nil
    }

    /// The session document; where there is no session and the page wants to know whether the server has one, the
    /// question to the server, which shows the user nothing (OIDC-16).
    private func session(_ request: LoginRequest, at place: LoginClient) async -> LoginAnswer {
        guard request.method == .get, let parameters = QueryParameters(request.query),
            parameters["silent"] == .one([UInt8(ascii: "1")]), request.isFromThisOrigin,
            // A server that is no OpenID provider knows no prompt=none: it would show its page where nobody sees it.
            place.settings.identityFrom == nil
        else { return await SessionDocument.answer(request, place, refreshes) }
        if case .found = await place.session(in: request.cookies) {
            return await SessionDocument.answer(request, place, refreshes)
        }
        return await starts.silent(request, at: place)
    }

    private static let unknownClient = LoginAnswer(
        .refused(
            .requestObjectUnknown,
            detail: RefusalDetail(expected: "a login client", found: "nothing there", check: "CF-08")))
}
