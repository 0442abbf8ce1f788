internal import COpenSSL
internal import Crypto
public import JOSE

extension SigningKey {
    /// The key as the product reads it from a file.
    public func signer(_ algorithm: SignatureAlgorithm? = nil, keyID: String? = nil) throws -> SigningJWK {
        try SigningJWK(pem: Secret(Array(pem().utf8)), algorithm: algorithm, keyID: keyID)
    }

    /// How a key may be written in a file.
    public enum PEMForm: Sendable, Hashable, CaseIterable {
        /// `PRIVATE KEY`.
        case pkcs8
        /// `RSA PRIVATE KEY` or `EC PRIVATE KEY`.
        case traditional
        /// `ENCRYPTED PRIVATE KEY`, with the passphrase `secret`.
        case encrypted
        /// `RSA PRIVATE KEY` or `EC PRIVATE KEY` with `Proc-Type`, with the passphrase `secret`.
        case encryptedTraditional
        /// `PUBLIC KEY`.
        case publicKey
    }

    /// The key as PEM text; Ed25519 has no traditional form.
    public func pem(_ form: PEMForm = .pkcs8) throws -> String {
        let cipher = EVP_aes_256_cbc()
        let passphrase = Array("secret".utf8)
        let count = Int32(passphrase.count)
        return try PEM.write { output in
            switch form {
            case .pkcs8: PEM_write_bio_PKCS8PrivateKey(output, key, nil, nil, 0, nil, nil)
            case .traditional: PEM_write_bio_PrivateKey_traditional(output, key, nil, nil, 0, nil, nil)
            case .encrypted:
                passphrase.withUnsafeBytes {
                    PEM_write_bio_PKCS8PrivateKey(
                        output, key, cipher, $0.bindMemory(to: CChar.self).baseAddress, count, nil, nil)
                }
            case .encryptedTraditional:
                PEM_write_bio_PrivateKey_traditional(output, key, cipher, passphrase, count, nil, nil)
            case .publicKey: PEM_write_bio_PUBKEY(output, key)
            }
        }
    }
}
