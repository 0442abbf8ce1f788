import Crypto
import JOSE
import OAuth
import Refusals
import TestSupport
import TestTraits
import Testing

private let refusals: [DPoPRefusal] = [
    .tooLarge, .malformed(.notCompact), .malformed(.criticalNotUnderstood), .typeNotAccepted(nil),
    .typeNotAccepted("JWT"), .algorithmNotAllowed("none"), .keyMissing, .keyNotPublic,
    .keyInvalid(.material(.pointNotOnCurve)), .claim(.missing("ath")), .claim(.malformed("iat")),
    .claim(.malformed("htu")),
    .idTooLong, .methodMismatch, .targetMismatch, .claim(.issuedTooEarly(secondsAgo: 61)),
    .claim(.issuedInFuture(secondsLeft: 11)),
    .tokenHashMismatch, .signatureInvalid, .keyMismatch,
]

private func unchecked(_ text: String) throws -> UncheckedDPoPProof {
    let bytes = Array(text.utf8)
    return try UncheckedDPoPProof(bytes.span, rules: DPoPRules(), keys: ProofKeys(limit: 1))
}

@Suite struct `what the refusal of a proof says` {
    @Test(arguments: refusals)
    func `every cause names its row, what was wanted and what was there`(refusal: DPoPRefusal) throws {
        let row = refusal.check.split(separator: "-")
        #expect(row.count == 2 && (row[0] == "DPOP" || row[0] == "JOSE") && Int(row[1]) != nil)
        #expect(!refusal.expected(by: DPoPRules()).isEmpty && !refusal.found(in: nil).isEmpty)
        #expect(!refusal.found(in: try unchecked(ProofMint().proof())).isEmpty)
    }

    @Test(.refuses("OPS-01")) func `no password in an htu is shown`() throws {
        let proof = try unchecked(ProofMint(target: "https://user:secret@api.example/a").proof())
        #expect(DPoPRefusal.targetMismatch.found(in: proof) == "htu \"[userinfo]@api.example/a\"")
    }

    @Test func `the operator reads what was wanted and what was there`() throws {
        let proof = try unchecked(ProofMint(method: "PUT", target: "https://api.example/a?code=secret#x").proof())
        #expect(DPoPRefusal.methodMismatch.found(in: proof) == "htm \"PUT\"")
        #expect(DPoPRefusal.targetMismatch.found(in: proof) == "htu \"https://api.example/a\"")
        #expect(DPoPRefusal.typeNotAccepted("JWT").found(in: nil) == "typ \"JWT\"")
        #expect(DPoPRefusal.typeNotAccepted(nil).found(in: nil) == "typ (absent)")
        #expect(DPoPRefusal.algorithmNotAllowed("HS256").found(in: nil) == "alg \"HS256\"")
        #expect(
            DPoPRefusal.algorithmNotAllowed("HS256").expected(by: DPoPRules()) == "alg one of ES256 PS256 EdDSA")
        #expect(DPoPRefusal.claim(.issuedTooEarly(secondsAgo: 61)).found(in: proof) == "issued 61 s ago")
        #expect(DPoPRefusal.claim(.issuedTooEarly(secondsAgo: 61)).expected(by: DPoPRules()) == "iat at most 60 s ago")
        #expect(DPoPRefusal.keyMismatch.check == "DPOP-19" && DPoPRefusal.tokenHashMismatch.check == "DPOP-18")
    }

    @Test(.refuses("DPOP-27")) func `no text holds the proof, its id, its nonce or its key`() throws {
        let mint = ProofMint()
        let text = mint.proof(
            id: "secret-id", claims: ["nonce": "\"secret-nonce\"", "htu": "\"https://api.example/?secret-query\""])
        let proof = try unchecked(text)
        let secrets =
            ["secret", mint.thumbprint, digest("token").base64URL] + text.split(separator: ".").map(String.init)
            + mint.key.publicMembers.map(\.value).filter { $0.count > 10 }
        for refusal in refusals {
            let said = refusal.found(in: proof) + refusal.expected(by: DPoPRules())
            for secret in secrets { #expect(!said.contains(secret)) }
        }
    }

    @Test(.refuses("DPOP-27")) func `a stranger's words are quoted, escaped and cut`() throws {
        let hostile = #"a\r\nlevel=error \"x\" %0A \u0000\u00e9"# + String(repeating: "x", count: 100)
        let proof = try unchecked(ProofMint(method: hostile, target: hostile).proof())
        for refusal in refusals + [.typeNotAccepted("a\nb\"\u{E9}"), .algorithmNotAllowed("a\nb\"\u{E9}")] {
            let found = refusal.found(in: proof)
            #expect(found.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && found.utf8.count < 90)
        }
    }
}
