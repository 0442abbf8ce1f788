// SPDX-License-Identifier: Apache-2.0
import Crypto
import HTTPMessage
import OAuth
import Replay

/// A proof that is right in everything, and not yet remembered as used.
struct UnspentProof {
    let key: SHA256Digest
    let thumbprint: SHA256Digest
    /// The last Unix second at which it could be accepted once more.
    let until: Int64
}

/// The value of a `DPoP-Nonce` field, made once for many answers.
struct NonceText {
    var bytes: [UInt8] = []
    /// The Unix second from which on another one is made.
    var renewedAt: Int64 = 0
}

/// Whoever sends a bound token must show that the token's key is theirs (RFC 9449, RFC 8705, RS-22, RS-23).
///
/// Looks at the token, not at the route's settings: a bound token is never worth anything by itself, whatever a route
/// was told (the downgrade that RFC 9449 §7.2 warns of).
extension WorkerRef {
    func proveSender(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>,
        _ token: UnsafeBufferPointer<UInt8>, _ digest: borrowing SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refusal) {
        if exchange.pointee.scheme == .dpop {
            guard record.pointee.isKeyBound else {
                throw refuse(.tokenNotBound, "a token with cnf.jkt", "one that is bound to no key")
            }
            try checkProof(exchange, route, record, digest, bytes)
        } else if record.pointee.isKeyBound {
            throw refuse(.tokenBoundToKey, "Authorization: DPoP, and a proof", "Authorization: Bearer")
        }
        if record.pointee.isCertificateBound { try checkCertificate(exchange, record, bytes) }
    }

    /// Everything RFC 9449 §4.3 asks of a proof, but for its having been used; the order is REQUIREMENTS 0.3's.
    private func checkProof(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>,
        _ digest: borrowing SHA256Digest, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refusal) {
        let value = try proofField(bytes)
        let head = pointee.head
        let method = UnsafeBufferPointer(
            start: bytes + Int(head.pointee.method.start), count: Int(head.pointee.method.count))
        var path = UnsafeBufferPointer(start: bytes + Int(head.pointee.path.start), count: Int(head.pointee.path.count))
        if path.isEmpty { path = rootPath }
        let listener = pointee.listeners + Int(exchange.pointee.client.unsafelyUnwrapped.pointee.listener)
        let now = clock.wallSeconds()
        let rules = route.pointee.token.proofRules
        do throws(DPoPRefusal) {
            let proof = try UncheckedDPoPProof(value.span, rules: rules, keys: pointee.proofKeys)
            try proof.checkMethod(method.span)
            guard matchesTarget(proof, listener, route, path) else { throw DPoPRefusal.targetMismatch }
            let verdict = judgeNonce(proof, route, exchange, now)
            if verdict != .ours { try proof.checkTime(now: now) }
            if let refusal = verdict.refusal(required: route.pointee.token.nonce) {
                throw ProofRefusal.nonce(refusal)
            }
            let verified = try proof.verify(tokenDigest: digest, boundTo: record.pointee.keyThumbprint)
            pointee.metrics.count(.proofsVerified)
            let until = verdict == .ours
                ? now + Int64(pointee.nonceLifetime) : verified.issuedAt + Int64(rules.pastSeconds)
            pointee.proof = UnspentProof(key: verified.replayKey, thumbprint: verified.thumbprint, until: until)
        } catch {
            pointee.refusalDetail = RefusalDetail(
                expected: error.expected(by: rules), found: error.found, check: error.checkID)
            throw Refusal(error)
        }
    }
}
