import Crypto
import HTTPMessage
import OAuth

/// How tokens are exchanged for one rule, from its settings, its client's and its issuer's.
struct RuleExchange: Sendable {
    /// Where the client belongs: its credentials go nowhere else (CA-11).
    let issuer: Int
    private let question: ServerQuestion
    private let request: ExchangeRequest

    /// Nil for a rule whose client, or whose client's issuer, does not exist.
    init?(_ rule: ExchangeSettings, settings: [IssuerSettings], clients: [ClientSettings]) {
        guard clients.indices.contains(rule.client) else { return nil }
        let client = clients[rule.client]
        guard settings.indices.contains(client.issuer) else { return nil }
        issuer = client.issuer
        question = ServerQuestion(
            requests: IssuerRequests(settings: settings[issuer]), client: client, endpoint: .token, purpose: .exchange,
            accept: "application/json", timeoutMilliseconds: Self.timeoutMilliseconds)
        request = ExchangeRequest(audience: rule.audience, resource: rule.resource, scopes: rule.scopes)
    }

    var clientName: String { question.client.name }

    /// Asks, and reads the answer.
    func ask(
        for token: Secret, until expiresAt: Int64, fetching: any Fetching, clock: any IssuerClock,
        slowWork: SlowWork, metadata: ServerMetadata?
    ) async throws(LookupRefusal) -> ExchangeAnswer.Result {
        let bytes = token.reveal()
        guard let parameters = request.parameters(subjectToken: bytes.span) else { throw .tokenNotSendable }
        let request = try await question.request(
            parameters, metadata: metadata, now: clock.now().wallSeconds, slowWork)
        let response = try await fetching.answer(to: request)
        let outcome: ExchangeOutcome
        do throws(ExchangeRefusal) {
            outcome = try ExchangeResponse.read(
                response, subjectExpiresAt: expiresAt, now: clock.now().wallSeconds)
        } catch {
            throw .exchange(error)
        }
        switch outcome {
        case .token(let token): return .token(token.token, expiresAt: token.expiresAt)
        case .invalidSubject: return .invalidSubject
        case .invalidTarget: return .invalidTarget
        }
    }

    /// Time for one answer; requests of clients wait for it.
    static let timeoutMilliseconds = 5000
}
