import Crypto
import Sessions
import Synchronization

/// Questions about sessions under way, so that many who ask the same are one question.
final class SessionLoads: Sendable {
    typealias Answer = Result<Session?, SessionStoreRefusal>

    private struct Key: Hashable {
        let name: NameDigest
        /// Whoever brings another secret asks something else.
        let secret: SHA256Digest
    }

    private let underWay = Mutex<[Key: Task<Answer, Never>]>([:])

    /// The answer to the question that is under way for this cookie, or that `question` asks now.
    ///
    /// Goes on when the one who asked has gone.
    func share(
        _ cookie: SharedCookie, on executor: any TaskExecutor, _ question: @escaping @Sendable () async -> Answer
    ) async -> Answer {
        let key = Key(name: SharedSessionStore.key(cookie), secret: cookie.secretDigest)
        let task = underWay.withLock { underWay in
            if let task = underWay[key] { return task }
            let task = Task(executorPreference: executor) {
                let answer = await question()
                // Nobody joins from here on: they might be told what was so before they asked.
                self.underWay.withLock { $0[key] = nil }
                return answer
            }
            underWay[key] = task
            return task
        }
        return await task.value
    }
}

/// Those who wait for another process's refresh of a session (SH-33).
final class ChangeWaiters: Sendable {
    private typealias Waiting = [Int: CheckedContinuation<Void, Never>]

    private struct State {
        var waiting: [NameDigest: Waiting] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Waits until something is heard of a session, or its task is cancelled.
    func wait(for key: NameDigest) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[key, default: [:]][number] = continuation }
                if Task.isCancelled { cancel(key, number) }
            }
        } onCancel: {
            cancel(key, number)
        }
    }

    /// Something was heard of it.
    func wake(_ key: NameDigest) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: key) }
        for continuation in (waiting ?? [:]).values { continuation.resume() }
    }

    private func cancel(_ key: NameDigest, _ number: Int) {
        let continuation = state.withLock { state in
            defer { if state.waiting[key]?.isEmpty == true { state.waiting[key] = nil } }
            return state.waiting[key]?.removeValue(forKey: number)
        }
        continuation?.resume()
    }
}
