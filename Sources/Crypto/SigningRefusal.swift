/// Why key material is not a key that signs here, or why a key did not sign.
public enum SigningRefusal: Error, Sendable, Hashable {
    /// No PEM text with a private key in it: a certificate, a public key, DER, or something else altogether.
    case notPrivateKey
    /// The PEM text is encrypted; no passphrase is ever asked for.
    case encrypted
    /// More than one private key: which of them would sign depended on the reader.
    case severalKeys
    /// Not RSA, P-256, P-384, P-521 or Ed25519.
    case keyTypeNotAccepted
    /// An RSA modulus outside 2048…8192 bits (RFC 7518 §3.3; JOSE-07).
    case modulusLength(bits: Int)
    /// An RSA exponent that is even, below 65537 or above 2^33 (JOSE-07).
    case exponentNotAllowed
    /// The public half in the file, or the key itself, does not belong to the private half.
    case inconsistent
    /// An algorithm that another kind of key is for (JOSE-06).
    case algorithmMismatch
    /// A key of this kind is not made here: it comes from a file.
    case notGenerated
    /// The library gave no signature, or no key.
    case libraryFailed
}
