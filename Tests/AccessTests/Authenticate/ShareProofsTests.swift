import Crypto
import Replay
import TestSupport
import TestTraits
import Testing

@testable import Access

/// A route of DPoP tokens at a gateway whose replicas share proofs, and requests to it.
private struct Shared {
    let rig: JudgeRig
    private let mint = TokenMint(now: JudgeRig.now)

    init(
        _ sharing: ProofSettings.Sharing = .required, replayBytes: Int = 1 << 20,
        _ change: (inout RouteSettings, inout TokenSettings) -> Void = { _, _ in }
    ) throws {
        rig = try JudgeRig(
            [
                JudgeRig.route { route, token in
                    token.schemes = [.dpop, .bearer]
                    change(&route, &token)
                }
            ], replayBytes: replayBytes
        ) { $0.proofs.sharing = sharing }
    }

    /// A token that is bound to the key of the proofs.
    func token(_ claims: [String: String?] = [:]) -> String {
        let bound: [String: String?] = ["cnf": "{\"jkt\":\"\(ProofMint().thumbprint)\"}"]
        return mint.accessToken(claims: bound.merging(claims) { $1 })
    }

    /// The lines of a request with a proof of this id.
    func request(_ id: String = "proof-1", token: String? = nil, changing claims: [String: String?] = [:]) -> [String] {
        let token = token ?? self.token()
        let proof = ProofMint(target: "https://api.example/a", token: token).proof(id: id, claims: claims)
        return JudgeRig.get("Authorization: DPoP \(token)", "DPoP: \(proof)")
    }
}

@Suite struct `a proof that replicas share` {
    // MARK: the order

    @Test(.holds("SH-56"), .holds("SH-57"), .holds("SH-55"))
    func `is asked about last, and goes on from there without another signature`() throws {
        let shared = try Shared()
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        let asked = try shared.rig.judge(request, &findings)
        #expect(asked.wait == .proof && asked.reached == .spend && asked.plans == 1)
        #expect(findings.spending == .here && shared.rig.identities.replay.entries == 1)
        findings.spending = .first
        let passed = try shared.rig.judge(request, &findings)
        #expect(passed.isForwarded && passed.reached == .end && passed.plans == 1)
        #expect(shared.rig.verifications == (1, 1))
        // Whatever it waits for afterwards, it is not its own replay.
        #expect(try shared.rig.judge(request, &findings).isForwarded)
        #expect(shared.rig.identities.replay.entries == 1)
    }

    @Test(.refuses("SH-56")) func `is asked about for no request that anything else refuses`() throws {
        let shared = try Shared { _, token in token.rights.scopes = ["orders:read"] }
        let good = shared.request()
        func cause(_ lines: [String]) throws -> Refusal? {
            var findings = Findings()
            defer { findings.forget() }
            let outcome = try shared.rig.judge(lines, &findings)
            #expect(outcome.wait == nil && findings.spending == .none)
            return outcome.cause
        }
        #expect(try cause(shared.request(changing: ["htm": "\"PUT\""])) == .proofMethodMismatch)
        #expect(try cause(shared.request(changing: ["ath": "\"other\""])) == .proofTokenMismatch)
        #expect(try cause(shared.request(token: shared.token(["scope": "\"other\""]))) == .scopeInsufficient)
        // The same key and jti with a signature that is not its key's.
        var forged = good
        let proof = forged.removeLast()
        let cut = try #require(proof.lastIndex(of: "."))
        let flipped = proof[proof.index(after: cut)] == "A" ? "B" : "A"
        forged.append(proof[...cut] + flipped + proof[cut...].dropFirst(2))
        #expect(try cause(forged) == .proofSignatureInvalid)
        shared.rig.planRefusal = .upstreamConnectionsExhausted
        #expect(try cause(good) == .upstreamConnectionsExhausted)
        shared.rig.planRefusal = nil
        #expect(shared.rig.identities.replay.entries == 0)
        #expect(try shared.rig.judgeOnce(good).wait == .proof)
    }

    @Test(.holds("SH-74")) func `is nothing to requests without one`() throws {
        let rig = try JudgeRig([JudgeRig.route("/a"), JudgeRig.open("/b")]) { $0.proofs.sharing = .required }
        #expect(try rig.judgeOnce(JudgeRig.get(bearer: TokenMint(now: JudgeRig.now).accessToken())).isForwarded)
        #expect(try rig.judge("GET /b HTTP/1.1", "Host: api.example").isForwarded)
    }

    // MARK: the process's own set

    @Test(.holds("SH-65"), .refuses("SH-55"))
    func `is refused as a replay here without the store, and while the store is asked about the first`() throws {
        let shared = try Shared()
        let request = shared.request()
        var first = Findings()
        defer { first.forget() }
        #expect(try shared.rig.judge(request, &first).wait == .proof)
        var second = Findings()
        defer { second.forget() }
        let refused = try shared.rig.judge(request, &second)
        #expect(refused.cause == .proofReplayed && refused.wait == nil && second.spending == .none)
        first.spending = .first
        #expect(try shared.rig.judge(request, &first).isForwarded)
    }

    @Test(.refuses("SH-65")) func `is written nowhere once its key has its part of the memory here`() throws {
        let shared = try Shared(replayBytes: 1)
        let token = shared.token()
        let thumbprint = SHA256.hash(Array("holder".utf8).span)
        var refused: Refused?
        var asked = 0
        for number in 0..<100_000 where refused == nil {
            var findings = Findings()
            let proof = UnspentProof(
                key: SHA256.hash(Array("\(number)".utf8).span), thumbprint: thumbprint, until: JudgeRig.now + 60)
            do throws(Refused) {
                let wait = try shared.rig.table.policy.pointee.spend(
                    proof, &findings, in: shared.rig.identities.replay, now: JudgeRig.now)
                if wait == .proof { asked += 1 }
            } catch {
                refused = error
                #expect(findings.spending == .none)
            }
        }
        #expect(refused?.cause == .clientProofsTooMany && refused?.cause.status == 429)
        #expect(asked == shared.rig.identities.replay.entries && asked <= shared.rig.identities.replay.capacity / 2 + 1)
        #expect(try shared.rig.judgeOnce(shared.request(token: token)).wait == .proof, "another client is served")
    }

    // MARK: what the store says

    @Test(.refuses("SH-55"), .refuses("DPOP-15"))
    func `is refused as a replay where the store has it, as one of this process is`() throws {
        let shared = try Shared()
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        _ = try shared.rig.judge(request, &findings)
        findings.spending = .used
        let elsewhere = try #require(try shared.rig.judge(request, &findings).refused)
        let here = try #require(try shared.rig.judgeOnce(request).refused)
        #expect(elsewhere.cause == .proofReplayed && elsewhere.cause == here.cause)
        #expect(elsewhere.detail.found == "the same key and jti at another replica")
        #expect(elsewhere.detail.check == "SH-55" && here.detail.check.isEmpty)
        #expect(here.detail.found == "the same key and jti")
    }

    @Test(
        .refuses("SH-58"),
        arguments: [
            (ProofSpending.here, Refusal.storeUnavailable, "SH-58"), (.unavailable, .storeUnavailable, "SH-58"),
            (.down, .storeUnavailable, "SH-74"), (.busy, .storeBusy, ""), (.forgotten, .storeForgot, ""),
        ])
    func `is refused by 503 and never by 401 where nobody vouches for it, and stays used up`(
        said: ProofSpending, cause: Refusal, check: String
    ) throws {
        let shared = try Shared()
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        _ = try shared.rig.judge(request, &findings)
        findings.spending = said
        let refused = try #require(try shared.rig.judge(request, &findings).refused)
        #expect(refused.cause == cause && refused.detail.check == check)
        #expect(cause.status == 503 && cause.retryAfterSeconds == 1)
        #expect(try shared.rig.judgeOnce(request).cause == .proofReplayed)
        #expect(try shared.rig.judgeOnce(shared.request("proof-2")).wait == .proof)
    }

    @Test(.refuses("SH-61")) func `is refused where the store may have forgotten it, and says so`() throws {
        let shared = try Shared(.whileReachable)
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        _ = try shared.rig.judge(request, &findings)
        findings.spending = .forgotten
        let refused = try #require(try shared.rig.judge(request, &findings).refused)
        #expect(refused.cause == .storeForgot)
        #expect(refused.detail.found == "one that forgot what was used before a moment ago")
    }

    @Test(.holds("SH-59"), .holds("SH-58"))
    func `counts by this process's own set while nobody reaches the store, where the operator says so`() throws {
        let shared = try Shared(.whileReachable)
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        #expect(try shared.rig.judge(request, &findings).wait == .proof)
        findings.spending = .down
        #expect(try shared.rig.judge(request, &findings).isForwarded)
        #expect(try shared.rig.judgeOnce(request).cause == .proofReplayed)
        // A store that is there and does not answer in time is not down: it may have the proof from another replica.
        for said in [ProofSpending.here, .unavailable] {
            findings.spending = said
            #expect(try shared.rig.judge(request, &findings).cause == .storeUnavailable)
        }
    }

    @Test(.refuses("SH-59"), .refuses("SH-74"))
    func `is refused while nobody reaches the store, unless the operator says otherwise`() throws {
        let shared = try Shared()
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        _ = try shared.rig.judge(request, &findings)
        findings.spending = .down
        let refused = try #require(try shared.rig.judge(request, &findings).refused)
        #expect(refused.cause == .storeUnavailable && refused.detail.found == "no connection to it")
    }

    // MARK: what may change while it waits

    @Test(.refuses("SH-56")) func `is not let through with a token that ended meanwhile, and stays used up`() throws {
        let shared = try Shared()
        let request = shared.request(token: shared.token(["exp": "\(JudgeRig.now + 1)"]))
        var findings = Findings()
        defer { findings.forget() }
        #expect(try shared.rig.judge(request, &findings).wait == .proof)
        findings.spending = .first
        shared.rig.now += 600
        #expect(try shared.rig.judge(request, &findings).cause == .tokenExpired)
        shared.rig.now -= 600
        #expect(try shared.rig.judgeOnce(request).cause == .proofReplayed)
    }

    @Test(.holds("SH-56")) func `is the request's own under another configuration too, and nobody else's`() throws {
        let shared = try Shared()
        let request = shared.request()
        var findings = Findings()
        defer { findings.forget() }
        #expect(try shared.rig.judge(request, &findings).wait == .proof)
        findings.spending = .first
        findings.forget()
        #expect(findings.proved == nil && findings.route == nil && findings.spending == .first)
        #expect(try shared.rig.judge(request, &findings).isForwarded)
        #expect(try shared.rig.judgeOnce(request).cause == .proofReplayed)
    }

    @Test(.refuses("SH-57")) func `is verified anew where it ended while its request waited`() throws {
        let shared = try Shared()
        let request = shared.request(token: shared.token(["exp": "\(JudgeRig.now + 3600)"]))
        var findings = Findings()
        defer { findings.forget() }
        #expect(try shared.rig.judge(request, &findings).wait == .proof)
        findings.spending = .first
        shared.rig.now += 600
        #expect(try shared.rig.judge(request, &findings).cause == .proofOutOfTime)
    }
}
