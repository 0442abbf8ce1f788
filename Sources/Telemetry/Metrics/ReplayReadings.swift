/// The numbers of the set of used proofs at one moment.
package struct ReplayReadings: Sendable, Equatable {
    package var entries: Int
    package var bytes: Int
    /// Since the start.
    package var inserted: UInt64
    /// Refused for lack of memory since the start.
    package var refused: UInt64

    package init(entries: Int, bytes: Int, inserted: UInt64, refused: UInt64) {
        self.entries = entries
        self.bytes = bytes
        self.inserted = inserted
        self.refused = refused
    }
}
