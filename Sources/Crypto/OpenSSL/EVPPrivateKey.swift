import Bytes
import COpenSSL

/// Owns an `EVP_PKEY` with a private half; nothing unsafe leaves this type.
///
/// The key never changes once it is here, and every signature has a context of its own: OpenSSL allows that from
/// several threads at once.
@safe
final class EVPPrivateKey: @unchecked Sendable {
    let key: OpaquePointer

    init(owning key: OpaquePointer) {
        unsafe self.key = key
    }

    deinit {
        // Made here and handed to nobody; its numbers are wiped as it goes.
        unsafe EVP_PKEY_free(key)
    }

    /// The one private key in PEM text (`PEM_read_bio_PrivateKey`).
    static func read(pem: Secret) throws(SigningRefusal) -> EVPPrivateKey {
        let text = pem.reveal()
        // Looked for first, because the library's errors do not tell an encrypted key from a damaged one.
        if contains(text, "ENCRYPTED") { throw .encrypted }
        let keys = occurrences(of: "PRIVATE KEY-----", after: "-----BEGIN ", in: text)
        guard keys > 0 else { throw .notPrivateKey }
        guard keys == 1 else { throw .severalKeys }
        let made = unsafe text.withUnsafeBufferPointer { text in
            // Copies what it needs; the result is ours to free. No passphrase is asked for.
            unsafe COpenSSL_read_private_key(text.baseAddress, text.count)
        }
        guard let made = unsafe made else {
            ErrorQueue.clear()
            throw .notPrivateKey
        }
        ErrorQueue.clear()
        return unsafe EVPPrivateKey(owning: made)
    }

    /// A new key (`EVP_EC_gen`, `EVP_PKEY_Q_keygen`).
    static func generate(_ kind: PrivateKey.Generated) throws(SigningRefusal) -> EVPPrivateKey {
        let made: OpaquePointer? =
            switch kind {
            case .p256: unsafe COpenSSL_EC_gen("P-256")
            case .p384: unsafe COpenSSL_EC_gen("P-384")
            case .p521: unsafe COpenSSL_EC_gen("P-521")
            case .ed25519: unsafe COpenSSL_ED25519_gen()
            case .x25519: unsafe COpenSSL_X25519_gen()
            }
        guard let made = unsafe made else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        return unsafe EVPPrivateKey(owning: made)
    }

    /// The public half's numbers; refused when the key is of no kind that signs or decrypts here.
    func publicNumbers() throws(SigningRefusal) -> PrivateKey.PublicNumbers {
        if unsafe EVP_PKEY_is_a(key, "RSA") == 1 {
            let bits = Int(unsafe EVP_PKEY_get_bits(key))
            guard bits >= 2048, bits <= 8192 else { throw .modulusLength(bits: bits) }
            return .rsa(modulus: try number("n", length: nil), exponent: try number("e", length: nil))
        }
        if unsafe EVP_PKEY_is_a(key, "ED25519") == 1 { return .ed25519(try rawPublicKey()) }
        if unsafe EVP_PKEY_is_a(key, "X25519") == 1 { return .x25519(try rawPublicKey()) }
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1, let curve = try curve() else { throw .keyTypeNotAccepted }
        return .ellipticCurve(
            curve, x: try number("qx", length: curve.fieldLength), y: try number("qy", length: curve.fieldLength))
    }

    /// RSASSA with the padding named, hashing `message`.
    func sign(_ message: Span<UInt8>, hash: HashFunction, isPSS: Bool) throws(SigningRefusal) -> [UInt8] {
        try digestSign(message, hash: hash, isPSS: isPSS)
    }

    /// ECDSA, as R and S side by side.
    func signECDSA(_ message: Span<UInt8>, curve: EllipticCurve) throws(SigningRefusal) -> [UInt8] {
        let der = try digestSign(message, hash: curve.hash, isPSS: false)
        let half = curve.fieldLength
        var signature = [UInt8](repeating: 0, count: 2 * half)
        let converted = unsafe der.withUnsafeBufferPointer { der in
            unsafe signature.withUnsafeMutableBufferPointer { signature in
                // Writes exactly two halves.
                unsafe COpenSSL_ECDSA_fixed_length(der.baseAddress, der.count, signature.baseAddress, half)
            }
        }
        guard converted == 1 else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        return signature
    }

    /// Ed25519, which hashes the message itself.
    func signEd25519(_ message: Span<UInt8>) throws(SigningRefusal) -> [UInt8] {
        try digestSign(message, hash: nil, isPSS: false)
    }

    /// `EVP_DigestSign`; a salt is as long as the hash (RFC 7518 §3.5).
    private func digestSign(_ message: Span<UInt8>, hash: HashFunction?, isPSS: Bool) throws(SigningRefusal) -> [UInt8]
    {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        // `parameters` belongs to the context.
        var isReady = unsafe EVP_DigestSignInit(context, &parameters, hash?.evp, nil, key) == 1
        if isReady, isPSS {
            isReady =
                unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
        }
        var count = 1024
        var signature = [UInt8](repeating: 0, count: count)
        let made =
            unsafe isReady
            && signature.withUnsafeMutableBufferPointer { signature in
                unsafe message.withUnsafeBufferPointer { message in
                    // Writes at most `count` bytes: the largest key makes 1024. An empty message has no address.
                    unsafe EVP_DigestSign(
                        context, signature.baseAddress, &count, message.baseAddress, message.count) == 1
                }
            }
        guard made, count <= signature.count else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        signature.removeLast(signature.count - count)
        return signature
    }

    private func curve() throws(SigningRefusal) -> EllipticCurve? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        let found = unsafe name.withUnsafeMutableBufferPointer { name in
            // Ends with a zero within the 64.
            unsafe EVP_PKEY_get_group_name(key, name.baseAddress, name.count, &count) == 1
        }
        guard found, count < name.count else {
            ErrorQueue.clear()
            throw .keyTypeNotAccepted
        }
        switch String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) {
        case "prime256v1": return .p256
        case "secp384r1": return .p384
        case "secp521r1": return .p521
        default: return nil
        }
    }

    /// A number of the public half, big-endian, of `length` bytes or of as many as it needs.
    private func number(_ name: String, length: Int?) throws(SigningRefusal) -> [UInt8] {
        var value: OpaquePointer?
        defer { unsafe BN_free(value) }
        guard unsafe EVP_PKEY_get_bn_param(key, name, &value) == 1 else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        let count = length ?? (Int(unsafe BN_num_bits(value)) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            // Writes exactly `count` bytes, zeros in front, or answers −1.
            unsafe BN_bn2binpad(value, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        guard written == Int32(clamping: count) else { throw .libraryFailed }
        return bytes
    }

    private func rawPublicKey() throws(SigningRefusal) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            // Writes at most `count` bytes.
            unsafe EVP_PKEY_get_raw_public_key(key, bytes.baseAddress, &count)
        }
        guard written == 1, count == 32 else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        return bytes
    }

    private static func contains(_ text: [UInt8], _ word: String) -> Bool {
        occurrences(of: word, after: "", in: text) > 0
    }

    /// How often `word` stands on a line that begins with `start`, or on any line.
    private static func occurrences(of word: String, after start: String, in text: [UInt8]) -> Int {
        let word = Array(word.utf8)
        return text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).count { line in
            guard line.starts(with: start.utf8), line.count >= word.count else { return false }
            return (line.startIndex...line.endIndex - word.count).contains { line[$0...].starts(with: word) }
        }
    }
}
