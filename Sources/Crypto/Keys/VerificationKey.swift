/// A public key that checks signatures, with what OpenSSL can prepare for it kept ready.
///
/// A prepared context is not safe to use from two threads, hence not `Sendable`: each worker makes its own.
public final class VerificationKey {
    /// What kind of key it is: the schemes it refuses follow from this (JOSE-06).
    public enum Kind: Sendable, Hashable {
        case rsa
        case ellipticCurve(EllipticCurve)
        case ed25519
        /// Agrees on secrets and signs nothing: no `VerificationKey` is of this kind.
        case x25519
    }

    /// What kind of key this is.
    public let kind: Kind
    private let material: Material
    /// For a P-256 key that was given tables: what makes it cheaper when it is busy.
    private let tableUse: PointTableUse?

    private enum Material {
        case general(EVPPublicKey)
        case point(ECPublicKey, EllipticCurve)
    }

    /// An RSA key of 2048 to 8192 bits with an odd exponent from 65537 to 2^33 (JOSE-07), both numbers minimal.
    public init(rsaModulus modulus: Span<UInt8>, exponent: Span<UInt8>) throws(CryptoRefusal) {
        guard let leading = Self.first(modulus), leading != 0, let top = Self.first(exponent), top != 0
        else { throw .numberNotMinimal }
        let bits = modulus.count * 8 - leading.leadingZeroBitCount
        guard bits >= 2048, bits <= 8192 else { throw .modulusLength(bits: bits) }
        guard modulus[modulus.count - 1] & 1 == 1 else { throw .modulusEven }
        guard exponent.count <= 5 else { throw .exponentNotAllowed }
        var value: UInt64 = 0
        for index in exponent.indices { value = value << 8 | UInt64(exponent[index]) }
        guard value & 1 == 1, value >= 65537, value < 1 << 33 else { throw .exponentNotAllowed }
        guard let key = EVPPublicKey(rsaModulus: modulus, exponent: exponent) else { throw .notBuilt }
        self.kind = .rsa
        self.material = .general(key)
        self.tableUse = nil
    }

    /// A point on `curve`, both coordinates as long as the field.
    ///
    /// - Parameter tables: where a P-256 key has its multiples precomputed when it is busy; without, it never has.
    public init(
        curve: EllipticCurve, x: Span<UInt8>, y: Span<UInt8>, tables: PointTables? = nil
    ) throws(CryptoRefusal) {
        guard x.count == curve.fieldLength, y.count == curve.fieldLength else { throw .coordinateLength }
        guard let key = ECPublicKey(curve: curve, x: x, y: y) else { throw .pointNotOnCurve }
        self.kind = .ellipticCurve(curve)
        self.material = .point(key, curve)
        self.tableUse = curve == .p256 ? tables.map { PointTableUse(x: x, y: y, tables: $0) } : nil
    }

    /// An Ed25519 public key of 32 bytes, in its one spelling, of a point that not everybody can sign for.
    public init(ed25519 publicKey: Span<UInt8>) throws(CryptoRefusal) {
        guard publicKey.count == 32 else { throw .publicKeyLength }
        if let refusal = EdwardsPoint.refusal(of: publicKey) { throw refusal }
        guard let key = EVPPublicKey(ed25519: publicKey) else { throw .notBuilt }
        self.kind = .ed25519
        self.material = .general(key)
        self.tableUse = nil
    }

    /// Whether this key signed `message` by `scheme`; false for every scheme that is not this kind's.
    public func verify(
        _ signature: Span<UInt8>, of message: Span<UInt8>, by scheme: SignatureScheme
    ) -> Bool {
        switch (material, scheme) {
        case (.general(let key), .rsaPKCS1(let hash)):
            return kind == .rsa && key.verify(signature, of: message, hash: hash, slot: .pkcs1(hash))
        case (.general(let key), .rsaPSS(let hash)):
            return kind == .rsa && key.verify(signature, of: message, hash: hash, slot: .pss(hash))
        case (.general(let key), .ed25519):
            return kind == .ed25519 && signature.count == 64 && key.verifyEd25519(signature, of: message)
        case (.point(let key, let curve), .ecdsa(let hash)):
            return hash == curve.hash && verifyECDSA(signature, of: message, key, curve)
        case (.general, .ecdsa), (.point, .rsaPKCS1), (.point, .rsaPSS), (.point, .ed25519):
            return false
        }
    }

    private func verifyECDSA(
        _ signature: Span<UInt8>, of message: Span<UInt8>, _ key: ECPublicKey, _ curve: EllipticCurve
    ) -> Bool {
        if let verdict = tableUse?.verify(signature, of: message) { return verdict }
        guard let encoded = ECDSASignature(signature, fieldLength: curve.fieldLength) else { return false }
        let der = encoded.der.span.extracting(0..<encoded.count)
        guard key.verify(der, of: message, hash: curve.hash) else { return false }
        tableUse?.countSuccess()
        return true
    }

    /// Whether signatures are checked with a table of the key's multiples by now.
    var isAccelerated: Bool { tableUse?.hasTable ?? false }

    private static func first(_ bytes: Span<UInt8>) -> UInt8? {
        bytes.count > 0 ? bytes[0] : nil
    }
}
