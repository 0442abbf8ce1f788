import Bytes
import Crypto

/// Digests that stand for proofs and clients.
enum Digests {
    /// The digest of a number: the same number, the same digest.
    static func of(_ number: UInt64, _ kind: UInt8 = 0) -> SHA256Digest {
        let bytes = [kind] + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return SHA256.hash(bytes.span)
    }
}
