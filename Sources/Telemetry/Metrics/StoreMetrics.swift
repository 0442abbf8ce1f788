/// What each worker counts of the store that replicas share; a row is written by its worker's thread alone.
package final class StoreMetrics: Sendable {
    /// What a command is about.
    package enum Kind: String, Sendable, CaseIterable {
        case proof, session, ending, login, log, limit, other
    }

    /// What came of a command.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The store has said something.
        case answered
        /// The store has said that it does not do it.
        case refused
        /// No answer came in time: it may have been done.
        case unanswered
        /// There was no connection, or too much under way: it was not done.
        case unavailable
    }

    private static let outcomes = Outcome.allCases.count
    private static let firstHistogram = Kind.allCases.count * outcomes

    private let banks: [CounterBank]

    /// A row for each worker.
    init(workers: Int) {
        let cells = Self.firstHistogram + Kind.allCases.count * HistogramBuckets.cells
        banks = (0..<workers).map { _ in CounterBank(count: cells) }
    }

    /// Counts a command; with how long it took where it was answered.
    package func count(worker: Int, _ kind: Kind, _ outcome: Outcome, microseconds: UInt64?) {
        banks[worker].add(1, at: Self.index(of: kind) * Self.outcomes + Self.index(of: outcome))
        guard let microseconds else { return }
        banks[worker].cells.observe(
            Self.firstHistogram + Self.index(of: kind) * HistogramBuckets.cells, microseconds: microseconds)
    }

    func commands(_ kind: Kind, _ outcome: Outcome) -> UInt64 {
        let index = Self.index(of: kind) * Self.outcomes + Self.index(of: outcome)
        return banks.reduce(0) { $0 &+ $1.load(index) }
    }

    func durations(_ kind: Kind) -> HistogramReading {
        banks.reduce(into: HistogramReading()) { sum, bank in
            sum.add(bank.cells, at: Self.firstHistogram + Self.index(of: kind) * HistogramBuckets.cells)
        }
    }

    private static func index(of kind: Kind) -> Int {
        switch kind {
        case .proof: 0
        case .session: 1
        case .ending: 2
        case .login: 3
        case .log: 4
        case .limit: 5
        case .other: 6
        }
    }

    private static func index(of outcome: Outcome) -> Int {
        switch outcome {
        case .answered: 0
        case .refused: 1
        case .unanswered: 2
        case .unavailable: 3
        }
    }
}

/// How the store is at one moment, and what has happened with it since the start.
package struct StoreReadings: Sendable {
    /// One of its servers.
    package struct Server: Sendable, Equatable {
        package var node: String
        /// Whether every worker that has to do with it can ask it.
        package var isUp: Bool

        package init(node: String, isUp: Bool) {
            self.node = node
            self.isUp = isUp
        }
    }

    package var servers: [Server] = []
    /// Commands whose answers are awaited.
    package var inFlight = 0
    /// Times that bytes were given to a connection.
    package var writes: UInt64 = 0
    /// Commands that were sent somewhere else, or once more.
    package var redirects: UInt64 = 0
    /// Connections that were lost, or did not come about, by why.
    package var reconnects: [(reason: String, count: UInt64)] = []
    /// What the store said of sessions, by the metric's word; those that were known here are counted by workers.
    package var sessions: [(outcome: String, count: UInt64)] = []
    /// What the store said to whoever wanted to refresh one.
    package var refreshes: [(outcome: String, count: UInt64)] = []
    /// Sessions whose tokens nobody revoked.
    package var skippedRevocations: UInt64 = 0
    /// How long ago the log of endings was read to its end, in microseconds.
    package var endingsLag: UInt64 = 0
    /// Times that endings may have been missed, so that every session was asked about.
    package var gaps: UInt64 = 0
    /// Values that were not what a gateway had written.
    package var tampered: UInt64 = 0
    /// Times that the store had forgotten what it knew.
    package var forgot: UInt64 = 0
    /// Whether requests are counted without the store.
    package var areLimitsLocal = false
    /// Whether proofs are judged without the store.
    package var areProofsLocal = false
    /// By how much this machine's clock is ahead of the store's, in microseconds.
    package var clockSkew: Int64 = 0
    /// Whether the store may drop what it was given to keep.
    package var isEvicting = false

    package init() {}
}

extension MetricsPage {
    func writeStore(_ metric: MetricName, to text: inout ExpositionText) {
        guard let readings = store else { return }
        func put(_ rows: [(String, UInt64)], _ label: String) {
            for (word, count) in rows { text.sample(metric, .unsigned(count), labels: [(label, word)]) }
        }
        switch metric {
        case .storeUp:
            for server in readings.servers {
                text.sample(metric, .whole(server.isUp ? 1 : 0), labels: [("node", server.node)])
            }
        case .storeCommands:
            for kind in StoreMetrics.Kind.allCases {
                for outcome in StoreMetrics.Outcome.allCases {
                    text.sample(
                        metric, .unsigned(storeMetrics.commands(kind, outcome)),
                        labels: [("kind", kind.rawValue), ("outcome", outcome.rawValue)])
                }
            }
        case .storeDuration:
            for kind in StoreMetrics.Kind.allCases {
                text.histogram(metric, storeMetrics.durations(kind), .own, labels: [("kind", kind.rawValue)])
            }
        case .storeInFlight: text.sample(metric, .whole(Int64(readings.inFlight)))
        case .storeWrites: text.sample(metric, .unsigned(readings.writes))
        case .storeReconnects: put(readings.reconnects.map { ($0.reason, $0.count) }, "reason")
        case .storeRedirects: text.sample(metric, .unsigned(readings.redirects))
        case .storeSessions:
            put([("known", sum(.storeSessionsKnown))] + readings.sessions.map { ($0.outcome, $0.count) }, "outcome")
        case .storeRefreshes: put(readings.refreshes.map { ($0.outcome, $0.count) }, "outcome")
        case .storeRevocationsSkipped: text.sample(metric, .unsigned(readings.skippedRevocations))
        case .storeEndingsLag: text.sample(metric, .millionths(readings.endingsLag))
        case .storeGaps: text.sample(metric, .unsigned(readings.gaps))
        case .storeTampered: text.sample(metric, .unsigned(readings.tampered))
        case .storeForgot: text.sample(metric, .unsigned(readings.forgot))
        case .storeProofsLocal: text.sample(metric, .whole(readings.areProofsLocal ? 1 : 0))
        case .storeLimitsLocal: text.sample(metric, .whole(readings.areLimitsLocal ? 1 : 0))
        case .storeClockSkew: text.sample(metric, .signedMillionths(readings.clockSkew))
        case _: text.sample(metric, .whole(readings.isEvicting ? 1 : 0))
        }
    }
}
