import Crypto

/// What two parties make of the secret they agreed on (RFC 7518 §4.6.2).
struct KeyAgreement {
    /// `alg`.
    let management: KeyManagementAlgorithm
    /// `enc`.
    let encryption: ContentEncryption
    /// `apu` and `apv`, decoded.
    var partyInfo: (producer: [UInt8], recipient: [UInt8]) = ([], [])

    /// The content's key, or the key that wraps it: it belongs to the algorithm, so that no other one can use it.
    func key(from secret: Secret) throws(CryptoRefusal) -> Secret {
        let name = management == .ecdhES ? encryption.name : management.name
        let count = management.wrappingKeyLength ?? encryption.cipher.keyLength
        var info: [UInt8] = []
        Self.append(Array(name.utf8), to: &info)
        Self.append(partyInfo.producer, to: &info)
        Self.append(partyInfo.recipient, to: &info)
        info += Self.bigEndian(count * 8)
        return try ConcatKDF.derive(secret, info: info.span, count: count)
    }

    private static func append(_ bytes: [UInt8], to info: inout [UInt8]) {
        info += bigEndian(bytes.count)
        info += bytes
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        let number = UInt32(clamping: number)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension KeyManagementAlgorithm {
    /// Whether both sides agree on a secret by an ephemeral key.
    var agrees: Bool {
        switch self {
        case .ecdhES, .ecdhESA128KW, .ecdhESA256KW: true
        case .rsaOAEP, .rsaOAEP256, .a128KW, .a256KW, .direct: false
        }
    }

    /// Bytes of the key that wraps the content's key; nil where none does.
    var wrappingKeyLength: Int? {
        switch self {
        case .ecdhESA128KW, .a128KW: 16
        case .ecdhESA256KW, .a256KW: 32
        case .rsaOAEP, .rsaOAEP256, .ecdhES, .direct: nil
        }
    }

    /// Whether the content's key is not sent at all.
    var sendsNoKey: Bool { self == .ecdhES || self == .direct }

    /// The hash of RSAES-OAEP; nil for everything else.
    var oaepHash: OAEPHash? {
        switch self {
        case .rsaOAEP: .sha1
        case .rsaOAEP256: .sha256
        case .ecdhES, .ecdhESA128KW, .ecdhESA256KW, .a128KW, .a256KW, .direct: nil
        }
    }
}
