internal import COpenSSL

/// TLS as a server over a blocking socket, with one certificate.
package final class TLSServerStream: ByteStream {
    private let engine: TLSEngine

    /// Shakes hands at once; throws when the client refuses the certificate.
    ///
    /// Asked for, any certificate of the client's will do, none included.
    package init(over socket: Socket, identity: TestCertificate, asksForCertificate: Bool = false) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw WireFailure.tls("no context") }
        defer { SSL_CTX_free(context) }
        let certificate = try PEM.certificate(identity.certificate)
        let key = try PEM.privateKey(identity.key)
        defer {
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
            throw WireFailure.tls("the certificate and key do not fit")
        }
        if asksForCertificate { SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { _, _ in 1 } }
        engine = try TLSEngine(context: context, socket: socket)
        try engine.accept()
    }

    /// The name the client asked for.
    package var serverName: String? { engine.requestedServerName }

    /// The common name of the client's certificate, if it presented one.
    package var clientName: String? { engine.peerCommonName }

    package func read(atMost count: Int, until deadline: Deadline) throws -> ReadOutcome {
        try engine.read(atMost: count, until: deadline)
    }
    package func write(_ bytes: [UInt8], until deadline: Deadline) throws { try engine.write(bytes, until: deadline) }
    package func shutdownWriting() { engine.shutdownWriting() }
    package func close() { engine.close() }
    package func reset() { engine.socket.reset() }
}
