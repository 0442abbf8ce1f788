import COpenSSL

/// What a listener asks its clients to show of themselves (RFC 8705 §2, MTLS-04).
public struct ClientCertificates: Sendable, Equatable {
    /// Whether a client may come without.
    public enum Request: Sendable, Equatable {
        /// A certificate is asked for; a client without one gets through, and has none.
        case optional
        /// A client without a certificate does not get through the handshake.
        case required
    }

    /// Which certificates get through the handshake; TLS proves the possession of the key in any case.
    public enum Trust: Sendable, Equatable {
        /// Any, self-signed and expired ones too: whoever uses it asks for one certificate and no other.
        ///
        /// Only keys below 112 bits of strength are refused (NIST SP 800-57): a key that others can find is no proof.
        case anyCertificate
        /// Those with a valid chain to an authority in a PEM file, and for clients.
        ///
        /// With a file of revocation lists (PEM) each certificate of a chain needs the current list of its issuer.
        case authorities(file: String, revocationListFile: String?)
    }

    /// Whether a client may come without.
    public var request: Request
    /// Which certificates get through.
    public var trust: Trust

    /// Asks for a certificate, and judges it.
    public init(request: Request, trust: Trust) {
        self.request = request
        self.trust = trust
    }

    /// Has one context ask for certificates.
    ///
    /// Each context of a listener needs all of it: `SSL_set_SSL_CTX` keeps the mode of the context that the connection
    /// began with, yet takes the store, the callback and the names of authorities from the one that SNI chose. If one
    /// context lacked them, its name would be the way around the certificate.
    func apply(to context: OpaquePointer) throws(TLSFailure) {
        let absent = request == .required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | absent, nil)
        // What is read before anything has been proved.
        portcullis_set_maximum_certificates(context, 32 << 10)
        switch trust {
        case .anyCertificate:
            SSL_CTX_set_cert_verify_callback(context, onAnyCertificate, nil)
        case .authorities(let file, let revocationListFile):
            guard let names = SSL_load_client_CA_file(file) else {
                throw .authorities(file: file, OpenSSLErrors.take())
            }
            SSL_CTX_set_client_CA_list(context, names)
            guard SSL_CTX_load_verify_file(context, file) == 1 else {
                throw .authorities(file: file, OpenSSLErrors.take())
            }
            if let revocationListFile { try ClientCertificates.load(revocationListFile, into: context) }
        }
    }

    private static func load(_ file: String, into context: OpaquePointer) throws(TLSFailure) {
        let store = SSL_CTX_get_cert_store(context)
        guard let lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file()),
            X509_load_crl_file(lookup, file, X509_FILETYPE_PEM) > 0
        else { throw .revocationList(file: file, OpenSSLErrors.take()) }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    }
}

extension ByteStream {
    /// Writes the SHA-256 of the peer's certificate in DER, 32 bytes, and returns whether it showed one.
    ///
    /// False on a plain connection, before the end of the handshake, which proves that the peer has the certificate's
    /// key, and after a resumption that did not bring the certificate back. Wraps `SSL_get0_peer_certificate` and
    /// `X509_digest`.
    public func writePeerCertificateDigest(into bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let tls, SSL_is_init_finished(tls) == 1, let certificate = SSL_get0_peer_certificate(tls) else {
            return false
        }
        var digest: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &digest) { space in
            // EVP_MAX_MD_SIZE is what the function may write.
            guard let start = space.bindMemory(to: UInt8.self).baseAddress else { return false }
            var count: UInt32 = 0
            guard X509_digest(certificate, EVP_sha256(), start, &count) == 1, count == 32 else {
                ERR_clear_error()
                return false
            }
            bytes.update(from: start, count: 32)
            return true
        }
    }
}

extension ByteStream {
    /// Writes the peer's certificate in DER and returns how many bytes it has; 0 when it showed none.
    ///
    /// Writes nothing when it has more than `capacity`. Wraps `SSL_get0_peer_certificate` and `i2d_X509`.
    public func writePeerCertificate(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        guard let tls, SSL_is_init_finished(tls) == 1, let certificate = SSL_get0_peer_certificate(tls) else {
            return 0
        }
        // i2d_X509 writes what it says without a place, and moves the place that it is given behind it.
        let count = Int(i2d_X509(certificate, nil))
        guard count > 0 else {
            ERR_clear_error()
            return 0
        }
        if count <= capacity {
            var place: UnsafeMutablePointer<UInt8>? = bytes
            _ = i2d_X509(certificate, &place)
        }
        return count
    }
}

// Called by OpenSSL in place of the check of the chain.
private let onAnyCertificate: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
    guard let store, let certificate = X509_STORE_CTX_get0_cert(store), let key = X509_get0_pubkey(certificate),
        EVP_PKEY_get_security_bits(key) >= 112
    else {
        X509_STORE_CTX_set_error(store, X509_V_ERR_EE_KEY_TOO_SMALL)
        return 0
    }
    X509_STORE_CTX_set_error(store, X509_V_OK)
    return 1
}
