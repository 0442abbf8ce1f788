import Access
import HTTPMessage
import Transport

extension WorkerRef {
    /// Writes `Client-Cert` for a route that sends it, where the client has shown a certificate (RFC 9440 §2.2, HTTP-54).
    ///
    /// The connection's, whose key the client has proved to have; or what a terminator that is believed says, read and
    /// written anew. What anybody else writes under this name has been left out.
    func putClientCertificate(
        _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) throws(Refused) {
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        if listener.pointee.terminators.contains(client.pointee.peer) {
            guard let certificate = try headView(bytes).certificateOfField() else { return }
            certificate.withUnsafeBufferPointer { put(certificate: $0, into: &writer) }
            return
        }
        let limit = ClientCertField.maximumBytes
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { memory -> Int in
            guard let start = memory.baseAddress else { return 0 }
            let count = client.carrier.pointee.stream.writePeerCertificate(into: start, capacity: limit)
            if count > 0, count <= limit {
                put(certificate: UnsafeBufferPointer(rebasing: memory[..<count]), into: &writer)
            }
            return count
        }
        // Left out, the upstream would take its owner for a client without one.
        guard count <= limit else {
            throw Refused(
                .identityTooLarge, expected: "a certificate of at most \(limit) bytes", found: "\(count)")
        }
    }

    /// One byte sequence (RFC 9651 §3.3.5).
    private func put(certificate: UnsafeBufferPointer<UInt8>, into writer: inout HeadWriter) {
        writer.put("Client-Cert: :")
        writer.put(base64: certificate)
        writer.put(":\r\n")
    }
}
