import COpenSSL

/// The bytes of a secret, overwritten when the last who holds the secret lets go of it.
///
/// Freed memory keeps what was written to it until somebody else needs the place, and goes into core dumps and swap.
/// Nothing writes to the bytes before the end, so that any thread may read them.
final class SecretBytes: @unchecked Sendable {
    private(set) var bytes: [UInt8]

    /// Takes charge of `bytes`.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    deinit {
        Self.overwrite(&bytes)
    }

    /// Makes zeros of the bytes, in a way that no optimizer leaves out (`OPENSSL_cleanse`).
    ///
    /// Where somebody else still holds the same array, it is theirs and stays as it is.
    static func overwrite(_ bytes: inout [UInt8]) {
        // All empty arrays share one storage, which no thread may write to.
        guard !bytes.isEmpty else { return }
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            // Writes exactly `buffer.count` bytes.
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        }
    }
}
