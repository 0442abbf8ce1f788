/// A private key that signs, or decrypts what was encrypted to its public half; may be used from several threads at once.
///
/// Prints and mirrors as `[private key]`, and gives its private numbers to nobody.
public final class PrivateKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The numbers that everybody may know, big-endian.
    public enum PublicNumbers: Sendable, Hashable {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
        case ed25519([UInt8])
        case x25519([UInt8])
    }

    /// The kinds of key that can be generated.
    public enum Generated: Sendable, Hashable, CaseIterable {
        case p256, p384, p521, ed25519, x25519
    }

    /// The public half.
    public let publicNumbers: PublicNumbers
    let key: EVPPrivateKey

    /// The one private key of `pem`: PKCS#8, SEC1 or PKCS#1, not encrypted.
    ///
    /// RSA of 2048 to 8192 bits, P-256, P-384, P-521, Ed25519, or X25519, which does not sign. Any other signs once and its public half checks that
    /// signature, so a file whose halves do not belong together is refused here and not by a server later.
    public convenience init(pem: Secret) throws(SigningRefusal) {
        try self.init(owning: EVPPrivateKey.read(pem: pem))
    }

    /// A new key that exists in this process only.
    public static func generate(_ kind: Generated) throws(SigningRefusal) -> PrivateKey {
        try PrivateKey(owning: EVPPrivateKey.generate(kind))
    }

    /// A key whose halves were made together.
    init(checked key: EVPPrivateKey, _ publicNumbers: PublicNumbers) {
        self.key = key
        self.publicNumbers = publicNumbers
    }

    private init(owning key: EVPPrivateKey) throws(SigningRefusal) {
        self.key = key
        publicNumbers = try key.publicNumbers()
        try checkPair()
    }

    /// What kind of key it is: the schemes it signs by follow from this (JOSE-06).
    public var kind: VerificationKey.Kind {
        switch publicNumbers {
        case .rsa: .rsa
        case .ellipticCurve(let curve, _, _): .ellipticCurve(curve)
        case .ed25519: .ed25519
        case .x25519: .x25519
        }
    }

    /// Signs `message` by `scheme`; an ECDSA signature is R and S side by side, each as long as the field.
    ///
    /// Refuses every scheme that is not this kind's.
    public func sign(_ message: Span<UInt8>, by scheme: SignatureScheme) throws(SigningRefusal) -> [UInt8] {
        switch (scheme, kind) {
        case (.rsaPKCS1(let hash), .rsa): return try key.sign(message, hash: hash, isPSS: false)
        case (.rsaPSS(let hash), .rsa): return try key.sign(message, hash: hash, isPSS: true)
        case (.ecdsa(let hash), .ellipticCurve(let curve)) where hash == curve.hash:
            return try key.signECDSA(message, curve: curve)
        case (.ed25519, .ed25519): return try key.signEd25519(message)
        case (.rsaPKCS1, _), (.rsaPSS, _), (.ecdsa, _), (.ed25519, _): throw .algorithmMismatch
        }
    }

    private func checkPair() throws(SigningRefusal) {
        let message = Array("signed to see whether both halves belong together".utf8)
        let scheme: SignatureScheme
        switch kind {
        case .rsa: scheme = .rsaPSS(.sha256)
        case .ellipticCurve(let curve): scheme = .ecdsa(curve.hash)
        case .ed25519: scheme = .ed25519
        // Every 32 bytes are a key, and the library computes the public half of them: there is no pair to check.
        case .x25519: return
        }
        let publicHalf = try verificationKey()
        let signature = try sign(message.span, by: scheme)
        guard publicHalf.verify(signature.span, of: message.span, by: scheme) else { throw .inconsistent }
    }

    /// The public half, ready to verify with.
    private func verificationKey() throws(SigningRefusal) -> VerificationKey {
        do throws(CryptoRefusal) {
            switch publicNumbers {
            case .rsa(let modulus, let exponent):
                return try VerificationKey(rsaModulus: modulus.span, exponent: exponent.span)
            case .ellipticCurve(let curve, let x, let y):
                return try VerificationKey(curve: curve, x: x.span, y: y.span)
            case .ed25519(let bytes):
                return try VerificationKey(ed25519: bytes.span)
            case .x25519:
                throw CryptoRefusal.notForSignatures
            }
        } catch {
            switch error {
            case .modulusLength(let bits): throw .modulusLength(bits: bits)
            case .exponentNotAllowed: throw .exponentNotAllowed
            default: throw .inconsistent
            }
        }
    }

    /// `[private key]`.
    public var description: String { "[private key]" }

    /// `[private key]`.
    public var debugDescription: String { "[private key]" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
