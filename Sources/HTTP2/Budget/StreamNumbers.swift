/// The numbers of a client's streams: each is higher than the last (RFC 9113 §5.1.1).
struct StreamNumbers {
    /// Where a number stands.
    enum Order {
        case next, earlier, passedOver
    }

    private var last: Int32 = -1
    /// The numbers between the last two streams that did not follow each other.
    private var gap: Range<Int32> = 0..<0

    /// Where the number of a section's stream stands, which then is the last one if it is higher.
    mutating func order(of stream: Int32) -> Order {
        guard stream > last else { return gap.contains(stream) ? .passedOver : .earlier }
        if stream > last &+ 2 { gap = (last &+ 1)..<stream }
        last = stream
        return .next
    }
}
