import Issuers
import Synchronization

/// A clock that a test moves by hand; both of its faces move together.
final class ManualClock: IssuerClock {
    private struct Face {
        var milliseconds: Int64 = 1_000_000
        var wallSeconds: Int64 = 1_800_000_000
        var sleepers: [Int: (deadline: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var nextSleeper = 0
    }

    private let face = Mutex(Face())

    func now() -> Moment {
        face.withLock { Moment(milliseconds: $0.milliseconds, wallSeconds: $0.wallSeconds) }
    }

    /// Seconds since 1970.
    var seconds: Int64 { now().wallSeconds }

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

    /// How many sleep.
    var sleepers: Int { face.withLock { $0.sleepers.count } }

    /// Lets that much time pass, and wakes whoever is due.
    func pass(seconds: Int64) {
        let due = face.withLock { face in
            face.wallSeconds += seconds
            face.milliseconds += seconds * 1000
            let due = face.sleepers.filter { $0.value.deadline <= face.milliseconds }
            for sleeper in due.keys { face.sleepers[sleeper] = nil }
            return due.sorted { $0.value.deadline < $1.value.deadline }
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
    }

    private func cancel(_ sleeper: Int) {
        face.withLock { $0.sleepers.removeValue(forKey: sleeper) }?.continuation.resume(throwing: CancellationError())
    }
}
