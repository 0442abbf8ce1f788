// SPDX-License-Identifier: Apache-2.0
import Crypto
import HTTPMessage
import Issuers
import OAuth
import Telemetry

/// What a worker asks an authorization server through the desks of the process.
enum Question: Sendable {
    case introspection(issuer: Int)
    case exchange(rule: Int, tokenExpiresAt: Int64)
}

/// Tokens that their issuer is asked about instead of being verified here (RFC 7662).
extension WorkerRef {
    /// The record of a token that only its issuer can judge: one at hand, one just brought, or a question to be asked.
    func introspect(
        _ exchange: ExchangeRef, _ issuer: Int, _ token: UnsafeBufferPointer<UInt8>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refusal) -> Identity {
        switch exchange.pointee.lookup {
        case .none: break
        case .active(let record): return .known(record)
        case .refused(let refusal):
            pointee.refusalDetail = pointee.lookupDetail
            throw refusal
        }
        // What is too long is told to nobody (INT-07).
        let limit = pointee.limits.accessToken
        guard token.count <= limit else {
            throw refuse(.tokenTooLarge, "at most \(limit) bytes", "\(token.count) bytes")
        }
        let digest = introspectionDigest(of: token, issuer: issuer)
        if let known = freshRecord(digest) {
            pointee.metrics.count(.tokenCacheHits)
            return .known(known)
        }
        if let refusal = pointee.refusedTokens.find(digest, now: clock.wallSeconds()) {
            throw refuse(refusal, "an active token", "one that was refused a moment ago")
        }
        pointee.metrics.count(.tokenCacheMisses)
        guard pointee.failures.isLeft(to: exchange.pointee.address, at: clock.microseconds()) else {
            throw refuse(.unknownTokensTooMany, "fewer unknown tokens from one address", "more")
        }
        return .wait(.introspection(issuer: issuer, digest))
    }

    /// The place of a token's record: one issuer's word on a token is none of another's (INT-06).
    private func introspectionDigest(of token: UnsafeBufferPointer<UInt8>, issuer: Int) -> SHA256Digest {
        var writer = HeadWriter(pointee.writeScratch, capacity: Worker.writeCapacity)
        writer.put("introspection ")
        writer.putDecimal(UInt64(issuer))
        writer.put(" ")
        writer.put(token)
        return SHA256.hash(UnsafeBufferPointer(start: writer.base, count: writer.count).span)
    }

    /// The access token of the head at `bytes`, which was found there before.
    func accessToken(_ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let head = pointee.head
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
        let view = pointee.issuers[answer.issuer]
        switch answer.result {
        case .active(let token, let believedUntil):
            let record = remember(introspected: token, answer.digest, issuer: answer.issuer, until: believedUntil)
            end(wait) { exchange in
                record.pointee.uses += 1
                exchange.pointee.lookup = .active(record)
                return .nothing
            }
            TokenRecord.release(record)
        case .inactive, .refused:
            let refusal = refusal(in: answer)
            pointee.refusedTokens.insert(
                answer.digest, refusal, until: clock.wallSeconds() + Int64(view.negativeSeconds))
            // One question, one charge: a hundred requests with one bad token have cost the issuer one answer.
            var isCharged = false
            end(wait) { exchange in
                if !isCharged {
                    pointee.failures.charge(exchange.pointee.address, at: clock.microseconds())
                }
                isCharged = true
                exchange.pointee.lookup = .refused(refusal)
                return .nothing
            }
        case .unavailable(let reason):
            // Never remembered: the next request asks again (INT-06).
            let refusal = refusal(in: answer)
            end(wait) { exchange in
                let again = secondWait(exchange, reason, issuer: answer.issuer)
                if again == .nothing { exchange.pointee.lookup = .refused(refusal) }
                return again
            }
        }
        pointee.lookupDetail = RefusalDetail()
    }

    /// The refusal that an answer means, with its words for the operator in `lookupDetail`; not for active tokens.
    func refusal(in answer: IntrospectionAnswer) -> Refusal {
        let view = pointee.issuers[answer.issuer]
        switch answer.result {
        case .active, .inactive:
            pointee.lookupDetail = RefusalDetail(
                expected: "a token that \(view.identifier) calls active", found: "active false")
            return .tokenInactive
        case .refused(let cause):
            pointee.lookupDetail = RefusalDetail(
                expected: cause.expected(by: view.rules), found: cause.found(in: nil), check: cause.checkID)
            return Refusal(cause)
        case .unavailable(let reason):
            pointee.lookupDetail = RefusalDetail(expected: "an answer of \(view.identifier)", found: reason.word)
            return .introspectionUnavailable
        }
    }
}
