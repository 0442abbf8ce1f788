public import Crypto

/// Why one key of a set is not used; the others stay usable (JOSE-18).
public enum KeyRefusal: Error, Sendable, Hashable {
    case notObject
    /// `kty` missing or not one of `RSA`, `EC`, `OKP`.
    case keyTypeUnknown
    /// `crv` missing or not one of `P-256`, `P-384`, `P-521`, `Ed25519`.
    case curveUnknown
    /// `oct`: a secret cannot be a public key.
    case symmetric
    /// Private or secret members: whoever published them must treat the key as lost.
    case privateMaterial
    /// A member that is missing or has the wrong type or encoding.
    case memberInvalid(String)
    /// `use` other than `sig`.
    case notForSignatures
    /// `key_ops` without `verify`.
    case notForVerifying
    /// Neither `use` of `enc` nor `key_ops` that encrypts.
    case notForEncrypting
    /// `alg` that is no signature algorithm of ours.
    case algorithmUnknown
    /// `alg` that another kind of key is for.
    case algorithmMismatch
    /// `kid` not a string, or longer than 256 bytes.
    case keyIDInvalid
    /// Key material that is too weak or spelt in a second way.
    case material(CryptoRefusal)

    /// Whether an operator must be woken: a private key is public.
    public var isAlarm: Bool { self == .privateMaterial }
}
