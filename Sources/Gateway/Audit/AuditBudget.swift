import Rates
import Synchronization

/// How many audit lines one user, or one client that acts for itself, may have written.
///
/// Whoever holds one valid token could otherwise bury everybody else's lines, by asking again and again for what it is
/// refused. What is left out is counted, and one line a minute says whose and how many. Users beyond a bound share what
/// one has, so that no number of them takes more memory.
final class AuditBudget: Sendable {
    /// What is counted apart: requests that are refused must not hide that a session was begun or ended.
    enum Share: Hashable, Sendable {
        case requests, sessions
        /// Looks at the admin listener, which have no user.
        case admin
    }

    struct LeftOut: Sendable {
        /// Nil for those beyond the bound, and for looks at the admin listener.
        let identity: AuditIdentity?
        let count: Int
    }

    private struct Key: Hashable {
        let identity: AuditIdentity?
        let share: Share
    }

    private struct Entry {
        var bucket = TokenBucket()
        var leftOut = 0
        /// When a line last said how many, in microseconds.
        var saidAt: UInt64 = 0
    }

    /// So many lines of a share at once, and then so many a second.
    static let burst = 30
    static let perSecond = 1
    private static let rate = TokenRate(perSecond: perSecond, burst: burst)
    /// Microseconds between two lines of one user that say how many were left out.
    private static let pause: UInt64 = 60_000_000

    private struct Counts {
        var entries: [Key: Entry] = [:]
        /// When those who were quiet were last made to give way, in microseconds.
        var sweptAt: UInt64?

        /// Makes room, once a second at most: all workers wait meanwhile, and where as many users have lines left out as are
        /// counted, there is no room to be made for any of their requests.
        mutating func sweep(at microseconds: UInt64) {
            if let sweptAt, microseconds < sweptAt &+ AuditBudget.sweepPause { return }
            sweptAt = microseconds
            entries = entries.filter { $0.value.leftOut > 0 || !$0.value.bucket.isFull(at: microseconds) }
        }
    }

    /// Microseconds between two looks for users that were quiet.
    private static let sweepPause: UInt64 = 1_000_000

    private let counts = Mutex(Counts())
    private let limit: Int

    /// Counts for so many users and shares apart.
    init(limit: Int = 10_000) { self.limit = limit }

    /// Whether a line may be written; one that may not is counted.
    func admit(_ identity: AuditIdentity?, _ share: Share, at microseconds: UInt64) -> Bool {
        counts.withLock { counts in
            var key = Key(identity: identity?.holder, share: share)
            if counts.entries[key] == nil, counts.entries.count >= limit {
                counts.sweep(at: microseconds)
                if counts.entries.count >= limit { key = Key(identity: nil, share: share) }
            }
            var entry = counts.entries[key] ?? Entry(saidAt: microseconds)
            defer { counts.entries[key] = entry }
            if entry.bucket.take(at: microseconds, Self.rate) { return true }
            entry.leftOut += 1
            return false
        }
    }

    /// What was left out and is due to be said: a minute after the first of it, or all of it at the end of the process.
    func takeLeftOut(at microseconds: UInt64, all: Bool = false) -> [LeftOut] {
        counts.withLock { counts in
            var due: [LeftOut] = []
            for (key, entry) in counts.entries
            where entry.leftOut > 0 && (all || microseconds >= entry.saidAt &+ Self.pause) {
                due.append(LeftOut(identity: key.identity, count: entry.leftOut))
                counts.entries[key]?.leftOut = 0
                counts.entries[key]?.saidAt = microseconds
            }
            return due
        }
    }

    /// Users and shares that are counted.
    var count: Int { counts.withLock { $0.entries.count } }
}
