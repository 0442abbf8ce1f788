internal import COpenSSL

/// A P-256 certificate with its key, made for one run of the tests.
package struct TestCertificate: Sendable {
    /// PEM of the certificate.
    package let certificate: String
    /// PEM of the private key.
    package let key: String

    /// A certification authority that signs itself.
    package static func authority(named name: String) throws -> TestCertificate {
        try make(commonName: name, extensions: [(NID_basic_constraints, "critical,CA:TRUE")], issuer: nil)
    }

    /// A certificate for the given names, signed by this authority, that ends `secondsLeft` from now.
    package func issue(names: [String], secondsLeft: Int = 24 * 3600) throws -> TestCertificate {
        let alternatives = names.map { $0.allSatisfy { $0.isNumber || $0 == "." } ? "IP:\($0)" : "DNS:\($0)" }
        return try Self.make(
            commonName: names.first ?? "nobody",
            extensions: [(NID_subject_alt_name, alternatives.joined(separator: ","))], issuer: self,
            secondsLeft: secondsLeft)
    }

    /// A certificate that signs itself, with an RSA key of so many bits.
    package static func selfSigned(named name: String, rsaBits: UInt32) throws -> TestCertificate {
        guard let key = COpenSSL_RSA_gen(rsaBits) else { throw WireFailure.tls("key generation") }
        return try make(commonName: name, extensions: [], issuer: nil, key: key)
    }

    private static func make(
        commonName: String, extensions: [(Int32, String)], issuer: TestCertificate?, secondsLeft: Int = 24 * 3600,
        key given: OpaquePointer? = nil
    ) throws -> TestCertificate {
        let key = try given ?? newKey()
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw WireFailure.tls("X509_new") }
        defer { X509_free(certificate) }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
        X509_gmtime_adj(X509_getm_notAfter(certificate), secondsLeft)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8_VALUE, commonName, -1, -1, 0)
        var signer = key
        var issuerKey: OpaquePointer?
        defer { EVP_PKEY_free(issuerKey) }
        if let issuer {
            let parent = try PEM.certificate(issuer.certificate)
            defer { X509_free(parent) }
            X509_set_issuer_name(certificate, X509_get_subject_name(parent))
            signer = try PEM.privateKey(issuer.key)
            issuerKey = signer
        } else {
            X509_set_issuer_name(certificate, subject)
        }
        for (identifier, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, nil, identifier, value) else {
                throw WireFailure.tls("extension \(value)")
            }
            defer { X509_EXTENSION_free(made) }
            X509_add_ext(certificate, made, -1)
        }
        guard X509_sign(certificate, signer, EVP_sha256()) > 0 else { throw WireFailure.tls("X509_sign") }
        return TestCertificate(
            certificate: try PEM.write { PEM_write_bio_X509($0, certificate) },
            key: try PEM.write { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
    }

    private static func newKey() throws -> OpaquePointer {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw WireFailure.tls("key context") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw WireFailure.tls("key generation") }
        return key
    }
}

/// PEM in and out of OpenSSL's objects.
enum PEM {
    static func certificate(_ pem: String) throws -> OpaquePointer {
        try read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
    }

    static func privateKey(_ pem: String) throws -> OpaquePointer {
        try read(pem) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    }

    static func write(_ body: (OpaquePointer) -> Int32) throws -> String {
        guard let output = BIO_new(BIO_s_mem()) else { throw WireFailure.tls("BIO_new") }
        defer { BIO_free(output) }
        guard body(output) == 1 else { throw WireFailure.tls("PEM") }
        var bytes = [UInt8](repeating: 0, count: 16 * 1024)
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return text(Array(bytes.prefix(Int(max(0, count)))))
    }

    private static func read(_ pem: String, _ body: (OpaquePointer) -> OpaquePointer?) throws -> OpaquePointer {
        // OpenSSL reads where the bytes are until the last line, so they stay there until then.
        try Array(pem.utf8).withUnsafeBytes { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                throw WireFailure.tls("BIO_new_mem_buf")
            }
            defer { BIO_free(input) }
            guard let result = body(input) else { throw WireFailure.tls("no PEM of the expected kind") }
            return result
        }
    }
}

/// `MBSTRING_UTF8`, a macro that Swift does not import.
private let MBSTRING_UTF8_VALUE: Int32 = 0x1000
