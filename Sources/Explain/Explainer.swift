import Access
import Bytes
package import Crypto
package import Gateway
package import Issuers
import Login
import Sessions

/// From a request to its explanation: a dry run, and whatever the dry run has to wait for.
package struct Explainer {
    fileprivate let settings: GatewaySettings
    private let dryRun: DryRun
    private let keys: (Int) -> Result<IssuerKeys, KeysMissing>
    private let answer: (Int, [UInt8], SHA256Digest) -> IntrospectionAnswer?

    /// Judges as of `now`, unix seconds, or as time goes by.
    ///
    /// - Parameters:
    ///   - keys: asked for those of an issuer, by its place in the settings, when they are needed.
    ///   - answer: asked for an issuer's word on a token (RFC 7662); nil where nobody can be asked.
    package init(
        _ settings: GatewaySettings, now: Int64? = nil, keys: @escaping (Int) -> Result<IssuerKeys, KeysMissing>,
        answer: @escaping (Int, [UInt8], SHA256Digest) -> IntrospectionAnswer? = { _, _, _ in nil }
    ) throws(GatewayFailure) {
        self.settings = settings
        dryRun = try DryRun(settings, now: now)
        self.keys = keys
        self.answer = answer
    }

    /// The explanation of the request with this head; throws when it is not the whole head of one.
    package func explain(
        _ head: [UInt8], _ circumstances: DryRun.Circumstances
    ) throws(RequestDraft.Problem) -> Explanation {
        var circumstances = circumstances
        var missing: KeysMissing?
        // The gateway, too, looks only once more at what it has waited for: keys, and then perhaps an issuer's word.
        for _ in 0..<3 {
            switch dryRun.judge(head, circumstances) {
            case .judged(let evidence, let verdict):
                let verdict = undecided(verdict, missing) ?? undecided(verdict, evidence) ?? verdict
                return Explanation(evidence, verdict, settings: settings, now: dryRun.now)
            case .needsKeys(let issuer):
                switch keys(issuer) {
                case .success(let keys): dryRun.take(keys, issuer: issuer)
                case .failure(let reason): missing = reason
                }
                circumstances.hasWaited = true
            case .needsAnswer(let issuer, let token, let digest):
                circumstances.answer =
                    answer(issuer, token, digest)
                    ?? IntrospectionAnswer(
                        digest: digest, issuer: issuer, workers: [], result: .unavailable(.waitedTooLong))
            case .incomplete:
                throw RequestDraft.Problem(
                    text: "this is not the whole head of a request: it must end with an empty line")
            }
        }
        throw RequestDraft.Problem(text: "the request waits for something that cannot be had here")
    }

    /// A refusal that the running gateway, which knows more, may not make.
    private func undecided(_ verdict: Verdict, _ missing: KeysMissing?) -> Verdict? {
        guard case .refused(let refusal, _, let found, _) = verdict else { return nil }
        if refusal == .issuerKeysUnavailable { return .undecided(.keys, reason: missing?.reason ?? found) }
        if refusal == .introspectionUnavailable { return .undecided(.introspection, reason: found) }
        guard refusal == .proofNonceUnknown, settings.proofs.nonceKeys.isEmpty else { return nil }
        return .undecided(
            .nonce,
            reason:
                "the running gateway makes its nonces with a key of its own, because dpop.nonce_keys is not set; "
                + "ask it with --request-id")
    }
}

extension Explainer {
    /// A refusal for want of a session that only the running gateway could find, or refresh.
    private func undecided(_ verdict: Verdict, _ evidence: RequestEvidence) -> Verdict? {
        if case .undecided(.session, _) = verdict, evidence.session?.diagnosis == .unconfirmed {
            return .undecided(
                .sessionTokens,
                reason: "identity_from is to say first whose the session's tokens are, and is not asked here"
            )
        }
        guard case .refused(.loginRequired, _, _, _) = verdict, let session = evidence.session else { return nil }
        if session.lives, session.isRefreshDue {
            return .undecided(
                .sessionTokens, reason: "the session's tokens are to be refreshed first, which is not tried here")
        }
        let settings = settings.logins[session.login].session
        switch session.diagnosis {
        case .unknown, .elsewhere:
            return .undecided(.session, reason: "the sessions of this client are in the running gateway alone")
        case .keyUnknown where settings.keys.isEmpty:
            return .undecided(
                .session,
                reason: "the running gateway seals sessions with a key of its own, because session.keys is not set")
        case nil, .lives, .unconfirmed, .keyUnknown, .unopened, .idle, .over, .ended: return nil
        }
    }
}
