internal import COpenSSL

extension TestCertificate {
    /// This authority's list of revoked certificates, as PEM.
    package func revocationList(_ revoked: [TestCertificate]) throws -> String {
        guard let list = X509_CRL_new() else { throw WireFailure.tls("X509_CRL_new") }
        defer { X509_CRL_free(list) }
        let authority = try PEM.certificate(certificate)
        defer { X509_free(authority) }
        let signer = try PEM.privateKey(key)
        defer { EVP_PKEY_free(signer) }
        X509_CRL_set_version(list, 1)
        X509_CRL_set_issuer_name(list, X509_get_subject_name(authority))
        guard let now = X509_gmtime_adj(nil, -60), let next = X509_gmtime_adj(nil, 3600) else {
            throw WireFailure.tls("time")
        }
        defer { ASN1_STRING_free(now) }
        defer { ASN1_STRING_free(next) }
        X509_CRL_set1_lastUpdate(list, now)
        X509_CRL_set1_nextUpdate(list, next)
        for one in revoked {
            let parsed = try PEM.certificate(one.certificate)
            defer { X509_free(parsed) }
            guard let entry = X509_REVOKED_new() else { throw WireFailure.tls("X509_REVOKED_new") }
            X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(parsed))
            X509_REVOKED_set_revocationDate(entry, now)
            // The list owns the entry from here on.
            X509_CRL_add0_revoked(list, entry)
        }
        X509_CRL_sort(list)
        guard X509_CRL_sign(list, signer, EVP_sha256()) > 0 else { throw WireFailure.tls("X509_CRL_sign") }
        return try PEM.write { PEM_write_bio_X509_CRL($0, list) }
    }
}
