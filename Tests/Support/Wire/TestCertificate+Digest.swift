internal import Crypto
internal import Foundation

extension TestCertificate {
    /// The certificate in DER.
    package var der: [UInt8] {
        let lines = certificate.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Data(base64Encoded: lines.joined()).map(Array.init) ?? []
    }

    /// The digest by which a token names it (`x5t#S256`, RFC 8705 §3.1).
    package var thumbprint: String {
        let der = der
        return SHA256.hash(der.span).base64URL
    }

    /// `cnf` of a token that is bound to it, as JSON text.
    package var confirmation: String { "{\"x5t#S256\":\"\(thumbprint)\"}" }

    /// It as a TLS terminator passes it on in `Client-Cert` (RFC 9440 §2.1).
    package var fieldValue: String { ":\(Data(der).base64EncodedString()):" }
}
