import Bytes
import Crypto

extension ClientCredentials {
    /// The value of `Authorization`: identifier and secret are form-encoded each, so that a colon in the one cannot
    /// end it (RFC 6749 §2.3.1; CA-02).
    func basic(_ secret: Secret) -> String {
        var pair: [UInt8] = []
        let identifier = Array(clientID.utf8), secret = secret.reveal()
        FormEncoding.append(identifier.span, to: &pair)
        pair.append(UInt8(ascii: ":"))
        FormEncoding.append(secret.span, to: &pair)
        return "Basic " + Base64.encode(pair.span)
    }
}
