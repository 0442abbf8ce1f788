import Crypto
import HTTPMessage
import JOSE
import Login
import OAuth
import Refusals
import Sessions
import SharedState
import Synchronization
import TestSupport

@testable import Issuers

/// The login service with one client, a server that does what the test says, and a record of what was told.
final class LoginWorld: Sendable {
    static let publicURL = "https://shop.example.com"
    static let requestKey = try? SigningJWK.generate(.es256)
    static let sessionCookie = "__Host-portcullis-shop"

    let clock = ManualClock()
    let server: ScriptedServer
    let service: LoginService
    private let known = Known()
    private let reading = KeyReading()
    private let settings: LoginSettings
    private let make: @Sendable (LoginSettings, LoginService?) -> LoginService

    final class Known: Sendable {
        struct State {
            var hasMetadata = true
            var keys: [SigningKey]?
            /// What the next refresh brings.
            var keysAfterRefresh: [SigningKey]?
            var metadataAfterRefresh = false
            /// The keys that the last reading brought, where the test says which.
            var keysRead: IssuerKeys?
            var refreshes = 0
            /// As whom they were asked for.
            var askers: [KeyAsker] = []
            var askingClients: [AskingClient] = []
            var events: [LoginService.Event] = []
            /// What took a key that takes long, by what for.
            var slowWorks: [FetchRequest.Purpose] = []
            var slowClients: [String?] = []
            /// Why there is no room for it.
            var slowRefusal: SlowWork.Refusal?
        }
        let state = Mutex(State())
    }

    init(
        form: AuthorizationRequestSettings.Form = .plain,
        method: ClientCredentials.Method = .secretBasic(Secret(Array("a-secret-of-the-client".utf8))),
        executor: any TaskExecutor = globalConcurrentExecutor, usedStateBytes: Int = 1 << 20,
        store: SharedStore? = nil,
        _ change: (inout LoginSettings) -> Void = { _ in }
    ) throws {
        let clock = clock, known = known, reading = reading
        let server = ScriptedServer(clock: clock)
        self.server = server
        var settings = Self.settings(form)
        change(&settings)
        let client = ClientSettings(
            name: "shop", issuer: 0, credentials: try ClientCredentials(clientID: "shop-web", method: method))
        let make: @Sendable (LoginSettings, LoginService?) -> LoginService = { settings, previous in
            LoginService(
                settings: [settings], clients: [client],
                issuers: [
                    IssuerSettings(
                        name: "main", url: ScriptedServer.issuer, rules: AccessTokenRules(issuer: ScriptedServer.issuer)
                    )
                ],
                environment: .init(
                    fetching: server, clock: clock, executor: executor,
                    sources: .init(
                        metadata: { _ in known.state.withLock(\.hasMetadata) ? try? server.metadata : nil },
                        keys: { _ in
                            if let read = known.state.withLock(\.keysRead) { return read }
                            let keys = known.state.withLock(\.keys) ?? [server.key]
                            return keys.isEmpty ? nil : try? server.keys(keys)
                        }, hasFailedToReadKeys: { _ in reading.fails },
                        refresh: { _, who, _ in
                            known.state.withLock { state in
                                state.refreshes += 1
                                state.askers.append(who.asker)
                                state.askingClients.append(who.client)
                                if let read = reading.result { state.keysRead = read }
                                if let keys = state.keysAfterRefresh { state.keys = keys }
                                if state.metadataAfterRefresh { state.hasMetadata = true }
                            }
                            return !reading.isSuppressed
                        },
                        workBeside: { purpose, client, work in
                            let refusal = known.state.withLock { state in
                                state.slowWorks.append(purpose)
                                state.slowClients.append(client)
                                return state.slowRefusal
                            }
                            if refusal == nil { work() }
                            return refusal
                        }), store: store,
                    onEvent: { event in known.state.withLock { $0.events.append(event) } }), continuing: previous,
                usedStateBytes: usedStateBytes)
        }
        self.settings = settings
        self.make = make
        service = make(settings, nil)
    }

    /// A service that continues the world's, or another, as a reload makes it.
    func reloaded(
        continuing previous: LoginService? = nil, _ change: (inout LoginSettings) -> Void = { _ in }
    ) -> LoginService {
        var settings = settings
        change(&settings)
        return make(settings, previous ?? service)
    }

    /// The service of another process with the same settings, at the same server.
    func replica() -> LoginService { make(settings, nil) }

    static func settings(_ form: AuthorizationRequestSettings.Form) -> LoginSettings {
        var settings = LoginSettings(
            name: "shop", client: 0, authorization: AuthorizationRequestSettings(form: form),
            idToken: IDTokenRules(
                issuer: ScriptedServer.issuer, clientID: "shop-web", signature: .algorithms([.es256])),
            session: SessionSettings(cookieName: sessionCookie, keys: [Secret([UInt8](repeating: 7, count: 32))]))
        settings.keys.requestObject = form.isSigned ? requestKey : nil
        settings.uses.keepsAccessToken = true
        return settings
    }

    // MARK: what the directory would know

    func forgetMetadata(comesBack: Bool) {
        known.state.withLock { state in
            state.hasMetadata = false
            state.metadataAfterRefresh = comesBack
        }
    }

    /// The keys at hand, and those that reading them again brings.
    func know(_ keys: [SigningKey], afterRefresh: [SigningKey]? = nil) {
        known.state.withLock { state in
            state.keys = keys
            state.keysAfterRefresh = afterRefresh
        }
    }

    var slowWorks: [FetchRequest.Purpose] { known.state.withLock(\.slowWorks) }
    /// On whose behalf each of these was.
    var slowClients: [String?] { known.state.withLock(\.slowClients) }
    /// Whatever takes a key that takes long is refused from now on.
    func refuseSlowWork(_ refusal: SlowWork.Refusal) { known.state.withLock { $0.slowRefusal = refusal } }
    /// What comes of reading the keys again.
    func readKeys(_ outcome: KeyReading.Outcome) { reading.set(outcome) }

    var refreshes: Int { known.state.withLock(\.refreshes) }
    var askers: [KeyAsker] { known.state.withLock(\.askers) }
    /// On whose behalf they asked.
    var askingClients: [AskingClient] { known.state.withLock(\.askingClients) }

    /// What the operator was told to look at.
    var alarms: [Refusal] {
        known.state.withLock(\.events).compactMap { if case .alarm(_, let refusal, _) = $0 { refusal } else { nil } }
    }

    /// What the audit log was told.
    var audited: [LoginAudit] {
        known.state.withLock(\.events).compactMap { if case .audited(_, let audit) = $0 { audit } else { nil } }
    }

    var logins: Int {
        known.state.withLock(\.events).count { if case .loggedIn = $0 { true } else { false } }
    }

    /// How often streams of sessions were to be looked at.
    var sessionsEnded: Int {
        known.state.withLock(\.events).count { if case .sessionsEnded = $0 { true } else { false } }
    }

    /// Everything that was told, as text.
    var told: String { known.state.withLock { "\($0.events)" } }

    // MARK: a browser's steps

    /// Begins a login, past the page that looks for a fragment.
    func start(
        _ browser: inout Browser, returnTo: String = "/orders", more: String = "", fragment: String? = nil
    ) async -> LoginAnswer {
        var query = "return_to=" + String(decoding: FormText.encode([("", returnTo)]).dropFirst(), as: UTF8.self) + more
        query += fragment.map { "&fragment=" + $0 } ?? "&shown=1"
        return await start(&browser, query: query)
    }

    /// The same by its query; `destination` is `Sec-Fetch-Dest`, which says whether a document is to be shown.
    func start(_ browser: inout Browser, query: String, destination: String? = nil) async -> LoginAnswer {
        var request = LoginRequest(
            endpoint: .start(client: 0), query: Array(query.utf8), cookies: browser.cookies(),
            publicURL: Self.publicURL)
        request.fetchDestination = destination
        let answer = await service.answer(request)
        browser.keep(answer.cookies)
        return answer
    }

    /// What the server answers to a browser that was sent there.
    func authorize(_ answer: LoginAnswer) async throws -> ScriptedResponse {
        guard let location = answer.location else {
            throw ScriptedServer.Complaint("no redirect: \(answer.refusal.map { "\($0)" } ?? "a page")")
        }
        return try await server.authorize(location) { uri in await self.hosted(uri) }
    }

    /// Fetches a request object from us, as the server does.
    func hosted(_ uri: String, by service: LoginService? = nil) async -> [UInt8]? {
        let service = service ?? self.service
        let prefix = Self.publicURL + "/.portcullis/request/"
        guard uri.hasPrefix(prefix) else { return nil }
        let answer = await service.answer(
            LoginRequest(
                endpoint: .requestObject(id: String(uri.dropFirst(prefix.count).prefix { $0 != "#" })),
                publicURL: Self.publicURL))
        guard case .document(_, let bytes) = answer.content else { return nil }
        return bytes
    }

    func request(_ response: ScriptedResponse, _ browser: Browser) -> LoginRequest {
        LoginRequest(
            endpoint: .callback(client: 0), method: response.isForm ? .post : .get,
            query: response.isForm ? [] : response.parameters, body: response.isForm ? response.parameters : [],
            contentType: response.isForm ? "application/x-www-form-urlencoded" : nil,
            cookies: browser.cookies(fromOtherSitesForm: response.isForm), publicURL: Self.publicURL)
    }

    func callback(_ response: ScriptedResponse, _ browser: inout Browser) async -> LoginAnswer {
        let answer = await service.answer(request(response, browser))
        browser.keep(answer.cookies)
        return answer
    }

    /// A whole login.
    func login(
        _ browser: inout Browser, returnTo: String = "/orders", more: String = "", fragment: String? = nil
    ) async throws -> LoginAnswer {
        let started = await start(&browser, returnTo: returnTo, more: more, fragment: fragment)
        return await callback(try await authorize(started), &browser)
    }

    /// The session that a browser has.
    func session(of browser: Browser) -> Session? {
        let cookies = browser.cookies()
        guard case .one(let value) = CookieField.value(of: Self.sessionCookie, in: cookies.span),
            case .found(let session, _) = service.stores[0].lookUp(value, now: clock.seconds)
        else { return nil }
        return session
    }

    /// The parameters that the server was sent, whatever the form.
    func parameters(_ answer: LoginAnswer) async throws -> [(String, String)] {
        guard let location = answer.location else { throw ScriptedServer.Complaint("no redirect") }
        return try await server.parameters(of: FormText.query(of: location)) { uri in await self.hosted(uri) }
    }
}
