public import Crypto

/// A private key that decrypts by one algorithm, and the name and public half it is published under (JOSE-22).
///
/// One algorithm, so that no sender chooses among several what the key is used for (RFC 8725 §3.1).
public struct DecryptionJWK: Sendable {
    /// The key.
    public let key: PrivateKey
    /// `alg` of what is decrypted with it, such as `RSA-OAEP-256` or `ECDH-ES+A256KW`.
    public let algorithm: String
    /// `kid`: the RFC 7638 thumbprint in base64url, unless another name was given.
    public let keyID: String
    /// What is published: public members, `kid`, `use` = `enc`, and `alg`.
    public let published: JWK
    let management: KeyManagementAlgorithm

    /// Whether to decrypt with it takes a millisecond or more, as it does with all keys but those on P-256 and X25519.
    public var isSlow: Bool {
        switch key.kind {
        case .rsa: true
        case .ellipticCurve(let curve): curve != .p256
        case .ed25519, .x25519: false
        }
    }

    /// `key` for `algorithm`, a name of RFC 7518 §4.1.
    ///
    /// - Throws: `.algorithmMismatch` for an algorithm that is none of ours or another kind of key's.
    public init(_ key: PrivateKey, algorithm: String, keyID: String? = nil) throws(SigningRefusal) {
        guard let management = KeyManagementAlgorithm(name: algorithm), management.fits(key.kind)
        else { throw .algorithmMismatch }
        let material = JWK.Material(key.publicNumbers)
        self.key = key
        self.management = management
        self.algorithm = management.name
        self.keyID = keyID ?? JWK(material: material).thumbprint.base64URL
        published = JWK(material: material, keyID: self.keyID, use: "enc", encryptionAlgorithm: management)
    }

    /// The private key of a PEM file's bytes, for `algorithm` or for the one that its kind prefers.
    ///
    /// - Throws: `.keyTypeNotAccepted` for a key that only signs, and what `PrivateKey` and `init` refuse.
    public init(pem: Secret, algorithm: String? = nil, keyID: String? = nil) throws(SigningRefusal) {
        let key = try PrivateKey(pem: pem)
        guard let preferred = KeyManagementAlgorithm.preferred(for: key.kind) else { throw .keyTypeNotAccepted }
        try self.init(key, algorithm: algorithm ?? preferred.name, keyID: keyID)
    }
}

/// A secret that one peer and we share, for decrypting by one algorithm: `dir`, `A128KW` or `A256KW`.
///
/// Another type than `DecryptionJWK`, so that a public key's bytes never become a secret by a token's choice of `alg`.
public struct DecryptionSecret: Sendable {
    let secret: Secret
    let management: KeyManagementAlgorithm
    /// `kid`, where both sides gave the secret a name.
    public let keyID: String?

    /// `algorithm` decrypts with `secret`, of 16 or 32 bytes for a key wrap and of 16, 32 or 64 for `dir`.
    ///
    /// - Throws: `.algorithmMismatch` for another algorithm or another length.
    public init(_ secret: Secret, algorithm: String, keyID: String? = nil) throws(SigningRefusal) {
        guard let management = KeyManagementAlgorithm(name: algorithm) else { throw .algorithmMismatch }
        switch (management, secret.count) {
        case (.direct, 16), (.direct, 32), (.direct, 64), (.a128KW, 16), (.a256KW, 32): break
        default: throw .algorithmMismatch
        }
        self.secret = secret
        self.management = management
        self.keyID = keyID
    }
}
