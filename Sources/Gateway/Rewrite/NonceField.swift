import Access
import OAuth

/// The value of a `DPoP-Nonce` field, made once for the answers of a second.
struct NonceText {
    var bytes: [UInt8] = []
    /// The Unix second it was made in.
    var madeAt: Int64 = 0
}

extension WorkerRef {
    /// Writes one `DPoP-Nonce` field line with a nonce of now (RFC 9449 §8).
    func putNonce(into writer: inout HeadWriter) {
        guard let nonces = pointee.policy.nonces else { return }
        let now = clock.wallSeconds()
        if pointee.scratch.nonce.madeAt != now || pointee.scratch.nonce.bytes.isEmpty {
            pointee.scratch.nonce = NonceText(bytes: nonces.make(now: now), madeAt: now)
        }
        writer.put("DPoP-Nonce: ")
        pointee.scratch.nonce.bytes.withUnsafeBufferPointer { writer.put($0) }
        writer.put("\r\n")
    }
}
