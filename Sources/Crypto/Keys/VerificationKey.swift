// SPDX-License-Identifier: Apache-2.0

/// A public key that checks signatures, with what OpenSSL can prepare for it kept ready.
///
/// A prepared context is not safe to use from two threads, hence not `Sendable`: each worker makes its own.
public final class VerificationKey {
    /// What kind of key it is: the schemes it refuses follow from this (JOSE-06).
    public enum Kind: Sendable, Hashable {
        case rsa
        case ellipticCurve(EllipticCurve)
        case ed25519
    }

    /// What kind of key this is.
    public let kind: Kind
    private let key: EVPPublicKey

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
        self.key = key
    }

    /// A point on `curve`, both coordinates as long as the field.
    public init(curve: EllipticCurve, x: Span<UInt8>, y: Span<UInt8>) throws(CryptoRefusal) {
        guard x.count == curve.fieldLength, y.count == curve.fieldLength else { throw .coordinateLength }
        guard let key = EVPPublicKey(curve: curve, x: x, y: y) else { throw .pointNotOnCurve }
        self.kind = .ellipticCurve(curve)
        self.key = key
    }

    /// An Ed25519 public key of 32 bytes.
    public init(ed25519 publicKey: Span<UInt8>) throws(CryptoRefusal) {
        guard publicKey.count == 32 else { throw .publicKeyLength }
        guard let key = EVPPublicKey(ed25519: publicKey) else { throw .notBuilt }
        self.kind = .ed25519
        self.key = key
    }

    /// Whether this key signed `message` by `scheme`; false for every scheme that is not this kind's.
    public func verify(
        _ signature: Span<UInt8>, of message: Span<UInt8>, by scheme: SignatureScheme
    ) -> Bool {
        switch (scheme, kind) {
        case (.rsaPKCS1(let hash), .rsa):
            return key.verify(signature, of: message, hash: hash, slot: .pkcs1(hash))
        case (.rsaPSS(let hash), .rsa):
            return key.verify(signature, of: message, hash: hash, slot: .pss(hash))
        case (.ecdsa(let hash), .ellipticCurve(let curve)) where hash == curve.hash:
            guard let signature = ECDSASignature(signature, fieldLength: curve.fieldLength) else { return false }
            return key.verify(signature.der.span.extracting(0..<signature.count), of: message, hash: hash, slot: .ecdsa)
        case (.ed25519, .ed25519):
            guard signature.count == 64 else { return false }
            return key.verifyEd25519(signature, of: message)
        case (.rsaPKCS1, _), (.rsaPSS, _), (.ecdsa, _), (.ed25519, _):
            return false
        }
    }

    private static func first(_ bytes: Span<UInt8>) -> UInt8? {
        bytes.count > 0 ? bytes[0] : nil
    }
}
