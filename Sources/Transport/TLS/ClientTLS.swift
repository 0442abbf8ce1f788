import COpenSSL

/// How we speak TLS to upstreams: always verified, against the system's authorities or one file's.
///
/// Shared by all workers like `ServerTLS`. Wraps `SSL_CTX`.
public final class ClientTLS: @unchecked Sendable {
    private let context: OpaquePointer

    /// Trusts the authorities in a PEM file, or the system's when nil, and shows `identity` to servers that ask.
    public init(
        certificateAuthorityFile: String?, identity: ServerTLS.Identity? = nil, minimumVersion: TLSVersion = .tls12
    ) throws(TLSFailure) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .library(OpenSSLErrors.take()) }
        self.context = context
        portcullis_set_minimum_version(context, minimumVersion.number)
        portcullis_set_safe_options(context)
        portcullis_set_stream_mode(context)
        SSL_CTX_set_cipher_list(context, TLSVersion.tls12Suites)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let file = certificateAuthorityFile {
            guard SSL_CTX_load_verify_file(context, file) == 1 else {
                throw .authorities(file: file, OpenSSLErrors.take())
            }
        } else {
            guard SSL_CTX_set_default_verify_paths(context) == 1 else { throw .library(OpenSSLErrors.take()) }
        }
        if let identity { try identity.load(into: context) }
    }

    deinit { SSL_CTX_free(context) }

    /// Which protocols a handshake offers by ALPN, the preferred one first.
    public enum Protocols: Sendable {
        /// No ALPN: HTTP/1.1 for every server that speaks HTTP.
        case unsaid
        /// `h2` alone (RFC 9113 §3.2).
        case http2
        /// `h2`, and `http/1.1` where the server has none.
        case both

        private var list: StaticString {
            switch self {
            case .unsaid: ""
            case .http2: "\u{2}h2"
            case .both: "\u{2}h2\u{8}http/1.1"
            }
        }

        /// Wraps `SSL_set_alpn_protos`, which says 0 for success.
        fileprivate func offer(by ssl: OpaquePointer) -> Bool {
            guard list.utf8CodeUnitCount > 0 else { return true }
            return SSL_set_alpn_protos(ssl, list.utf8Start, UInt32(list.utf8CodeUnitCount)) == 0
        }
    }

    /// Wraps a connecting socket for a server that must prove to be `serverName`, a DNS name or an IP literal.
    ///
    /// The server hears by ALPN what is `offered` (RFC 7301). Nil when the TLS state could not be made: the caller must not go
    /// on without it.
    public func open(
        _ descriptor: Int32, serverName: String, offering protocols: Protocols = .unsaid
    ) -> ByteStream? {
        guard let ssl = SSL_new(context) else { return nil }
        let parameters = SSL_get0_param(ssl)
        if SocketAddress(literal: serverName, port: 0) != nil {
            guard X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1 else {
                SSL_free(ssl)
                return nil
            }
        } else {
            X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            guard SSL_set1_host(ssl, serverName) == 1, portcullis_set_server_name(ssl, serverName) == 1 else {
                SSL_free(ssl)
                return nil
            }
        }
        guard protocols.offer(by: ssl) else {
            SSL_free(ssl)
            return nil
        }
        SSL_set_fd(ssl, descriptor)
        SSL_set_connect_state(ssl)
        var stream = ByteStream(descriptor: descriptor)
        stream.tls = ssl
        return stream
    }
}
