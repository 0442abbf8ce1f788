import Bytes
import Crypto
import Telemetry

/// Tokens that their issuer is asked about instead of being verified here (RFC 7662).
extension AccessPolicy {
    /// The record of a token that only its issuer can judge: one at hand, one just brought, or a question to be asked.
    borrowing func introspect(
        _ issuer: Int, _ token: Span<UInt8>, _ identities: inout Identities, _ findings: inout Findings, now: Int64
    ) throws(Refused) -> TokenFinding {
        switch findings.lookup {
        case .none: break
        case .active(let record): return .known(record)
        case .refused(let refused): throw refused
        }
        // What is too long is told to nobody (INT-07).
        guard token.count <= tokenLimit else {
            throw Refused(.tokenTooLarge, expected: "at most \(tokenLimit) bytes", found: "\(token.count) bytes")
        }
        let digest = AccessPolicy.introspectionDigest(
            of: token, issuer: issuer, memory: &identities.memory)
        if let known = identities.freshRecord(digest, now: now) {
            identities.metrics.count(.tokenCacheHits)
            return .known(known)
        }
        if let refusal = identities.refusedTokens.find(digest, now: now) {
            guard refusal != .introspectionAnswerTooLarge else {
                throw Refused(
                    refusal, expected: "an answer within introspection.answer_limit",
                    found: "a longer one a moment ago")
            }
            throw Refused(refusal, expected: "an active token", found: "one that was refused a moment ago")
        }
        identities.metrics.count(.tokenCacheMisses)
        return .wait(.introspection(issuer: issuer, digest))
    }

    /// The place of a token's record: one issuer's word on a token is none of another's (INT-06).
    ///
    /// The text is put together in lent memory, for a token that is known already comes here with each of its requests.
    static func introspectionDigest(of token: Span<UInt8>, issuer: Int, memory: inout [UInt8]) -> SHA256Digest {
        memory.removeAll(keepingCapacity: true)
        memory.append(copying: "introspection ".utf8.span)
        var rest = UInt64(issuer)
        // The number's digits from the last to the first, which is a text of its own as well.
        repeat {
            memory.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        memory.append(UInt8(ascii: " "))
        memory.append(copying: token)
        return SHA256.hash(memory.span)
    }
}
