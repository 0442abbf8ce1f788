import Crypto
import OAuth

/// A DPoP proof, or its three parts a line each before they are encoded, for the request of RFC 9449 §7.1.
enum DPoPFuzzer {
    static let now: Int64 = 1_562_262_618
    static let method = Array("GET".utf8)
    static let path = Array("/protectedresource".utf8)
    static let token = Array("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU".utf8)

    static func attempt(_ input: [UInt8]) -> Outcome {
        let proof = DecodedParts.token(input)
        let fresh = ProofKeys(limit: 4)
        let result = judge(proof, keys: fresh)
        hold(result == judge(proof, keys: usedKeys), "what was remembered of other proofs makes no difference")
        guard case .success(let verified) = result else {
            hold(fresh.count == 0, "nothing is remembered of a proof that failed")
            return .refused
        }
        hold(fresh.count == 1, "the key of a proof that held is remembered")
        hold(result == judge(proof, keys: fresh), "a known key judges as it did when it was new")
        hold(known.contain(proof), "no proof is accepted but what a key's owner signed")
        hold(verified.issuedAt >= now - 60 && verified.issuedAt <= now + 10, "a proof is of this minute")
        checkOthers(proof, verified)
        return .accepted
    }

    /// A proof that is good for one request is good for no other.
    private static func checkOthers(_ proof: [UInt8], _ verified: VerifiedProof) {
        let others: [Asked] = [
            Asked(method: Array("POST".utf8)), Asked(path: path + [UInt8(ascii: "/")]), Asked(path: []),
            Asked(token: token + [UInt8(ascii: "x")]), Asked(now: verified.issuedAt + 61),
            Asked(now: verified.issuedAt - 11), Asked(thumbprint: SHA256.hash(token.span)),
        ]
        for asked in others {
            guard case .failure = judge(proof, asked, keys: usedKeys)
            else { fatalError("a proof was accepted for another request, token, time or key") }
        }
    }

    /// A request, its token and its moment.
    private struct Asked {
        var method = DPoPFuzzer.method
        var path = DPoPFuzzer.path
        var token = DPoPFuzzer.token
        var now = DPoPFuzzer.now
        var thumbprint: SHA256Digest?
    }

    /// Every check in order; the token counts as bound to the proof's own key where that is a known one.
    private static func judge(
        _ proof: [UInt8], _ asked: Asked = Asked(), keys: ProofKeys
    ) -> Result<VerifiedProof, DPoPRefusal> {
        var result: Result<VerifiedProof, DPoPRefusal> = .failure(.keyMismatch)
        for thumbprint in asked.thumbprint.map({ [$0] }) ?? clients where result == .failure(.keyMismatch) {
            result = Result { () throws(DPoPRefusal) in
                let unchecked = try UncheckedDPoPProof(proof.span, rules: DPoPRules(), keys: keys)
                try unchecked.check(
                    method: asked.method.span, path: asked.path.span, bases: bases, now: asked.now, checksTime: true)
                return try unchecked.verify(tokenDigest: SHA256.hash(asked.token.span), boundTo: thumbprint)
            }
        }
        return result
    }

    private static let bases = [TargetBase("https://resource.example.org")].compactMap { $0 }
    /// The RFC's client, and those that signed the other seeds.
    private static let clients = [
        "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I", "2DgvbxjM_NNklHzGRlYVMvecuPMk7_M3nh5GffAwIfg",
        "it3twJxEHfL-lZYa7davy4F-ixuLwZHY3DQU185W5kY",
        "qW24B7U5bB9JGeIZm8LNVJDScQToeihE5rfRgdR1K88",
    ].compactMap { text in
        let bytes = Array(text.utf8)
        return SHA256Digest(base64URL: bytes.span)
    }
    private static let known = SignedSeeds("dpop-proof")
    /// Has seen every proof before this one, and has room for fewer keys than there are.
    nonisolated(unsafe) private static let usedKeys = ProofKeys(limit: 3)
}
