/// The numbers of the set of used proofs at one moment.
package struct ReplayReadings: Sendable, Equatable {
    package var entries: Int
    package var bytes: Int
    /// Since the start.
    package var inserted: UInt64
    /// Refused for lack of memory since the start.
    package var refused: UInt64
    /// How many there is room for.
    package var capacity: Int

    package init(entries: Int, bytes: Int, inserted: UInt64, refused: UInt64, capacity: Int) {
        self.entries = entries
        self.bytes = bytes
        self.inserted = inserted
        self.refused = refused
        self.capacity = capacity
    }

    /// The share of its room that is taken, in millionths.
    var usedMillionths: UInt64 {
        guard capacity > 0 else { return 0 }
        return UInt64(Double(max(entries, 0)) / Double(capacity) * 1_000_000)
    }
}
