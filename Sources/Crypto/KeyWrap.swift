/// AES key wrap (RFC 3394): a key, encrypted and authenticated by another.
public enum KeyWrap {
    /// `key` under `wrapping`, 8 bytes longer.
    ///
    /// - Throws: `.keyLength` unless `wrapping` is 16, 24 or 32 bytes and `key` a multiple of 8 from 16 to 1024.
    public static func wrap(_ key: Secret, with wrapping: Secret) throws(CryptoRefusal) -> [UInt8] {
        let key = key.reveal(), wrapping = wrapping.reveal()
        guard let wrapped = OpenSSLCipher.runWrap(key.span, key: wrapping.span, wraps: true) else { throw .keyLength }
        return wrapped
    }

    /// The key in `wrapped`; nil, whatever the reason, when `wrapping` did not wrap it.
    public static func unwrap(_ wrapped: Span<UInt8>, with wrapping: Secret) -> Secret? {
        let wrapping = wrapping.reveal()
        return OpenSSLCipher.runWrap(wrapped, key: wrapping.span, wraps: false).map { Secret($0) }
    }
}
