import Synchronization

/// Which proofs the store may have known and forgotten; for all threads, and one read for each proof.
///
/// A proof that could be accepted by the time noted may have been used before: nobody can tell, and so it is refused, as
/// one is after a clock jumped (decision 0008).
package final class ForgottenProofs: Sendable {
    private let until = Atomic<Int64>(.min)

    /// Nothing is forgotten yet.
    package init() {}

    /// Whether the store may have known a proof that could be accepted from a time on, in seconds since 1970.
    @inline(__always)
    package func mayHaveKnown(usableSince: Int64) -> Bool { usableSince <= until.load(ordering: .relaxed) }

    /// Notes that proofs may have been known that were used up to a time; an earlier time takes nothing back.
    package func note(until: Int64) {
        self.until.max(until, ordering: .relaxed)
    }
}
