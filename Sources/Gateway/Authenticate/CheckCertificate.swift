import Access
import Crypto
import HTTPMessage
import OAuth
import Transport

extension WorkerRef {
    /// Whether the client has the certificate that the token names (RFC 8705 §3, MTLS-01, MTLS-02).
    func checkCertificate(
        _ exchange: ExchangeRef, _ record: TokenRecord, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        let client = exchange.pointee.client
        guard let digest = try certificateDigest(client, bytes) else {
            throw refuse(.certificateMissing, "the client certificate with the digest in cnf.x5t#S256", "none")
        }
        guard digest == record.certificateThumbprint else {
            throw refuse(
                .certificateMismatch, "x5t#S256 \(record.certificateThumbprint.base64URL)", digest.base64URL)
        }
    }

    private func certificateDigest(
        _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> SHA256Digest? {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        // A terminator's own certificate says who it is, not who its client is.
        if listener.pointee.terminators.contains(client.pointee.peer) {
            return try fieldCertificate(bytes).map { SHA256.hash($0.span) }
        }
        // Digested once. Whoever has none is asked again, which costs little and lets nobody in.
        if let known = client.pointee.certificate { return known.pointee }
        let digest = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { memory -> SHA256Digest? in
            guard let start = memory.baseAddress, client.pointee.stream.writePeerCertificateDigest(into: start) else {
                return nil
            }
            return SHA256Digest(UnsafeBufferPointer(memory).span)
        }
        if let digest { client.pointee.keepCertificate(digest) }
        return digest
    }

    /// `Client-Cert` of a TLS terminator that the operator trusts (RFC 9440 §2, MTLS-07).
    func fieldCertificate(_ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) -> [UInt8]? {
        let head = UnsafeBufferPointer(start: bytes, count: pointee.scratch.head.pointee.length)
        do throws(ClientCertField.Refusal) {
            return try ClientCertField.find(in: pointee.scratch.head.pointee.fields, of: head.span)
        } catch {
            throw refuse(.clientCertFieldInvalid, "one Client-Cert field with a certificate", CauseWords.of(error))
        }
    }
}
