import Synchronization

/// Token buckets of many keys in 16 bytes each, in memory that never grows; any thread may take from it at once, without
/// a lock.
///
/// A key has one of eight places, chosen by a hash under a number that nobody outside knows. Where all eight are other
/// keys', a new key gets the place of the one that has taken least, and **what that key has taken with it**: a bucket
/// that is full says nothing, and one that is not goes on being paid for. So a key that lost its place never finds a
/// fuller bucket than the one it lost, however many other keys are sent between: what the places of a row have taken is
/// only ever paid off by time, and who comes back gets the least of it, which is no less than what was its own.
///
///     place │ key, 64 bits of its hash │ until when what was taken is paid for
///
/// A table is for one rate: what somebody has taken of another one is another number.
///
/// Unsafe because an array of atomic values has no other form: the places are there from `init` to `destroy`, and every
/// index is one of a row below `rows`.
@safe
public struct BucketTable: @unchecked Sendable {
    private struct Place: ~Copyable {
        let key = Atomic<UInt64>(0)
        let spentUntil = Atomic<UInt64>(0)
    }

    /// What became of one that was to be taken.
    public struct Taking: Sendable, Equatable {
        /// Ticks until one may be taken; 0 when one was.
        public let wait: UInt64
        /// Ticks that all that was taken needs to come back.
        public let spent: UInt64
    }

    private static let placesInRow = 8

    private let places: UnsafeMutablePointer<Place>
    private let rows: Int
    private let seed: (UInt64, UInt64)

    /// A table with places for so many keys, rounded up to a power of two; `seed` is random.
    public init(keys: Int, seed: (UInt64, UInt64)) {
        var rows = 1
        while rows * BucketTable.placesInRow < keys { rows *= 2 }
        self.rows = rows
        self.seed = seed
        unsafe places = .allocate(capacity: rows * BucketTable.placesInRow)
        for index in 0..<rows * BucketTable.placesInRow { unsafe (places + index).initialize(to: Place()) }
    }

    /// Frees the memory; nobody may ask the table any longer.
    public func destroy() {
        unsafe places.deinitialize(count: rows * BucketTable.placesInRow)
        unsafe places.deallocate()
    }

    /// What it holds in memory, from the first moment to the last.
    var bytes: Int { rows * BucketTable.placesInRow * MemoryLayout<Place>.stride }

    /// The key of somebody who is known by 128 bits; these may be what a client chose.
    public func key(of low: UInt64, _ high: UInt64) -> UInt64 {
        // The standard library's hash is keyed per process; ours come on top because that key can be switched off from
        // the environment.
        var hasher = Hasher()
        hasher.combine(seed.0)
        hasher.combine(seed.1)
        hasher.combine(low)
        hasher.combine(high)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// Ticks until this key may take one; 0 when it may now.
    public func wait(_ key: UInt64, at now: UInt64, _ rate: TokenRate) -> UInt64 {
        TokenBucket(spentUntil: spentUntil(place(of: key))).wait(at: now, rate)
    }

    /// Takes one of this key's, unless none is left.
    @discardableResult
    public func take(_ key: UInt64, at now: UInt64, _ rate: TokenRate) -> Taking {
        let index = ownPlace(of: key)
        // Each turn that is lost is somebody else's who took one.
        while true {
            let before = spentUntil(index)
            var bucket = TokenBucket(spentUntil: before)
            guard bucket.take(at: now, rate) else {
                return Taking(wait: bucket.wait(at: now, rate), spent: bucket.spent(at: now, rate))
            }
            let (isTaken, _) = unsafe places[index].spentUntil.weakCompareExchange(
                expected: before, desired: bucket.spentUntil, ordering: .relaxed)
            if isTaken { return Taking(wait: 0, spent: bucket.spent(at: now, rate)) }
        }
    }

    private func spentUntil(_ index: Int) -> UInt64 { unsafe places[index].spentUntil.load(ordering: .relaxed) }

    /// The key's place, or the one that it would get.
    private func place(of key: UInt64) -> Int {
        // The low bit of a key is always set; what chooses the row is far from what tells keys of a row apart.
        let first = Int(truncatingIfNeeded: key &>> 32) & (rows - 1) &* BucketTable.placesInRow
        var least = first
        var leastSpent = UInt64.max
        for index in first..<first + BucketTable.placesInRow {
            if unsafe places[index].key.load(ordering: .relaxed) == key { return index }
            let spent = spentUntil(index)
            if spent < leastSpent { (least, leastSpent) = (index, spent) }
        }
        return least
    }

    /// The key's place, which is its own from now on, with what was taken there before.
    private func ownPlace(of key: UInt64) -> Int {
        while true {
            let index = place(of: key)
            let holder = unsafe places[index].key.load(ordering: .relaxed)
            if holder == key { return index }
            let (isTaken, _) = unsafe places[index].key.weakCompareExchange(
                expected: holder, desired: key, ordering: .relaxed)
            if isTaken { return index }
        }
    }
}
