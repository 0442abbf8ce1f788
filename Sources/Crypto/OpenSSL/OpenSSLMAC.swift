import COpenSSL

/// HMAC in one call.
enum OpenSSLMAC {
    /// The code of a message.
    static func authenticate(_ message: Span<UInt8>, hash: HashFunction, key: Span<UInt8>) -> [UInt8] {
        if hash == .sha256 { return authenticate256(message, key: key) }
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

    /// HMAC with SHA-256, whose context lives on the stack: sessions in the store are named by it.
    private static func authenticate256(_ message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: HashFunction.sha256.length)
        unsafe code.withUnsafeMutableBufferPointer { code in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe message.withUnsafeBufferPointer { message in
                    // Reads both to their ends, writes exactly the 32 bytes of `code`, and wipes what it made of the key.
                    unsafe COpenSSL_HMAC_SHA256(
                        key.baseAddress, key.count, message.baseAddress, message.count, code.baseAddress)
                }
            }
        }
        return code
    }
}
