import Synchronization

/// Lets something be said once a minute, whichever worker has it to say; for the cold paths that strangers can reach.
final class OncePerMinute: Sendable {
    /// Monotonic seconds, plus one; 0 while nothing was said.
    private let saidAt = Atomic<UInt64>(0)

    /// Whether to say it at this time, in monotonic microseconds; of several who ask at once one may.
    func takesTurn(at microseconds: UInt64) -> Bool {
        let now = microseconds / 1_000_000 + 1
        let last = saidAt.load(ordering: .relaxed)
        guard last == 0 || now >= last + 60 else { return false }
        return saidAt.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }
}
