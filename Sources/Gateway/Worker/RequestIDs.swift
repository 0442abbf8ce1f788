import Crypto

/// Request identifiers: random bytes of the operating system's kind, drawn for many requests at a time.
struct RequestIDs {
    private var pool: [UInt8] = []
    private var used = 0

    mutating func next() -> RequestID {
        if used + 16 > pool.count {
            pool = RandomBytes.fill(4096)
            used = 0
        }
        defer { used += 16 }
        return pool.withUnsafeBytes { bytes in
            RequestID(
                words: (
                    bytes.loadUnaligned(fromByteOffset: used, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: used + 8, as: UInt64.self)
                ))
        }
    }
}
