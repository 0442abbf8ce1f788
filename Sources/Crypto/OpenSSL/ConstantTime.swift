import COpenSSL

/// Comparison that takes as long for a near miss as for a far one (JOSE-30).
public enum ConstantTime {
    /// Whether both hold the same bytes; only their lengths may be learnt from the time it takes (`CRYPTO_memcmp`).
    public static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        guard one.count > 0 else { return true }
        return unsafe one.withUnsafeBufferPointer { one in
            unsafe other.withUnsafeBufferPointer { other in
                // Both have `count` bytes.
                unsafe CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
            }
        }
    }
}
