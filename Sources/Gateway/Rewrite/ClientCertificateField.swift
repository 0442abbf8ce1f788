import Access
import HTTPMessage
import Transport

extension WorkerRef {
    /// Writes `Client-Cert`, where the route sends it and the client has shown a certificate (RFC 9440 §2.2, HTTP-54).
    ///
    /// The connection's, whose key the client has proved to have; or what a terminator that is believed says, read and
    /// written anew. What anybody else writes under this name has been left out.
    func putClientCertificate(
        _ exchange: ExchangeRef, _ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>,
        into writer: inout HeadWriter
    ) throws(Refused) {
        guard let route = exchange.pointee.route, route.pointee.sendsClientCert, !exchange.pointee.isPreflight else {
            return
        }
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        if listener.pointee.terminators.contains(client.pointee.peer) {
            guard let certificate = try fieldCertificate(bytes) else { return }
            certificate.withUnsafeBufferPointer { put(certificate: $0, into: &writer) }
            return
        }
        let limit = ClientCertField.maximumBytes
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { memory -> Int in
            guard let start = memory.baseAddress else { return 0 }
            let count = client.pointee.stream.writePeerCertificate(into: start, capacity: limit)
            if count > 0, count <= limit {
                put(certificate: UnsafeBufferPointer(rebasing: memory[..<count]), into: &writer)
            }
            return count
        }
        // Left out, the upstream would take its owner for a client without one.
        guard count <= limit else {
            throw refuse(.identityTooLarge, "a certificate of at most \(limit) bytes", "\(count)")
        }
    }

    /// One byte sequence (RFC 9651 §3.3.5).
    private func put(certificate: UnsafeBufferPointer<UInt8>, into writer: inout HeadWriter) {
        writer.put("Client-Cert: :")
        writer.put(base64: certificate)
        writer.put(":\r\n")
    }
}
