// SPDX-License-Identifier: Apache-2.0
import Bytes
package import Crypto
package import Issuers

/// From a request to its explanation: a dry run, and whatever the dry run has to wait for.
package struct Explainer {
    private let settings: GatewaySettings
    private let dryRun: DryRun
    private let keys: (Int) -> Result<IssuerKeys, KeysMissing>

    /// Judges as of `now`, unix seconds, or as time goes by; `keys` is asked for those of the issuers that are needed.
    package init(
        _ settings: GatewaySettings, now: Int64? = nil, keys: @escaping (Int) -> Result<IssuerKeys, KeysMissing>
    ) throws(GatewayFailure) {
        self.settings = settings
        dryRun = try DryRun(settings, now: now)
        self.keys = keys
    }

    /// The explanation of the request with this head; throws when it is not the whole head of one.
    package func explain(
        _ head: [UInt8], _ circumstances: DryRun.Circumstances
    ) throws(RequestDraft.Problem) -> Explanation {
        var circumstances = circumstances
        var outcome = dryRun.judge(head, circumstances)
        var missing: KeysMissing?
        if case .needsKeys(let issuer) = outcome {
            switch keys(issuer) {
            case .success(let keys): dryRun.take(keys, issuer: issuer)
            case .failure(let reason): missing = reason
            }
            // The gateway, too, looks only once more.
            circumstances.hasWaited = true
            outcome = dryRun.judge(head, circumstances)
        }
        switch outcome {
        case .judged(let evidence, let verdict):
            var verdict = verdict
            if let missing, case .refused(.issuerKeysUnavailable, _, _, _) = verdict {
                verdict = .undecided(.keys, reason: missing.reason)
            }
            return Explanation(evidence, verdict, settings: settings, now: dryRun.now)
        case .needsKeys, .incomplete:
            throw RequestDraft.Problem(text: "this is not the whole head of a request: it must end with an empty line")
        }
    }
}

/// A client certificate in a file.
package enum CertificateFile {
    /// SHA-256 of the first certificate of a PEM text, in DER, as `x5t#S256` has it; nil when there is none.
    package static func thumbprint(_ pem: [UInt8]) -> SHA256Digest? {
        let lines = pem.split { $0 == 0x0A || $0 == 0x0D }
        guard let start = lines.firstIndex(where: { $0.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) }) else {
            return nil
        }
        var text: [UInt8] = []
        for line in lines[(start + 1)...] {
            if line.first == UInt8(ascii: "-") { break }
            for byte in line where byte != UInt8(ascii: "=") && byte != 0x20 {
                text.append(byte == UInt8(ascii: "+") ? 0x2D : byte == UInt8(ascii: "/") ? 0x5F : byte)
            }
        }
        guard !text.isEmpty, let der = Base64URL.decode(text.span) else { return nil }
        return SHA256.hash(der.span)
    }
}
