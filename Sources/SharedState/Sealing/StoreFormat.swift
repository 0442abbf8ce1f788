/// How what is in the store is written: its first byte (SH-26).
///
/// A release reads the one before its own and the one after where it can. Which it writes, the operator says: what the
/// oldest release that runs can read.
enum StoreFormat: UInt8, Sendable, CaseIterable {
    case first = 1

    /// What this release writes unless it is told to write an older one.
    static let newest = StoreFormat.first
}
