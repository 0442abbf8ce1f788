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
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>,
        _ digest: SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> UnspentProof? {
        var proof: UnspentProof?
        if exchange.pointee.scheme == .dpop {
            guard record.pointee.isKeyBound else {
                throw refuse(.tokenNotBound, "a token with cnf.jkt", "one that is bound to no key")
            }
            proof = try checkProof(exchange, route, record, digest, bytes)
        } else if record.pointee.isKeyBound {
            throw refuse(
                .tokenBoundToKey, "Authorization: DPoP, and a proof", "Authorization: Bearer", check: "DPOP-20")
        }
        if record.pointee.isCertificateBound { try checkCertificate(exchange, record, bytes) }
        return proof
    }

    /// Everything RFC 9449 §4.3 asks of a proof but that it was not used before; that comes last (DPOP-17).
    private func checkProof(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>,
        _ digest: SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> UnspentProof {
        let field = try proofField(bytes)
        let now = clock.wallSeconds()
        let mode = route.pointee.token.nonce
        let proof: UncheckedDPoPProof
        do throws(DPoPRefusal) {
            proof = try UncheckedDPoPProof(field.span, rules: route.pointee.token.proofRules, keys: pointee.proofKeys)
        } catch {
            throw refuse(error, route, nil)
        }
        let nonce = mode == .off ? .notAsked : judgeNonce(proof, now)
        do throws(DPoPRefusal) {
            try checkRequest(proof, exchange, route, bytes, now: now, checksTime: nonce.leavesTimeToClock(in: mode))
        } catch {
            // A client whose clock is wrong can do better with a nonce than with another proof of its own.
            if case .missing = nonce, Refusal(error) == .proofOutOfTime { exchange.pointee.givesNonce = true }
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
            let verified = try proof.verify(tokenDigest: digest, boundTo: record.pointee.keyThumbprint)
            pointee.metrics.count(.proofsVerified)
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
        _ proof: UncheckedDPoPProof, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>, now: Int64, checksTime: Bool
    ) throws(DPoPRefusal) {
        let head = pointee.head
        let method = UnsafeBufferPointer(
            start: bytes + Int(head.pointee.method.start), count: Int(head.pointee.method.count))
        var path = UnsafeBufferPointer(start: bytes + Int(head.pointee.path.start), count: Int(head.pointee.path.count))
        if path.isEmpty { path = rootPath }
        let bases = route.pointee.bases[Int(exchange.pointee.client.unsafelyUnwrapped.pointee.listener)]
        try proof.check(method: method.span, path: path.span, bases: bases, now: now, checksTime: checksTime)
    }

    /// The one proof of a request (DPOP-01).
    private func proofField(_ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) -> UnsafeBufferPointer<UInt8> {
        let head = pointee.head
        var found = -1
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .dpop {
            guard found < 0 else { throw refuse(.proofRepeated, "one DPoP field", "more") }
            found = index
        }
        guard found >= 0 else { throw refuse(.proofMissing, "one DPoP field", "none") }
        let range = head.pointee.fields[found].value
        let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        guard !value.isEmpty else { throw refuse(.proofMissing, "one DPoP field with a proof", "an empty one") }
        // No JWT has a comma: two proofs in one line are two proofs (RFC 9110 §5.3).
        guard !value.contains(UInt8(ascii: ",")) else { throw refuse(.proofRepeated, "one proof", "a list") }
        return value
    }

    private func refuse(
        _ cause: DPoPRefusal, _ route: UnsafePointer<Route>, _ proof: UncheckedDPoPProof?
    ) -> Refused {
        refuse(
            Refusal(cause), cause.expected(by: route.pointee.token.proofRules), cause.found(in: proof),
            check: cause.checkID)
    }
}
