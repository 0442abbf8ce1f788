internal import COpenSSL

/// Why a TLS handshake with a peer came to nothing; the words are a server's about its client.
public enum HandshakeFailure: Sendable, CaseIterable {
    /// The client closed the connection, as probes of a port do.
    case closed
    /// What it sent is no TLS: plain HTTP, or garbage.
    case notTLS
    /// It speaks no version of TLS that the listener accepts, or says that of the listener.
    case version
    /// It has no cipher, group or signature algorithm in common with the listener.
    case cipher
    /// Its certificate is missing or not accepted.
    case certificate
    /// It offers application protocols, and HTTP/1.1 is not among them (RFC 7301 §3.2).
    case applicationProtocol
    /// It said itself that it does not go on, as when it does not trust our certificate.
    case alert
    case other

    /// Why the handshake failed that `ByteStream.read` or `handshake` has just called `failed`, on the same thread.
    ///
    /// With TLS 1.3 a server refuses its client's certificate behind the handshake: the next `read` fails by it (RFC 8446
    /// section 4.4.2.4).
    ///
    /// Empties OpenSSL's error queue; wraps `ERR_peek_error`.
    public static func take() -> HandshakeFailure {
        switch UInt32(bitPattern: portcullis_take_handshake_failure()) {
        case PORTCULLIS_HANDSHAKE_CLOSED.rawValue: .closed
        case PORTCULLIS_HANDSHAKE_NOT_TLS.rawValue: .notTLS
        case PORTCULLIS_HANDSHAKE_VERSION.rawValue: .version
        case PORTCULLIS_HANDSHAKE_CIPHER.rawValue: .cipher
        case PORTCULLIS_HANDSHAKE_CERTIFICATE.rawValue: .certificate
        case PORTCULLIS_HANDSHAKE_APPLICATION_PROTOCOL.rawValue: .applicationProtocol
        case PORTCULLIS_HANDSHAKE_ALERT.rawValue: .alert
        default: .other
        }
    }
}
