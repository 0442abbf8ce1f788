/// Private keys for files: made, written as PEM, and kept by nobody here.
///
/// The one way for private numbers out of the library; a `PrivateKey` that is in use has none.
public enum NewPrivateKey {
    /// What is made.
    public enum Kind: Sendable, Hashable {
        case generated(PrivateKey.Generated)
        /// RSA of 3072 bits, as strong as the curves (NIST SP 800-57 part 1, table 2).
        case rsa
    }

    /// PKCS#8 in PEM, not encrypted.
    ///
    /// - Throws: `.libraryFailed` when OpenSSL makes none.
    public static func pem(_ kind: Kind) throws(SigningRefusal) -> Secret {
        switch kind {
        case .generated(let kind): try EVPPrivateKey.generate(kind).pem()
        case .rsa: try EVPPrivateKey.generateRSA(bits: 3072).pem()
        }
    }
}
