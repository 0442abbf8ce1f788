import Bytes
public import Crypto

/// The secrets of one login, all of them derived from one random seed: a cookie has room for the seed, not for each.
///
/// Each is derived under a label of its own, so that the `nonce`, which the browser and its history see, says nothing
/// of the verifier or of the key.
public struct LoginSecrets: Sendable {
    /// `code_verifier`: 43 characters (RFC 7636 §4.1; CF-04).
    public let verifier: Secret
    /// `code_challenge` by S256 (RFC 7636 §4.2).
    public let challenge: String
    /// `nonce`: 43 characters (OIDC-08).
    public let nonce: String
    /// The private number of the session's DPoP key, before it is reduced to the curve's order (RFC 9449 §4).
    public let proofKeyScalar: Secret

    /// Bytes of a seed.
    public static let seedCount = 32

    /// The secrets that `seed`, 32 random bytes made for this login alone, stands for.
    ///
    /// - Throws: `.keyLength` for any other number of bytes.
    public init(seed: Secret) throws(CryptoRefusal) {
        guard seed.count == Self.seedCount else { throw .keyLength }
        let verifier = Self.text(try Self.derive("code_verifier", from: seed))
        self.verifier = Secret(verifier)
        challenge = Self.challenge(of: verifier.span)
        nonce = String(decoding: Self.text(try Self.derive("nonce", from: seed)), as: UTF8.self)
        proofKeyScalar = try Self.derive("proof_key", from: seed)
    }

    /// S256: over the characters of the verifier, not over the bytes they stand for (RFC 7636 §4.2).
    static func challenge(of verifier: Span<UInt8>) -> String { SHA256.hash(verifier).base64URL }

    private static func derive(_ label: String, from seed: Secret) throws(CryptoRefusal) -> Secret {
        try HKDF.derive(seed, info: Array("portcullis login \(label)".utf8), count: 32)
    }

    private static func text(_ secret: Secret) -> [UInt8] {
        var text: [UInt8] = []
        let bytes = secret.reveal()
        Base64URL.append(bytes.span, to: &text)
        return text
    }
}
