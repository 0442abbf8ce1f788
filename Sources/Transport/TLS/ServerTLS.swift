import Bytes
import COpenSSL
import Glibc

/// The certificates of one listener: the one that fits SNI answers, the first when none does.
///
/// Shared by all workers: after `init` it is only read (OpenSSL counts references to an `SSL_CTX` atomically).
/// Wraps `SSL_CTX`.
public final class ServerTLS: @unchecked Sendable {
    private var contexts: [OpaquePointer] = []

    /// One certificate chain and its private key, as PEM files.
    public struct Identity: Sendable {
        /// The chain, leaf first.
        public var certificateFile: String
        /// The leaf's private key.
        public var keyFile: String

        /// Names the two files.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Loads every certificate; the first problem is thrown with the file it is in.
    ///
    /// Clients are asked for certificates only where `clientCertificates` says so, whichever name they ask for. Tickets
    /// are sealed with `ticketKeys`, and are good only at the listener of this `name`, whatever else has the same keys.
    /// With `speaksHTTP2` a client that offers `h2` gets it, whatever else it offers (RFC 9113 §3.2).
    public init(
        identities: [Identity], minimumVersion: TLSVersion, clientCertificates: ClientCertificates? = nil,
        ticketKeys: TicketKeys = TicketKeys(), name: String = "", speaksHTTP2: Bool = false
    ) throws(TLSFailure) {
        for identity in identities {
            guard let context = SSL_CTX_new(TLS_server_method()) else { throw .library(OpenSSLErrors.take()) }
            contexts.append(context)
            try ServerTLS.prepare(context, identity, minimumVersion)
            SSL_CTX_set_alpn_select_cb(context, speaksHTTP2 ? onProtocolsWithHTTP2 : onProtocols, nil)
            try clientCertificates?.apply(to: context)
            try ServerTLS.setResumption(context, clientCertificates, name)
        }
        guard let first = contexts.first else { throw .noCertificate }
        for context in contexts {
            let siblings = context == first ? Array(contexts.dropFirst()) : []
            guard ContextExtras.attach(ticketKeys, siblings: siblings, to: context) else {
                throw .library(OpenSSLErrors.take())
            }
        }
        // Set for one certificate too: without it OpenSSL does not put the name into tickets, and a connection that is
        // resumed by TLS 1.2 would agree with any Host (HTTP-21).
        portcullis_set_server_name_callback(first, onServerName, nil)
    }

    deinit {
        for context in contexts { SSL_CTX_free(context) }
    }

    /// Wraps an accepted socket; the handshake runs as bytes are read.
    public func open(_ descriptor: Int32) -> ByteStream? {
        guard let ssl = SSL_new(contexts[0]) else { return nil }
        SSL_set_fd(ssl, descriptor)
        SSL_set_accept_state(ssl)
        var stream = ByteStream(descriptor: descriptor)
        stream.tls = ssl
        return stream
    }

    /// Who may come back without a full handshake, and for how long.
    private static func setResumption(
        _ context: OpaquePointer, _ clients: ClientCertificates?, _ name: String
    ) throws(TLSFailure) {
        // What a ticket is good for: a listener, and what it asks of its clients. A ticket made while it asked for less
        // must not open it after a reload.
        let request = clients.map { $0.request == .required ? "required" : "optional" } ?? "none"
        let text = Array("\(name) \(request)".utf8)
        var digest = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        guard EVP_Digest(text, text.count, &digest, &count, EVP_sha256(), nil) == 1,
            SSL_CTX_set_session_id_context(context, digest, count) == 1,
            portcullis_set_ticket_key_callback(context, onTicketKey) == 1
        else { throw .library(OpenSSLErrors.take()) }
        SSL_CTX_set_timeout(context, Int(TicketKeys.rotationSeconds))
        // Two by default; a browser's second connection waits for the first one's end or makes a handshake of its own.
        SSL_CTX_set_num_tickets(context, 1)
        // A resumed handshake does not look at the chain again: neither its end nor a revocation would be seen.
        if case .authorities? = clients?.trust { portcullis_set_no_tickets(context) }
    }

    private static func prepare(
        _ context: OpaquePointer, _ identity: Identity, _ minimumVersion: TLSVersion
    ) throws(TLSFailure) {
        portcullis_set_minimum_version(context, minimumVersion.number)
        portcullis_set_safe_options(context)
        portcullis_set_stream_mode(context)
        SSL_CTX_set_cipher_list(context, TLSVersion.tls12Suites)
        // BCP 195 (RFC 9325 §4.2), with the hybrid of ML-KEM where the library has it: what is beside them (X448, P-521, finite
        // fields) costs a handshake ten times as much, or is checked by few.
        guard
            portcullis_set_groups(context, "X25519MLKEM768:X25519:P-256:P-384") == 1
                || portcullis_set_groups(context, "X25519:P-256:P-384") == 1
        else { throw .library(OpenSSLErrors.take()) }
        // Sessions live in the clients' tickets: a cache of ours would be a lock between workers, and memory.
        portcullis_set_session_cache_off(context)
        SSL_CTX_set_info_callback(context, onState)
        // A replayed early request would be processed twice (RFC 8446 §8, HTTP-73).
        SSL_CTX_set_max_early_data(context, 0)
        try identity.load(into: context)
    }
}

extension ServerTLS.Identity {
    /// Has a context show this certificate.
    func load(into context: OpaquePointer) throws(TLSFailure) {
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw .certificate(file: certificateFile, OpenSSLErrors.take())
        }
        guard SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw .key(file: keyFile, OpenSSLErrors.take()) }
    }
}

extension ByteStream {
    /// Whether the handshake has agreed on HTTP/2 (RFC 9113 §3.2).
    ///
    /// Wraps `SSL_get0_alpn_selected`.
    public var speaksHTTP2: Bool {
        guard let tls else { return false }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(tls, &name, &count)
        guard let name, count == 2 else { return false }
        return name[0] == UInt8(ascii: "h") && name[1] == UInt8(ascii: "2")
    }

    /// Whether the client's SNI names `host` (compared without case), or it sent none.
    ///
    /// Wraps `SSL_get_servername`.
    public func serverNameAgrees(with host: Span<UInt8>) -> Bool {
        guard let tls, let name = portcullis_server_name(tls) else { return true }
        let length = strlen(name)
        guard length == host.count else { return false }
        let bytes = UnsafeRawBufferPointer(start: name, count: length)
        return ASCII.equalsIgnoringCase(bytes.bindMemory(to: UInt8.self).span, host)
    }
}

extension ByteStream {
    /// Whether the certificate that this side has shown is one of `host` as well.
    ///
    /// Wraps `X509_check_host`.
    public func ownCertificateNames(_ host: Span<UInt8>) -> Bool {
        // A name with a dot at its beginning would stand for all names below.
        guard let tls, let certificate = SSL_get_certificate(tls), host.count > 0, host[0] != UInt8(ascii: ".") else {
            return false
        }
        return host.withUnsafeBytes { bytes in
            guard let first = bytes.bindMemory(to: CChar.self).baseAddress else { return false }
            return X509_check_host(certificate, first, bytes.count, 0, nil) == 1
        }
    }
}

// Called by OpenSSL during a handshake, on the worker's thread.
private let onServerName:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?) -> Int32 = {
        ssl, _, _ in
        guard let ssl, let name = portcullis_server_name(ssl), let own = SSL_get_SSL_CTX(ssl) else {
            return SSL_TLSEXT_ERR_OK
        }
        if let context = ContextExtras.of(ssl)?.context(named: name, besides: own) { SSL_set_SSL_CTX(ssl, context) }
        return SSL_TLSEXT_ERR_OK
    }

// MTLS-05: OpenSSL answers each attempt at renegotiation with a warning, for as long as a client likes to try. We end
// the connection instead, by letting it look as if the client had.
private let onState: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = { ssl, place, alert in
    guard place == SSL_CB_WRITE_ALERT, alert & 0xFF == SSL_AD_NO_RENEGOTIATION, let ssl else { return }
    SSL_set_shutdown(ssl, SSL_RECEIVED_SHUTDOWN)
}

/// What OpenSSL asks of a client's list of protocols.
private typealias ProtocolChoice =
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32

// RFC 7301 §3.2: a client that offers only protocols we do not speak gets the alert, not a guess.
private let onProtocols: ProtocolChoice = { _, chosen, chosenLength, offered, offeredLength, _ in
    guard let offered, let place = place(of: "http/1.1", in: offered, Int(offeredLength)) else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    chosen?.pointee = offered + place.start
    chosenLength?.pointee = UInt8(place.count)
    return SSL_TLSEXT_ERR_OK
}

// `h2c` is for connections without TLS, and chosen here never (RFC 9113 §3.1).
private let onProtocolsWithHTTP2: ProtocolChoice = { _, chosen, chosenLength, offered, offeredLength, _ in
    guard let offered,
        let place = place(of: "h2", in: offered, Int(offeredLength))
            ?? place(of: "http/1.1", in: offered, Int(offeredLength))
    else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    chosen?.pointee = offered + place.start
    chosenLength?.pointee = UInt8(place.count)
    return SSL_TLSEXT_ERR_OK
}

/// Where a protocol's name stands in a client's list; nil where it does not.
private func place(of name: StaticString, in offered: UnsafePointer<UInt8>, _ count: Int) -> (start: Int, count: Int)? {
    var position = 0
    while position < count {
        let length = Int(offered[position])
        guard position + 1 + length <= count else { return nil }
        if length == name.utf8CodeUnitCount, memcmp(offered + position + 1, name.utf8Start, length) == 0 {
            return (position + 1, length)
        }
        position += 1 + length
    }
    return nil
}
