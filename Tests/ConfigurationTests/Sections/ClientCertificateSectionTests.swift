import Gateway
import TestTraits
import Testing

@Suite struct `client certificates of a listener` {
    @Test(.holds("MTLS-04")) func `are asked for in a word or a mapping`() throws {
        #expect(try certificates("off") == nil)
        #expect(try certificates("optional") == ClientCertificateSettings(isRequired: false))
        #expect(try certificates("required") == ClientCertificateSettings(isRequired: true))
        #expect(try certificates("{ request: required }") == ClientCertificateSettings(isRequired: true))
        #expect(try certificates("{ request: optional, trust: any }") == ClientCertificateSettings(isRequired: false))
        #expect(
            try certificates("{ request: optional, trust: { authorities: ca.pem } }")
                == ClientCertificateSettings(
                    isRequired: false, trust: .authorities(file: "ca.pem", revocationListFile: nil)))
        #expect(
            try certificates("{ request: required, trust: { authorities: ca.pem, revocation_list: ca.crl } }")
                == ClientCertificateSettings(
                    isRequired: true, trust: .authorities(file: "ca.pem", revocationListFile: "ca.crl")))
    }

    @Test(.holds("MTLS-07")) func `a terminator's field is believed from the networks named`() throws {
        let text = Sample.listener("client_cert_from: [10.0.0.7/32, 'fd00::/8']")
        #expect(try settings(of: text).listeners[0].clientCertFieldFrom == ["10.0.0.7/32", "fd00::/8"])
        #expect(try settings(of: Sample().text).listeners[0].clientCertFieldFrom == [])
    }

    @Test func `another word is refused`() {
        #expect(
            refusal(of: Sample.listener("tls: { certificate: tls.crt, key: tls.key, client_certificates: require }"))
                == """
                gateway.yaml:1:135: listeners[0].tls.client_certificates: expected one of off, optional, required, found "require"
                    did you mean required?
                """)
    }

    @Test(.refuses("MTLS-04")) func `without tls they are no key`() {
        #expect(
            refusal(of: Sample.listener("client_certificates: optional"))
                == """
                gateway.yaml:1:71: listeners[0].client_certificates: expected a key of a listener, found "client_certificates"
                    it belongs under tls
                """)
    }

    @Test(.refuses("MTLS-04")) func `a mapping without request is refused`() {
        #expect(
            refusal(
                of: Sample.listener("tls: { certificate: tls.crt, key: tls.key, client_certificates: { trust: any } }"))
                    == """
                    gateway.yaml:1:135: listeners[0].tls.client_certificates.request: expected one of optional, required, found nothing
                        add  request: required
                    """)
    }

    @Test(.refuses("MTLS-04")) func `trust in another word is refused`() {
        #expect(
            refusal(
                of: Sample.listener(
                    "tls: { certificate: tls.crt, key: tls.key, client_certificates: { request: optional, trust: all } }"
                ))
                    == """
                    gateway.yaml:1:163: listeners[0].tls.client_certificates.trust: expected the word any, found "all"
                        words here: any
                    """)
    }

    @Test(.refuses("MTLS-04")) func `authorities that are not there are refused`() {
        #expect(
            refusal(
                of: Sample.listener(
                    "tls: { certificate: tls.crt, key: tls.key, client_certificates: { request: optional, trust: { authorities: nowhere.pem } } }"
                ))
                    == """
                    gateway.yaml:1:178: listeners[0].tls.client_certificates.trust.authorities: expected a readable file with certificates of certification authorities, found "nowhere.pem": no such file
                        it was looked for at "nowhere.pem"; paths are absolute, or relative to this file's folder
                    """)
    }

    @Test(.refuses("MTLS-04")) func `a key in place of authorities is refused`() {
        #expect(
            refusal(
                of: Sample.listener(
                    "tls: { certificate: tls.crt, key: tls.key, client_certificates: { request: optional, trust: { authorities: tls.key } } }"
                ))
                    == """
                    gateway.yaml:1:178: listeners[0].tls.client_certificates.trust.authorities: expected certificates of certification authorities in PEM, found no certificate in PEM
                        give the PEM file of the authorities that sign the clients' certificates
                    """)
    }

    @Test(.refuses("MTLS-04")) func `a certificate in place of a revocation list is refused`() {
        #expect(
            refusal(
                of: Sample.listener(
                    "tls: { certificate: tls.crt, key: tls.key, client_certificates: { request: optional, trust: { authorities: ca.pem, revocation_list: ca.pem } } }"
                ))
                    == """
                    gateway.yaml:1:203: listeners[0].tls.client_certificates.trust.revocation_list: expected a revocation list in PEM, found no X509 CRL in PEM
                        turn a list in DER into PEM with  openssl crl -inform DER
                    """)
    }

    @Test(.refuses("MTLS-04")) func `revocations without authorities are refused`() {
        #expect(
            refusal(
                of: Sample.listener(
                    "tls: { certificate: tls.crt, key: tls.key, client_certificates: { request: optional, trust: { revocation_list: ca.crl } } }"
                ))
                    == """
                    gateway.yaml:1:163: listeners[0].tls.client_certificates.trust.authorities: expected the path of a file, found nothing
                        add  authorities: /etc/portcullis/client-ca.pem
                    """)
    }

    @Test(.refuses("MTLS-07")) func `everybody's Client-Cert is not believed`() {
        #expect(
            refusal(of: Sample.listener("client_cert_from: [0.0.0.0/0]"))
                == """
                gateway.yaml:1:90: listeners[0].client_cert_from[0]: expected a network such as 10.0.0.0/8 or fd00::/8, found "0.0.0.0/0"
                    name the addresses of your TLS terminators; with /0 anybody could claim any certificate
                """)
    }

    @Test(.refuses("MTLS-07")) func `an address without a prefix is refused`() {
        #expect(
            refusal(of: Sample.listener("client_cert_from: [10.0.0.7]"))
                == """
                gateway.yaml:1:90: listeners[0].client_cert_from[0]: expected a network such as 10.0.0.0/8 or fd00::/8, found "10.0.0.7"
                    write it as  10.0.0.7/32  for this address alone
                """)
    }

    private static let pair = "certificate: tls.crt, key: tls.key"

    private func certificates(_ value: String) throws -> ClientCertificateSettings? {
        try settings(of: Sample.listener("tls: { \(Self.pair), client_certificates: \(value) }")).listeners[0].tls?
            .clientCertificates
    }
}
