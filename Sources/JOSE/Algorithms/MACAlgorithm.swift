public import Crypto

/// HMAC of RFC 7518 §3.2, for a secret that one peer and we share; never for keys from a key set (JOSE-11).
public enum MACAlgorithm: UInt8, Sendable, CaseIterable, Hashable {
    case hs256, hs384, hs512

    /// The name in the registry of RFC 7518 §7.1.
    public var name: String {
        switch self {
        case .hs256: "HS256"
        case .hs384: "HS384"
        case .hs512: "HS512"
        }
    }

    private var hash: HashFunction {
        switch self {
        case .hs256: .sha256
        case .hs384: .sha384
        case .hs512: .sha512
        }
    }

    /// A key for this algorithm; refused when it is shorter than the hash's output.
    public func key(_ secret: Secret) throws(CryptoRefusal) -> MAC {
        try MAC(hash, key: secret)
    }
}

extension CompactJWS {
    /// Refuses unless `secret` made this JWS's code by exactly `algorithm`.
    public func verify(_ algorithm: MACAlgorithm, _ key: MAC) throws(JOSERefusal) {
        guard header.algorithmName.utf8.elementsEqual(algorithm.name.utf8) else { throw .algorithmNotAllowed }
        guard key.verify(signature.span, of: bytes.span.extracting(0..<signingInputCount)) else {
            throw .signatureInvalid
        }
    }
}
