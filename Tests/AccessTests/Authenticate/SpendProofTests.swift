import Crypto
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Access

@Suite struct `a proof that is spent` {
    private func spend(_ key: Int, by holder: Int = 0, for seconds: Int64 = 60, _ rig: JudgeRig) -> Refused? {
        let proof = UnspentProof(key: digest(key), thumbprint: digest(-1 - holder), until: rig.now + seconds)
        do throws(Refused) {
            try proof.spend(in: rig.identities.replay, now: rig.now)
            return nil
        } catch {
            return error
        }
    }

    @Test(.refuses("DPOP-15")) func `is the only one of its key and id`() throws {
        let rig = try JudgeRig([JudgeRig.route()])
        #expect(spend(1, rig) == nil)
        let again = try #require(spend(1, rig))
        #expect(again.cause == .proofReplayed)
        #expect(again.detail.expected == "a proof that was not used before")
        #expect(again.detail.found == "the same key and jti")
        #expect(spend(2, rig) == nil)
    }

    @Test(.refuses("DPOP-15"))
    func `is refused where it cannot be remembered, and the operator is told what is in use`() throws {
        let rig = try JudgeRig([JudgeRig.route()], replayBytes: 1)
        var key = 0
        var full: Refused?
        while full == nil, key < 100_000 {
            key += 1
            full = spend(key, by: key, rig)
        }
        let refused = try #require(full)
        #expect(refused.cause == .replaySetFull)
        #expect(refused.detail.expected == "memory for another proof")
        #expect(refused.detail.found.wholeMatch(of: #/\d+ bytes in use/#) != nil, "\(refused.detail.found)")
        #expect(spend(1, by: 1, rig)?.cause == .proofReplayed, "nothing was forgotten for it")
    }

    @Test(.refuses("OPS-05"))
    func `is refused as too many of one client, which leaves half of the memory to others`() throws {
        let rig = try JudgeRig([JudgeRig.route()], replayBytes: 1)
        var key = 0
        var full: Refused?
        while full == nil, key < 100_000 {
            key += 1
            full = spend(key, rig)
        }
        let refused = try #require(full)
        #expect(refused.cause == .clientProofsTooMany)
        #expect(refused.detail.found == "more proofs by one key")
        #expect(spend(1, rig)?.cause == .proofReplayed, "nothing was forgotten for it")
        // One of them may share the counter of the first by chance.
        let isServed = (1...3).contains { spend(key + $0, by: $0, rig) == nil }
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
    private let nonces: DPoPNonces
    private let rig: JudgeRig

    init() throws {
        let made = try DPoPNonces(
            keys: [Secret([UInt8](repeating: 5, count: 32))], serverID: "here", lifetimeSeconds: 300)
        nonces = made
        rig = try JudgeRig([JudgeRig.route()]) { $0.nonces = made }
    }

    private func judged(_ nonce: String?, at now: Int64, by rig: JudgeRig) throws -> NonceVerdict {
        let text = Array(ProofMint().proof(claims: nonce.map { ["nonce": "\"\($0)\""] } ?? [:]).utf8)
        let proof = try UncheckedDPoPProof(text.span, rules: DPoPRules(), keys: ProofKeys(limit: 1))
        return rig.table.policy.pointee.judgeNonce(proof, now)
    }

    @Test(.refuses("DPOP-11")) func `is good where this process made it, ages, and is then unknown`() throws {
        let made: Int64 = 1_800_000_000
        let nonce = String(decoding: nonces.make(now: made), as: UTF8.self)
        guard case .fresh(let life) = try judged(nonce, at: made, by: rig) else {
            return #expect(Bool(false), "a nonce of this second is fresh")
        }
        #expect(life == DPoPNonces.Life(begin: made, end: made + 599))
        guard case .ageing(life) = try judged(nonce, at: life.end, by: rig) else {
            return #expect(Bool(false), "a nonce is good to its last second")
        }
        guard case .unknown = try judged(nonce, at: life.end + 1, by: rig) else {
            return #expect(Bool(false), "a nonce is good no second longer")
        }
    }

    @Test(.refuses("DPOP-11")) func `is missing where the proof has none, and unknown where it is another's`() throws {
        guard case .missing = try judged(nil, at: 1_800_000_000, by: rig) else { return #expect(Bool(false)) }
        guard case .unknown = try judged("made-up", at: 1_800_000_000, by: rig) else { return #expect(Bool(false)) }
        let without = try JudgeRig([JudgeRig.route()])
        let own = String(decoding: nonces.make(now: 1_800_000_000), as: UTF8.self)
        guard case .missing = try judged(own, at: 1_800_000_000, by: without) else { return #expect(Bool(false)) }
    }

    @Test(.holds("DPOP-10")) func `says when the proof was made at the latest only where it is good`() {
        let life = DPoPNonces.Life(begin: 1, end: 7)
        #expect(NonceVerdict.fresh(life).life == life)
        #expect(NonceVerdict.ageing(life).life == life)
        #expect([NonceVerdict.notAsked, .missing, .unknown].allSatisfy { $0.life == nil })
    }

    @Test(.holds("DPOP-10")) func `leaves the time to the clock where no nonce speaks for it, and none is asked for`() {
        for mode in [DPoPSettings.Nonce.off, .optional, .required] {
            #expect(NonceVerdict.notAsked.leavesTimeToClock(in: mode))
            #expect(NonceVerdict.missing.leavesTimeToClock(in: mode) == (mode == .optional))
            let life = DPoPNonces.Life(begin: 1, end: 7)
            for good in [NonceVerdict.fresh(life), .ageing(life), .unknown] {
                #expect(!good.leavesTimeToClock(in: mode))
            }
        }
    }
}
