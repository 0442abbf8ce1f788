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

    private static let pair = "certificate: tls.crt, key: tls.key"

    private func certificates(_ value: String) throws -> ClientCertificateSettings? {
        try settings(of: Sample.listener("tls: { \(Self.pair), client_certificates: \(value) }")).listeners[0].tls?
            .clientCertificates
    }
}
