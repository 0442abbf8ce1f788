/// How a signature is made, apart from any protocol's name for it.
public enum SignatureScheme: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case rsaPKCS1(HashFunction)
    /// RSASSA-PSS with MGF1 of the same hash and a salt as long as the hash (RFC 8017 §8.1, RFC 7518 §3.5).
    case rsaPSS(HashFunction)
    /// ECDSA with the curve's customary hash; R and S side by side, each as long as the field (RFC 7518 §3.4).
    case ecdsa(HashFunction)
    /// Ed25519 (RFC 8032).
    case ed25519
}

/// A curve of FIPS 186 as JOSE uses it.
public enum EllipticCurve: UInt8, Sendable, CaseIterable, Hashable {
    case p256, p384, p521

    /// Bytes of a coordinate and of each half of a signature.
    public var fieldLength: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The hash its signatures use in JOSE.
    public var hash: HashFunction {
        switch self {
        case .p256: .sha256
        case .p384: .sha384
        case .p521: .sha512
        }
    }
}
