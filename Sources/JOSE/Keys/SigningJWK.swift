public import Crypto

/// A private key with the one algorithm it signs by, and the name and public half it is published under (JOSE-35).
///
/// A key that signed by two algorithms would let a peer choose the weaker one (RFC 8725 §3.1).
public struct SigningJWK: Sendable {
    /// The key.
    public let key: PrivateKey
    /// The algorithm, fixed.
    public let algorithm: SignatureAlgorithm
    /// `kid`: the RFC 7638 thumbprint in base64url, unless another name was given.
    public let keyID: String
    /// What is published: public members, `kid`, `use` = `sig`, and `alg`.
    public let published: JWK

    /// Whether a signature takes a millisecond or more, as all do but those by P-256 and Ed25519.
    public var isSlow: Bool {
        switch key.kind {
        case .rsa: true
        case .ellipticCurve(let curve): curve != .p256
        case .ed25519, .x25519: false
        }
    }

    /// `key` for `algorithm`, or for the one that its kind prefers.
    ///
    /// `keyID` is for a server that gave the key a name of its own when it was registered.
    public init(
        _ key: PrivateKey, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil
    ) throws(SigningRefusal) {
        guard let algorithm = algorithm ?? Self.preferred(for: key.kind) else { throw .keyTypeNotAccepted }
        guard algorithm.keyKind == key.kind else { throw .algorithmMismatch }
        let material = JWK.Material(key.publicNumbers)
        self.key = key
        self.algorithm = algorithm
        self.keyID = keyID ?? JWK(material: material).thumbprint.base64URL
        published = JWK(material: material, keyID: self.keyID, algorithm: algorithm, use: "sig")
    }

    /// The private key of a PEM file's bytes, for `algorithm` or for the one that its kind prefers.
    public init(
        pem: Secret, algorithm: SignatureAlgorithm? = nil, keyID: String? = nil
    ) throws(SigningRefusal) {
        try self.init(PrivateKey(pem: pem), algorithm: algorithm, keyID: keyID)
    }

    /// A new key for `algorithm` that exists in this process only; RSA keys come from files.
    public static func generate(_ algorithm: SignatureAlgorithm) throws(SigningRefusal) -> SigningJWK {
        let kind: PrivateKey.Generated
        switch algorithm {
        case .es256: kind = .p256
        case .es384: kind = .p384
        case .es512: kind = .p521
        case .edDSA: kind = .ed25519
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: throw .notGenerated
        }
        return try SigningJWK(PrivateKey.generate(kind), algorithm: algorithm)
    }

    /// PS256 rather than RS256 for RSA (FAPI 2.0 §5.4.1); the others have one algorithm each.
    private static func preferred(for kind: VerificationKey.Kind) -> SignatureAlgorithm? {
        switch kind {
        case .rsa: .ps256
        case .ellipticCurve(.p256): .es256
        case .ellipticCurve(.p384): .es384
        case .ellipticCurve(.p521): .es512
        case .ed25519: .edDSA
        case .x25519: nil
        }
    }
}

extension JWK.Material {
    /// The public half of a private key.
    public init(_ numbers: PrivateKey.PublicNumbers) {
        switch numbers {
        case .rsa(let modulus, let exponent): self = .rsa(modulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y): self = .ellipticCurve(curve, x: x, y: y)
        case .ed25519(let bytes): self = .ed25519(bytes)
        case .x25519(let bytes): self = .x25519(bytes)
        }
    }
}
