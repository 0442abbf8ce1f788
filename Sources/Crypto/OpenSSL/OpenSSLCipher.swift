import Bytes
import COpenSSL

/// AES in the modes of RFC 7518 §4.4, §5.2 and §5.3, one call each.
enum OpenSSLCipher {
    /// Ciphertext, then a tag of 16 bytes; nil unless the key is 16, 24 or 32 bytes and the nonce 12.
    static func sealGCM(
        _ plaintext: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, additional: Span<UInt8>
    ) -> [UInt8]? {
        guard let cipher = ciphers.gcm(key), nonce.count == 12,
            let run = CipherRun(cipher, key: key, nonce: nonce, encrypts: true, pads: false),
            run.add(additional), var output = run.process(plaintext), run.appendTag(to: &output)
        else { return nil }
        return output
    }

    /// The plaintext; nil unless everything fits the tag, which must be 16 bytes.
    static func openGCM(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, additional: Span<UInt8>
    ) -> [UInt8]? {
        // A shorter tag is easier to guess, and the library takes any from 1 to 16 bytes.
        guard let cipher = ciphers.gcm(key), nonce.count == 12, tag.count == 16,
            let run = CipherRun(cipher, key: key, nonce: nonce, encrypts: false, pads: false),
            run.expect(tag), run.add(additional)
        else { return nil }
        return run.process(ciphertext)
    }

    /// AES-CBC with PKCS #7 padding; nil unless the key is 16, 24 or 32 bytes and the initialization vector 16.
    ///
    /// Who decrypts has authenticated the ciphertext first: what padding looks like is told to nobody else.
    static func runCBC(
        _ input: Span<UInt8>, key: Span<UInt8>, vector: Span<UInt8>, encrypts: Bool
    ) -> [UInt8]? {
        guard let cipher = ciphers.cbc(key), vector.count == 16,
            let run = CipherRun(cipher, key: key, nonce: vector, encrypts: encrypts, pads: true)
        else { return nil }
        return run.process(input)
    }

    /// AES key wrap with the initial value of RFC 3394 §2.2.3.1; nil unless both are as long as they must be and, when
    /// unwrapping, the integrity check holds.
    static func runWrap(_ input: Span<UInt8>, key: Span<UInt8>, wraps: Bool) -> [UInt8]? {
        guard let cipher = ciphers.wrap(key), input.count % 8 == 0, input.count >= (wraps ? 16 : 24),
            input.count <= 1024, let run = CipherRun(cipher, key: key, nonce: nil, encrypts: wraps, pads: false)
        else { return nil }
        return run.process(input)
    }

    fileprivate static let ciphers = Ciphers()

    /// The most that is encrypted in one piece: lengths are `Int32` in the library.
    fileprivate static let maximumBytes = 1 << 30
}

/// The ciphers, looked up once and never freed; nil when the library was built without.
private struct Ciphers: @unchecked Sendable {
    @safe
    private struct Modes {
        let gcm: Cipher?
        let cbc: Cipher?
        let wrap: Cipher?

        init(bits: String) {
            gcm = Cipher("AES-\(bits)-GCM")
            cbc = Cipher("AES-\(bits)-CBC")
            wrap = Cipher("AES-\(bits)-WRAP")
        }
    }

    private let small = Modes(bits: "128"), middle = Modes(bits: "192"), large = Modes(bits: "256")

    func gcm(_ key: Span<UInt8>) -> Cipher? { modes(key)?.gcm }
    func cbc(_ key: Span<UInt8>) -> Cipher? { modes(key)?.cbc }
    func wrap(_ key: Span<UInt8>) -> Cipher? { modes(key)?.wrap }

    private func modes(_ key: Span<UInt8>) -> Modes? {
        switch key.count {
        case 16: small
        case 24: middle
        case 32: large
        default: nil
        }
    }
}

/// A cipher of the library's, which lives as long as the process.
@safe
private struct Cipher: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(_ name: String) {
        guard let pointer = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.pointer = pointer
    }
}

/// Owns an `EVP_CIPHER_CTX` for one message; nothing unsafe leaves this type.
@safe
private final class CipherRun {
    private let context: OpaquePointer

    /// Nil unless the library takes the cipher, the key and the nonce, whose lengths the caller has checked.
    init?(_ cipher: Cipher, key: Span<UInt8>, nonce: Span<UInt8>?, encrypts: Bool, pads: Bool) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.context = context
        // Without it the library wraps no keys in this interface.
        unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        let isReady = unsafe key.withUnsafeBufferPointer { key in
            unsafe Self.withBytes(nonce) { nonce in
                // Reads as many bytes as the cipher's key and nonce have; no nonce is the cipher's own.
                unsafe EVP_CipherInit_ex2(context, cipher.pointer, key.baseAddress, nonce, encrypts ? 1 : 0, nil)
            }
        }
        guard isReady == 1, unsafe EVP_CIPHER_CTX_set_padding(context, pads ? 1 : 0) == 1 else {
            ErrorQueue.clear()
            return nil
        }
    }

    deinit {
        // Wipes the key's schedule.
        unsafe EVP_CIPHER_CTX_free(context)
    }

    private static func withBytes<Result>(
        _ nonce: Span<UInt8>?, _ body: (UnsafePointer<UInt8>?) -> Result
    ) -> Result {
        guard let nonce else { return body(nil) }
        return unsafe nonce.withUnsafeBufferPointer { nonce in unsafe body(nonce.baseAddress) }
    }

    /// Authenticates bytes that are not encrypted (GCM).
    func add(_ additional: Span<UInt8>) -> Bool {
        guard additional.count > 0 else { return true }
        guard additional.count <= OpenSSLCipher.maximumBytes else { return false }
        var count: Int32 = 0
        let added = unsafe additional.withUnsafeBufferPointer { bytes in
            // Nothing is written when there is no output.
            unsafe EVP_CipherUpdate(context, nil, &count, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        return passed(added == 1)
    }

    /// The tag that the message must have; set before the message is processed (GCM).
    func expect(_ tag: Span<UInt8>) -> Bool {
        var copy = [UInt8](copying: tag)
        let isSet = unsafe copy.withUnsafeMutableBufferPointer { tag in
            // Copies the bytes.
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(clamping: tag.count), tag.baseAddress)
        }
        return passed(isSet == 1)
    }

    /// The whole message; nil when its tag, its padding or its integrity check is wrong.
    func process(_ input: Span<UInt8>) -> [UInt8]? {
        guard input.count <= OpenSSLCipher.maximumBytes else { return nil }
        // No mode writes more than a block beyond what it reads.
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var first: Int32 = 0
        var last: Int32 = 0
        let isMade = unsafe output.withUnsafeMutableBufferPointer { output in
            if input.count > 0 {
                let isUpdated = unsafe input.withUnsafeBufferPointer { input in
                    unsafe EVP_CipherUpdate(
                        context, output.baseAddress, &first, input.baseAddress, Int32(clamping: input.count))
                }
                guard isUpdated == 1, first >= 0, Int(first) <= output.count else { return false }
            }
            let rest = output.extracting(Int(first)...)
            // Writes one block at most: padding counts only where the first step has kept a block back.
            return unsafe EVP_CipherFinal_ex(context, rest.baseAddress, &last) == 1
        }
        guard passed(isMade), last >= 0, Int(first) + Int(last) <= output.count else { return nil }
        output.removeLast(output.count - Int(first) - Int(last))
        return output
    }

    /// Appends the tag of what was processed (GCM).
    func appendTag(to output: inout [UInt8]) -> Bool {
        var tag = [UInt8](repeating: 0, count: 16)
        let isRead = unsafe tag.withUnsafeMutableBufferPointer { tag in
            // Writes exactly 16 bytes.
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag.baseAddress)
        }
        output += tag
        return passed(isRead == 1)
    }

    private func passed(_ outcome: Bool) -> Bool {
        if !outcome { ErrorQueue.clear() }
        return outcome
    }
}
