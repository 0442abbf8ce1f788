import Access
import Crypto
import HTTPMessage
import OAuth
import Replay
import Telemetry

/// Whoever sends a bound token must show that what it is bound to is theirs (RFC 9449, RFC 8705, RS-22, RS-23).
///
/// Looks at the token, not at the route's settings: a bound token is never worth anything by itself, whatever a route
/// was told (the downgrade that RFC 9449 §7.2 warns of).
extension WorkerRef {
    /// Answers the proof that the request brought, which nobody has noted as used yet; nil where none is asked for.
    func proveSender(
        _ head: HeadView, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>,
        _ record: TokenRecord, _ digest: SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> UnspentProof? {
        var proof: UnspentProof?
        if exchange.pointee.scheme == .dpop {
            guard record.isKeyBound else {
                throw refuse(.tokenNotBound, "a token with cnf.jkt", "one that is bound to no key")
            }
            proof = try checkProof(head, exchange, route, record, digest)
        } else if record.isKeyBound {
            throw refuse(
                .tokenBoundToKey, "Authorization: DPoP, and a proof", "Authorization: Bearer", check: "DPOP-20")
        }
        if record.isCertificateBound { try checkCertificate(exchange, record, bytes) }
        return proof
    }

    /// The proof of a request that waited after it was verified: one signature a request, however it waited.
    ///
    /// Its time is looked at anew. One that ended meanwhile is checked from the beginning, so that the refusal says why.
    private func provedBefore(_ exchange: ExchangeRef) -> UnspentProof? {
        guard let proved = exchange.pointee.proved, clock.wallSeconds() <= proved.until else { return nil }
        return proved
    }

    /// Everything RFC 9449 §4.3 asks of a proof but that it was not used before; that comes last (DPOP-17).
    private func checkProof(
        _ head: HeadView, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>,
        _ record: TokenRecord, _ digest: SHA256Digest
    ) throws(Refused) -> UnspentProof {
        if let proved = provedBefore(exchange) { return proved }
        let field = head.text(try head.proof())
        let now = clock.wallSeconds()
        let mode = route.pointee.token.nonce
        let proof: UncheckedDPoPProof
        do throws(DPoPRefusal) {
            proof = try UncheckedDPoPProof(
                field, rules: route.pointee.token.proofRules, keys: pointee.identities.proofKeys)
        } catch {
            throw refuse(error, route, nil)
        }
        let nonce = mode == .off ? .notAsked : judgeNonce(proof, now)
        do throws(DPoPRefusal) {
            try checkRequest(
                proof, head, exchange, route, now: now, checksTime: nonce.leavesTimeToClock(in: mode))
        } catch {
            // A client whose clock is wrong can do better with a nonce than with another proof of its own.
            if case .missing = nonce, error.refusal == .proofOutOfTime { exchange.pointee.givesNonce = true }
            throw refuse(error, route, proof)
        }
        switch nonce {
        case .notAsked, .fresh: break
        case .ageing: exchange.pointee.givesNonce = true
        case .missing:
            exchange.pointee.givesNonce = true
            guard mode == .optional else { throw refuse(.proofNonceMissing, "a nonce of ours", "none") }
        case .unknown:
            exchange.pointee.givesNonce = true
            throw refuse(.proofNonceUnknown, "a nonce of ours, not too old", "another")
        }
        do throws(DPoPRefusal) {
            let verified = try proof.verify(tokenDigest: digest, boundTo: record.keyThumbprint)
            pointee.journal.metrics.count(.proofsVerified)
            let nonceEnd = mode == .off ? judgeNonce(proof, now).until : nonce.until
            return UnspentProof(
                key: verified.replayKey, thumbprint: verified.thumbprint,
                until: UnspentProof.end(
                    issuedAt: verified.issuedAt, nonceEnd: nonceEnd, rules: route.pointee.token.proofRules, now: now))
        } catch {
            throw refuse(error, route, proof)
        }
    }

    /// The method and the URL, which are the request's, and the time, where no nonce speaks for it (DPOP-07 … DPOP-10).
    private func checkRequest(
        _ proof: UncheckedDPoPProof, _ head: HeadView, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>,
        now: Int64, checksTime: Bool
    ) throws(DPoPRefusal) {
        let bases = route.pointee.bases(at: Int(exchange.pointee.client.pointee.listener))
        let root = rootPath
        try proof.check(
            method: head.method, path: head.path.isEmpty ? root.span : head.path, bases: bases, now: now,
            checksTime: checksTime)
    }

    private func refuse(
        _ cause: DPoPRefusal, _ route: UnsafePointer<Route>, _ proof: UncheckedDPoPProof?
    ) -> Refused {
        refuse(
            cause.refusal, cause.expected(by: route.pointee.token.proofRules), cause.found(in: proof),
            check: cause.check)
    }
}
