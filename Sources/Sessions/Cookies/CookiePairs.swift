import Bytes

/// Goes through the pairs of a `Cookie` field, allocating nothing.
///
/// Takes whatever stands between semicolons: what is no pair (RFC 6265bis §4.2.1) is a name without a value.
struct CookiePairs {
    /// Where a pair, its name and its value are, without the spaces around them.
    struct Pair {
        let name: Range<Int>
        let value: Range<Int>
        var all: Range<Int> { name.lowerBound..<value.upperBound }
    }

    private var position = 0

    /// The next pair of `field`, which is the same at every call.
    @inline(__always)
    mutating func next(in field: Span<UInt8>) -> Pair? {
        while position < field.count {
            let byte = field[position]
            guard byte == CookiePairs.semicolon || CookiePairs.isSpace(byte) else { break }
            position &+= 1
        }
        guard position < field.count else { return nil }
        let start = position
        let end = field.firstIndex(of: CookiePairs.semicolon, from: start, to: field.count)
        position = end
        let equals = field.firstIndex(of: CookiePairs.equals, from: start, to: end)
        let last = CookiePairs.trimmed(field, start..<end)
        let valueStart = min(equals &+ 1, last)
        return Pair(name: start..<CookiePairs.trimmed(field, start..<equals), value: valueStart..<max(valueStart, last))
    }

    static let semicolon = UInt8(ascii: ";")
    private static let equals = UInt8(ascii: "=")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The end of the range without the spaces before it.
    @inline(__always)
    private static func trimmed(_ field: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = range.upperBound
        while end > range.lowerBound, isSpace(field[end &- 1]) { end &-= 1 }
        return end
    }
}
