public import Crypto

/// A digital signature algorithm of RFC 7518 §3.1 or RFC 8037 §3.1; MACs and `none` are not among them.
public enum SignatureAlgorithm: UInt8, Sendable, CaseIterable, Hashable {
    case rs256, rs384, rs512
    case ps256, ps384, ps512
    case es256, es384, es512
    /// Ed25519, spelt `EdDSA` or `Ed25519` on the wire (RFC 9864; decision D-18).
    case edDSA

    /// The algorithm spelt exactly so, case included; nil for anything else, `none` and `HS256` among it (JOSE-05).
    public init?(name: String) {
        // `==` also equates canonically equivalent strings, but no other character decomposes to one of these letters.
        switch name {
        case "RS256": self = .rs256
        case "RS384": self = .rs384
        case "RS512": self = .rs512
        case "PS256": self = .ps256
        case "PS384": self = .ps384
        case "PS512": self = .ps512
        case "ES256": self = .es256
        case "ES384": self = .es384
        case "ES512": self = .es512
        case "EdDSA", "Ed25519": self = .edDSA
        default: return nil
        }
    }

    /// The name in the registry of RFC 7518 §7.1.
    public var name: String {
        switch self {
        case .rs256: "RS256"
        case .rs384: "RS384"
        case .rs512: "RS512"
        case .ps256: "PS256"
        case .ps384: "PS384"
        case .ps512: "PS512"
        case .es256: "ES256"
        case .es384: "ES384"
        case .es512: "ES512"
        case .edDSA: "EdDSA"
        }
    }

    /// How the signature is made.
    public var scheme: SignatureScheme {
        switch self {
        case .rs256: .rsaPKCS1(.sha256)
        case .rs384: .rsaPKCS1(.sha384)
        case .rs512: .rsaPKCS1(.sha512)
        case .ps256: .rsaPSS(.sha256)
        case .ps384: .rsaPSS(.sha384)
        case .ps512: .rsaPSS(.sha512)
        case .es256: .ecdsa(.sha256)
        case .es384: .ecdsa(.sha384)
        case .es512: .ecdsa(.sha512)
        case .edDSA: .ed25519
        }
    }

    /// The one kind of key it works with (JOSE-06).
    public var keyKind: VerificationKey.Kind {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256: .ellipticCurve(.p256)
        case .es384: .ellipticCurve(.p384)
        case .es512: .ellipticCurve(.p521)
        case .edDSA: .ed25519
        }
    }
}
