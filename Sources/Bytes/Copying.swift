extension Array where Element == UInt8 {
    /// A copy of the span's bytes.
    public init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { bytes in unsafe [UInt8](bytes) }
    }

    /// Appends a copy of the span's bytes.
    public mutating func append(copying span: Span<UInt8>) {
        // Nothing added to an empty array would be written all the same: to the storage that all empty arrays share.
        guard !span.isEmpty else { return }
        // In one piece: byte by byte it takes as long as to hash them.
        unsafe span.withUnsafeBufferPointer { bytes in unsafe append(contentsOf: bytes) }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends so many of a word's eight bytes, from the lowest on; there must be room for all eight.
    @inline(__always)
    mutating func append(first count: Int, of word: UInt64) {
        precondition(freeCapacity >= 8 && count >= 0 && count <= 8, "a word is written within the memory")
        unsafe withUnsafeMutableBufferPointer { bytes, initialized in
            // Lies within the memory, as was just looked at; bytes have no alignment.
            unsafe UnsafeMutableRawBufferPointer(bytes).storeBytes(
                of: word.littleEndian, toByteOffset: initialized, as: UInt64.self)
            initialized += count
        }
    }
}

extension String {
    /// The text of the span's bytes as UTF-8; what is not UTF-8 becomes U+FFFD.
    public init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
    }
}
