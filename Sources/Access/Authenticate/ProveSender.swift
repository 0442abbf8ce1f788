import Crypto
import HTTPMessage
import OAuth
import Telemetry

/// Whoever sends a bound token must show that what it is bound to is theirs (RFC 9449, RFC 8705, RS-22, RS-23).
///
/// Looks at the token, not at the route's settings: a bound token is never worth anything by itself, whatever a route
/// was told (the downgrade that RFC 9449 §7.2 warns of).
extension AccessPolicy {
    /// Answers the proof that the request brought, which nobody has noted as used yet; nil where none is asked for.
    borrowing func proveSender(
        _ head: HeadView, _ arrival: borrowing Arrival, _ route: FixedValue<Route>, _ record: TokenRecord,
        _ digest: SHA256Digest, _ identities: inout Identities, _ findings: inout Findings
    ) throws(Refused) -> UnspentProof? {
        var proof: UnspentProof?
        if findings.scheme == .dpop {
            guard record.isKeyBound else {
                throw Refused(
                    .tokenNotBound, expected: "a token with cnf.jkt", found: "one that is bound to no key")
            }
            if let proved = findings.provedBefore(now: arrival.now) {
                proof = proved
            } else {
                proof = try checkProof(head, arrival, route, record, digest, &identities, &findings)
            }
        } else if record.isKeyBound {
            throw Refused(
                .tokenBoundToKey, expected: "Authorization: DPoP, and a proof", found: "Authorization: Bearer",
                check: "DPOP-20")
        }
        if record.isCertificateBound { try head.checkCertificate(of: record, arrival.connection) }
        return proof
    }

    /// Everything RFC 9449 §4.3 asks of a proof but that it was not used before; that comes last (DPOP-17).
    private borrowing func checkProof(
        _ head: HeadView, _ arrival: borrowing Arrival, _ route: FixedValue<Route>, _ record: TokenRecord,
        _ digest: SHA256Digest, _ identities: inout Identities, _ findings: inout Findings
    ) throws(Refused) -> UnspentProof {
        let field = head.text(try head.proof())
        let now = arrival.now
        let mode = route.pointee.token.nonce
        let rules = route.pointee.token.proofRules
        let proof: UncheckedDPoPProof
        do throws(DPoPRefusal) {
            proof = try UncheckedDPoPProof(field, rules: rules, keys: identities.proofKeys)
        } catch {
            throw Refused(error, by: rules, nil)
        }
        let nonce = mode == .off ? .notAsked : judgeNonce(proof, now)
        do throws(DPoPRefusal) {
            try AccessPolicy.checkRequest(
                proof, head, bases: route.pointee.bases[Int(findings.site) &- route.pointee.firstSite], now: now,
                checksTime: nonce.leavesTimeToClock(in: mode))
        } catch {
            // A client whose clock is wrong can do better with a nonce than with another proof of its own.
            if case .missing = nonce, error.refusal == .proofOutOfTime { findings.givesNonce = true }
            throw Refused(error, by: rules, proof)
        }
        try check(nonce, in: mode, &findings)
        try checkMayVerify(arrival)
        do throws(DPoPRefusal) {
            let verified = try proof.verify(tokenDigest: digest, boundTo: record.keyThumbprint)
            identities.metrics.count(.proofsVerified)
            let life = mode == .off ? judgeNonce(proof, now).life : nonce.life
            return UnspentProof(
                key: verified.replayKey, thumbprint: verified.thumbprint,
                until: UnspentProof.end(issuedAt: verified.issuedAt, nonceEnd: life?.end, rules: rules, now: now),
                usableSince: life?.begin ?? verified.issuedAt - Int64(rules.futureSeconds), hasNonce: life != nil)
        } catch {
            findings.hasFailedVerification = true
            throw Refused(error, by: rules, proof)
        }
    }

    /// The method and the URL, which are the request's, and the time, where no nonce speaks for it (DPOP-07 … DPOP-10).
    private static func checkRequest(
        _ proof: UncheckedDPoPProof, _ head: HeadView, bases: [TargetBase], now: Int64, checksTime: Bool
    ) throws(DPoPRefusal) {
        let root: InlineArray<1, UInt8> = [UInt8(ascii: "/")]
        // A WebSocket of HTTP/2 is opened by CONNECT; a client that signs above its HTTP cannot know (H-D4).
        let connect = "CONNECT".utf8Span.span
        let isConnect = head.offersWebSocket && proof.claimsMethod(connect)
        try proof.check(
            method: isConnect ? connect : head.method, path: head.path.isEmpty ? root.span : head.path, bases: bases,
            now: now, checksTime: checksTime)
    }

    /// Refuses a proof without the nonce that the route demands, and has the answer bring another where that helps.
    private borrowing func check(
        _ nonce: NonceVerdict, in mode: DPoPSettings.Nonce, _ findings: inout Findings
    ) throws(Refused) {
        switch nonce {
        case .notAsked, .fresh: break
        case .ageing: findings.givesNonce = true
        case .missing:
            findings.givesNonce = true
            guard mode == .optional else {
                throw Refused(.proofNonceMissing, expected: "a nonce of ours", found: "none")
            }
        case .unknown:
            findings.givesNonce = true
            throw Refused(.proofNonceUnknown, expected: "a nonce of ours, not too old", found: "another")
        }
    }

    borrowing func judgeNonce(_ proof: UncheckedDPoPProof, _ now: Int64) -> NonceVerdict {
        guard let nonces, let nonce = proof.nonce else { return .missing }
        switch nonces.judge(nonce.span, now: now) {
        case .current(let life): return .fresh(life)
        case .previous(let life): return .ageing(life)
        case .unknown: return .unknown
        }
    }
}

extension Findings {
    /// The proof of a request that waited after it was verified: one signature a request, however it waited.
    ///
    /// Its time is looked at anew. One that ended meanwhile is checked from the beginning, so that the refusal says why.
    fileprivate func provedBefore(now: Int64) -> UnspentProof? {
        guard let proved, now <= proved.until else { return nil }
        return proved
    }
}

extension Refused {
    fileprivate init(_ cause: DPoPRefusal, by rules: DPoPRules, _ proof: UncheckedDPoPProof?) {
        self.init(
            cause.refusal, expected: .text(cause.expected(by: rules)), found: .text(cause.found(in: proof)),
            check: cause.check)
    }
}
