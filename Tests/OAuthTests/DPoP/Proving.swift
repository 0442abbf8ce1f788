import Crypto
import JOSE
import OAuth
import TestSupport

/// Everything a proof is checked against; the defaults fit `ProofMint()`.
struct Asked {
    var method = "GET"
    var path = "/orders"
    var bases = ["https://api.example"]
    var token = "token"
    var thumbprint = ProofMint().thumbprint
    var rules = DPoPRules()
    var keys = ProofKeys(limit: 8)
    var time = now
    var checksTime = true

    /// The verified proof, or the refusal thrown.
    func prove(_ proof: String) throws(DPoPRefusal) -> VerifiedProof {
        let bytes = Array(proof.utf8), method = Array(method.utf8), path = Array(path.utf8)
        let unchecked = try UncheckedDPoPProof(bytes.span, rules: rules, keys: keys)
        try unchecked.check(
            method: method.span, path: path.span, bases: bases.compactMap { TargetBase($0) }, now: time,
            checksTime: checksTime)
        return try unchecked.verify(tokenDigest: digest(token), boundTo: thumbprintDigest)
    }

    /// Why `proof` is refused; nil when it is accepted.
    func refusal(_ proof: String) -> DPoPRefusal? {
        do throws(DPoPRefusal) {
            _ = try prove(proof)
            return nil
        } catch {
            return error
        }
    }

    private var thumbprintDigest: SHA256Digest {
        let text = Array(thumbprint.utf8)
        return SHA256Digest(base64URL: text.span) ?? digest("")
    }
}

/// SHA-256 of a text's bytes.
func digest(_ text: String) -> SHA256Digest { digest(bytes: Array(text.utf8)) }

/// SHA-256 of these bytes.
func digest(bytes: [UInt8]) -> SHA256Digest { SHA256.hash(bytes.span) }

/// Why the mint's proof with these changes is refused where the mint's own is accepted.
func refusal(
    header: [String: String?] = [:], claims: [String: String?] = [:], asked: Asked = Asked()
) -> DPoPRefusal? {
    asked.refusal(ProofMint().proof(header: header, claims: claims))
}
