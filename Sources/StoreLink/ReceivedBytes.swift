/// Bytes that were received and not understood yet, at a place that does not move while a reply is lent.
struct ReceivedBytes {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int
    /// What is held at first; and what is held between replies, large ones apart.
    private static let usual = 16 << 10, most = 128 << 10

    init() {
        capacity = ReceivedBytes.usual
        start = .allocate(capacity: capacity)
    }

    func deallocate() { start.deallocate() }

    /// Where the next bytes go, and how many at most.
    var room: (start: UnsafeMutablePointer<UInt8>, count: Int) { (start + count, capacity - count) }

    mutating func received(_ more: Int) { count += more }

    /// Drops all of it, and moves nothing: a reply in it may be lent just now.
    mutating func clear() { count = 0 }

    /// Drops what was understood, and has room for more then.
    ///
    /// A reply is bounded, and so is this; what a large one took is given back.
    mutating func drop(_ used: Int) {
        let left = count - used
        if capacity > ReceivedBytes.most, left < ReceivedBytes.usual / 2 {
            move(left, from: used, to: ReceivedBytes.usual)
        } else if left > capacity - capacity / 4 {
            move(left, from: used, to: capacity * 2)
        } else if used > 0 {
            start.update(from: start + used, count: left)
        }
        count = left
    }

    private mutating func move(_ left: Int, from used: Int, to capacity: Int) {
        let place = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        place.update(from: start + used, count: left)
        start.deallocate()
        start = place
        self.capacity = capacity
    }
}
