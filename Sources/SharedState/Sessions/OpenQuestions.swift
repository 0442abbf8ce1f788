import Synchronization

/// Sessions that are to be asked about beside all requests, a batch at a time: after a gap in the log those are all that are
/// open here, and as many questions at once would leave the link no room for anybody else (SH-40).
final class OpenQuestions: Sendable {
    private struct State {
        /// Each once: every line and every gap adds those that the gap before has added.
        var waiting: Set<NameDigest> = []
        /// Those of which the store said nothing.
        var unanswered: Set<NameDigest> = []
        var isAsking = false
        /// When some were added last: what is asked late was not answered early.
        var now = Int64.min
    }

    private let state = Mutex(State())

    private static let batch = 64

    /// Takes more of them; whether the caller is to ask, because nobody does.
    func add(_ keys: [NameDigest], now: Int64) -> Bool {
        state.withLock { state in
            state.now = max(state.now, now)
            state.waiting.formUnion(keys)
            guard !state.isAsking, !state.waiting.isEmpty else { return false }
            state.isAsking = true
            return true
        }
    }

    /// The next ones, and the time; nil when there are none, and whoever comes next is to ask.
    func next() -> (keys: [NameDigest], now: Int64)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isAsking = false
                return nil
            }
            let batch = Array(state.waiting.prefix(OpenQuestions.batch))
            state.waiting.subtract(batch)
            return (batch, state.now)
        }
    }

    /// The store said nothing of one.
    func failed(_ key: NameDigest) { state.withLock { _ = $0.unanswered.insert(key) } }

    /// Those of which it said nothing, to be asked about again.
    func takeUnanswered() -> [NameDigest] {
        state.withLock { state in
            defer { state.unanswered = [] }
            return Array(state.unanswered)
        }
    }
}
