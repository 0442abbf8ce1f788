import COpenSSL

/// SHA-2 on OpenSSL's low-level functions: the context lives on the stack, nothing is looked up.
enum OpenSSLDigest {
    /// `SHA256_Init`, `SHA256_Update`, `SHA256_Final`.
    static func sha256(_ bytes: Span<UInt8>) -> SHA256Digest {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        unsafe bytes.withUnsafeBufferPointer { input in
            // 32 bytes are written, which four words hold; an empty input may be a null pointer.
            unsafe COpenSSL_SHA256(input.baseAddress, input.count, &words)
        }
        return SHA256Digest(words: words)
    }

    /// `EVP_Digest`; nil when the library refuses, as a provider without SHA-1 does.
    static func sha1(_ bytes: Span<UInt8>) -> InlineArray<20, UInt8>? {
        var digest = InlineArray<20, UInt8>(repeating: 0)
        var count: UInt32 = 0
        var output = digest.mutableSpan
        let made = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe bytes.withUnsafeBufferPointer { input in
                // Writes the 20 bytes of a SHA-1 digest, and their number.
                unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, &count, EVP_sha1(), nil)
            }
        }
        guard made == 1, count == 20 else {
            ErrorQueue.clear()
            return nil
        }
        return digest
    }

    /// The digest in the first `function.length` bytes.
    static func hash(_ function: HashFunction, _ bytes: Span<UInt8>) -> InlineArray<64, UInt8> {
        var digest = InlineArray<64, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe bytes.withUnsafeBufferPointer { input in
                // `output` has 64 bytes, the longest digest.
                switch function {
                case .sha256: unsafe COpenSSL_SHA256(input.baseAddress, input.count, output.baseAddress)
                case .sha384: unsafe COpenSSL_SHA384(input.baseAddress, input.count, output.baseAddress)
                case .sha512: unsafe COpenSSL_SHA512(input.baseAddress, input.count, output.baseAddress)
                }
            }
        }
        return digest
    }
}

extension HashFunction {
    /// The library's static description; it is never freed (`EVP_sha256` and its like).
    var evp: OpaquePointer? {
        switch self {
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }
}
