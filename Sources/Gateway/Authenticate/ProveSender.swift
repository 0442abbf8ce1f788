// SPDX-License-Identifier: Apache-2.0
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
    func proveSender(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>,
        _ digest: SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refusal) {
        if exchange.pointee.scheme == .dpop {
            guard record.pointee.isKeyBound else {
                throw refuse(.tokenNotBound, "a token with cnf.jkt", "one that is bound to no key")
            }
            try checkProof(exchange, route, record, digest, bytes)
        } else if record.pointee.isKeyBound {
            let refusal = refuse(.tokenBoundToKey, "Authorization: DPoP, and a proof", "Authorization: Bearer")
            pointee.refusalDetail.check = "DPOP-20"
            throw refusal
        }
        if record.pointee.isCertificateBound { try checkCertificate(exchange, record, bytes) }
    }

    /// Everything RFC 9449 §4.3 asks of a proof but that it was not used before, in the order of REQUIREMENTS 0.3.
    private func checkProof(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>,
        _ digest: SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refusal) {
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
            // As long as the proof could be accepted once more: by the nonce's time, or by its own.
            let until = nonce.until ?? verified.issuedAt + Int64(route.pointee.token.proofRules.pastSeconds)
            pointee.proof = UnspentProof(key: verified.replayKey, thumbprint: verified.thumbprint, until: until)
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
    private func proofField(_ bytes: UnsafeMutablePointer<UInt8>) throws(Refusal) -> UnsafeBufferPointer<UInt8> {
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
    ) -> Refusal {
        pointee.refusalDetail = RefusalDetail(
            expected: cause.expected(by: route.pointee.token.proofRules), found: cause.found(in: proof),
            check: cause.checkID)
        return Refusal(cause)
    }
}
