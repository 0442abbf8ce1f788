package import Crypto
package import HTTPMessage
package import OAuth

/// What came of asking an issuer about a token.
package struct IntrospectionAnswer: Sendable {
    package enum Result: Sendable {
        /// The token is good, and may be believed so until then, in seconds since 1970; perhaps for this request only.
        case active(VerifiedAccessToken, believedUntil: Int64)
        /// It is not, and nobody says why.
        case inactive
        /// The issuer vouches for it, and what it says about it forbids its use.
        case refused(AccessTokenRefusal)
        /// Nothing is known of the token. Nothing is remembered of it either, unless asking again would bring the same
        /// (`LookupRefusal.answerTooLarge`).
        case unavailable(LookupRefusal)
    }

    package let digest: SHA256Digest
    package let issuer: Int
    /// The workers that asked.
    package let workers: [Int]
    package let result: Result

    package init(digest: SHA256Digest, issuer: Int, workers: [Int], result: Result) {
        self.digest = digest
        self.issuer = issuer
        self.workers = workers
        self.result = result
    }
}

/// Asks issuers about tokens, once for all workers that want to know at the same time; one for the whole process.
///
/// Remembers nothing: what an answer is worth later is for whoever asked. Like the directory it works on one executor,
/// and tells there.
package final class IntrospectionService: Sendable {
    /// Where the service looks things up; every closure gets the issuer's index and may be called from the executor.
    package struct Sources: Sendable {
        package var metadata: @Sendable (Int) -> ServerMetadata?
        package var keys: @Sendable (Int) -> IssuerKeys?
        /// A signed answer names a key that is not at hand: who asked for it, and the span of the question.
        package var requestKeys: @Sendable (Int, AskingClient, TraceParent?) -> Void

        package init(
            metadata: @escaping @Sendable (Int) -> ServerMetadata?, keys: @escaping @Sendable (Int) -> IssuerKeys?,
            requestKeys: @escaping @Sendable (Int, AskingClient, TraceParent?) -> Void
        ) {
            self.metadata = metadata
            self.keys = keys
            self.requestKeys = requestKeys
        }

        /// What a directory knows.
        package init(_ directory: IssuerDirectory) {
            self.init(
                metadata: { directory.metadata(of: $0) }, keys: { directory.keys(of: $0) },
                requestKeys: {
                    directory.requestRefresh(issuer: $0, by: KeyRequester(.accessToken, for: $1), within: $2)
                })
        }
    }

    private let service: LookupService<IntrospectionAnswer.Result>

    /// A service for the issuers that have `introspection` settings; `onEvent` gets an issuer's index.
    package init(
        settings: [IssuerSettings], clients: [ClientSettings], environment: LookupEnvironment, sources: Sources,
        failures: FailureBudget = FailureBudget(),
        onAnswer: @escaping @Sendable (IntrospectionAnswer) -> Void,
        onEvent: @escaping @Sendable (Int, IssuerEvent) -> Void
    ) {
        let issuers = settings.enumerated().map { IssuerIntrospection($1, at: $0, clients: clients) }
        let reports = LookupEvents(clock: environment.clock, onEvent: onEvent)
        service = LookupService(
            queue: LookupQueue(lanes: issuers.count, bounds: environment.bounds, failures: failures),
            clock: environment.clock, executor: environment.executor,
            work: .init(
                look: { lookup in
                    let index = lookup.key.lane
                    guard let issuer = issuers[index] else { return .unavailable(.endpointMissing) }
                    do throws(LookupRefusal) {
                        return try await issuer.ask(
                            about: lookup.token, fetching: environment.fetching.within(lookup.trace),
                            clock: environment.clock,
                            slowWork: environment.slowWork, metadata: sources.metadata(index)
                        ) { sources.keys(index) }
                    } catch {
                        if error == .introspection(.unknownKey) {
                            sources.requestKeys(index, lookup.client, lookup.trace)
                        }
                        reports.introspectionFailed(error, issuer: index, client: issuer.clientName)
                        return .unavailable(error)
                    }
                },
                isBad: { result in
                    switch result {
                    case .inactive, .refused: true
                    case .active, .unavailable: false
                    }
                },
                isAnswered: { result in
                    switch result {
                    case .active, .inactive, .refused: true
                    case .unavailable(let refusal): refusal.isOfServerThatAnswers
                    }
                },
                unasked: { key, refusal in
                    reports.introspectionFailed(refusal, issuer: key.lane, client: "")
                    return .unavailable(refusal)
                },
                tell: { key, workers, result in
                    onAnswer(
                        IntrospectionAnswer(digest: key.digest, issuer: key.lane, workers: workers, result: result))
                },
                patience: { issuers[$0].map { Int64($0.timeoutMilliseconds) } ?? .max }))
    }

    /// Asks an issuer about a token.
    ///
    /// From any thread; `onAnswer` follows in every case. `digest` names the question: whoever asks the same while it is
    /// under way gets the same answer. The token is held only until then. A bad one is charged to `client`; one that
    /// `isVouchedFor`, because it was good a while ago, is asked about even when the client has no failure left.
    /// The issuer is told of the span `trace`, unless somebody asked the same before.
    package func ask(
        issuer: Int, token: [UInt8], digest: SHA256Digest, worker: Int, client: AskingClient = .many,
        isVouchedFor: Bool = false, within trace: TraceParent? = nil
    ) {
        service.ask(
            .init(lane: issuer, digest: digest), token: token, worker: worker, client: client,
            isVouchedFor: isVouchedFor, within: trace)
    }

    /// Cancels what is under way and tells whoever waits that nothing is known.
    package func stop() { service.stop() }

    /// Questions under way and questions that wait, for metrics; from any thread.
    package var load: (concurrent: Int, waiting: Int) { service.load }
}
