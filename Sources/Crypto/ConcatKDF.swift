import Bytes

/// The one-step key derivation of NIST SP 800-56A §5.8.1 with SHA-256, as RFC 7518 §4.6.2 uses it.
public enum ConcatKDF {
    /// `count` bytes, 1 to 64, that belong to the secret and to `info`.
    ///
    /// - Throws: `.keyLength` for another number.
    public static func derive(_ secret: Secret, info: Span<UInt8>, count: Int) throws(CryptoRefusal) -> Secret {
        guard count > 0, count <= 64 else { throw .keyLength }
        let shared = secret.reveal()
        var output: [UInt8] = []
        var round: UInt8 = 0
        while output.count < count {
            round += 1
            var input: [UInt8] = [0, 0, 0, round]
            input.append(copying: shared.span)
            input.append(copying: info)
            output += HashFunction.sha256.hash(input.span)
        }
        return Secret(Array(output.prefix(count)))
    }
}
