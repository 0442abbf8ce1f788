@testable import Access
import Crypto
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Gateway

private func digest(_ number: Int) -> SHA256Digest { TokenRecords.digest(number) }

@Suite struct `a proof that is spent` {
    private func spend(_ key: Int, by holder: Int = 0, for seconds: Int64 = 60, _ idle: IdleWorker) -> Refused? {
        let proof = UnspentProof(
            key: digest(key), thumbprint: digest(-1 - holder), until: idle.worker.clock.wallSeconds() + seconds)
        return idle.refused { worker throws(Refused) in
            try proof.spend(in: worker.pointee.identities, now: worker.clock.wallSeconds())
        }
    }

    @Test(.refuses("DPOP-15")) func `is the only one of its key and id`() throws {
        let idle = try IdleWorker()
        #expect(spend(1, idle) == nil)
        let again = try #require(spend(1, idle))
        #expect(again.cause == .proofReplayed)
        #expect(again.detail.expected == "a proof that was not used before")
        #expect(again.detail.found == "the same key and jti")
        #expect(spend(2, idle) == nil)
    }

    @Test(.refuses("DPOP-15"))
    func `is refused where it cannot be remembered, and the operator is told what is in use`() throws {
        let idle = try IdleWorker(replayBytes: 1)
        var key = 0
        var full: Refused?
        while full == nil, key < 100_000 {
            key += 1
            full = spend(key, by: key, idle)
        }
        let refused = try #require(full)
        #expect(refused.cause == .replaySetFull)
        #expect(refused.detail.expected == "memory for another proof")
        #expect(refused.detail.found.wholeMatch(of: #/\d+ bytes in use/#) != nil, "\(refused.detail.found)")
        #expect(spend(1, by: 1, idle)?.cause == .proofReplayed, "nothing was forgotten for it")
    }

    @Test(.refuses("OPS-05"))
    func `is refused as too many of one client, which leaves half of the memory to others`() throws {
        let idle = try IdleWorker(replayBytes: 1)
        var key = 0
        var full: Refused?
        while full == nil, key < 100_000 {
            key += 1
            full = spend(key, idle)
        }
        let refused = try #require(full)
        #expect(refused.cause == .clientProofsTooMany)
        #expect(refused.detail.found == "more proofs by one key")
        #expect(spend(1, idle)?.cause == .proofReplayed, "nothing was forgotten for it")
        // One of them may share the counter of the first by chance.
        let isServed = (1...3).contains { spend(key + $0, by: $0, idle) == nil }
        #expect(isServed, "and another client is still served")
    }
}

@Suite struct `the end of a proof's time` {
    private func end(issuedAt: Int64, nonceEnd: Int64?) -> Int64 {
        UnspentProof.end(issuedAt: issuedAt, nonceEnd: nonceEnd, rules: DPoPRules(), now: 1000)
    }

    @Test(.holds("DPOP-15")) func `is its own or its nonce's, whichever is later, whatever route accepts it`() {
        #expect(end(issuedAt: 990, nonceEnd: nil) == 1050)
        #expect(end(issuedAt: 990, nonceEnd: 1300) == 1300)
        #expect(end(issuedAt: 1009, nonceEnd: 1004) == 1069)
    }

    @Test(.refuses("DPOP-15")) func `is not what a time says that no route accepts`() {
        #expect(end(issuedAt: 1 << 53, nonceEnd: 1300) == 1300)
        #expect(end(issuedAt: 1 << 53, nonceEnd: nil) == 1000)
        #expect(end(issuedAt: 0, nonceEnd: 1300) == 1300)
    }
}

@Suite struct `a proof's nonce` {
    private func judged(_ nonce: String?, at now: Int64, _ idle: IdleWorker) throws -> NonceVerdict {
        let text = Array(ProofMint().proof(claims: nonce.map { ["nonce": "\"\($0)\""] } ?? [:]).utf8)
        let proof = try UncheckedDPoPProof(text.span, rules: DPoPRules(), keys: ProofKeys(limit: 1))
        return idle.worker.pointee.policy.access.pointee.judgeNonce(proof, now)
    }

    /// The line that an answer carries.
    private func line(_ idle: IdleWorker) -> String {
        var writer = HeadWriter(idle.worker.pointee.scratch.write, capacity: Scratch.writeCapacity)
        idle.worker.putNonce(into: &writer)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count), as: UTF8.self)
    }

    @Test(.refuses("DPOP-11")) func `is good where this process made it, ages, and is then unknown`() throws {
        let idle = try IdleWorker(nonce: .required)
        // What is good at `made` may be of the next five minutes when the line is written.
        idle.worker.pointee.loop.clockStandsAt = 1_800_000_000
        let made = idle.worker.clock.wallSeconds()
        let nonce = String(line(idle).dropFirst("DPoP-Nonce: ".count).prefix(54))
        guard case .fresh(let until) = try judged(nonce, at: made, idle) else {
            return #expect(Bool(false), "a nonce of this second is fresh")
        }
        #expect(until >= made + 300 && until < made + 600)
        guard case .ageing(until) = try judged(nonce, at: until, idle) else {
            return #expect(Bool(false), "a nonce is good to its last second")
        }
        guard case .unknown = try judged(nonce, at: until + 1, idle) else {
            return #expect(Bool(false), "a nonce is good no second longer")
        }
    }

    @Test(.refuses("DPOP-11")) func `is missing where the proof has none, and unknown where it is another's`() throws {
        let idle = try IdleWorker(nonce: .optional)
        guard case .missing = try judged(nil, at: 1_800_000_000, idle) else { return #expect(Bool(false)) }
        guard case .unknown = try judged("made-up", at: 1_800_000_000, idle) else { return #expect(Bool(false)) }
    }

    @Test(.holds("DPOP-10")) func `says when the proof was made at the latest only where it is good`() {
        #expect(NonceVerdict.fresh(until: 7).until == 7)
        #expect(NonceVerdict.ageing(until: 7).until == 7)
        #expect([NonceVerdict.notAsked, .missing, .unknown].allSatisfy { $0.until == nil })
    }

    @Test(.holds("DPOP-13"), .refuses("DPOP-13")) func `is one line, and none where no route asks for nonces`() throws {
        let text = line(try IdleWorker(nonce: .required))
        #expect(text.wholeMatch(of: #/DPoP-Nonce: [A-Za-z0-9_-]{54}\r\n/#) != nil, "\(text)")
        #expect(line(try IdleWorker(nonce: .off)) == "")
    }
}
