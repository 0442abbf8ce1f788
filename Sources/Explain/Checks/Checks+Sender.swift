import Access
import Bytes
import Gateway
import JOSE
import JSON

/// What the proof and the certificate say of who sent the token.
extension Check {
    static let ofSender = rows(
        answered: CheckFacts.answeredByRoute, skipped: [\.sessionInstead, \.withoutToken],
        ofProof + ofCertificate)

    private static let ofProof = [
        Check(
            .binding, "scheme fits cnf", "RFC 9449 §7.2", of: .token, seen: CheckWords(\.seenBinding),
            wanted: "DPoP for a token with cnf.jkt, Bearer for one without", skipped: [\.unboundBearer]),
        Check(
            .proofCount, "proof: exactly one", "RFC 9449 §4.3 (1)", of: .token, seen: CheckWords(\.seenProofs),
            wanted: "one DPoP field", skipped: CheckFacts.withoutProof),
        Check(
            .proofForm, "proof: syntax", "RFC 9449 §4.3 (2)", of: .proof,
            seen: CheckWords { $0.proof.map { "\($0.bytes) bytes, \($0.segments) parts" } ?? "" },
            wanted: CheckWords { "a signed JWT of at most \($0.settings.proofs.maximumBytes) bytes" },
            skipped: CheckFacts.withoutProof),
        Check(
            .proofType, "proof: typ", "RFC 9449 §4.3 (4)", of: .proof, seen: .proofHeader("typ"),
            wanted: "\"dpop+jwt\"", skipped: CheckFacts.withoutProof),
        Check(
            .proofAlgorithm, "proof: alg", "RFC 9449 §4.3 (5)", of: .proof, seen: .proofHeader("alg"),
            wanted: CheckWords { ShownText.words(($0.policy?.dpop.algorithms ?? []).map(\.name)) },
            skipped: CheckFacts.withoutProof),
        Check(
            .proofKey, "proof: jwk", "RFC 9449 §4.3 (7)", of: .proof, seen: CheckWords(\.seenProofKey),
            wanted: "the client's public key, without private members", skipped: CheckFacts.withoutProof),
        Check(
            .proofClaims, "proof: claims", "RFC 9449 §4.3 (3)", of: .proof,
            seen: CheckWords { facts in
                (CheckFacts.proofClaims + ["nonce"]).filter { facts.proof?.claims?[$0] != nil }
                    .joined(separator: " ")
            }, wanted: CheckWords { _ in CheckFacts.proofClaims.joined(separator: " ") },
            skipped: CheckFacts.withoutProof),
        Check(
            .proofMethod, "proof: htm", "RFC 9449 §4.3 (8)", of: .proof, seen: .proofClaim("htm"),
            wanted: CheckWords { ShownText.quote($0.evidence.method) }, skipped: CheckFacts.withoutProof),
        Check(
            .proofTarget, "proof: htu", "RFC 9449 §4.3 (9)", of: .proof, seen: .proofClaim("htu"),
            wanted: CheckWords { ShownText.words($0.targets.map { ShownText.quote($0) }) },
            skipped: CheckFacts.withoutProof),
        Check(
            .proofNonce, "proof: nonce", "RFC 9449 §4.3 (10)", of: .proof,
            seen: CheckWords { $0.proof?.claims?["nonce"] == nil ? "absent" : "a nonce" },
            wanted: CheckWords(\.wantedNonce), skipped: [\.unboundBearer, \.nonceOff, \.boundToNoKey]),
        Check(
            .proofTime, "proof: iat", "RFC 9449 §4.3 (11)", of: .proof,
            seen: CheckWords { $0.seenTime("iat", in: $0.proof?.claims) },
            wanted: CheckWords {
                let proofs = $0.settings.proofs
                return "at most \(proofs.past.wholeSeconds) s ago, at most \(proofs.future.wholeSeconds) s ahead"
            }, skipped: CheckFacts.withoutProof),
        Check(
            .proofTokenHash, "proof: ath", "RFC 9449 §4.3 (12)", of: .proof, seen: .proofClaim("ath"),
            wanted: CheckWords { $0.token.map { ShownText.quote($0.hash) } ?? "" }, skipped: CheckFacts.withoutProof),
        Check(
            .proofSignature, "proof: signature", "RFC 9449 §4.3 (6)", of: .proof, seen: .nothing,
            wanted: "made by the key in jwk", skipped: CheckFacts.withoutProof),
        Check(
            .proofBinding, "proof: key is cnf.jkt", "RFC 9449 §4.3 (12)", of: .proof,
            seen: CheckWords { "cnf.jkt \(ShownText.json($0.token?.claims?["cnf"]?["jkt"]))" },
            wanted: "the thumbprint of the proof's key", skipped: CheckFacts.withoutProof),
    ]

    private static let ofCertificate = [
        Check(
            .clientCertField, "Client-Cert", "RFC 9440 §2.2", of: .token,
            seen: CheckWords {
                $0.evidence.hasClientCertField ? "a Client-Cert field from \($0.evidence.peer)" : "none"
            }, wanted: "a certificate in RFC 9440's form",
            skipped: [{ $0.evidence.hasClientCertField ? nil : "the request has no Client-Cert" }]),
        Check(
            .certificate, "certificate is x5t", "RFC 8705 §3", of: .token,
            seen: CheckWords { $0.evidence.certificateThumbprint.map { "certificate \($0)" } ?? "no certificate" },
            wanted: CheckWords { $0.certificateThumbprint.map { "certificate \(ShownText.plain($0))" } ?? "" },
            skipped: [\.unboundBearer, { $0.certificateThumbprint == nil ? "cnf has no x5t#S256" : nil }]),
    ]
}

extension CheckFacts {
    /// Why no proof is looked for.
    static let withoutProof: [Check.Reason] = [\.unboundBearer, \.boundToNoKey]

    var unboundBearer: String? {
        evidence.authorization == .bearer && token?.claims?["cnf"] == nil ? "the token has no cnf" : nil
    }

    var boundToNoKey: String? {
        evidence.authorization == .bearer && keyThumbprint == nil ? "cnf has no jkt" : nil
    }

    fileprivate var nonceOff: String? { policy?.dpop.nonce == .off ? "token.dpop.nonce is off" : nil }

    /// The member of `cnf` that names a DPoP key.
    var keyThumbprint: String? { token?.claims?["cnf"]?["jkt"]?.string }
    /// The member of `cnf` that names a certificate.
    fileprivate var certificateThumbprint: String? { token?.claims?["cnf"]?["x5t#S256"]?.string }

    /// What every proof for a resource server has to say.
    static let proofClaims = ["jti", "htm", "htu", "iat", "ath"]

    fileprivate var seenBinding: String {
        let scheme = evidence.authorization == .dpop ? "DPoP" : "Bearer"
        return "\(scheme), and a token \(keyThumbprint == nil ? "without" : "with") cnf.jkt"
    }

    fileprivate var seenProofs: String {
        switch evidence.proofs.count {
        case 0: "no DPoP field"
        case 1: "one DPoP field"
        case let count: "\(count) DPoP fields"
        }
    }

    fileprivate var seenProofKey: String {
        guard let key = proof?.header?["jwk"] else { return "absent" }
        let words = ["kty", "crv"].compactMap { key[$0]?.string }.map { ShownText.plain($0, limit: 20) }
        return words.isEmpty ? "something else than a key" : words.joined(separator: " ")
    }

    fileprivate var wantedNonce: String {
        policy?.dpop.nonce == .required
            ? "a nonce of this gateway's, not older than \(settings.proofs.nonceLifetime.wholeSeconds) s"
            : "none, or one of this gateway's"
    }

    /// URIs that `htu` may be, in the order in which they are tried.
    var targets: [String] {
        ([publicURL] + (route?.publicURLs ?? [])).map { base in
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + evidence.path
        }
    }
}
