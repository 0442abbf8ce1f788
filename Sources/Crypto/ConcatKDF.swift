/// The one-step key derivation of NIST SP 800-56A §5.8.1 with SHA-256, as RFC 7518 §4.6.2 uses it.
public enum ConcatKDF {
    /// `count` bytes, 1 to 64, that belong to the secret and to `info`.
    ///
    /// - Throws: `.secretTooShort` for no secret at all, `.keyLength` for another number, `.libraryFailed` when the library
    ///   does.
    public static func derive(_ secret: Secret, info: Span<UInt8>, count: Int) throws(CryptoRefusal) -> Secret {
        guard secret.count > 0 else { throw .secretTooShort }
        guard count > 0, count <= 64 else { throw .keyLength }
        let shared = secret.reveal()
        guard let derived = OpenSSLKDF.oneStep(shared.span, info: info, count: count) else { throw .libraryFailed }
        return derived
    }
}
