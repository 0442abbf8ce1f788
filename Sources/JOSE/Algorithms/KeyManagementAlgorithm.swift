public import Crypto

/// How the key that encrypts a JWE's content reaches its reader: the algorithms of RFC 7518 §4.1 that JOSE-22 allows.
///
/// `RSA1_5` is not among them, because a reader tells by its errors whether padding fits (Bleichenbacher 1998); nor are
/// `PBES2-*`, by which a sender decides how long the reader computes (CVE-2023-6681).
public enum KeyManagementAlgorithm: UInt8, Sendable, CaseIterable, Hashable {
    case rsaOAEP, rsaOAEP256
    case ecdhES, ecdhESA128KW, ecdhESA256KW
    case a128KW, a256KW
    case direct

    /// The algorithm spelt exactly so, case included; nil for anything else.
    public init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = found
    }

    /// The name in the registry of RFC 7518 §7.1.
    public var name: String {
        switch self {
        case .rsaOAEP: "RSA-OAEP"
        case .rsaOAEP256: "RSA-OAEP-256"
        case .ecdhES: "ECDH-ES"
        case .ecdhESA128KW: "ECDH-ES+A128KW"
        case .ecdhESA256KW: "ECDH-ES+A256KW"
        case .a128KW: "A128KW"
        case .a256KW: "A256KW"
        case .direct: "dir"
        }
    }

    /// Whether a public key of this kind is what it works with; never for one that needs a shared secret.
    public func fits(_ kind: VerificationKey.Kind) -> Bool {
        switch (self, kind) {
        case (.rsaOAEP, .rsa), (.rsaOAEP256, .rsa): true
        case (.ecdhES, .ellipticCurve), (.ecdhESA128KW, .ellipticCurve), (.ecdhESA256KW, .ellipticCurve): true
        case (.ecdhES, .x25519), (.ecdhESA128KW, .x25519), (.ecdhESA256KW, .x25519): true
        default: false
        }
    }

    /// Whether reader and writer share its key.
    public var isSymmetric: Bool {
        switch self {
        case .a128KW, .a256KW, .direct: true
        case .rsaOAEP, .rsaOAEP256, .ecdhES, .ecdhESA128KW, .ecdhESA256KW: false
        }
    }

    /// RSA-OAEP with SHA-256 for RSA, agreement with key wrap for the curves; nil for a key that only signs.
    static func preferred(for kind: VerificationKey.Kind) -> KeyManagementAlgorithm? {
        switch kind {
        case .rsa: .rsaOAEP256
        case .ellipticCurve, .x25519: .ecdhESA256KW
        case .ed25519: nil
        }
    }
}
