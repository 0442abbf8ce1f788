import Access
import Crypto
import Issuers
import JOSE
import JSON
import OAuth

/// The keys of identity assertions at one time: an immutable snapshot that workers are handed.
struct AssertionKeys: Sendable {
    /// Signs from now on.
    let signer: SigningJWK
    /// The JWK Set that upstreams verify with.
    let published: [JWK]
    /// How long readers may keep it.
    let maximumAgeSeconds: Int
}

/// The field line with the assertion of one rule for one token, CRLF included, in one piece of memory.
struct AssertionBlock {
    let rule: Int
    /// Unix seconds: from then on another one is made.
    let refreshAt: Int64
    let line: UnsafeMutablePointer<UInt8>
    let count: Int
    var next: UnsafeMutablePointer<AssertionBlock>?

    /// Bytes that the cache counts for a block with so many bytes of line.
    static func cost(_ count: Int) -> Int { MemoryLayout<AssertionBlock>.stride + count + 16 }

    static func make(_ rule: Int, _ line: [UInt8], refreshAt: Int64) -> UnsafeMutablePointer<AssertionBlock> {
        let head = MemoryLayout<AssertionBlock>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: head + line.count, alignment: MemoryLayout<AssertionBlock>.alignment)
        let block = memory.bindMemory(to: AssertionBlock.self, capacity: 1)
        let bytes = (memory + head).bindMemory(to: UInt8.self, capacity: line.count)
        bytes.update(from: line, count: line.count)
        block.initialize(
            to: AssertionBlock(rule: rule, refreshAt: refreshAt, line: bytes, count: line.count, next: nil))
        return block
    }

    static func free(_ block: UnsafeMutablePointer<AssertionBlock>) {
        block.deinitialize(count: 1)
        UnsafeMutableRawPointer(block).deallocate()
    }

    /// When an assertion that is good from `now` until `end` is replaced: when half of that time is over, so that
    /// whoever verifies one has at least the other half left (or what a second leaves of it).
    static func refreshTime(now: Int64, end: Int64) -> Int64 { now + max(1, (end - now) / 2) }
}

extension WorkerRef {
    /// The line with an assertion that is good for at least half of its time; signed only when there is none.
    func freshAssertion(
        _ token: UnsafeMutablePointer<TokenRecord>, rule: Int
    ) throws(Refused) -> UnsafeMutablePointer<AssertionBlock> {
        let now = clock.wallSeconds()
        var block = token.pointee.assertions
        while let one = block {
            if one.pointee.rule == rule {
                if now < one.pointee.refreshAt { return one }
                break
            }
            block = one.pointee.next
        }
        return try signAssertion(token, rule: rule, now: now)
    }

    private func signAssertion(
        _ token: UnsafeMutablePointer<TokenRecord>, rule index: Int, now: Int64
    ) throws(Refused) -> UnsafeMutablePointer<AssertionBlock> {
        guard let keys = pointee.identities.assertionKeys else {
            throw refuse(.exchangeUnavailable, "a key that signs identity assertions", "none")
        }
        let rule = pointee.policy.tables.assertions[index]
        guard let claims = token.pointee.claims else { preconditionFailure("verified claims are JSON") }
        let issuer = pointee.identities.issuers + token.pointee.issuer
        let identity = IdentityAssertion.Identity(
            tokenIssuer: issuer.pointee.identifier, subject: claims["sub"]?.string,
            clientID: token.pointee.clientID.isEmpty ? nil : String(decoding: token.pointee.clientID, as: UTF8.self),
            scopes: AssertionBlock.scopes(claims[issuer.pointee.rules.scopeClaim]), claims: claims,
            usableUntil: token.pointee.expiresAt)
        guard let made = rule.assertion.claims(for: identity, now: now, randomness: RandomBytes.fill(16)) else {
            throw refuse(.tokenExpired, "a token that is in force", "one that ended just now")
        }
        let jwt: [UInt8]
        do throws(SigningRefusal) {
            jwt = try CompactJWS.sign(made.bytes.span, type: AssertionKeyRing.assertionType, by: keys.signer)
        } catch {
            throw refuse(.exchangeUnavailable, "a signed identity assertion", CauseWords.of(error))
        }
        let line = rule.linePrefix + jwt + [0x0D, 0x0A]
        // What an upstream could not take as a header must not be cut silently.
        guard line.count <= 32 << 10 else {
            throw refuse(.identityTooLarge, "at most 32768 bytes of identity assertion", "\(line.count)")
        }
        let refreshAt = AssertionBlock.refreshTime(now: now, end: made.expiresAt)
        return keep(AssertionBlock.make(index, line, refreshAt: refreshAt), with: token)
    }

    /// Puts a block in the place of the one before of its rule.
    private func keep(
        _ block: UnsafeMutablePointer<AssertionBlock>, with token: UnsafeMutablePointer<TokenRecord>
    ) -> UnsafeMutablePointer<AssertionBlock> {
        let freed = TokenRecord.replaceAssertion(of: token, by: block)
        charge(token, AssertionBlock.cost(block.pointee.count) - freed)
        return block
    }
}

extension AssertionBlock {
    /// The words of a scope claim, a string or a list.
    static func scopes(_ claim: JSONValue?) -> [String] {
        guard let claim else { return [] }
        if let text = claim.string {
            return text.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        }
        return claim.elements.compactMap(\.string)
    }
}

extension TokenRecord {
    /// Makes `block` the one of its rule; answers what the one before cost, 0 when there was none.
    static func replaceAssertion(
        of record: UnsafeMutablePointer<TokenRecord>, by block: UnsafeMutablePointer<AssertionBlock>
    ) -> Int {
        var freed = 0
        var previous: UnsafeMutablePointer<AssertionBlock>?
        var candidate = record.pointee.assertions
        while let one = candidate, one.pointee.rule != block.pointee.rule {
            previous = one
            candidate = one.pointee.next
        }
        if let old = candidate {
            if let previous {
                previous.pointee.next = old.pointee.next
            } else {
                record.pointee.assertions = old.pointee.next
            }
            freed = AssertionBlock.cost(old.pointee.count)
            AssertionBlock.free(old)
        }
        block.pointee.next = record.pointee.assertions
        record.pointee.assertions = block
        return freed
    }

    static func freeAssertions(of record: UnsafeMutablePointer<TokenRecord>) {
        var block = record.pointee.assertions
        while let one = block {
            block = one.pointee.next
            AssertionBlock.free(one)
        }
        record.pointee.assertions = nil
    }
}
