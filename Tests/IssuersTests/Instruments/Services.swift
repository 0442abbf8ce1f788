import Crypto
import HTTPMessage
import JOSE
import OAuth
import Synchronization
import TestSupport

@testable import Issuers

/// Both services with a clock, a network and a loop that do what the test says, and a record of what they told.
final class Services: Sendable {
    static let issuer = "https://id.example.com/t"
    static let introspection = "https://id.example.com/introspect"
    static let token = "https://id.example.com/token"

    let clock = ManualClock()
    let fetcher = ScriptedFetcher()
    let executor = ManualExecutor()
    let introspection: IntrospectionService
    let exchange: TokenExchangeService
    private let known = Known()
    private let told = Told()

    /// What the directory would know.
    private final class Known: Sendable {
        struct State {
            var metadata: [Int: ServerMetadata] = [:]
            var keys: [Int: IssuerKeys] = [:]
            var requests: [Int] = []
        }
        let state = Mutex(State())
    }

    private final class Told: Sendable {
        struct Record {
            var introspections: [IntrospectionAnswer] = []
            var exchanges: [ExchangeAnswer] = []
            var events: [IssuerEvent] = []
        }
        let record = Mutex(Record())
    }

    init(
        _ introspection: IntrospectionSettings? = IntrospectionSettings(client: 0),
        method: ClientCredentials.Method = .secretBasic(Secret(Array("hush".utf8))),
        rules: [ExchangeSettings] = [ExchangeSettings(client: 0, audience: ["orders"])],
        bounds: LookupBounds = LookupBounds(), failures: FailureBudget = FailureBudget(),
        slowWork: SlowWork = SlowWork(), members: String = ""
    ) throws {
        let (told, known) = (self.told, self.known)
        var settings = World.settings()
        settings.introspection = introspection
        let client = ClientSettings(
            name: "gate", issuer: 0, credentials: try ClientCredentials(clientID: "gateway", method: method))
        var environment = LookupEnvironment(fetching: fetcher, clock: clock, executor: executor)
        environment.slowWork = slowWork
        environment.bounds = bounds
        self.introspection = IntrospectionService(
            settings: [settings], clients: [client], environment: environment,
            sources: .init(
                metadata: { index in known.state.withLock { $0.metadata[index] } },
                keys: { index in known.state.withLock { $0.keys[index] } },
                requestKeys: { index, _, _ in known.state.withLock { $0.requests.append(index) } }),
            failures: failures,
            onAnswer: { answer in told.record.withLock { $0.introspections.append(answer) } },
            onEvent: { _, event in told.record.withLock { $0.events.append(event) } })
        exchange = TokenExchangeService(
            rules: rules, settings: [settings], clients: [client], environment: environment,
            metadata: { index in known.state.withLock { $0.metadata[index] } },
            onAnswer: { answer in told.record.withLock { $0.exchanges.append(answer) } },
            onEvent: { _, event in told.record.withLock { $0.events.append(event) } })
        try publish(members)
    }

    deinit {
        introspection.stop()
        exchange.stop()
        fetcher.release()
        executor.drain()
    }

    /// Metadata with the two endpoints, and these raw members more (which begin with a comma).
    func publish(_ members: String = "", introspection: String = introspection) throws {
        let text = """
            {"issuer":"\(Self.issuer)","introspection_endpoint":"\(introspection)","token_endpoint":"\(Self.token)"\
            \(members)}
            """
        let metadata = try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8)),
            issuer: IssuerIdentifier(Self.issuer), keySetLocation: .optional)
        known.state.withLock { $0.metadata[0] = metadata }
    }

    func publish(keys: [SigningKey]) throws {
        let bytes = Array(SigningKey.keySet(keys).utf8)
        let snapshot = IssuerKeys(
            generation: 1, version: 1, keySet: try KeySet.parse(bytes.span), fetchedAt: 0, usableUntil: .max)
        known.state.withLock { $0.keys[0] = snapshot }
    }

    /// Nothing is known of where the issuer's endpoints are.
    func forgetMetadata() { known.state.withLock { $0.metadata = [:] } }
    /// None of the issuer's keys is at hand.
    func forgetKeys() { known.state.withLock { $0.keys = [:] } }
    /// The issuers whose keys were asked for anew.
    var keyRequests: [Int] { known.state.withLock { $0.requests } }

    /// Metadata that names no endpoint at all.
    func publishNothing() throws {
        let text = "{\"issuer\":\"\(Self.issuer)\"}"
        let metadata = try ServerMetadata.accept(
            FetchResponse(status: 200, contentType: "application/json", body: Array(text.utf8)),
            issuer: IssuerIdentifier(Self.issuer), keySetLocation: .optional)
        known.state.withLock { $0.metadata[0] = metadata }
    }

    func answer(
        _ text: String, status: Int = 200, type: String = "application/json", at url: String = introspection
    ) {
        fetcher.answer(url, with: .success(FetchResponse(status: status, contentType: type, body: Array(text.utf8))))
    }

    /// An answer that says a token is active, for a minute.
    var active: String { "{\"active\":true,\"sub\":\"u\",\"exp\":\(clock.now().wallSeconds + 60)}" }

    /// The digest by which a test names a token.
    static func digest(_ token: String) -> SHA256Digest {
        let bytes = Array(token.utf8)
        return SHA256.hash(bytes.span)
    }

    func ask(
        _ token: String = "opaque", worker: Int = 0, issuer: Int = 0, client: AskingClient = .many,
        isVouchedFor: Bool = false
    ) {
        introspection.ask(
            issuer: issuer, token: Array(token.utf8), digest: Self.digest(token), worker: worker, client: client,
            isVouchedFor: isVouchedFor)
    }

    func askForExchange(
        _ token: String = "subject", worker: Int = 0, rule: Int = 0, lifetime: Int64 = 3600,
        client: AskingClient = .many
    ) {
        exchange.ask(
            rule: rule, token: Array(token.utf8), expiresAt: clock.now().wallSeconds + lifetime,
            digest: Self.digest(token), worker: worker, client: client)
    }

    func drain() { executor.drain() }

    func release() {
        fetcher.release()
        executor.drain()
    }

    /// The answers since the last call, in their order.
    func takeAnswers() -> [IntrospectionAnswer] {
        told.record.withLock { record in
            defer { record.introspections = [] }
            return record.introspections
        }
    }

    func takeExchanges() -> [ExchangeAnswer] {
        told.record.withLock { record in
            defer { record.exchanges = [] }
            return record.exchanges
        }
    }

    func takeEvents() -> [IssuerEvent] {
        told.record.withLock { record in
            defer { record.events = [] }
            return record.events
        }
    }
}

extension IntrospectionAnswer {
    /// What the server said, in a word.
    var word: String {
        switch result {
        case .active: "active"
        case .inactive: "inactive"
        case .refused: "refused"
        case .unavailable: "unavailable"
        }
    }

    var cause: LookupRefusal? {
        if case .unavailable(let refusal) = result { refusal } else { nil }
    }

    var token: VerifiedAccessToken? {
        if case .active(let token, _) = result { token } else { nil }
    }
}

extension ExchangeAnswer {
    var word: String {
        switch result {
        case .token: "token"
        case .invalidSubject: "invalidSubject"
        case .invalidTarget: "invalidTarget"
        case .unavailable: "unavailable"
        }
    }

    var cause: LookupRefusal? {
        if case .unavailable(let refusal) = result { refusal } else { nil }
    }
}

extension FetchRequest {
    func field(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
    var form: String { String(decoding: body ?? [], as: UTF8.self) }
}
