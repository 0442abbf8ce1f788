import Access
import Crypto
import HTTPMessage
import Issuers
import OAuth
import Telemetry

/// What a worker asks an authorization server through the services of the process.
enum Question: Sendable {
    /// `isVouchedFor`: the token was called active within the hour.
    case introspection(issuer: Int, isVouchedFor: Bool)
    case exchange(rule: Int, tokenExpiresAt: Int64)
}

/// Hands a question in, on behalf of a client and of a span that the server is told of, where it is.
typealias AskServer =
    @Sendable (
        _ question: Question, _ token: [UInt8], _ digest: SHA256Digest, _ client: AskingClient, _ trace: TraceParent?
    ) -> Void

/// Tokens that their issuer is asked about instead of being verified here (RFC 7662).
extension WorkerRef {
    /// On whose behalf a server is asked.
    func askingClient(_ exchange: ExchangeRef) -> AskingClient {
        AskingClient(exchange.pointee.address.networkWords, isMany: countedNetwork(exchange) == nil)
    }

    var tooManyBad: Refused {
        Refused(
            .unknownTokensTooMany,
            expected:
                "\(pointee.policy.limits.shares.badTokens.perSecond) bad tokens a second of one client (limits.bad_token_rate_per_client)",
            found: "more")
    }

    /// Too many questions of one client wait in a service's queue, which is the client's doing and not the server's.
    var tooManyWaiting: Refused {
        Refused(
            .clientWaitersTooMany,
            expected:
                "\(LookupBounds().waitingPerClient) questions about tokens of one client waiting to be asked, and no more than it leaves",
            found: "more questions")
    }

    /// The access token of the head at `bytes`, which was found there before.
    func accessToken(_ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let head = pointee.scratch.head
        let range = head.pointee.fields[head.pointee.authorizationIndex].value
        let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        switch AuthorizationField.parse(value.span) {
        case .bearer(let token), .dpop(let token): return UnsafeBufferPointer(rebasing: value[token.range])
        case .otherScheme, .malformed: return UnsafeBufferPointer(rebasing: value[0..<0])
        }
    }

    /// The authorization server has spoken of a token, or nobody could ask it.
    func introspectionAnswered(_ answer: IntrospectionAnswer) {
        let wait = Wait.introspection(issuer: answer.issuer, answer.digest)
        let view = pointee.identities.issuers[answer.issuer]
        switch answer.result {
        case .active(let token, let believedUntil):
            pointee.identities.vouchedTokens.insert(answer.digest, now: clock.wallSeconds())
            let record = pointee.policy.access.pointee.remember(
                introspected: token, answer.digest, issuer: answer.issuer, until: believedUntil, &pointee.identities,
                now: clock.wallSeconds())
            end(wait) { exchange in
                record.retain()
                exchange.pointee.findings.lookup = .active(record)
                return .nothing
            }
            record.release()
        case .unavailable(.answerTooLarge), .unavailable(.answerTooComplex):
            // The token may be good, and nobody is charged; but to ask again would get the same answer.
            let refused = refusal(in: answer)
            pointee.identities.refusedTokens.insert(answer.digest, refused.cause, until: clock.wallSeconds() + 60)
            end(wait) { exchange in
                exchange.pointee.findings.lookup = .refused(refused)
                return .nothing
            }
        case .inactive, .refused:
            let refused = refusal(in: answer)
            pointee.identities.vouchedTokens.remove(answer.digest)
            pointee.identities.refusedTokens.insert(
                answer.digest, refused.cause, until: clock.wallSeconds() + Int64(view.negativeSeconds))
            // The service has charged whoever asked first: a hundred requests with one bad token cost the issuer one answer.
            end(wait) { exchange in
                exchange.pointee.findings.lookup = .refused(refused)
                return .nothing
            }
        case .unavailable(let reason):
            // Never remembered: the next request asks again (INT-06).
            let refused = refusal(in: answer)
            end(wait) { exchange in
                let again = secondWait(exchange, reason, issuer: answer.issuer)
                if again == .nothing { exchange.pointee.findings.lookup = .refused(refused) }
                return again
            }
        }
    }

    /// The refusal that an answer means, with its words for the operator; not for active tokens.
    func refusal(in answer: IntrospectionAnswer) -> Refused {
        let view = pointee.identities.issuers[answer.issuer]
        switch answer.result {
        case .active, .inactive:
            return Refused(
                .tokenInactive, expected: "a token that \(view.identifier) calls active", found: "active false")
        case .refused(let cause):
            return Refused(
                cause.refusal, expected: .text(cause.expected(by: view.rules)), found: .text(cause.found(in: nil)),
                check: cause.check)
        case .unavailable(.answerTooLarge(let limit)):
            return Refused(
                .introspectionAnswerTooLarge,
                expected: "an answer of \(view.identifier) of at most \(limit) bytes (introspection.answer_limit)",
                found: "more")
        case .unavailable(.tooManyBad): return tooManyBad
        case .unavailable(.tooManyOfClient): return tooManyWaiting
        case .unavailable(.answerTooComplex(let expected)):
            return Refused(
                .introspectionAnswerTooLarge, expected: "an answer of \(view.identifier) \(expected)", found: "more")
        case .unavailable(let reason):
            return Refused(
                .introspectionUnavailable, expected: "an answer of \(view.identifier)", found: .text(reason.word))
        }
    }
}
