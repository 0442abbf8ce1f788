/// How what is sealed in the store is written: its first byte (SH-26).
///
/// A release reads the one before its own and the one after where it can. Which it writes, the operator says: what the
/// oldest release that runs can read.
package enum StoreFormat: UInt8, Sendable, CaseIterable {
    /// The key of each value is derived from its secret and a key of the ring together (HKDF, both steps).
    case first = 1
    /// The key of each value is what a key of the ring, made for this purpose, makes of the value's secret (HKDF, extraction).
    case second = 2

    /// What this release writes unless it is told to write an older one.
    package static let newest = StoreFormat.second
}
