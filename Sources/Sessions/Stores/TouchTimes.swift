import Synchronization

/// When sessions were last written to their browsers: twenty tabs that come at once get one new cookie (SC-08).
///
/// A fixed table without locks. Two sessions that share a place overwrite each other, and are then written once too often.
final class TouchTimes: Sendable {
    /// The upper half of a place tells whose it is, the lower when.
    private let places = InlineArray<4096, Atomic<UInt64>> { _ in Atomic(0) }

    /// Whether it is this session's turn; of several threads that ask at once, one is told so.
    func take(_ id: [UInt8], now: Int64, interval: Int64) -> Bool {
        var hash: UInt64 = 0
        for byte in id.prefix(8) { hash = hash << 8 | UInt64(byte) }
        let index = Int(truncatingIfNeeded: hash & 4095)
        let holder = hash >> 32
        let second = UInt64(UInt32(clamping: now))
        let known = places[index].load(ordering: .relaxed)
        if known >> 32 == holder, known & 0xffff_ffff != 0 {
            let passed = Int64(second) - Int64(known & 0xffff_ffff)
            // A time ahead is from before the clock was set back: it says nothing.
            if passed >= 0, passed < interval { return false }
        }
        return places[index].compareExchange(expected: known, desired: holder << 32 | second, ordering: .relaxed)
            .exchanged
    }
}
