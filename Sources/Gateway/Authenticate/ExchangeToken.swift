import Access
import Bytes
import Crypto
import Issuers
import OAuth
import Telemetry

/// Tokens for upstreams in exchange for the callers' (RFC 8693); the caller's own never goes there (TX-04).
extension WorkerRef {
    /// The authorization server has exchanged a token, will not, or could not be asked.
    func exchangeAnswered(_ answer: ExchangeAnswer) {
        let wait = Wait.exchange(rule: answer.rule, answer.digest)
        switch answer.result {
        case .token(let token, let expiresAt):
            let text = token.reveal()
            end(wait) { exchange in
                guard let record = exchange.pointee.findings.token else { return .nothing }
                let block = pointee.identities.keep(
                    upstreamToken: text, of: record, rule: answer.rule, until: expiresAt)
                // The record may give way to another before the request goes on: the token is the exchange's too.
                block.retain()
                exchange.pointee.findings.upstreamToken = block
                auditExchange(exchange, rule: answer.rule)
                return .nothing
            }
        case .invalidSubject:
            refuseExchange(
                wait,
                Refused(
                    .exchangeSubjectRefused, expected: "a token that can be exchanged", found: "one that is refused"))
        case .invalidTarget:
            refuseExchange(
                wait,
                Refused(.exchangeTargetRefused, expected: "a target that the server knows", found: "invalid_target"))
        case .unavailable(let reason):
            let refused = refusalOfExchange(reason)
            let issuer = pointee.policy.exchangers[answer.rule].issuer
            end(wait) { exchange in
                let again = secondWait(exchange, reason, issuer: issuer)
                if again == .nothing { exchange.pointee.findings.exchanged = .refused(refused) }
                return again
            }
        }
    }

    /// The refusal of a request for which there is no token for the upstream, with its words for the operator.
    func refusalOfExchange(_ reason: LookupRefusal) -> Refused {
        reason == .tooManyOfClient
            ? tooManyWaiting
            : Refused(.exchangeUnavailable, expected: "a token for the upstream", found: .text(reason.word))
    }

    private func refuseExchange(_ wait: Wait, _ refused: Refused) {
        end(wait) { exchange in
            exchange.pointee.findings.exchanged = .refused(refused)
            return .nothing
        }
    }
}
