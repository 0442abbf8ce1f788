public import Crypto

/// How a JWE's content is encrypted and authenticated: the algorithms of RFC 7518 §5.1 that JOSE-22 allows.
public enum ContentEncryption: UInt8, Sendable, CaseIterable, Hashable {
    case a128GCM, a256GCM
    case a128CBCHS256, a256CBCHS512

    /// The algorithm spelt exactly so, case included; nil for anything else.
    public init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = found
    }

    /// The name in the registry of RFC 7518 §7.1.
    public var name: String {
        switch self {
        case .a128GCM: "A128GCM"
        case .a256GCM: "A256GCM"
        case .a128CBCHS256: "A128CBC-HS256"
        case .a256CBCHS512: "A256CBC-HS512"
        }
    }

    /// What does the work.
    public var cipher: ContentCipher {
        switch self {
        case .a128GCM: .aes128GCM
        case .a256GCM: .aes256GCM
        case .a128CBCHS256: .aes128CBCSHA256
        case .a256CBCHS512: .aes256CBCSHA512
        }
    }
}
