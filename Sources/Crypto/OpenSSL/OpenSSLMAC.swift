import COpenSSL

/// HMAC in one call.
enum OpenSSLMAC {
    /// `HMAC`.
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
