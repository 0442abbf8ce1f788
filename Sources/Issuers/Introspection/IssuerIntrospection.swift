import Bytes
import Crypto
import HTTPMessage
import JOSE
import OAuth

/// How one issuer is asked about tokens, from its settings and its client's.
struct IssuerIntrospection: Sendable {
    private let question: ServerQuestion
    private let rules: IntrospectionRules
    private let hint: IntrospectionRequest.Hint

    /// Nil for an issuer that is not asked, or by no client that is one of its own (CA-11).
    init?(_ issuer: IssuerSettings, at index: Int, clients: [ClientSettings]) {
        guard let settings = issuer.introspection, clients.indices.contains(settings.client) else { return nil }
        let client = clients[settings.client]
        guard client.issuer == index else { return nil }
        let form: IntrospectionRules.Form =
            settings.requiresSigned ? .signed(audience: settings.audience ?? client.credentials.clientID) : .plain
        question = ServerQuestion(
            requests: IssuerRequests(settings: issuer), client: client,
            endpoint: .introspection(configured: settings.endpoint), purpose: .tokenCheck,
            accept: IntrospectionRequest.accept(form), timeoutMilliseconds: settings.timeout.wholeMilliseconds)
        rules = IntrospectionRules(
            issuer.rules, form: form, positiveSeconds: settings.positiveLifetime.wholeSeconds,
            maximumBytes: settings.answerBytes)
        hint = settings.hint ? .accessToken : .none
    }

    var clientName: String { question.client.name }
    var timeoutMilliseconds: Int { question.timeoutMilliseconds }

    /// Asks, and reads the answer; `keys` are looked up when it is there, for that takes a while.
    func ask(
        about token: Secret, fetching: any Fetching, clock: any IssuerClock, slowWork: SlowWork,
        metadata: ServerMetadata?, keys: @Sendable () -> IssuerKeys?
    ) async throws(LookupRefusal) -> IntrospectionAnswer.Result {
        let bytes = token.reveal()
        guard let parameters = IntrospectionRequest.parameters(token: bytes.span, hint: hint) else {
            throw .tokenNotSendable
        }
        let request = try await question.request(
            parameters, metadata: metadata, now: clock.now().wallSeconds, slowWork)
        let response: FetchResponse
        do throws(LookupRefusal) {
            response = try await answer(to: request, fetching)
        } catch {
            // A question does no harm when it is asked twice, and a closed connection is no reason for a 503.
            guard error == .request(.fetch(.unanswered)) else { throw error }
            var again = try await question.request(
                parameters, metadata: metadata, now: clock.now().wallSeconds, slowWork)
            again.connection = .fresh
            response = try await answer(to: again, fetching)
        }
        let outcome: IntrospectionOutcome
        do throws(IntrospectionRefusal) {
            outcome = try IntrospectionResponse.read(
                response, rules: rules, keys: rules.form == .plain ? nil : keys().map { VerificationKeys($0.keySet) },
                now: clock.now().wallSeconds)
        } catch {
            if case .tooLarge = error { throw .answerTooLarge(limit: rules.maximumBytes) }
            if let bound = error.exceededBound { throw .answerTooComplex(expected: bound) }
            throw .introspection(error)
        }
        switch outcome {
        case .active(let token, let believedUntil):
            // RFC 9449 §6.2 and RFC 8705 §3.2 have the server repeat `cnf`. One that forgets to must not turn a bound JWT
            // into a bearer token.
            guard token.binding.isBound || !Self.claimsConfirmation(bytes) else { return .refused(.boundToKey) }
            return .active(token, believedUntil: believedUntil)
        case .inactive: return .inactive
        case .refused(let refusal): return .refused(refusal)
        }
    }

    private func answer(
        to request: FetchRequest, _ fetching: any Fetching
    ) async throws(LookupRefusal) -> FetchResponse {
        var request = request
        request.maximumBytes = rules.maximumBytes
        do throws(LookupRefusal) {
            return try await fetching.answer(to: request)
        } catch {
            // The same token would get the same answer: no waiting helps.
            if error == .request(.fetch(.tooLarge)) { throw .answerTooLarge(limit: rules.maximumBytes) }
            throw error
        }
    }

    /// Whether a token is a JWT that says it is bound; others say nothing.
    private static func claimsConfirmation(_ token: [UInt8]) -> Bool {
        (try? UncheckedAccessToken(token.span, maximumBytes: token.count))?.claimsConfirmation ?? false
    }
}

extension Fetching {
    /// `fetch`, with the services' refusal.
    func answer(to request: FetchRequest) async throws(LookupRefusal) -> FetchResponse {
        do {
            return try await fetch(request)
        } catch {
            throw .request(.fetch(error))
        }
    }
}
