import Synchronization

/// What came of asking the store about sessions, counted for the whole process; from any thread (SH-86).
///
/// A request whose session is known is counted by its worker: nothing here is on its way.
package final class StoreFigures: Sendable {
    /// What the store said of a session.
    package enum SessionAnswer: String, Sendable, CaseIterable {
        /// One that is known here is still there.
        case recheck
        /// It was read.
        case load
        /// There is none.
        case none
        /// Nobody can say.
        case unknown
    }

    /// What came of asking for the right to refresh a session, and of what was brought under it.
    package enum RefreshAnswer: String, Sendable, CaseIterable {
        case yours
        /// Somebody else has it, or all are to wait.
        case busy
        /// Somebody else was quicker.
        case newer
        case gone
        /// What was brought came too late, and somebody else's is used.
        case lost
    }

    private struct Counts {
        var sessions: [SessionAnswer: UInt64] = [:]
        var refreshes: [RefreshAnswer: UInt64] = [:]
        var skippedRevocations: UInt64 = 0
    }

    private let counts = Mutex(Counts())

    /// Nothing has come yet.
    package init() {}

    func count(_ answer: SessionAnswer) { counts.withLock { $0.sessions[answer, default: 0] += 1 } }

    func count(_ answer: RefreshAnswer) { counts.withLock { $0.refreshes[answer, default: 0] += 1 } }

    /// The tokens of an ended session were left to end by themselves.
    func countSkippedRevocation() { counts.withLock { $0.skippedRevocations += 1 } }

    /// Questions about sessions so far.
    package func count(of answer: SessionAnswer) -> UInt64 { counts.withLock { $0.sessions[answer] ?? 0 } }

    /// Questions about refreshes so far.
    package func count(of answer: RefreshAnswer) -> UInt64 { counts.withLock { $0.refreshes[answer] ?? 0 } }

    /// Sessions whose tokens nobody revoked.
    package var skippedRevocations: UInt64 { counts.withLock { $0.skippedRevocations } }
}
