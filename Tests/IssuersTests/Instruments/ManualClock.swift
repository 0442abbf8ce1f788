import Issuers
import Synchronization

/// A clock that a test moves by hand.
final class ManualClock: IssuerClock {
    private struct Face {
        var milliseconds: Int64 = 1_000_000
        var wallSeconds: Int64 = 1_800_000_000
        var spread = 0.0
        var sleepers: [Int: (deadline: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var nextSleeper = 0
    }

    private let face = Mutex(Face())

    func now() -> Moment {
        face.withLock { Moment(milliseconds: $0.milliseconds, wallSeconds: $0.wallSeconds, spread: $0.spread) }
    }

    /// What `Moment.spread` is from now on.
    func setSpread(_ spread: Double) { face.withLock { $0.spread = spread } }

    /// Moves the wall clock alone, as an administrator would.
    func correctWallClock(by seconds: Int64) { face.withLock { $0.wallSeconds += seconds } }

    func sleep(milliseconds: Int) async throws {
        let sleeper = face.withLock { face in
            face.nextSleeper += 1
            return face.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                face.withLock { face in
                    face.sleepers[sleeper] = (face.milliseconds + Int64(milliseconds), continuation)
                }
                if Task.isCancelled { cancel(sleeper) }
            }
        } onCancel: {
            cancel(sleeper)
        }
    }

    /// When the next sleeper wakes.
    var nextDeadline: Int64? { face.withLock { $0.sleepers.values.map(\.deadline).min() } }
    /// How many sleep.
    var sleepers: Int { face.withLock { $0.sleepers.count } }

    /// Sets the monotonic clock, and wakes whoever is due.
    func move(to milliseconds: Int64) {
        let due = face.withLock { face in
            face.wallSeconds += (milliseconds - face.milliseconds) / 1000
            face.milliseconds = milliseconds
            let due = face.sleepers.filter { $0.value.deadline <= milliseconds }
            for sleeper in due.keys { face.sleepers[sleeper] = nil }
            return due.sorted { $0.value.deadline < $1.value.deadline }
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
    }

    private func cancel(_ sleeper: Int) {
        face.withLock { $0.sleepers.removeValue(forKey: sleeper) }?.continuation.resume(throwing: CancellationError())
    }
}
