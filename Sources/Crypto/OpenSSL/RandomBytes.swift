import COpenSSL

/// Bytes nobody can foresee.
public enum RandomBytes {
    /// `count` bytes of OpenSSL's generator (`RAND_bytes`).
    public static func fill(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            // Exactly `count` bytes are written.
            unsafe RAND_bytes(buffer.baseAddress, Int32(clamping: buffer.count))
        }
        // Without randomness every identifier we would hand out is a guess.
        precondition(filled == 1, "the random generator gave nothing")
        return bytes
    }
}
