import COpenSSL
import Glibc
import TestSupport
import Transport

/// Two connected sockets that never block.
struct SocketPair {
    let here: Int32
    let there: Int32

    init() throws {
        // OpenSSL writes without MSG_NOSIGNAL: a peer that is gone would end the whole test run.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw WireFailure.system("socketpair", errno) }
        (here, there) = (ends[0], ends[1])
    }
}

extension Transport.ByteStream {
    func send(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { write($0, count: buffer.count) } ?? 0 }
    }

    /// What a read brings: bytes, or the negative outcome (0: the end); behind `reads` in vain, as messages of the
    /// handshake may stand before it.
    func receive(_ capacity: Int = 65_536, reads: Int = 4) -> (bytes: [UInt8], outcome: Int) {
        var buffer = [UInt8](repeating: 0, count: capacity)
        var count = Transport.ByteStream.wantsRead
        for _ in 0..<reads where count == Transport.ByteStream.wantsRead {
            count = buffer.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { read(into: $0, capacity: capacity) } ?? Transport.ByteStream.failed
            }
        }
        return (Array(buffer.prefix(max(0, count))), count)
    }
}

/// Lets two ends of a TLS connection take turns until both are through, or one has failed.
///
/// Each outcome is 0 when that end's handshake is complete.
func shakeHands(_ one: Transport.ByteStream, _ other: Transport.ByteStream) -> (one: Int, other: Int) {
    var outcomes = (one: Transport.ByteStream.wantsRead, other: Transport.ByteStream.wantsRead)
    for _ in 0..<50 {
        if outcomes.one != Transport.ByteStream.failed { outcomes.one = one.handshake() }
        if outcomes.other != Transport.ByteStream.failed { outcomes.other = other.handshake() }
        if outcomes == (0, 0) { break }
    }
    return outcomes
}

/// Certificates in files, removed with the folder.
final class CertificateFiles {
    let authority: TestCertificate
    private let folder: String
    private var count = 0

    init() throws {
        authority = try TestCertificate.authority(named: "Test authority")
        folder = try TemporaryFolder.make(for: "transport")
    }

    deinit { TemporaryFolder.remove(folder) }

    /// The path of a new file with this text.
    func write(_ text: String) throws -> String {
        count += 1
        let path = "\(folder)/\(count).pem"
        guard let file = fopen(path, "w") else { throw WireFailure.system("fopen", errno) }
        fputs(text, file)
        fclose(file)
        return path
    }

    func authorityFile() throws -> String { try write(authority.certificate) }

    func identity(_ certificate: TestCertificate) throws -> ServerTLS.Identity {
        ServerTLS.Identity(certificateFile: try write(certificate.certificate), keyFile: try write(certificate.key))
    }

    func identity(_ names: String...) throws -> ServerTLS.Identity {
        let certificate = try authority.issue(names: names)
        return ServerTLS.Identity(
            certificateFile: try write(certificate.certificate), keyFile: try write(certificate.key))
    }
}

/// What a client needs to resume a connection.
final class ClientSession {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { SSL_SESSION_free(pointer) }

    var isResumable: Bool { SSL_SESSION_is_resumable(pointer) == 1 }
}

// Called by OpenSSL when the server asks for a certificate.
private let onCertificateRequest: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { _, client in
    if let client { Unmanaged<ForeignClient>.fromOpaque(client).takeUnretainedValue().countCertificateRequest() }
    return 1
}

/// A TLS client that is not ours, so that it can ask for what ours never would.
final class ForeignClient {
    private let context: OpaquePointer
    let stream: Transport.ByteStream

    /// How often the server asked for a certificate.
    private(set) var certificateRequests = 0

    init(
        _ descriptor: Int32, serverName: String? = nil, version: Int32? = nil, suites: String? = nil,
        protocols: [String] = [], identity: ServerTLS.Identity? = nil, resuming session: ClientSession? = nil
    ) throws {
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
            throw WireFailure.tls("no client")
        }
        self.context = context
        // Only so low that a refusal of TLS 1.1 is the server's and not our library's.
        SSL_set_security_level(ssl, 0)
        if let version {
            SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
            SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        }
        if let suites, SSL_set_cipher_list(ssl, suites) != 1 { throw WireFailure.tls("no suite \(suites)") }
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty { SSL_set_alpn_protos(ssl, list, UInt32(list.count)) }
        if let serverName { _ = portcullis_set_server_name(ssl, serverName) }
        SSL_set_fd(ssl, descriptor)
        SSL_set_connect_state(ssl)
        var stream = Transport.ByteStream(descriptor: descriptor)
        stream.tls = ssl
        self.stream = stream
        SSL_set_cert_cb(ssl, onCertificateRequest, Unmanaged.passUnretained(self).toOpaque())
        if let identity {
            guard SSL_use_certificate_file(ssl, identity.certificateFile, SSL_FILETYPE_PEM) == 1,
                SSL_use_PrivateKey_file(ssl, identity.keyFile, SSL_FILETYPE_PEM) == 1
            else { throw WireFailure.tls("no identity") }
        }
        if let session { SSL_set_session(ssl, session.pointer) }
    }

    fileprivate func countCertificateRequest() { certificateRequests += 1 }

    /// The session as it is now: with TLS 1.3 only after something has been read.
    func session() throws -> ClientSession {
        guard let session = SSL_get1_session(stream.tls) else { throw WireFailure.tls("no session") }
        return ClientSession(session)
    }

    var isResumed: Bool { SSL_session_reused(stream.tls) == 1 }

    deinit {
        var stream = stream
        stream.close()
        SSL_CTX_free(context)
    }

    /// The common name in the server's certificate.
    var peerName: String? { peerCommonName(of: stream) }

    var version: String { SSL_get_version(stream.tls).map { String(cString: $0) } ?? "none" }

    /// The suite agreed on, by OpenSSL's name.
    var suite: String {
        SSL_CIPHER_get_name(SSL_get_current_cipher(stream.tls)).map { String(cString: $0) } ?? "none"
    }

    /// The protocol that ALPN agreed on.
    var agreedProtocol: String? {
        var (start, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        SSL_get0_alpn_selected(stream.tls, &start, &count)
        return start.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
    }
}

func peerCommonName(of stream: Transport.ByteStream) -> String? {
    guard let tls = stream.tls, let certificate = SSL_get1_peer_certificate(tls) else { return nil }
    defer { X509_free(certificate) }
    var name = [CChar](repeating: 0, count: 256)
    let length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, &name, 256)
    return length > 0 ? String(decoding: name.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
}
