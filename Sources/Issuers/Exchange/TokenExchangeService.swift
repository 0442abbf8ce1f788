package import Crypto
package import HTTPMessage
package import OAuth

/// What came of asking for a token in exchange for another.
package struct ExchangeAnswer: Sendable {
    package enum Result: Sendable {
        /// A token for the upstream, and until when it may be presented, in seconds since 1970.
        ///
        /// Where that has passed already, it is for the requests that waited for it only.
        case token(Secret, expiresAt: Int64)
        /// The issuer does not take the subject token: 401.
        case invalidSubject
        /// The issuer knows nothing of the upstream: 502, and the operator is told.
        case invalidTarget
        /// Nothing is known: 503. The subject token is not sent instead (TX-04).
        case unavailable(LookupRefusal)
    }

    /// The subject token's.
    package let digest: SHA256Digest
    package let rule: Int
    /// The workers that asked.
    package let workers: [Int]
    package let result: Result
}

/// Exchanges tokens at their issuers, once for all workers that want the same at the same time (RFC 8693).
///
/// Remembers nothing: the token goes where the subject token's record is.
package final class TokenExchangeService: Sendable {
    private let service: LookupService<ExchangeAnswer.Result>

    /// A service for these rules, which `ask` names by their place; `onEvent` gets an issuer's index.
    package init(
        rules: [ExchangeSettings], settings: [IssuerSettings], clients: [ClientSettings],
        environment: LookupEnvironment, metadata: @escaping @Sendable (Int) -> ServerMetadata?,
        onAnswer: @escaping @Sendable (ExchangeAnswer) -> Void,
        onEvent: @escaping @Sendable (Int, IssuerEvent) -> Void
    ) {
        let exchanges = rules.map { RuleExchange($0, settings: settings, clients: clients) }
        let reports = LookupEvents(clock: environment.clock, onEvent: onEvent)
        service = LookupService(
            queue: LookupQueue(lanes: exchanges.count, bounds: environment.bounds), clock: environment.clock,
            executor: environment.executor,
            work: .init(
                look: { lookup in
                    guard let exchange = exchanges[lookup.key.lane] else { return .unavailable(.endpointMissing) }
                    do throws(LookupRefusal) {
                        let result = try await exchange.ask(
                            for: lookup.token, until: lookup.tokenExpiresAt,
                            fetching: environment.fetching.within(lookup.trace),
                            clock: environment.clock, slowWork: environment.slowWork,
                            metadata: metadata(exchange.issuer))
                        if case .invalidTarget = result {
                            reports.targetRefused(issuer: exchange.issuer, client: exchange.clientName)
                        }
                        return result
                    } catch {
                        reports.exchangeFailed(error, issuer: exchange.issuer, client: exchange.clientName)
                        return .unavailable(error)
                    }
                },
                isAnswered: { result in
                    switch result {
                    case .token, .invalidSubject, .invalidTarget: true
                    case .unavailable(let refusal): refusal.isOfServerThatAnswers
                    }
                },
                unasked: { key, refusal in
                    if exchanges.indices.contains(key.lane), let exchange = exchanges[key.lane] {
                        reports.exchangeFailed(refusal, issuer: exchange.issuer, client: exchange.clientName)
                    }
                    return .unavailable(refusal)
                },
                tell: { key, workers, result in
                    onAnswer(ExchangeAnswer(digest: key.digest, rule: key.lane, workers: workers, result: result))
                },
                patience: { _ in Int64(RuleExchange.timeoutMilliseconds) }))
    }

    /// Exchanges a token by the rule at that place.
    ///
    /// From any thread; `onAnswer` follows in every case. `expiresAt` is the subject token's, in seconds since 1970: the
    /// new one is not used for longer (TX-04). The issuer is told of the span `trace`, unless somebody asked the same before.
    package func ask(
        rule: Int, token: [UInt8], expiresAt: Int64, digest: SHA256Digest, worker: Int, client: AskingClient = .many,
        within trace: TraceParent? = nil
    ) {
        service.ask(
            .init(lane: rule, digest: digest), token: token, tokenExpiresAt: expiresAt, worker: worker, client: client,
            within: trace)
    }

    /// Cancels what is under way and tells whoever waits that nothing is known.
    package func stop() { service.stop() }

    /// Questions under way and questions that wait, for metrics; from any thread.
    package var load: (concurrent: Int, waiting: Int) { service.load }
}
