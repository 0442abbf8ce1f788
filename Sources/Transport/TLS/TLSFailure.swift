import COpenSSL

/// Why TLS could not be set up; each names the file to look at and what OpenSSL said.
public enum TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The library failed without a file being at fault.
    case library(String)
    /// No certificate was given.
    case noCertificate
    /// A certificate file could not be read or parsed.
    case certificate(file: String, String)
    /// A key file could not be read or parsed, or does not fit its certificate.
    case key(file: String, String)
    /// A file of certification authorities could not be read or parsed.
    case authorities(file: String, String)
    /// A file of revocation lists could not be read or parsed.
    case revocationList(file: String, String)

    /// A sentence for the operator: the file, and OpenSSL's reason.
    public var description: String {
        switch self {
        case .library(let reason): reason
        case .noCertificate: "no certificate was given"
        case .certificate(let file, let reason): "certificate \(file): \(reason)"
        case .key(let file, let reason): "private key \(file): \(reason)"
        case .authorities(let file, let reason): "certification authorities \(file): \(reason)"
        case .revocationList(let file, let reason): "revocation lists \(file): \(reason)"
        }
    }
}

/// The lowest protocol version accepted, with the cipher suites of RFC 9325 §4.2.
public enum TLSVersion: Sendable, Equatable {
    /// TLS 1.2 and above.
    case tls12
    /// TLS 1.3 only.
    case tls13

    var number: Int32 { self == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION }

    /// TLS 1.2: forward secrecy and AEAD only; TLS 1.3's suites are all fine.
    static let tls12Suites =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
}

/// OpenSSL's queue of errors of this thread.
enum OpenSSLErrors {
    /// The queue's first entry as a sentence; empties the queue.
    ///
    /// Wraps `ERR_get_error` and `ERR_error_string_n`.
    static func take() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return "no reason given" }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
