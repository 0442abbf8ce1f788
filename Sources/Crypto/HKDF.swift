/// Several keys out of one secret, none of which tells anything of another: HKDF with SHA-256 (RFC 5869).
public enum HKDF {
    /// Extracts and expands: `count` bytes that belong to `info`, the name of what they are for.
    ///
    /// - Throws: `.secretTooShort` for no secret at all, `.keyLength` unless `count` is 1…8160 (RFC 5869 §2.3).
    public static func derive(
        _ key: Secret, salt: [UInt8] = [], info: [UInt8], count: Int
    ) throws(CryptoRefusal) -> Secret {
        guard key.count > 0 else { throw .secretTooShort }
        guard count > 0, count <= 255 * HashFunction.sha256.length else { throw .keyLength }
        // §2.2: no salt is one of zeros, which is what an HMAC makes of a key of no bytes.
        let secret = key.reveal()
        return OpenSSLKDF.hkdf(secret.span, salt: salt.span, info: info.span, count: count)
    }
}
