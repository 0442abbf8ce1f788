import Access
import Crypto
import HTTPMessage
import OAuth
import Sessions

extension WorkerRef {
    /// The session's access token for the upstream: as Bearer, or with a proof made for this one request (DPOP-45).
    func putSessionToken(
        _ state: SessionState, _ route: FixedValue<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) throws(Refused) {
        guard let token = state.session.accessToken else { return }
        let text = token.reveal()
        guard let proofs = state.proofs else {
            writer.put("Authorization: Bearer ")
            text.withUnsafeBufferPointer { writer.put($0) }
            writer.put("\r\n")
            return
        }
        let head = pointee.scratch.head
        let method = UnsafeBufferPointer(
            start: bytes + Int(head.pointee.method.start), count: Int(head.pointee.method.count))
        let received = UnsafeBufferPointer(
            start: bytes + Int(head.pointee.path.start), count: Int(head.pointee.path.count))
        // The upstream's own URL, as its resource server sees it.
        let rewritten = route.pointee.rewrite.map { $0.pointee.rewritten(received.span) }
        let pool = pointee.upstreams.pools[route.pointee.upstream]
        let proof: [UInt8]
        if let rewritten {
            proof = try rewritten.withUnsafeBufferPointer { path throws(Refused) in
                try self.proof(by: proofs, text, method: method, path: path, route, pool)
            }
        } else {
            proof = try self.proof(by: proofs, text, method: method, path: received, route, pool)
        }
        writer.put("Authorization: DPoP ")
        text.withUnsafeBufferPointer { writer.put($0) }
        writer.put("\r\nDPoP: ")
        proof.withUnsafeBufferPointer { writer.put($0) }
        writer.put("\r\n")
    }

    /// A proof for one request, whose `htu` is the path at the route's proof base, without query (RFC 9449 §4.2).
    private func proof(
        by proofs: ProofMaker, _ token: [UInt8], method: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>,
        _ route: FixedValue<Route>, _ pool: UnsafeMutablePointer<UpstreamPool>
    ) throws(Refused) -> [UInt8] {
        let url = route.pointee.proofBase + (path.isEmpty ? "/" : String(decoding: path, as: UTF8.self))
        do throws(SigningRefusal) {
            return try proofs.proof(
                method: String(decoding: method, as: UTF8.self), url: url,
                nonce: pool.pointee.proofNonce, accessToken: token.span,
                now: clock.wallSeconds(), identifier: RandomBytes.fill(16))
        } catch {
            throw Refused(.exchangeUnavailable, expected: "a proof for the upstream", found: "a key that does not sign")
        }
    }

    /// Puts a new proof into a head that is sent once more: the upstream may have seen the first one (DPOP-45).
    ///
    /// All proofs of one session for one request are equally long, so it takes the first one's place.
    func renewProof(_ exchange: ExchangeRef, _ pool: UnsafeMutablePointer<UpstreamPool>) {
        guard let route = exchange.pointee.findings.route, let state = exchange.pointee.findings.token?.session,
            let proofs = state.proofs, let token = state.session.accessToken
        else { return }
        guard !exchange.pointee.replay.isEmpty else { return }
        // Content that is kept behind it is the client's, whatever it looks like.
        let length = exchange.pointee.replay.count - Int(exchange.pointee.replayedContent)
        let head = UnsafeBufferPointer(start: exchange.pointee.replay.bytes, count: length)
        let words = head.prefix { $0 != 0x0D }.split(separator: 0x20, maxSplits: 2)
        let field = Array("\r\nDPoP: ".utf8)
        guard words.count == 3, let start = head.firstRange(of: field)?.upperBound else { return }
        let target = words[1].prefix { $0 != UInt8(ascii: "?") }
        let proof = try? proof(
            by: proofs, token.reveal(), method: UnsafeBufferPointer(rebasing: words[0]),
            path: UnsafeBufferPointer(rebasing: target), route, pool)
        let end = head[start...].firstIndex(of: 0x0D) ?? head.endIndex
        guard let proof, proof.count == end - start else { return }
        (exchange.pointee.replay.bytes + start).update(from: proof, count: proof.count)
    }

    /// Keeps the nonce that an upstream wants in the next proofs; each upstream's is its own (RFC 9449 §9, DPOP-41).
    func keepProofNonce(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) {
        guard exchange.pointee.findings.token?.session?.proofs != nil,
            let pool = exchange.pointee.upstream?.pointee.pool
        else { return }
        let head = pointee.scratch.responseHead
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .dpopNonce {
            let range = head.pointee.fields[index].value
            let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            guard !value.isEmpty, value.count <= 256, value.allSatisfy({ (0x21...0x7E).contains($0) }) else { return }
            pool.pointee.proofNonce = String(decoding: value, as: UTF8.self)
        }
    }
}
