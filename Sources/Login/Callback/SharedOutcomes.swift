import Crypto
import Sessions
import Synchronization

/// Callbacks under way, and where those that ended well led to.
///
/// A browser that sends one callback twice at once — a double click, a reload — gets one outcome twice; one that comes
/// back to it later, by its back button, is sent to where the login led.
///
///     first ──▶ under way ──▶ led to a page (ten minutes, for the session that came of it)
///     second ──────┴─ waits for the same answer
final class SharedOutcomes: Sendable {
    private struct Target {
        let session: [UInt8]
        let location: String
        let since: Int64
        let until: Int64
    }

    private struct State {
        var underWay: [SHA256Digest: Task<LoginAnswer, Never>] = [:]
        var targets: [SHA256Digest: Target] = [:]
        /// The order in which `targets` came, for dropping the oldest.
        var order: [SHA256Digest] = []
    }

    private let state = Mutex(State())
    private let executor: any TaskExecutor
    private let limit: Int

    init(executor: any TaskExecutor, limit: Int = 4096) {
        self.executor = executor
        self.limit = limit
    }

    /// The answer to the callback of that state: made by `work` once, however many ask before it is there.
    ///
    /// Goes on when the one who asked has gone: the code is spent by then, and a reload finds the session.
    func answer(_ digest: SHA256Digest, _ work: @escaping @Sendable () async -> LoginAnswer) async -> LoginAnswer {
        let (task, isFirst) = state.withLock { state in
            if let task = state.underWay[digest] { return (task, false) }
            let task = Task(executorPreference: executor) { await work() }
            state.underWay[digest] = task
            return (task, true)
        }
        let answer = await task.value
        if isFirst { state.withLock { $0.underWay[digest] = nil } }
        return answer
    }

    /// Notes where a login led, and the session that came of it.
    func keep(_ digest: SHA256Digest, location: String, session: [UInt8], since: Int64, until: Int64) {
        let target = Target(session: session, location: location, since: since, until: until)
        state.withLock { state in
            if state.targets.updateValue(target, forKey: digest) == nil {
                state.order.append(digest)
            }
            while state.order.count > limit { state.targets[state.order.removeFirst()] = nil }
        }
    }

    /// Where the login of that state led, if that was a moment ago.
    ///
    /// The second of two clicks leaves the browser before the answer to the first is there, and so without the session,
    /// but may arrive after the first has ended. It is told an address of ours and no more, which is of no use to another browser.
    func justLed(_ digest: SHA256Digest, now: Int64) -> String? {
        state.withLock { state in
            guard let target = state.targets[digest], target.since <= now, now - target.since <= Self.momentSeconds
            else { return nil }
            return target.location
        }
    }

    private static let momentSeconds: Int64 = 10

    /// Where the login of that state led; nil when that is not known, or not to this session.
    func location(_ digest: SHA256Digest, session: [UInt8], now: Int64) -> String? {
        state.withLock { state in
            guard let target = state.targets[digest], target.until > now, target.session == session else { return nil }
            return target.location
        }
    }
}
