import Synchronization

/// Which proofs the store may have known and forgotten; for all threads, and one read for each proof.
///
/// A proof at or below the time noted may have been used before: nobody can tell, and so it is refused, as one is after
/// a clock jumped (decision 0008).
package final class ForgottenProofs: Sendable {
    private let until = Atomic<Int64>(.min)

    /// Nothing is forgotten yet.
    package init() {}

    /// Whether the store may have known a proof that could be accepted up to a time, in seconds since 1970.
    @inline(__always)
    package func mayHaveKnown(until: Int64) -> Bool { until <= self.until.load(ordering: .relaxed) }

    /// Notes that proofs up to a time may have been known; an earlier time takes nothing back.
    package func note(until: Int64) {
        self.until.max(until, ordering: .relaxed)
    }
}
