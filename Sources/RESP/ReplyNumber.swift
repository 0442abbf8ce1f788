/// Numbers as servers write them: decimal, with a minus and nothing else before the digits, and no leading zero.
enum ReplyNumber {
    /// More digits than any 64-bit number has.
    static let longest = 20

    /// The number that is all of `start..<end`; nil when it is none, or has two spellings.
    static func read(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        var index = start
        let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let digits = end - index
        guard digits > 0, digits < longest else { return nil }
        if bytes[index] == UInt8(ascii: "0") { return digits == 1 && !isNegative ? 0 : nil }
        // Downwards, since the lowest number has no positive twin.
        var value = 0
        while index < end {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            let (tens, isBeyond) = value.multipliedReportingOverflow(by: 10)
            let (next, isFurther) = tens.subtractingReportingOverflow(Int(digit))
            guard !isBeyond, !isFurther else { return nil }
            value = next
            index += 1
        }
        if isNegative { return value }
        return value == Int.min ? nil : -value
    }
}
