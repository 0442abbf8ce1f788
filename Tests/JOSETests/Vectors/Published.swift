/// A compact JWS as a specification prints it, with the public key (or secret) printed beside it.
struct PublishedJWS: Sendable {
    let compact: String
    let key: String?
}

/// A key as a specification prints it, with its RFC 7638 thumbprint.
struct PublishedThumbprint: Sendable {
    let key: String
    let thumbprint: String
}

/// A compact JWE as its maker printed it, with the key that decrypts it.
struct PublishedJWE: Sendable {
    enum Key: Sendable {
        case pem(String)
        /// In base64url.
        case secret(String)
    }

    let compact: String
    let algorithm: String
    let key: Key
    let plaintext: String
}
