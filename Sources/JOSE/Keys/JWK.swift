public import Crypto

/// A public key for checking signatures or for encrypting to its owner, as RFC 7517 publishes it.
public struct JWK: Sendable, Hashable {
    /// `kty`.
    public enum KeyType: String, Sendable, Hashable {
        case rsa = "RSA"
        case ellipticCurve = "EC"
        case octetKeyPair = "OKP"
    }

    /// The numbers of the key.
    public enum Material: Sendable, Hashable {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
        case ed25519([UInt8])
        case x25519([UInt8])
    }

    /// `kid`.
    public let keyID: String?
    /// `alg`, when the publisher restricts the key to one by which it verifies.
    public let algorithm: SignatureAlgorithm?
    /// `alg`, when the publisher restricts the key to one by which is encrypted to it.
    public let encryptionAlgorithm: KeyManagementAlgorithm?
    /// `use`: `sig`, `enc`, or unsaid.
    public let use: String?
    /// `key_ops`, when the publisher lists what the key is for.
    public let keyOperations: [String]?
    /// The numbers.
    public let material: Material
    /// RFC 7638's name for the key: the same for every spelling of the members that matter (JOSE-31).
    public let thumbprint: SHA256Digest

    /// A key without restrictions, or with those given.
    public init(
        material: Material, keyID: String? = nil, algorithm: SignatureAlgorithm? = nil, use: String? = nil,
        keyOperations: [String]? = nil, encryptionAlgorithm: KeyManagementAlgorithm? = nil
    ) {
        self.material = material
        self.keyID = keyID
        self.algorithm = algorithm
        self.encryptionAlgorithm = encryptionAlgorithm
        self.use = use
        self.keyOperations = keyOperations
        self.thumbprint = Thumbprint.make(material)
    }

    /// `kty`.
    public var keyType: KeyType { material.keyType }

    /// What the key can do.
    public var kind: VerificationKey.Kind {
        switch material {
        case .rsa: .rsa
        case .ellipticCurve(let curve, _, _): .ellipticCurve(curve)
        case .ed25519: .ed25519
        case .x25519: .x25519
        }
    }

    /// Whether something may be encrypted to this key by `algorithm`: what it is for, and no use to which it is not put.
    public func fits(_ algorithm: KeyManagementAlgorithm) -> Bool {
        guard algorithm.fits(kind), use != "sig", self.algorithm == nil else { return false }
        return encryptionAlgorithm == nil || encryptionAlgorithm == algorithm
    }

    /// Whether a signature by `algorithm` may be checked with this key (JOSE-06).
    ///
    /// Without this, a token could name HMAC and use a public key's bytes as the secret, or move to a weaker curve.
    public func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.keyKind == kind, use != "enc", encryptionAlgorithm == nil else { return false }
        return self.algorithm == nil || self.algorithm == algorithm
    }

    /// Whether its owner may not be the only one who can sign with it: an RSA key of a generator known to be broken.
    public var isGuessable: Bool {
        guard case .rsa(let modulus, _) = material else { return false }
        return WeakModulus.isGuessable(modulus.span)
    }

    /// The key, ready to verify with; refused when it is weak, misspelt or not on its curve.
    ///
    /// - Parameter tables: where it has its multiples precomputed when it is busy, if its curve is P-256.
    public func makeVerificationKey(tables: PointTables? = nil) throws(CryptoRefusal) -> VerificationKey {
        switch material {
        case .rsa(let modulus, let exponent):
            try VerificationKey(rsaModulus: modulus.span, exponent: exponent.span)
        case .ellipticCurve(let curve, let x, let y):
            try VerificationKey(curve: curve, x: x.span, y: y.span, tables: tables)
        case .ed25519(let publicKey):
            try VerificationKey(ed25519: publicKey.span)
        case .x25519:
            throw .notForSignatures
        }
    }
}

extension JWK.Material {
    /// `kty`.
    var keyType: JWK.KeyType {
        switch self {
        case .rsa: .rsa
        case .ellipticCurve: .ellipticCurve
        case .ed25519, .x25519: .octetKeyPair
        }
    }
}
