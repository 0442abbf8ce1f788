import COpenSSL

/// HMAC in one call.
enum OpenSSLMAC {
    /// The code of a message.
    static func authenticate(_ message: Span<UInt8>, hash: HashFunction, key: Span<UInt8>) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: hash.length)
        var count = UInt32(code.count)
        let made = unsafe code.withUnsafeMutableBufferPointer { code in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe message.withUnsafeBufferPointer { message in
                    // Writes `hash.length` bytes to `code` and returns it, or null.
                    unsafe HMAC(
                        hash.evp, key.baseAddress, Int32(clamping: key.count), message.baseAddress, message.count,
                        code.baseAddress, &count) != nil
                }
            }
        }
        // Only exhausted memory makes it fail; going on with zeros would authenticate anything.
        precondition(made, "HMAC gave nothing")
        return code
    }
}

/// HMAC with SHA-256 begun with a key: two blocks of the hash that each message would cost otherwise.
///
/// What is kept is as good as the key, lives in one place, and is overwritten before that is given back. Nothing writes to it
/// before, so that any thread may read it.
@safe
final class BegunHMAC: @unchecked Sendable {
    private let state: UnsafeMutablePointer<COpenSSL_HMAC>

    init(key: Span<UInt8>) {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: COpenSSL_HMAC())
        unsafe key.withUnsafeBufferPointer { key in
            // Reads the key to its end, and wipes what it made of it on the way.
            unsafe COpenSSL_HMAC_begin(state, key.baseAddress, key.count)
        }
    }

    /// The code of a message.
    func authenticate(_ message: Span<UInt8>) -> SHA256Digest {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        unsafe message.withUnsafeBufferPointer { message in
            // Reads the message to its end, writes the 32 bytes that four words hold, and works on a copy that it wipes.
            unsafe COpenSSL_HMAC_authenticate(state, message.baseAddress, message.count, &words)
        }
        return SHA256Digest(words: words)
    }

    /// The same as a secret.
    func derive(_ message: Span<UInt8>) -> Secret {
        var code = [UInt8](repeating: 0, count: HashFunction.sha256.length)
        unsafe code.withUnsafeMutableBufferPointer { code in
            unsafe message.withUnsafeBufferPointer { message in
                // As above, to the 32 bytes of `code`.
                unsafe COpenSSL_HMAC_authenticate(state, message.baseAddress, message.count, code.baseAddress)
            }
        }
        return Secret(code)
    }

    deinit {
        unsafe OPENSSL_cleanse(state, MemoryLayout<COpenSSL_HMAC>.size)
        unsafe state.deallocate()
    }
}
