/// Sixteen bytes looked at in one step, the way most processors can.
public enum ByteVector {
    /// How many bytes that is.
    public static var count: Int { 16 }

    /// For each of sixteen bytes whether something is true of it.
    public typealias Mask = SIMDMask<SIMD16<Int8>>

    /// Marks control octets: those below 0x20, and 0x7F.
    @inlinable @inline(__always)
    public static func controls(_ bytes: SIMD16<UInt8>) -> Mask {
        // Both sides of a comparison are vectors: against a single number it is sixty times slower.
        (bytes .< SIMD16(repeating: 0x20)) .| (bytes .== SIMD16(repeating: 0x7f))
    }
}

extension SIMDMask where Storage == SIMD16<Int8> {
    /// The mask as two words, all bits of a byte set or none; the two types have the same sixteen bytes.
    @inlinable @inline(__always)
    var words: SIMD2<UInt64> { unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self) }

    /// The place of the first marked byte; 16 when none is.
    @inlinable @inline(__always)
    public var first: Int {
        let words = words
        if words[0] != 0 { return words[0].trailingZeroBitCount &>> 3 }
        return 8 &+ words[1].trailingZeroBitCount &>> 3
    }
}

extension Span where Element == UInt8 {
    /// The sixteen bytes at `offset`, all of which must be there; traps when they are not.
    ///
    /// The load itself is not checked, so this is: no caller's mistake reads behind the bytes.
    @inlinable @inline(__always)
    public func vector(at offset: Int) -> SIMD16<UInt8> {
        precondition(offset >= 0 && offset <= count &- ByteVector.count, "a vector lies within the bytes")
        return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }

    /// The first place of `byte` in `start..<end`, or `end`.
    @inlinable @inline(__always)
    public func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int {
        let pattern = SIMD16(repeating: byte)
        var index = start
        // What lies behind `end` is looked at with the last of them, and not told.
        while index < end, index &+ ByteVector.count <= count {
            let place = (vector(at: index) .== pattern).first
            if place < ByteVector.count { return min(index &+ place, end) }
            index &+= ByteVector.count
        }
        guard index < end else { return max(start, end) }
        while index < end, self[index] != byte { index &+= 1 }
        return index
    }
}
