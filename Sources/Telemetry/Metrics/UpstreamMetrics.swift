/// Why an upstream did not do what it was asked, as the metric's label names it.
package enum UpstreamFailure: Int, Sendable, CaseIterable {
    /// Its name leads nowhere.
    case unresolved
    /// No connection.
    case unreachable
    case connectTimedOut
    case tlsFailed
    /// One of several addresses could not be connected to; another one was tried.
    case addressFailed
    /// The connection ended before a response began.
    case closed
    /// The connection ended in the middle of a response.
    case brokeOff
    /// What came is no response.
    case malformed
    /// It took longer than it may.
    case timedOut
    /// One server of several was taken out for what it did to requests.
    case ejected
    /// One server of several was taken out for its answers to checks.
    case checkFailed
    /// No server was well, so that all were used.
    case allOut
    /// A request went to another server.
    case retried
    /// A request that another server might have answered was not sent again: too many were.
    case retryRefused
    /// A name could not be looked up again, and its last addresses were used.
    case nameFailed

    /// The value of the label.
    package var label: String {
        switch self {
        case .unresolved: "unresolved"
        case .unreachable: "unreachable"
        case .connectTimedOut: "connect_timed_out"
        case .tlsFailed: "tls_failed"
        case .addressFailed: "address_failed"
        case .closed: "closed"
        case .brokeOff: "broke_off"
        case .malformed: "malformed"
        case .timedOut: "timed_out"
        case .ejected: "ejected"
        case .checkFailed: "check_failed"
        case .allOut: "all_out"
        case .retried: "retried"
        case .retryRefused: "retry_refused"
        case .nameFailed: "name_failed"
        }
    }

    /// Whether it says that nobody is there, and not that somebody is who does not do well.
    var isOutOfReach: Bool {
        switch self {
        case .unresolved, .unreachable, .connectTimedOut, .tlsFailed: true
        case .addressFailed, .closed, .brokeOff, .malformed, .timedOut, .ejected, .checkFailed, .allOut, .retried,
            .retryRefused, .nameFailed:
            false
        }
    }
}

/// The memory of one worker's numbers of one upstream.
///
/// Kept by whoever keeps the upstream's connections, for as long as there is one: numbers outlive any configuration.
package final class UpstreamBank: Sendable {
    private let bank = CounterBank(count: UpstreamCounters.count)
    /// What counts in it; good for as long as this is kept.
    package var counters: UpstreamCounters { UpstreamCounters(cells: bank.cells) }

    init() {}
}

/// One worker's numbers of one upstream: written by that worker's thread alone.
///
/// A plain value: whoever counts by it counts no references. Good for as long as its `UpstreamBank` is kept.
package struct UpstreamCounters: Sendable {
    fileprivate let cells: CounterCells

    private static let connections = 0
    private static let connects = 1
    /// In monotonic microseconds; 0 for never.
    private static let reachedAt = 2
    private static let missedAt = 3
    private static let firstFailure = 4
    private static let firstDuration = firstFailure + UpstreamFailure.allCases.count
    fileprivate static let count = firstDuration + MetricsLayout.statusClasses.count * HistogramBuckets.cells

    /// One connection more, or one less.
    package func adjustConnections(by amount: Int) {
        cells.add(UInt64(bitPattern: Int64(amount)), at: Self.connections)
    }

    /// Counts a connection that came about.
    package func countConnect(at microseconds: UInt64) {
        cells.add(1, at: Self.connects)
        cells.store(microseconds, at: Self.reachedAt)
    }

    /// Counts a failure.
    package func count(_ failure: UpstreamFailure, at microseconds: UInt64) {
        cells.add(1, at: Self.firstFailure + failure.rawValue)
        if failure.isOutOfReach { cells.store(microseconds, at: Self.missedAt) }
    }

    /// Counts a response, which began at this time, so long after it was asked for.
    package func countResponse(status: UInt16, microseconds: UInt64, at time: UInt64) {
        cells.observe(Self.duration(MetricsLayout.statusClass(of: status)), microseconds: microseconds)
        cells.store(time, at: Self.reachedAt)
    }

    private static func duration(_ statusClass: Int) -> Int { firstDuration + statusClass * HistogramBuckets.cells }

    // MARK: read by whoever answers a scrape

    var openConnections: Int64 { Int64(bitPattern: cells.load(Self.connections)) }
    var connects: UInt64 { cells.load(Self.connects) }
    var lastReached: UInt64 { cells.load(Self.reachedAt) }
    var lastMissed: UInt64 { cells.load(Self.missedAt) }

    func failures(_ failure: UpstreamFailure) -> UInt64 { cells.load(Self.firstFailure + failure.rawValue) }

    func addDurations(statusClass: Int, to reading: inout HistogramReading) {
        reading.add(cells, at: Self.duration(statusClass))
    }
}

/// One worker's numbers of all upstreams of a configuration, by their names.
package struct UpstreamMetrics: Sendable {
    private let banks: [String: UpstreamBank]

    /// Numbers for these names; those of a name that `others` have are the same numbers.
    init(names: [String], continuing others: UpstreamMetrics? = nil) {
        var banks: [String: UpstreamBank] = [:]
        for name in names { banks[name] = others?.banks[name] ?? banks[name] ?? UpstreamBank() }
        self.banks = banks
    }

    /// The numbers of an upstream; of one that no label names, some that nobody sees.
    package subscript(name: String) -> UpstreamBank { banks[name] ?? UpstreamBank() }
}

/// One upstream as a page shows it, summed over the workers.
struct UpstreamReading: Sendable {
    private let banks: [UpstreamBank]

    init(_ name: String, _ workers: [WorkerMetrics]) { banks = workers.map { $0.upstreams[name] } }

    /// Whether it could be reached when that was last tried, by whichever worker; nil where nobody has tried.
    var isUp: Bool? {
        let reached = banks.map(\.counters.lastReached).max() ?? 0
        let missed = banks.map(\.counters.lastMissed).max() ?? 0
        return reached == 0 && missed == 0 ? nil : reached >= missed
    }

    var connections: Int64 { banks.reduce(0) { $0 &+ $1.counters.openConnections } }
    var connects: UInt64 { banks.reduce(0) { $0 &+ $1.counters.connects } }

    func failures(_ failure: UpstreamFailure) -> UInt64 { banks.reduce(0) { $0 &+ $1.counters.failures(failure) } }

    func durations(statusClass: Int) -> HistogramReading {
        var reading = HistogramReading()
        for bank in banks { bank.counters.addDurations(statusClass: statusClass, to: &reading) }
        return reading
    }
}
