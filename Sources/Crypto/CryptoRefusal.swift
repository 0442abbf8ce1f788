/// Why key material is not a key that may verify anything here.
public enum CryptoRefusal: Error, Sendable, Hashable {
    /// An RSA modulus outside 2048…8192 bits (RFC 7518 §3.3; JOSE-07).
    case modulusLength(bits: Int)
    /// An even RSA modulus, which has no two odd prime factors.
    case modulusEven
    /// An RSA exponent that is even, below 65537 or above 2^33 (JOSE-07).
    case exponentNotAllowed
    /// A number with zero octets in front, or none at all (RFC 7518 §6.3.1.1; JOSE-32).
    case numberNotMinimal
    /// A coordinate that is not exactly as long as the curve's field (RFC 7518 §6.2.1.2; JOSE-32).
    case coordinateLength
    /// A point that is not on the curve: using it would leak, or verify what was never signed (RFC 8725 §3.4).
    case pointNotOnCurve
    /// An Ed25519 public key that is not 32 bytes.
    case publicKeyLength
    /// An Ed25519 public key whose number is not below the field's prime: another spelling of another key (RFC 8032 §5.1.3).
    case pointNotCanonical
    /// An Ed25519 public key that anybody can sign for: its point has an order of 1, 2, 4 or 8.
    case pointOfSmallOrder
    /// A MAC key shorter than the hash's output (RFC 7518 §3.2; JOSE-11).
    case secretTooShort
    /// A key that is for agreeing on secrets and signs nothing (RFC 8037 §3.2).
    case notForSignatures
    /// A symmetric key that is not as long as its algorithm says, or a length that cannot be derived.
    case keyLength
    /// A nonce or an initialization vector that is not as long as its algorithm says.
    case nonceLength
    /// The library could not build the key.
    case notBuilt
    /// The library refused to encrypt.
    case libraryFailed
}
