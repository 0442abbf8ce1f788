import OAuth
import Refusals
import Synchronization

/// Keeps one cause from being told again and again: what is wrong at the server is so for every browser that comes.
final class AlarmRateLimit: Sendable {
    /// Milliseconds from one telling to the next.
    static let interval: Int64 = 60_000

    /// What is told: of several checks with one answer each has its own minute, or who causes one would hide another.
    private struct Cause: Hashable {
        let refusal: Refusal
        let check: String
    }

    private let told = Mutex<[Cause: Int64]>([:])

    /// Whether this cause is to be told now; `milliseconds` on the monotonic clock.
    func isDue(_ refusal: Refusal, check: String, at milliseconds: Int64) -> Bool {
        told.withLock { told in
            let cause = Cause(refusal: refusal, check: check)
            if let last = told[cause], milliseconds - last < Self.interval { return false }
            told[cause] = milliseconds
            return true
        }
    }
}

/// What the operator was last told of a server's metadata, which is read again every hour.
final class ToldProblems: Sendable {
    private let last = Mutex<[SuitabilityProblem]>([])

    /// Whether these are others than the last time.
    func areNews(_ problems: [SuitabilityProblem]) -> Bool {
        last.withLock { last in
            defer { last = problems }
            return last != problems
        }
    }
}
