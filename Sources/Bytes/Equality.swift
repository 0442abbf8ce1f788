extension Span where Element == UInt8 {
    /// Whether both spans hold the same bytes.
    ///
    /// For what is no secret: it ends at the first that differ.
    @inlinable
    public func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index &+ 8 <= count {
            if word(at: index) != other.word(at: index) { return false }
            index &+= 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index &+= 1
        }
        return true
    }
}
