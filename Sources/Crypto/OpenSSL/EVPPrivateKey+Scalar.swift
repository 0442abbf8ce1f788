import COpenSSL

extension EVPPrivateKey {
    /// The P-256 key whose private number is `scalar`, 32 bytes from 1 to n-1, and its public point: 04, x, y.
    static func p256(scalar: Span<UInt8>) throws(SigningRefusal) -> (key: EVPPrivateKey, point: [UInt8]) {
        guard scalar.count == 32 else { throw .inconsistent }
        var point = [UInt8](repeating: 0, count: 65)
        let made = unsafe point.withUnsafeMutableBufferPointer { point in
            unsafe scalar.withUnsafeBufferPointer { scalar in
                // Reads 32 bytes, writes 65, and wipes the number it made of them; the result is ours to free.
                unsafe COpenSSL_P256_private_key(scalar.baseAddress, point.baseAddress)
            }
        }
        guard let made = unsafe made else {
            ErrorQueue.clear()
            throw .libraryFailed
        }
        return (unsafe EVPPrivateKey(owning: made), point)
    }
}
