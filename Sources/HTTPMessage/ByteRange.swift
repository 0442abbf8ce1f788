/// Where something is inside the bytes of a message head.
///
/// Heads are bounded far below 2³¹ bytes (`HTTP1Limits`), so 32 bits are enough and a field slot stays small.
public struct ByteRange: Sendable, Equatable {
    /// Offset of the first byte.
    public var start: Int32
    /// Number of bytes.
    public var count: Int32

    /// The range of `count` bytes at `start`.
    @inlinable @inline(__always)
    public init(start: Int32, count: Int32) {
        self.start = start
        self.count = count
    }

    /// The bytes from `start` up to, not including, `end`.
    @inlinable @inline(__always)
    public init(from start: Int, to end: Int) {
        self.start = Int32(truncatingIfNeeded: start)
        self.count = Int32(truncatingIfNeeded: end &- start)
    }

    /// No bytes, at offset 0.
    public static let empty = ByteRange(start: 0, count: 0)

    /// Offset behind the last byte.
    @inlinable @inline(__always)
    public var end: Int { Int(start) &+ Int(count) }

    /// Whether there are no bytes.
    @inlinable @inline(__always)
    public var isEmpty: Bool { count == 0 }

    /// The same as a Swift range.
    @inlinable @inline(__always)
    public var range: Range<Int> { Int(start)..<end }
}

extension Span where Element == UInt8 {
    /// The bytes of `range`, which must lie inside.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public func extracting(_ range: ByteRange) -> Span<UInt8> {
        extracting(range.range)
    }
}
