package import JOSE

/// One issuer's keys at one time: an immutable snapshot that workers are handed.
package struct IssuerKeys: Sendable {
    /// Rises when a key vanished or changed, not when one was merely added.
    ///
    /// What was verified under one generation may be believed again while the generation lasts (JOSE-34).
    package let generation: UInt64
    /// Rises with every change of content; equal versions have equal keys.
    package let version: UInt64
    package let keySet: KeySet
    /// Unix time of the reading, in seconds.
    package let fetchedAt: Int64
    /// Unix time after which these keys are withdrawn unless read again, in seconds; `Int64.max` for a static document.
    package let usableUntil: Int64
}
