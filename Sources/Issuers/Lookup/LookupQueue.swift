// SPDX-License-Identifier: Apache-2.0
package import Crypto

/// Questions to authorization servers that are under way or wait their turn: one per token, however many ask.
///
/// Each lane, an issuer or a rule of exchange, has bounds of its own, so that a server that hangs fills its own lane
/// and no other.
///
///     ask ──▶ under way (at most `concurrent`) ──▶ ended: everyone who asked is told
///      │            ▲
///      └──▶ waiting (at most `waiting`), first come first served
///      └──▶ refused, when both are full
package struct LookupQueue: Sendable {
    /// One question: what is asked, of whom.
    package struct Key: Sendable, Hashable {
        package let lane: Int
        package let digest: SHA256Digest
    }

    /// A question with all that is needed to ask it.
    package struct Lookup: Sendable {
        package let key: Key
        /// The token; dropped with the lookup.
        package let token: Secret
        /// When the token expires, in seconds since 1970, for questions that depend on it.
        package let tokenExpiresAt: Int64
        /// The monotonic clock when it was first asked, in milliseconds.
        package let askedAt: Int64
    }

    /// What becomes of a question.
    package enum Admission: Sendable {
        /// Ask it now, and call `end`.
        case start(Lookup)
        /// Another one's answer, or another one's end, is waited for.
        case wait
        /// There is no room: answer at once that there is no answer.
        case refuse
    }

    private struct Lane {
        var concurrent = 0
        var waiting: [Lookup] = []
    }

    private let concurrentLimit: Int
    private let waitingLimit: Int
    private var lanes: [Lane]
    private var workers: [Key: [Int]] = [:]

    package init(lanes: Int, concurrent: Int = 64, waiting: Int = 1024) {
        concurrentLimit = max(concurrent, 1)
        waitingLimit = max(waiting, 0)
        self.lanes = Array(repeating: Lane(), count: lanes)
    }

    /// A worker asks.
    package mutating func ask(_ lookup: Lookup, for worker: Int) -> Admission {
        let key = lookup.key
        if let asking = workers[key] {
            if !asking.contains(worker) { workers[key] = asking + [worker] }
            return .wait
        }
        guard lanes.indices.contains(key.lane) else { return .refuse }
        if lanes[key.lane].concurrent < concurrentLimit {
            lanes[key.lane].concurrent += 1
            workers[key] = [worker]
            return .start(lookup)
        }
        guard lanes[key.lane].waiting.count < waitingLimit else { return .refuse }
        lanes[key.lane].waiting.append(lookup)
        workers[key] = [worker]
        return .wait
    }

    /// A question that was under way has its answer: who asked, and what is to be asked next in its place.
    package mutating func end(_ key: Key) -> (workers: [Int], next: Lookup?) {
        guard let asked = workers.removeValue(forKey: key) else { return ([], nil) }
        guard !lanes[key.lane].waiting.isEmpty else {
            lanes[key.lane].concurrent -= 1
            return (asked, nil)
        }
        return (asked, lanes[key.lane].waiting.removeFirst())
    }

    /// Forgets everything; who asked for what is handed back to be told.
    package mutating func clear() -> [(key: Key, workers: [Int])] {
        let all = workers.map { (key: $0.key, workers: $0.value) }
        workers = [:]
        lanes = Array(repeating: Lane(), count: lanes.count)
        return all
    }

    /// Questions under way, over all lanes.
    package var concurrent: Int { lanes.reduce(0) { $0 + $1.concurrent } }
    /// Questions that wait, over all lanes.
    package var waiting: Int { lanes.reduce(0) { $0 + $1.waiting.count } }
}
