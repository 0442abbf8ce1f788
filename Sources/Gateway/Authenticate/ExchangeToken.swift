import Access
import Crypto
import Issuers
import OAuth
import Telemetry

/// A token for an upstream, beside the record of the token it was exchanged for, in one piece of memory.
struct ExchangedToken {
    let rule: Int
    /// Unix seconds: from then on another one is asked for.
    let usableUntil: Int64
    let text: UnsafeMutablePointer<UInt8>
    let count: Int
    var next: UnsafeMutablePointer<ExchangedToken>?
    /// The record's, and those of the exchanges that are about to present it.
    private(set) var uses = 1

    var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text, count: count) }

    /// Bytes that the cache counts for one of so many bytes.
    static func cost(_ count: Int) -> Int { MemoryLayout<ExchangedToken>.stride + count + 16 }

    static func make(_ rule: Int, _ token: [UInt8], until: Int64) -> UnsafeMutablePointer<ExchangedToken> {
        let head = MemoryLayout<ExchangedToken>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: head + token.count, alignment: MemoryLayout<ExchangedToken>.alignment)
        let block = memory.bindMemory(to: ExchangedToken.self, capacity: 1)
        let bytes = (memory + head).bindMemory(to: UInt8.self, capacity: token.count)
        bytes.update(from: token, count: token.count)
        block.initialize(
            to: ExchangedToken(rule: rule, usableUntil: until, text: bytes, count: token.count, next: nil))
        return block
    }

    static func retain(_ block: UnsafeMutablePointer<ExchangedToken>) { block.pointee.uses += 1 }

    static func release(_ block: UnsafeMutablePointer<ExchangedToken>) {
        block.pointee.uses -= 1
        guard block.pointee.uses == 0 else { return }
        // Somebody else's credential: not left in memory that the next allocation reads.
        block.pointee.text.update(repeating: 0, count: block.pointee.count)
        block.deinitialize(count: 1)
        UnsafeMutableRawPointer(block).deallocate()
    }
}

/// Tokens for upstreams in exchange for the callers' (RFC 8693); the caller's own never goes there (TX-04).
extension WorkerRef {
    /// Makes sure that a route with an exchange has its token, or says what must be waited for.
    func exchangeToken(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>
    ) throws(Refused) -> Wait {
        guard case .exchange(let rule) = route.pointee.credential else { return .nothing }
        if exchange.pointee.upstreamToken != nil { return .nothing }
        if case .refused(let refused) = exchange.pointee.exchanged { throw refused }
        if let block = TokenRecord.exchanged(of: record, rule: rule), clock.wallSeconds() < block.pointee.usableUntil {
            ExchangedToken.retain(block)
            exchange.pointee.upstreamToken = block
            return .nothing
        }
        return .exchange(rule: rule, record.pointee.digest)
    }

    /// Takes the token that a request waited for along when the record it stands beside was made anew meanwhile.
    ///
    /// The request itself has a use of the token; this is for the caller's next ones.
    func carryUpstreamToken(
        _ exchange: ExchangeRef, from earlier: UnsafeMutablePointer<TokenRecord>,
        to record: UnsafeMutablePointer<TokenRecord>
    ) {
        guard earlier != record, let token = exchange.pointee.upstreamToken,
            TokenRecord.exchanged(of: record, rule: token.pointee.rule) == nil
        else { return }
        _ = keep(
            Array(token.pointee.buffer), of: record, rule: token.pointee.rule, until: token.pointee.usableUntil)
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
                ExchangedToken.retain(block)
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
        _ text: [UInt8], of record: UnsafeMutablePointer<TokenRecord>, rule: Int, until: Int64
    ) -> UnsafeMutablePointer<ExchangedToken> {
        let block = ExchangedToken.make(rule, text, until: until)
        let freed = TokenRecord.replaceExchanged(of: record, by: block)
        charge(record, ExchangedToken.cost(text.count) - freed)
        return block
    }
}

extension TokenRecord {
    /// The token for an upstream that a rule brought, if it has brought one; perhaps no longer usable.
    static func exchanged(
        of record: UnsafeMutablePointer<TokenRecord>, rule: Int
    ) -> UnsafeMutablePointer<ExchangedToken>? {
        var block = record.pointee.exchanged
        while let one = block, one.pointee.rule != rule { block = one.pointee.next }
        return block
    }

    /// Makes `block` the one of its rule; answers what the one before cost, 0 when there was none.
    static func replaceExchanged(
        of record: UnsafeMutablePointer<TokenRecord>, by block: UnsafeMutablePointer<ExchangedToken>
    ) -> Int {
        var freed = 0
        var previous: UnsafeMutablePointer<ExchangedToken>?
        var candidate = record.pointee.exchanged
        while let one = candidate, one.pointee.rule != block.pointee.rule {
            previous = one
            candidate = one.pointee.next
        }
        if let old = candidate {
            if let previous {
                previous.pointee.next = old.pointee.next
            } else {
                record.pointee.exchanged = old.pointee.next
            }
            freed = ExchangedToken.cost(old.pointee.count)
            ExchangedToken.release(old)
        }
        block.pointee.next = record.pointee.exchanged
        record.pointee.exchanged = block
        return freed
    }
}
