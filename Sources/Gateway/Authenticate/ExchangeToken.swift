import Access
import Bytes
import Crypto
import Issuers
import OAuth
import Telemetry

/// Tokens for upstreams in exchange for the callers' (RFC 8693); the caller's own never goes there (TX-04).
extension WorkerRef {
    /// Makes sure that a route with an exchange has its token, or says what must be waited for.
    func exchangeToken(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: TokenRecord
    ) throws(Refused) -> Wait {
        guard case .exchange(let rule) = route.pointee.credential else { return .nothing }
        if exchange.pointee.upstreamToken != nil { return .nothing }
        if case .refused(let refused) = exchange.pointee.exchanged { throw refused }
        if let token = record.attached(.upstreamToken, rule: rule), clock.wallSeconds() < token.usableUntil {
            token.retain()
            exchange.pointee.upstreamToken = token
            return .nothing
        }
        return .exchange(rule: rule, record.digest)
    }

    /// Takes the token that a request waited for along when the record it stands beside was made anew meanwhile.
    ///
    /// The request itself has a use of the token; this is for the caller's next ones.
    func carryUpstreamToken(
        _ exchange: ExchangeRef, from earlier: TokenRecord, to record: TokenRecord
    ) {
        guard earlier != record, let token = exchange.pointee.upstreamToken,
            record.attached(.upstreamToken, rule: token.rule) == nil
        else { return }
        let text = Array(copying: token.bytes)
        _ = keep(text, of: record, rule: token.rule, until: token.usableUntil)
    }

    /// The authorization server has exchanged a token, will not, or could not be asked.
    func exchangeAnswered(_ answer: ExchangeAnswer) {
        let wait = Wait.exchange(rule: answer.rule, answer.digest)
        switch answer.result {
        case .token(let token, let expiresAt):
            let text = token.reveal()
            end(wait) { exchange in
                guard let record = exchange.pointee.token else { return .nothing }
                let block = keep(text, of: record, rule: answer.rule, until: expiresAt)
                // The record may give way to another before the request goes on: the token is the exchange's too.
                block.retain()
                exchange.pointee.upstreamToken = block
                return .nothing
            }
        case .invalidSubject:
            refuseExchange(
                wait, refuse(.exchangeSubjectRefused, "a token that can be exchanged", "one that is refused"))
        case .invalidTarget:
            refuseExchange(
                wait, refuse(.exchangeTargetRefused, "a target that the server knows", "invalid_target"))
        case .unavailable(let reason):
            let refused = refusalOfExchange(reason)
            let issuer = pointee.policy.exchangeIssuers[answer.rule]
            end(wait) { exchange in
                let again = secondWait(exchange, reason, issuer: issuer)
                if again == .nothing { exchange.pointee.exchanged = .refused(refused) }
                return again
            }
        }
    }

    /// The refusal of a request for which there is no token for the upstream, with its words for the operator.
    func refusalOfExchange(_ reason: LookupRefusal) -> Refused {
        reason == .tooManyOfClient
            ? tooManyWaiting : refuse(.exchangeUnavailable, "a token for the upstream", reason.word)
    }

    private func refuseExchange(_ wait: Wait, _ refused: Refused) {
        end(wait) { exchange in
            exchange.pointee.exchanged = .refused(refused)
            return .nothing
        }
    }

    /// Puts a token beside the record of the one it was exchanged for, in place of an earlier one by the same rule.
    private func keep(
        _ text: [UInt8], of record: TokenRecord, rule: Int, until: Int64
    ) -> AttachedBlock {
        let block = AttachedBlock(rule: rule, text, usableUntil: until)
        charge(record, record.attach(block, as: .upstreamToken))
        return block
    }
}
