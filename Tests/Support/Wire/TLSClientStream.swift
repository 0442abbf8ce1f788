internal import COpenSSL

/// The TLS versions a test can pin.
package enum TLSVersion: Sendable {
    case tls11, tls12, tls13

    /// The number on the wire.
    var number: Int {
        switch self {
        case .tls11: 0x0302
        case .tls12: 0x0303
        case .tls13: 0x0304
        }
    }
}

/// How a raw client speaks TLS.
package struct TLSClientOptions: Sendable {
    package var serverName: String?
    /// PEM of the authority that must have signed the server's certificate; nil verifies nothing.
    package var authority: String?
    package var minimum: TLSVersion = .tls12
    package var maximum: TLSVersion = .tls13
    package var applicationProtocols: [String] = []
    /// The groups offered for the exchange of keys, as OpenSSL lists them; its own when empty.
    package var groups = ""
    /// The client's own certificate, shown to a server that asks for one.
    package var identity: TestCertificate?
    /// A session of an earlier connection, to be resumed.
    package var session: TLSSession?
    /// Sent before the server has answered anything, with a session that allows it.
    package var earlyData: [UInt8] = []

    /// TLS 1.2 to 1.3, with SNI when a name is given.
    package init(serverName: String? = nil, authority: String? = nil) {
        self.serverName = serverName
        self.authority = authority
    }
}

/// TLS as a client over a blocking socket.
package final class TLSClientStream: ByteStream {
    private let engine: TLSEngine

    /// Shakes hands at once; throws when the peer or we refuse.
    init(over socket: Socket, options: TLSClientOptions) throws {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw WireFailure.tls("no context") }
        defer { SSL_CTX_free(context) }
        // Only so low that a refusal of TLS 1.1 is the server's and not our library's.
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, options.minimum.number, nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, options.maximum.number, nil)
        if !options.groups.isEmpty {
            let isTaken = options.groups.withCString {
                SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: $0)) == 1
            }
            guard isTaken else { throw WireFailure.tls("no such group") }
        }
        if let authority = options.authority {
            let certificate = try PEM.certificate(authority)
            defer { X509_free(certificate) }
            X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        }
        if let identity = options.identity { try Self.use(identity, in: context) }
        let protocols = options.applicationProtocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !protocols.isEmpty { SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) }
        engine = try TLSEngine(context: context, socket: socket)
        if let session = options.session { engine.resume(session) }
        try engine.connect(
            serverName: options.serverName, verifiesName: options.authority != nil, earlyData: options.earlyData)
    }

    private static func use(_ identity: TestCertificate, in context: OpaquePointer) throws {
        let certificate = try PEM.certificate(identity.certificate)
        let key = try PEM.privateKey(identity.key)
        defer {
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
            throw WireFailure.tls("the certificate and key do not fit")
        }
    }

    /// The session as it is now: with TLS 1.3 one that can be resumed only after something was read.
    package var session: TLSSession? { engine.session }
    /// Whether the handshake resumed an earlier session.
    package var isResumed: Bool { engine.isResumed }
    /// What the server made of the early data; nil when none was sent.
    package var isEarlyDataAccepted: Bool? { engine.isEarlyDataAccepted }
    /// The version agreed on, such as `TLSv1.3`.
    package var version: String { engine.version }
    /// The subject's common name of the server's certificate.
    package var peerCommonName: String? { engine.peerCommonName }

    package func read(atMost count: Int, until deadline: Deadline) throws -> ReadOutcome {
        try engine.read(atMost: count, until: deadline)
    }
    package func write(_ bytes: [UInt8], until deadline: Deadline) throws { try engine.write(bytes, until: deadline) }
    package func shutdownWriting() { engine.shutdownWriting() }
    package func close() { engine.close() }
    package func reset() { engine.socket.reset() }
}
