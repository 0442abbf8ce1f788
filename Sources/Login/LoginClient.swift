package import Crypto
package import HTTPMessage
package import Issuers
import JOSE
package import OAuth
package import Refusals
package import Sessions
import SharedState

/// One login client with all that its logins, refreshes and logouts have in common: what is configured, where its
/// sessions are, and its requests to its own authorization server.
package struct LoginClient: Sendable {
    /// The client's place among the login clients.
    package let index: Int
    package let settings: LoginSettings
    package let client: ClientSettings
    package let issuer: IssuerSettings
    package let store: any SessionStore
    /// Seals what a login has to remember until its callback.
    package let sealer: TransactionSealer
    /// The nonces that this process was given, by the origin that gave them.
    package let nonces: ServerNonces
    package let environment: LoginService.Environment
    /// The span that the server is told of, where it is asked for one and is to be told.
    private(set) var trace: TraceParent?
    /// On whose behalf keys are read again.
    private var asking = AskingClient.many
    /// What logins have in common with those at other replicas; nil: nothing.
    let shared: SharedLogins?
    /// Where tokens go that are nobody's any more.
    let orphans: OrphanRevocation
    private let alarms: AlarmRateLimit
    /// What the operator was last told of the server's metadata.
    private let toldOf: ToldProblems

    /// A place with seals of its own.
    ///
    /// Its sessions, nonces and alarms are those of `previous`, the place of the same login in the service before, where
    /// that was the same: at the same issuer, and for sessions with the same kind of store, name of the cookie and
    /// identifier of the client.
    ///
    /// - Throws: for keys of sessions that are not 32 bytes.
    package init(
        index: Int, settings: LoginSettings, client: ClientSettings, issuer: IssuerSettings,
        environment: LoginService.Environment, continuing previous: LoginClient? = nil
    ) throws(CryptoRefusal) {
        let previous = previous.flatMap { $0.issuer.url.utf8.elementsEqual(issuer.url.utf8) ? $0 : nil }
        let isSameCookie =
            previous?.settings.session.cookieName == settings.session.cookieName
            && previous?.clientID == client.credentials.clientID
        self.index = index
        self.settings = settings
        self.client = client
        self.issuer = issuer
        let alarms = previous?.alarms ?? AlarmRateLimit()
        let orphans = OrphanRevocation()
        self.orphans = orphans
        let sessions = SharedSessionClient(
            name: settings.name, identifier: client.credentials.clientID, issuer: settings.idToken.issuer,
            onNote: { note in Self.tell(note, client: index, alarms, environment) },
            onOrphan: { orphans.revoke($0, client: index) },
            pause: { try? await environment.clock.sleep(milliseconds: $0) })
        store = try SessionStores.make(
            settings.session, for: sessions,
            in: environment.store.map { SharedSessions($0, executor: environment.executor) },
            continuing: isSameCookie ? previous?.store : nil)
        // What was begun at one server, or as one client of it, is never finished at another (CF-06, CF-23).
        sealer = try TransactionSealer(
            keys: settings.session.keys, client: settings.name,
            binding: issuer.url + " " + client.credentials.clientID)
        nonces = previous?.nonces ?? ServerNonces()
        self.alarms = alarms
        toldOf = ToldProblems()
        shared = SharedLogins(environment.store)
        self.environment = environment
    }

    /// What the shared store came upon: endings are looked at, and the operator is told of the rest.
    private static func tell(
        _ note: SharedSessionNote, client: Int, _ alarms: AlarmRateLimit, _ environment: LoginService.Environment
    ) {
        let detail: RefusalDetail
        switch note {
        case .ended: return environment.onEvent(.sessionsEnded)
        case .tampered:
            environment.onEvent(.sessionTampered(client: client))
            detail = RefusalDetail(
                expected: "sessions as a gateway wrote them, with the same store.keys at all replicas",
                found: "a value that opens for none", check: "SH-53")
        case .rolledBack:
            detail = RefusalDetail(
                expected: "the newest state of a session, or a newer one", found: "an older one", check: "SH-54")
        case .unreadable(let version):
            detail = RefusalDetail(
                expected: "a format that this release reads", found: "version \(version)", check: "SH-26")
        case .keyUnknown:
            detail = RefusalDetail(
                expected: "a key of store.keys, which all replicas have before one of them seals with it",
                found: "a session that was sealed with another one", check: "SH-26")
        }
        let milliseconds = environment.clock.now().milliseconds
        guard alarms.isDue(.sessionStoreUnavailable, check: detail.check, at: milliseconds) else { return }
        environment.onEvent(.alarm(client: client, .sessionStoreUnavailable, detail: detail))
    }

    /// The same client for what is asked on behalf of this span.
    ///
    /// With `asking`, whatever is asked of the server is asked for that client of ours.
    func within(_ trace: TraceParent?, for asking: AskingClient = .many) -> LoginClient {
        var client = self
        client.trace = trace
        client.asking = asking
        return client
    }

    package var fetching: any Fetching { environment.fetching.within(trace) }
    package var clock: any IssuerClock { environment.clock }
    package var sources: LoginService.Sources { environment.sources }
    package var onEvent: @Sendable (LoginService.Event) -> Void { environment.onEvent }

    /// Seconds since 1970.
    package var now: Int64 { clock.now().wallSeconds }

    /// What the server says about itself, as far as it is known.
    package var metadata: ServerMetadata? { sources.metadata(client.issuer) }

    /// The keys of the server, as far as they are known.
    package var keys: IssuerKeys? { sources.keys(client.issuer) }

    /// The client's identifier at the server.
    package var clientID: String { client.credentials.clientID }

    /// Tells the operator that somebody has to act: once a minute for one cause, for every visitor runs into it.
    package func alarm(_ refusal: Refusal, _ detail: RefusalDetail) {
        guard alarms.isDue(refusal, check: detail.check, at: clock.now().milliseconds) else { return }
        onEvent(.alarm(client: index, refusal, detail: detail))
    }

    /// Ends sessions in the store; the operator is told when that fails, for somebody stays logged in who should not.
    package func end(_ which: SessionEnd) async throws(SessionStoreRefusal) -> [Session] {
        do throws(SessionStoreRefusal) {
            return try await store.end(which, now: now)
        } catch {
            alarm(.sessionStoreUnavailable, Self.notEnded(error))
            throw error
        }
    }

    /// What the operator is told of an ending that failed.
    static func notEnded(_ refusal: SessionStoreRefusal) -> RefusalDetail {
        RefusalDetail(
            expected: "a session store that ends sessions",
            found: refusal == .full ? "no room to remember another ending" : "none", check: "LO-10")
    }
}

// MARK: names and addresses

extension LoginClient {
    /// The paths of one client under the reserved prefix to which the gateway itself sends somebody.
    package enum Path: String, Sendable {
        case login
        case callback
        case logout
        case loggedOut = "logged-out"
        case session
    }

    /// `/.portcullis/<path>/<client>`.
    package func path(_ path: Path) -> String { "\(OwnPaths.prefix)/\(path.rawValue)/\(settings.name)" }

    /// The one redirect URI of this client at that public URL: never derived from what a browser sends (CF-02).
    package func redirectURI(_ publicURL: String) -> String { publicURL + path(.callback) }

    package var cookieName: String { settings.session.cookieName }

    /// How the responses of the server come back.
    var responseMode: AuthorizationRequestSettings.ResponseMode { settings.authorization.responseMode }

    /// Where the response is a form that the server has the browser post, only a cookie for requests of other sites
    /// comes along: this one, and never the session's (CF-29).
    var transactionSameSite: SetCookie.SameSite { responseMode.isForm ? .none : .lax }
}

extension AuthorizationRequestSettings.ResponseMode {
    /// Whether the response comes in the body of a POST.
    var isForm: Bool {
        switch self {
        case .formPost, .formPostJWT: true
        case .query, .queryJWT, .jwt: false
        }
    }
}

// MARK: the server

extension LoginClient {
    /// Has what is known of the server read again, on behalf of whoever asks; false where none is left to them.
    func refresh(as asker: KeyAsker) async -> Bool {
        await sources.refresh(client.issuer, KeyRequester(asker, for: asking), trace)
    }

    /// What the server says about itself; looked for once more when it is not known.
    func server() async throws(LoginFailure) -> ServerMetadata {
        if let metadata { return metadata }
        _ = await refresh(as: .metadata)
        guard let metadata else {
            throw LoginFailure(
                .loginServerUnavailable, check: "D-17", expected: "metadata of \(issuer.url)", found: "none",
                retryAfterSeconds: 5)
        }
        return metadata
    }

    /// The same, when the server offers what is configured (MD-07).
    func suitableServer() async throws(LoginFailure) -> ServerMetadata {
        let server = try await server()
        let problems = ServerSuitability.problems(of: server, for: demands)
        guard let first = problems.first else { return server }
        throw LoginFailure(
            .loginServerUnsuitable, check: first.check, expected: first.configured, found: first.offered, isAlarm: true)
    }

    /// What this client wants of its server.
    var demands: LoginDemands { settings.demands(of: client, at: issuer) }

    /// Tells the operator what stands against logins by what the server says now, before anybody tries one; once for
    /// each state of affairs.
    func judgeMetadata() {
        guard let metadata else { return }
        let problems = ServerSuitability.review(of: metadata, for: demands).flatMap(\.problems)
        guard toldOf.areNews(problems) else { return }
        for problem in problems {
            onEvent(
                .alarm(
                    client: index, .loginServerUnsuitable,
                    detail: RefusalDetail(
                        expected: problem.configured, found: problem.offered, check: problem.check)))
        }
    }

    /// What of a login is derived from the seed in its transaction.
    func secrets(of transaction: LoginTransaction) throws(LoginFailure) -> LoginSecrets {
        do throws(CryptoRefusal) {
            return try LoginSecrets(seed: transaction.seed)
        } catch {
            throw LoginFailure(
                .loginRequestNotMade, check: "CF-06", expected: "secrets of a login", found: "none", isAlarm: true)
        }
    }

    /// Makes the proofs of one login, with the key that its session will have; nil where tokens are not to be bound.
    func proofMaker(_ secrets: LoginSecrets, at server: ServerMetadata) throws(LoginFailure) -> ProofMaker? {
        guard settings.dpop.isMet(by: server) else { return nil }
        guard let proof = Self.proofMaker(secrets.proofKeyScalar) else {
            throw LoginFailure(
                .loginRequestNotMade, check: "DPOP-40", expected: "a key for proofs", found: "none", isAlarm: true)
        }
        return proof
    }

    /// Makes proofs with a session's key, by its private number.
    package static func proofMaker(_ scalar: Secret) -> ProofMaker? {
        (try? PrivateKey.p256(scalar: scalar)).flatMap { try? ProofMaker(key: $0) }
    }

    /// The keys that the server decrypts with (JAR-10).
    var encryptionKeys: [JWK] { keys?.keySet.encryptionKeys ?? [] }
}
