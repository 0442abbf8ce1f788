import Synchronization

/// What came of asking the store about sessions, counted for the whole process, and whether its word counts; from any
/// thread (SH-86).
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

    private final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }

    /// By the place among all cases: every worker counts, and none waits for another.
    private let sessions = SessionAnswer.allCases.map { _ in Counter() }
    private let refreshes = RefreshAnswer.allCases.map { _ in Counter() }
    private let skipped = Counter()
    private let cutOff = Atomic<Bool>(false)

    /// Nothing has come yet.
    package init() {}

    func count(_ answer: SessionAnswer) { sessions[answer.place].value.wrappingAdd(1, ordering: .relaxed) }

    func count(_ answer: RefreshAnswer) { refreshes[answer.place].value.wrappingAdd(1, ordering: .relaxed) }

    /// Whether the primary says that it is cut off from its replicas.
    ///
    /// One of them may be the primary by now, and know of sessions that ended there: what this one says of sessions is no
    /// answer. Only where it needs replicas to take writes does it say so, and only to a user with `+info`.
    package var isPrimaryCutOff: Bool { cutOff.load(ordering: .relaxed) }

    /// Notes what the primary said last.
    package func notePrimary(isCutOff: Bool) { cutOff.store(isCutOff, ordering: .relaxed) }

    /// The tokens of an ended session were left to end by themselves.
    func countSkippedRevocation() { skipped.value.wrappingAdd(1, ordering: .relaxed) }

    /// Questions about sessions so far.
    package func count(of answer: SessionAnswer) -> UInt64 { sessions[answer.place].value.load(ordering: .relaxed) }

    /// Questions about refreshes so far.
    package func count(of answer: RefreshAnswer) -> UInt64 { refreshes[answer.place].value.load(ordering: .relaxed) }

    /// Sessions whose tokens nobody revoked.
    package var skippedRevocations: UInt64 { skipped.value.load(ordering: .relaxed) }
}

extension StoreFigures.SessionAnswer {
    fileprivate var place: Int {
        switch self {
        case .recheck: 0
        case .load: 1
        case .none: 2
        case .unknown: 3
        }
    }
}

extension StoreFigures.RefreshAnswer {
    fileprivate var place: Int {
        switch self {
        case .yours: 0
        case .busy: 1
        case .newer: 2
        case .gone: 3
        case .lost: 4
        }
    }
}
