import JOSE
import JSON

/// What the proof and the certificate say of who sent the token.
extension CheckFacts {
    func seenOfSender(_ check: ExplainedCheck) -> String? {
        switch check {
        case .clientCertField: return evidence.hasClientCertField ? "a Client-Cert field from \(evidence.peer)" : "none"
        case .proofCount:
            switch evidence.proofs.count {
            case 0: return "no DPoP field"
            case 1: return "one DPoP field"
            case let count: return "\(count) DPoP fields"
            }
        case .proofForm: return proof.map { "\($0.bytes) bytes, \($0.segments) parts" } ?? ""
        case .proofType: return ShownText.json(proof?.header?["typ"])
        case .proofAlgorithm: return ShownText.json(proof?.header?["alg"])
        case .proofKey: return seenKey
        case .proofClaims:
            return ["jti", "htm", "htu", "iat", "ath", "nonce"].filter { proof?.claims?[$0] != nil }
                .joined(separator: " ")
        case .proofMethod: return ShownText.json(proof?.claims?["htm"])
        case .proofTarget: return ShownText.json(proof?.claims?["htu"])
        case .proofTime: return seenTime("iat", of: proof)
        case .proofNonce: return proof?.claims?["nonce"] == nil ? "absent" : "a nonce"
        case .proofTokenHash: return ShownText.json(proof?.claims?["ath"])
        case .proofSignature: return ""
        case .proofBinding: return "cnf.jkt \(ShownText.json(token?.claims?["cnf"]?["jkt"]))"
        case .replay: return "jti \(ShownText.json(proof?.claims?["jti"]))"
        case .certificate: return evidence.certificateThumbprint.map { "certificate \($0)" } ?? "no certificate"
        case .binding:
            let scheme = evidence.authorization == .dpop ? "DPoP" : "Bearer"
            return "\(scheme), and a token \(keyThumbprint == nil ? "without" : "with") cnf.jkt"
        default: return nil
        }
    }

    private var seenKey: String {
        guard let key = proof?.header?["jwk"] else { return "absent" }
        let words = ["kty", "crv"].compactMap { key[$0]?.string }.map { ShownText.plain($0, limit: 20) }
        return words.isEmpty ? "something else than a key" : words.joined(separator: " ")
    }

    /// URIs that `htu` may be, in the order in which they are tried.
    var targets: [String] {
        ([listener.publicURL] + (route?.publicURLs ?? [])).map { base in
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + evidence.path
        }
    }

    func wantedOfSender(_ check: ExplainedCheck) -> String? {
        switch check {
        case .clientCertField: "a certificate in RFC 9440's form"
        case .proofCount: "one DPoP field"
        case .proofForm: "a signed JWT of at most \(settings.proofs.maximumBytes) bytes"
        case .proofType: "\"dpop+jwt\""
        case .proofAlgorithm: ShownText.words((policy?.dpop.algorithms ?? []).map(\.name))
        case .proofKey: "the client's public key, without private members"
        case .proofClaims: "jti htm htu iat ath"
        case .proofMethod: ShownText.quote(evidence.method)
        case .proofTarget: ShownText.words(targets.map { ShownText.quote($0) })
        case .proofTime:
            "at most \(settings.proofs.pastSeconds) s ago, at most \(settings.proofs.futureSeconds) s ahead"
        case .proofNonce:
            policy?.dpop.nonce == .required
                ? "a nonce of this gateway's, not older than "
                    + "\(settings.proofs.nonceLifetimeSeconds) s" : "none, or one of this gateway's"
        case .proofTokenHash: token.map { ShownText.quote($0.hash) } ?? ""
        case .proofSignature: "made by the key in jwk"
        case .proofBinding: "the thumbprint of the proof's key"
        case .replay: "a jti that this key has not used"
        case .certificate: certificateThumbprint.map { "certificate \(ShownText.plain($0))" } ?? ""
        case .binding: "DPoP for a token with cnf.jkt, Bearer for one without"
        default: nil
        }
    }
}
