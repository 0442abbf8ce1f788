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

/// Hands a question in, on behalf of a client.
typealias AskServer =
    @Sendable (_ question: Question, _ token: [UInt8], _ digest: SHA256Digest, _ client: AskingClient) -> Void

/// Tokens that their issuer is asked about instead of being verified here (RFC 7662).
extension WorkerRef {
    /// The record of a token that only its issuer can judge: one at hand, one just brought, or a question to be asked.
    func introspect(
        _ exchange: ExchangeRef, _ issuer: Int, _ token: UnsafeBufferPointer<UInt8>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> TokenFinding {
        switch exchange.pointee.lookup {
        case .none: break
        case .active(let record): return .known(record)
        case .refused(let refused): throw refused
        }
        // What is too long is told to nobody (INT-07).
        let limit = pointee.policy.limits.accessToken
        guard token.count <= limit else {
            throw refuse(.tokenTooLarge, "at most \(limit) bytes", "\(token.count) bytes")
        }
        let digest = introspectionDigest(of: token, issuer: issuer)
        if let known = freshRecord(digest) {
            pointee.journal.metrics.count(.tokenCacheHits)
            return .known(known)
        }
        if let refusal = pointee.identities.refusedTokens.find(digest, now: clock.wallSeconds()) {
            guard refusal != .introspectionAnswerTooLarge else {
                throw refuse(refusal, "an answer within introspection.answer_limit", "a longer one a moment ago")
            }
            throw refuse(refusal, "an active token", "one that was refused a moment ago")
        }
        pointee.journal.metrics.count(.tokenCacheMisses)
        guard
            pointee.identities.vouchedTokens.contains(digest, now: clock.wallSeconds())
                || pointee.identities.failures.isLeft(to: askingClient(exchange), at: clock.microseconds())
        else { throw tooManyBad }
        return .wait(.introspection(issuer: issuer, digest))
    }

    /// On whose behalf a server is asked.
    func askingClient(_ exchange: ExchangeRef) -> AskingClient {
        AskingClient(exchange.pointee.address.networkWords, isMany: countedNetwork(exchange) == nil)
    }

    private var tooManyBad: Refused {
        refuse(
            .unknownTokensTooMany,
            "\(pointee.policy.limits.shares.badTokens.perSecond) bad tokens a second of one client"
                + " (limits.bad_token_rate_per_client)", "more")
    }

    /// Too many questions of one client wait in a service's queue, which is the client's doing and not the server's.
    var tooManyWaiting: Refused {
        refuse(
            .clientWaitersTooMany,
            "\(LookupBounds().waitingPerClient) questions about tokens of one client waiting to be asked, and no more than it leaves",
            "more questions")
    }

    /// The place of a token's record: one issuer's word on a token is none of another's (INT-06).
    private func introspectionDigest(of token: UnsafeBufferPointer<UInt8>, issuer: Int) -> SHA256Digest {
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writer.put("introspection ")
        writer.putDecimal(UInt64(issuer))
        writer.put(" ")
        writer.put(token)
        return SHA256.hash(UnsafeBufferPointer(start: writer.base, count: writer.count).span)
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
            let record = remember(introspected: token, answer.digest, issuer: answer.issuer, until: believedUntil)
            end(wait) { exchange in
                record.retain()
                exchange.pointee.lookup = .active(record)
                return .nothing
            }
            record.release()
        case .unavailable(.answerTooLarge), .unavailable(.answerTooComplex):
            // The token may be good, and nobody is charged; but to ask again would get the same answer.
            let refused = refusal(in: answer)
            pointee.identities.refusedTokens.insert(answer.digest, refused.cause, until: clock.wallSeconds() + 60)
            end(wait) { exchange in
                exchange.pointee.lookup = .refused(refused)
                return .nothing
            }
        case .inactive, .refused:
            let refused = refusal(in: answer)
            pointee.identities.vouchedTokens.remove(answer.digest)
            pointee.identities.refusedTokens.insert(
                answer.digest, refused.cause, until: clock.wallSeconds() + Int64(view.negativeSeconds))
            // The service has charged whoever asked first: a hundred requests with one bad token cost the issuer one answer.
            end(wait) { exchange in
                exchange.pointee.lookup = .refused(refused)
                return .nothing
            }
        case .unavailable(let reason):
            // Never remembered: the next request asks again (INT-06).
            let refused = refusal(in: answer)
            end(wait) { exchange in
                let again = secondWait(exchange, reason, issuer: answer.issuer)
                if again == .nothing { exchange.pointee.lookup = .refused(refused) }
                return again
            }
        }
    }

    /// The refusal that an answer means, with its words for the operator; not for active tokens.
    func refusal(in answer: IntrospectionAnswer) -> Refused {
        let view = pointee.identities.issuers[answer.issuer]
        switch answer.result {
        case .active, .inactive:
            return refuse(.tokenInactive, "a token that \(view.identifier) calls active", "active false")
        case .refused(let cause):
            return refuse(
                cause.refusal, cause.expected(by: view.rules), cause.found(in: nil), check: cause.check)
        case .unavailable(.answerTooLarge(let limit)):
            return refuse(
                .introspectionAnswerTooLarge,
                "an answer of \(view.identifier) of at most \(limit) bytes (introspection.answer_limit)", "more")
        case .unavailable(.tooManyBad): return tooManyBad
        case .unavailable(.tooManyOfClient): return tooManyWaiting
        case .unavailable(.answerTooComplex(let expected)):
            return refuse(.introspectionAnswerTooLarge, "an answer of \(view.identifier) \(expected)", "more")
        case .unavailable(let reason):
            return refuse(.introspectionUnavailable, "an answer of \(view.identifier)", reason.word)
        }
    }
}
