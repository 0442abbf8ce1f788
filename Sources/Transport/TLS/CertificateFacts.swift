import COpenSSL
import Glibc

/// What a certificate says that a person can get wrong: from when to when it is good, and for which names.
///
/// Of the first certificate of a PEM text, which is the leaf of a chain (RFC 8446 §4.4.2). Reads it with
/// `PEM_read_bio_X509`; nothing is verified.
public struct CertificateFacts: Sendable, Equatable {
    /// Seconds since 1970.
    public let notBefore: Int64
    /// Seconds since 1970; the last second at which it is good.
    public let notAfter: Int64
    /// DNS names and IP addresses of its subjectAltName, at most 100; what browsers compare (RFC 9525 §6.3).
    public let names: [String]
    /// Those of the hosts asked for that it is not for.
    public let unnamed: [String]

    /// Nil when the text has no certificate that OpenSSL reads.
    ///
    /// `hosts` are names or addresses, IPv6 without brackets.
    public init?(pem: [UInt8], hosts: [String]) {
        defer { ERR_clear_error() }
        guard pem.count <= Int(Int32.max), let source = BIO_new_mem_buf(pem, Int32(pem.count)) else { return nil }
        defer { BIO_free(source) }
        guard let certificate = PEM_read_bio_X509(source, nil, nil, nil) else { return nil }
        defer { X509_free(certificate) }
        guard let notBefore = CertificateFacts.seconds(X509_get0_notBefore(certificate)),
            let notAfter = CertificateFacts.seconds(X509_get0_notAfter(certificate))
        else { return nil }
        self.notBefore = notBefore
        self.notAfter = notAfter
        names = CertificateFacts.names(of: certificate)
        unnamed = hosts.filter { !CertificateFacts.certificate(certificate, isFor: $0) }
    }

    /// How many names are read.
    static let nameLimit = 100

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Int64(timegm(&parts))
    }

    /// The common name counts for nothing: no browser has looked at it for years.
    private static func certificate(_ certificate: OpaquePointer, isFor host: String) -> Bool {
        if X509_check_ip_asc(certificate, host, 0) == 1 { return true }
        let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        return X509_check_host(certificate, host, strlen(host), flags, nil) == 1
    }

    /// The names of a certificate, at most `nameLimit` of them.
    static func names(of certificate: OpaquePointer) -> [String] {
        guard let list = portcullis_alternative_names(certificate) else { return [] }
        defer { portcullis_free_alternative_names(list) }
        var names: [String] = []
        for number in 0..<nameLimit {
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            let kind = portcullis_alternative_name(list, Int32(number), &start, &count)
            if kind < 0 { break }
            guard kind > 0, let start else { continue }
            let bytes = Array(UnsafeBufferPointer(start: start, count: Int(count)))
            names.append(kind == 1 ? String(decoding: bytes, as: UTF8.self) : address(bytes))
        }
        return names
    }

    private static func address(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard bytes.count == 4 || bytes.count == 16,
            inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
        else { return "an address of \(bytes.count) bytes" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
