import Bytes

/// Tokens for upstreams in exchange for the callers' (RFC 8693); the caller's own never goes there (TX-04).
extension AccessPolicy {
    /// Makes sure that a route with an exchange has its token, or says what must be waited for.
    borrowing func exchangeToken(
        _ route: FixedValue<Route>, _ record: TokenRecord, _ findings: inout Findings, now: Int64
    ) throws(Refused) -> Wait {
        guard case .exchange(let rule) = route.pointee.credential else { return .nothing }
        if findings.upstreamToken != nil { return .nothing }
        if case .refused(let refused) = findings.exchanged { throw refused }
        if let token = record.attached(.upstreamToken, rule: rule), now < token.usableUntil {
            token.retain()
            findings.upstreamToken = token
            return .nothing
        }
        return .exchange(rule: rule, record.digest)
    }
}

extension Findings {
    /// Takes the token that a request waited for along when the record it stands beside was made anew meanwhile.
    ///
    /// The request itself has a use of the token; this is for the caller's next ones.
    func carryUpstreamToken(from earlier: TokenRecord, to record: TokenRecord, _ identities: inout Identities) {
        guard earlier != record, let token = upstreamToken, record.attached(.upstreamToken, rule: token.rule) == nil
        else { return }
        _ = identities.keep(
            upstreamToken: Array(copying: token.bytes), of: record, rule: token.rule, until: token.usableUntil)
    }
}

extension Identities {
    /// Puts a token beside the record of the one it was exchanged for, in place of an earlier one by the same rule.
    package mutating func keep(
        upstreamToken text: [UInt8], of record: TokenRecord, rule: Int, until: Int64
    ) -> AttachedBlock {
        let block = AttachedBlock(rule: rule, text, usableUntil: until)
        charge(record, record.attach(block, as: .upstreamToken))
        return block
    }
}
