import Crypto
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Access

private let mint = TokenMint(now: JudgeRig.now)
private let boundToken = mint.accessToken(claims: ["cnf": "{\"jkt\":\"\(ProofMint().thumbprint)\"}"])
private let pen = ProofMint(target: "https://api.example/a", token: boundToken)

private func nonces() throws -> DPoPNonces {
    try DPoPNonces(keys: [Secret([UInt8](repeating: 5, count: 32))], serverID: "here", lifetimeSeconds: 300)
}

private func rig(
    _ nonce: DPoPSettings.Nonce = .off, _ schemes: [TokenSettings.Scheme] = [.bearer, .dpop]
) throws -> JudgeRig {
    let made = try nonces()
    return try JudgeRig([
        JudgeRig.route {
            $1.schemes = schemes
            $1.dpop.nonce = nonce
        }
    ]) { $0.nonces = nonce == .off ? nil : made }
}

private func request(_ proof: String, _ token: String = boundToken) -> [String] {
    JudgeRig.get("Authorization: DPoP \(token)", "DPoP: \(proof)")
}

@Suite struct `the sender of a bound token` {
    @Test(.holds("RS-22")) func `proves that the key is theirs`() throws {
        let rig = try rig()
        let outcome = try rig.judgeOnce(request(pen.proof()))
        #expect(outcome.isForwarded, "\(String(describing: outcome.refused))")
        #expect(rig.verifications == (1, 1))
    }

    @Test(.refuses("DPOP-20", "RS-22"), arguments: [[TokenSettings.Scheme.bearer], [.bearer, .dpop]])
    func `is refused without a proof, whatever schemes the route takes`(schemes: [TokenSettings.Scheme]) throws {
        let refused = try #require(
            try rig(.off, schemes).judgeOnce(
                JudgeRig.get("Authorization: Bearer \(boundToken)", "DPoP: \(pen.proof())")
            )
            .refused)
        #expect(refused.cause == .tokenBoundToKey && refused.detail.check == "DPOP-20")
        #expect(refused.detail.found == "Authorization: Bearer")
    }

    @Test(.refuses("RS-22")) func `has a token that is bound, or has no use for a proof`() throws {
        let unbound = mint.accessToken()
        let proof = ProofMint(target: "https://api.example/a", token: unbound).proof()
        let refused = try #require(try rig().judgeOnce(request(proof, unbound)).refused)
        #expect(refused.cause == .tokenNotBound && refused.detail.found == "one that is bound to no key")
    }

    @Test(.refuses("ECO-81")) func `has no proof verified where signatures were wrong too often`() throws {
        let rig = try rig()
        #expect(try rig.judgeOnce(request(pen.proof())).isForwarded)
        rig.connection.mayVerify = false
        #expect(try rig.judgeOnce(request(pen.proof())).cause == .failedVerificationsTooMany)
        #expect(rig.verifications == (1, 1))
    }

    /// Each mistake alone, in a proof that is right otherwise.
    private static let mistakes:
        [(header: [String: String?], claims: [String: String?], cause: Refusal, check: String)] =
            [
                (["typ": "\"jwt\""], [:], .proofTypeNotAccepted, "DPOP-02"),
                (["typ": nil], [:], .proofTypeNotAccepted, "DPOP-02"),
                (["alg": "\"none\""], [:], .proofAlgorithmNotAllowed, "DPOP-03"),
                (["alg": "\"HS256\""], [:], .proofAlgorithmNotAllowed, "DPOP-03"),
                (["jwk": nil], [:], .proofKeyInvalid, "DPOP-04"), (["jwk": "{}"], [:], .proofKeyInvalid, "DPOP-04"),
                ([:], ["jti": nil], .proofClaimMissing, "DPOP-06"), ([:], ["htm": nil], .proofClaimMissing, "DPOP-06"),
                ([:], ["htu": nil], .proofClaimMissing, "DPOP-06"), ([:], ["iat": nil], .proofClaimMissing, "DPOP-06"),
                ([:], ["ath": nil], .proofClaimMissing, "DPOP-06"),
                ([:], ["iat": "\"now\""], .proofClaimMalformed, "DPOP-06"),
                ([:], ["htm": "\"POST\""], .proofMethodMismatch, "DPOP-07"),
                ([:], ["htm": "\"get\""], .proofMethodMismatch, "DPOP-07"),
                ([:], ["htu": "\"https://api.example/b\""], .proofTargetMismatch, "DPOP-08"),
                ([:], ["htu": "\"https://other.example/a\""], .proofTargetMismatch, "DPOP-08"),
                ([:], ["htu": "\"http://api.example/a\""], .proofTargetMismatch, "DPOP-08"),
                ([:], ["iat": "\(JudgeRig.now - 61)"], .proofOutOfTime, "DPOP-10"),
                ([:], ["iat": "\(JudgeRig.now + 11)"], .proofOutOfTime, "DPOP-10"),
                ([:], ["ath": "\"\(mint.accessToken().prefix(43))\""], .proofTokenMismatch, "DPOP-18"),
            ]

    @Test(
        .refuses("DPOP-02", "DPOP-03", "DPOP-04", "DPOP-06", "DPOP-07", "DPOP-08", "DPOP-10", "DPOP-18"),
        arguments: 0..<mistakes.count)
    func `is refused with a proof that has one mistake`(number: Int) throws {
        let mistake = Self.mistakes[number]
        let rig = try rig()
        let outcome = try rig.judgeOnce(request(pen.proof(header: mistake.header, claims: mistake.claims)))
        let refused = try #require(outcome.refused)
        #expect(refused.cause == mistake.cause, "\(mistake)")
        #expect(refused.detail.check == mistake.check)
        #expect(outcome.plans == 0 && rig.verifications.proofs == 0)
    }

    /// A WebSocket of HTTP/2 is opened by CONNECT, which is judged as the GET that it becomes.
    @Test(
        .holds("DPOP-07", "H2-37"), .refuses("DPOP-07", "H2-37"),
        arguments: [
            ("CONNECT", true, true), ("GET", true, true), ("POST", true, false), ("connect", true, false),
            ("CONNECT ", true, false), ("CONNECT", false, false), ("GET", false, true),
        ])
    func `may say CONNECT for a WebSocket and for nothing else, and GET for both`(
        method: String, isWebSocket: Bool, isGood: Bool
    ) throws {
        let rig = try JudgeRig([
            JudgeRig.route { route, token in
                token.schemes = [.dpop]
                route.webSocket = true
            }
        ])
        let offer = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        let proof = pen.proof(claims: ["htm": "\"\(method)\""])
        let outcome = try rig.judgeOnce(request(proof) + (isWebSocket ? offer : []))
        #expect(outcome.isForwarded == isGood, "\(String(describing: outcome.refused))")
        if !isGood { #expect(outcome.refused?.detail.check == "DPOP-07") }
    }

    @Test(.refuses("DPOP-05", "DPOP-19")) func `is refused with a proof of another key, or signed by another`() throws {
        let rig = try rig()
        let other = ProofMint(key: .otherP256, target: "https://api.example/a", token: boundToken)
        #expect(try rig.judgeOnce(request(other.proof())).cause == .proofKeyMismatch)
        let text = TokenMint.sign(
            header: pen.headerText(), claims: pen.claimsText(), key: .otherP256, algorithm: .es256)
        #expect(try rig.judgeOnce(request(text)).cause == .proofSignatureInvalid)
        #expect(rig.verifications.proofs == 0)
        // Nothing was used up by them.
        #expect(try rig.judgeOnce(request(pen.proof())).isForwarded)
    }

    @Test(.holds("DPOP-10")) func `has a proof whose time is right to the second`() throws {
        for (offset, isGood) in [(-61, false), (-60, true), (0, true), (10, true), (11, false)] as [(Int64, Bool)] {
            let proof = pen.proof(id: "at \(offset)", claims: ["iat": "\(JudgeRig.now + offset)"])
            #expect(try rig().judgeOnce(request(proof)).isForwarded == isGood, "\(offset)")
        }
    }

    @Test(.refuses("DPOP-15")) func `has a proof for one request, whatever that is remembered until`() throws {
        let rig = try rig()
        let lines = request(pen.proof())
        #expect(try rig.judgeOnce(lines).isForwarded)
        for second in [0, 59, 60] as [Int64] {
            rig.now = JudgeRig.now + second
            #expect(try rig.judgeOnce(lines).cause == .proofReplayed, "\(second)")
        }
        rig.now = JudgeRig.now + 61
        #expect(try rig.judgeOnce(lines).cause == .proofOutOfTime)
    }
}

// MARK: nonces

/// What a proof says of a nonce, beside what each mode makes of it.
enum ProofNonce: CaseIterable, Sendable {
    case missing, fresh, ageing, tooOld, unknown, ofAnotherServer

    func text(at now: Int64) throws -> String? {
        let own = try nonces()
        switch self {
        case .missing: return nil
        case .fresh: return String(decoding: own.make(now: now), as: UTF8.self)
        case .ageing: return String(decoding: own.make(now: now - 300), as: UTF8.self)
        case .tooOld: return String(decoding: own.make(now: now - 600), as: UTF8.self)
        case .unknown: return "made-up"
        case .ofAnotherServer:
            let other = try DPoPNonces(
                keys: [Secret([UInt8](repeating: 5, count: 32))], serverID: "there", lifetimeSeconds: 300)
            return String(decoding: other.make(now: now), as: UTF8.self)
        }
    }

    var isGood: Bool { self == .fresh || self == .ageing }
}

@Suite struct `the nonce of a proof` {
    /// What RFC 9449 §8 and §9 make of it.
    private func expected(_ nonce: ProofNonce, _ mode: DPoPSettings.Nonce, isLate: Bool) -> (
        cause: Refusal?, gives: Bool
    ) {
        if mode == .off { return (isLate ? .proofOutOfTime : nil, false) }
        switch nonce {
        case .fresh: return (nil, false)
        case .ageing: return (nil, true)
        case .tooOld, .unknown, .ofAnotherServer: return (.proofNonceUnknown, true)
        case .missing:
            if mode == .required { return (.proofNonceMissing, true) }
            return (isLate ? .proofOutOfTime : nil, true)
        }
    }

    @Test(.holds("DPOP-11", "DPOP-14"), .refuses("DPOP-11", "DPOP-12"), arguments: ProofNonce.allCases, [false, true])
    func `is judged as the route's mode says, and the answer brings another where that helps`(
        nonce: ProofNonce, isLate: Bool
    ) throws {
        for mode in [DPoPSettings.Nonce.off, .optional, .required] {
            let rig = try rig(mode)
            var claims: [String: String?] = ["iat": "\(JudgeRig.now - (isLate ? 4000 : 0))"]
            if let text = try nonce.text(at: rig.now) { claims["nonce"] = "\"\(text)\"" }
            var findings = Findings()
            defer { findings.forget() }
            let outcome = try rig.judge(request(pen.proof(claims: claims)), &findings)
            let wanted = expected(nonce, mode, isLate: isLate)
            #expect(outcome.cause == wanted.cause, "\(mode)")
            #expect(outcome.isForwarded == (wanted.cause == nil), "\(mode)")
            #expect(findings.givesNonce == wanted.gives, "\(mode)")
        }
    }

    @Test(.holds("DPOP-15")) func `keeps its proof from being used again for as long as either is good`() throws {
        let until = { (mode: DPoPSettings.Nonce, nonce: ProofNonce) throws -> Int64? in
            let rig = try rig(mode)
            var findings = Findings()
            defer { findings.forget() }
            let text = try nonce.text(at: rig.now) ?? ""
            let claims: [String: String?] = text.isEmpty ? [:] : ["nonce": "\"\(text)\""]
            _ = try rig.judge(request(pen.proof(claims: claims)), &findings)
            return findings.proved?.until
        }
        #expect(try until(.off, .missing) == JudgeRig.now + 60)
        #expect(try until(.optional, .missing) == JudgeRig.now + 60)
        #expect(try until(.required, .fresh) == JudgeRig.now + 599)
        #expect(try until(.optional, .ageing) == JudgeRig.now + 299)
    }

    /// What a store forgot that could be asked since then, it may have forgotten of this proof.
    @Test(.holds("SH-61")) func `says since when its proof can have been used`() throws {
        let since = { (mode: DPoPSettings.Nonce, nonce: ProofNonce) throws -> (Int64?, Bool?) in
            let rig = try rig(mode)
            var findings = Findings()
            defer { findings.forget() }
            var claims: [String: String?] = ["iat": "\(JudgeRig.now - 30)"]
            if let text = try nonce.text(at: rig.now) { claims["nonce"] = "\"\(text)\"" }
            _ = try rig.judge(request(pen.proof(claims: claims)), &findings)
            return (findings.proved?.usableSince, findings.proved?.hasNonce)
        }
        let future = Int64(DPoPRules().futureSeconds)
        for (mode, nonce) in [(DPoPSettings.Nonce.off, ProofNonce.missing), (.off, .unknown), (.optional, .missing)] {
            #expect(try since(mode, nonce) == (JudgeRig.now - 30 - future, false))
        }
        for mode in [DPoPSettings.Nonce.optional, .required] {
            #expect(try since(mode, .fresh) == (JudgeRig.now, true))
            #expect(try since(mode, .ageing) == (JudgeRig.now - 300, true))
        }
    }
}
