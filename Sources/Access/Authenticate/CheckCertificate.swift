import Crypto
package import HTTPMessage
import OAuth

extension HeadView {
    /// Whether the client has the certificate that the token names (RFC 8705 §3, MTLS-01, MTLS-02).
    ///
    /// A terminator's own certificate says who it is, not who its client is: its field says that.
    func checkCertificate(of record: TokenRecord, _ connection: any ArrivalConnection) throws(Refused) {
        let digest =
            connection.isFromTerminator
            ? try certificateOfField().map { SHA256.hash($0.span) } : connection.certificateDigest
        guard let digest else {
            throw Refused(
                .certificateMissing, expected: "the client certificate with the digest in cnf.x5t#S256", found: "none")
        }
        guard digest == record.certificateThumbprint else {
            throw Refused(
                .certificateMismatch, expected: "x5t#S256 \(record.certificateThumbprint.base64URL)",
                found: .text(digest.base64URL))
        }
    }

    /// `Client-Cert` of a TLS terminator that the operator trusts (RFC 9440 §2, MTLS-07); nil where there is none.
    package func certificateOfField() throws(Refused) -> [UInt8]? {
        do throws(ClientCertField.Refusal) {
            return try reading { head, bytes throws(ClientCertField.Refusal) in
                try ClientCertField.find(in: head.fields, of: bytes.extracting(first: head.length))
            }
        } catch {
            throw Refused(
                .clientCertFieldInvalid, expected: "one Client-Cert field with a certificate",
                found: .text(error.found))
        }
    }
}
