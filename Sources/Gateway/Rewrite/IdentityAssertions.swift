import Access
import Bytes
import Crypto
import Issuers
import JOSE
import JSON
import OAuth

extension AssertionRule {
    /// When an assertion that is good from `now` until `end` is replaced: when half of that time is over, so that
    /// whoever verifies one has at least the other half left (or what a second leaves of it).
    static func refreshTime(now: Int64, end: Int64) -> Int64 { now + max(1, (end - now) / 2) }
}

extension WorkerRef {
    /// The line with an assertion that is good for at least half of its time; signed only when there is none.
    func freshAssertion(
        _ token: TokenRecord, rule: Int, _ identities: inout Identities
    ) throws(Refused) -> AttachedBlock {
        let now = clock.wallSeconds()
        if let kept = token.attached(.assertion, rule: rule), now < kept.usableUntil { return kept }
        return try signAssertion(token, rule: rule, &identities, now: now)
    }

    private func signAssertion(
        _ token: TokenRecord, rule index: Int, _ identities: inout Identities, now: Int64
    ) throws(Refused) -> AttachedBlock {
        guard let keys = identities.assertionKeys else {
            throw Refused(.exchangeUnavailable, expected: "a key that signs identity assertions", found: "none")
        }
        let rule = pointee.policy.tables.assertions[index]
        guard let claims = token.claims else { preconditionFailure("verified claims are JSON") }
        let issuer = identities.issuers.value(at: token.issuer)
        let identity = IdentityAssertion.Identity(
            tokenIssuer: issuer.pointee.identifier, subject: claims["sub"]?.string,
            clientID: token.clientID.isEmpty ? nil : String(copying: token.clientID),
            scopes: AssertionRule.scopes(claims[issuer.pointee.rules.scopeClaim]), claims: claims,
            usableUntil: token.expiresAt)
        guard let made = rule.assertion.claims(for: identity, now: now, randomness: RandomBytes.fill(16)) else {
            throw Refused(.tokenExpired, expected: "a token that is in force", found: "one that ended just now")
        }
        let jwt: [UInt8]
        do throws(SigningRefusal) {
            jwt = try CompactJWS.sign(made.bytes.span, type: AssertionKeyRing.assertionType, by: keys.signer)
        } catch {
            throw Refused(
                .exchangeUnavailable, expected: "a signed identity assertion", found: .text(CauseWords.of(error)))
        }
        let line = rule.linePrefix + jwt + [0x0D, 0x0A]
        // What an upstream could not take as a header must not be cut silently.
        guard line.count <= 32 << 10 else {
            throw Refused(
                .identityTooLarge, expected: "at most 32768 bytes of identity assertion", found: "\(line.count)")
        }
        let refreshAt = AssertionRule.refreshTime(now: now, end: made.expiresAt)
        let block = AttachedBlock(rule: index, line, usableUntil: refreshAt)
        identities.charge(token, token.attach(block, as: .assertion))
        return block
    }
}

extension AssertionRule {
    /// The words of a scope claim, a string or a list.
    static func scopes(_ claim: JSONValue?) -> [String] {
        guard let claim else { return [] }
        if let text = claim.string {
            return text.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        }
        return claim.elements.compactMap(\.string)
    }
}
