import Crypto
import HTTPMessage
import Issuers
import JOSE
import JSON
import OAuth
import Refusals
import Sessions
import SharedState
import Synchronization
import TestSupport

@testable import Login

/// One login client whose user is logged in, and all that can happen to the session from then on.
final class SignedIn: Sendable {
    static let publicURL = "https://shop.example.com"
    static let cookieName = "__Host-portcullis-shop"

    let clock: ManualClock
    let server: ScriptedServer
    let place: LoginClient
    let revocations: RevocationQueue
    let refreshes: RefreshService
    let logouts: LogoutService
    let memory = LoginMemory(executor: globalConcurrentExecutor, stateBytes: 1 << 20)
    private let told: Record<LoginService.Event>
    private let readings: Record<KeyAsker>
    private let keys: Record<IssuerKeys?>
    private let reading: KeyReading

    init(
        store kind: SessionSettings.Store = .cookie, fetching: (any Fetching)? = nil, shared: SharedStore? = nil,
        others: [(name: String, id: String)] = [],
        change: (inout LoginSettings) -> Void = { _ in }
    ) throws {
        let (clock, told, readings, keys) = (
            ManualClock(), Record<LoginService.Event>(), Record<KeyAsker>(), Record<IssuerKeys?>()
        )
        let (server, reading) = (ScriptedServer(clock: clock), KeyReading())
        keys.append(try server.keys())
        var settings = LoginSettings(
            name: "shop", client: 0, authorization: AuthorizationRequestSettings(scopes: ["openid", "orders"]),
            idToken: IDTokenRules(
                issuer: ScriptedServer.issuer, clientID: "shop-web", signature: .algorithms([.es256])),
            session: SessionSettings(store: kind, cookieName: Self.cookieName))
        settings.uses.claimNames = ["email", "auth_time"]
        settings.scriptClaims = ["sub", "email"]
        settings.uses.keepsAccessToken = true
        change(&settings)
        let environment = LoginService.Environment(
            fetching: fetching ?? server, clock: clock, executor: globalConcurrentExecutor,
            sources: LoginService.Sources(
                metadata: { _ in try? server.metadata }, keys: { _ in keys.last ?? nil },
                hasFailedToReadKeys: { _ in reading.fails },
                refresh: { _, who, _ in
                    readings.append(who.asker)
                    if let read = reading.result { keys.append(read) }
                    return !reading.isSuppressed
                }), store: shared,
            onEvent: { told.append($0) })
        let places = try ([("shop", "shop-web")] + others).enumerated().map { index, client in
            let credentials = try ClientCredentials(
                clientID: client.1, method: .secretBasic(Secret(Array("a-secret-for-tests".utf8))))
            var settings = settings
            settings.name = client.0
            settings.session.cookieName = "__Host-portcullis-\(client.0)"
            return try LoginClient(
                index: index, settings: settings,
                client: ClientSettings(name: client.0, issuer: 0, credentials: credentials),
                issuer: IssuerSettings(
                    name: "main", url: ScriptedServer.issuer, rules: AccessTokenRules(issuer: ScriptedServer.issuer)),
                environment: environment)
        }
        let place = places[0]
        (self.clock, self.server, self.place, self.told, self.readings, self.keys, self.reading) = (
            clock, server, place, told, readings, keys, reading
        )
        revocations = RevocationQueue(places, clock: clock, executor: globalConcurrentExecutor)
        refreshes = RefreshService(
            [place], revocations: revocations, flights: memory.flights, clock: clock,
            executor: globalConcurrentExecutor, onEvent: { told.append($0) })
        logouts = LogoutService(places: places, revocations: revocations, memory: memory)
    }

    // MARK: the session

    /// A session of a login that is over, with tokens that the server knows, and the value of its cookie.
    func logIn(
        subject: String = "user-1", sid: String? = "sid-1", refreshToken: String = "refresh-0-of-this-server",
        proofKey: Secret? = nil, change: (inout Session) -> Void = { _ in }
    ) async throws -> (session: Session, value: [UInt8]) {
        let thumbprint = proofKey.flatMap { LoginClient.proofMaker($0)?.thumbprint }
        server.state.withLock {
            $0.refreshTokens[refreshToken] = ScriptedServer.Grant(
                parameters: [("scope", "openid orders")], thumbprint: thumbprint)
        }
        let now = clock.seconds
        var session = Session(
            id: RandomBytes.fill(16), client: "shop", issuer: ScriptedServer.issuer, subject: subject,
            claims: Array(
                "{\"iss\":\"\(ScriptedServer.issuer)\",\"sub\":\"\(subject)\",\"email\":\"u@example.com\"}".utf8),
            scopes: ["openid", "orders"], createdAt: now, endsAt: now + 28_800)
        session.serverSession = sid
        session.accessToken = Secret(Array("access-0-of-this-server".utf8))
        session.accessTokenIssuedAt = now
        session.accessTokenExpiresAt = now + 300
        session.proofKey = proofKey
        session.refreshToken = Secret(Array(refreshToken.utf8))
        change(&session)
        let value = try await place.store.create(session, now: now)
        return (session, value)
    }

    /// A session of the same server's session at another client, by the client's place, and the value of its cookie.
    func logIn(at client: Int, as session: Session, token: String) async throws -> [UInt8] {
        var other = session
        other.id = RandomBytes.fill(16)
        other.client = logouts.places[client].settings.name
        other.refreshToken = Secret(Array(token.utf8))
        return try await logouts.places[client].store.create(other, now: clock.seconds)
    }

    /// Whether the value stands for a session of the client at this place.
    func isKnown(_ value: [UInt8], at client: Int) -> Bool {
        if case .found = logouts.places[client].store.lookUp(value, now: clock.seconds) { true } else { false }
    }

    /// The session that the value stands for now; nil for none.
    func lookUp(_ value: [UInt8]) -> Session? {
        guard case .found(let session, _) = place.store.lookUp(value, now: clock.seconds) else { return nil }
        return session
    }

    /// Lets so much time pass that the session of `logIn` is due.
    func becomeDue() { clock.pass(seconds: 250) }

    // MARK: requests

    func request(
        _ endpoint: LoginRequest.Endpoint, method: LoginRequest.Method = .get, query: String = "", body: String = "",
        value: [UInt8]? = nil, cookie: String? = nil, change: (inout LoginRequest) -> Void = { _ in }
    ) -> LoginRequest {
        var cookies: [String] = []
        if let value { cookies.append("\(Self.cookieName)=\(String(decoding: value, as: UTF8.self))") }
        if let cookie { cookies.append(cookie) }
        var request = LoginRequest(
            endpoint: endpoint, method: method, query: Array(query.utf8), body: Array(body.utf8),
            contentType: method == .post ? "application/x-www-form-urlencoded" : nil,
            cookies: Array(cookies.joined(separator: "; ").utf8),
            publicURL: Self.publicURL, peer: "192.0.2.7")
        request.origin = method == .post ? Self.publicURL : nil
        request.fetchSite = "same-origin"
        request.fetchMode = "navigate"
        request.names.requestID = "0123456789abcdef0123456789abcdef"
        change(&request)
        return request
    }

    // MARK: what was told

    var events: [LoginService.Event] { told.all }
    /// How often the issuer's keys were to be read again.
    var keyReadings: Int { readings.all.count }
    /// As whom they were asked for.
    var askers: [KeyAsker] { readings.all }

    func publish(_ new: IssuerKeys?) { keys.append(new) }

    /// What comes of reading the keys again.
    func readKeys(_ outcome: KeyReading.Outcome) { reading.set(outcome) }

    var alarms: [Refusal] {
        events.compactMap { if case .alarm(_, let refusal, _) = $0 { refusal } else { nil } }
    }

    /// What the audit log was told.
    var audited: [LoginAudit] {
        events.compactMap { if case .audited(_, let audit) = $0 { audit } else { nil } }
    }

    var outcomes: [String] {
        events.compactMap { if case .refreshed(_, let outcome, _) = $0 { outcome } else { nil } }
    }

    /// Why refreshes brought no tokens, as the operator reads it.
    var reasons: [RefusalDetail] {
        events.compactMap { if case .refreshed(_, _, let detail) = $0 { detail } else { nil } }
    }

    var endings: Int { events.count { if case .sessionsEnded = $0 { true } else { false } } }

    var failedRevocations: [String] {
        events.compactMap { if case .revocationFailed(_, let reason) = $0 { reason } else { nil } }
    }

    /// Waits for something that others are about to do.
    static func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    /// Waits until nothing is left to be revoked.
    func revoked() async { await Self.until { revocations.count == 0 } }
}

/// What comes of reading a server's keys again; at first they are what they were.
final class KeyReading: Sendable {
    /// `suppressed`: not read, because the last reading was too recent.
    enum Outcome: Sendable { case same, failed, suppressed, others(IssuerKeys) }
    private let outcome = Mutex(Outcome.same)

    func set(_ new: Outcome) { outcome.withLock { $0 = new } }

    var fails: Bool { outcome.withLock { if case .failed = $0 { true } else { false } } }
    var isSuppressed: Bool { outcome.withLock { if case .suppressed = $0 { true } else { false } } }
    var result: IssuerKeys? { outcome.withLock { if case .others(let keys) = $0 { keys } else { nil } } }
}

/// Things in the order in which they happened, on whatever thread.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }
    var last: Element? { elements.withLock { $0.last } }
}

extension LoginAnswer {
    /// The JSON of a document.
    var json: JSONValue? {
        guard case .document(_, let bytes) = content else { return nil }
        return try? JSONValue.parse(bytes.span)
    }

    /// Whether the answer deletes that cookie.
    func deletes(_ name: String) -> Bool {
        cookies.contains { $0.hasPrefix(name + "=;") && $0.contains("Max-Age=0") }
    }

    /// The value that the answer gives that cookie.
    func value(of name: String) -> String? {
        let line = cookies.first { $0.hasPrefix(name + "=") && !$0.contains("Max-Age=0") }
        return line.map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
    }
}
