/// The numbers of a process at one moment, or those of the time between two: what a page for people is made of.
package struct MetricsFigures: Sendable {
    /// The rows of requests without a route come first; then the routes, in the configuration's order.
    package var routes: [RouteFigures] = []
    package var upstreams: [UpstreamFigures] = []
    package var logins: [LoginFigures] = []
    package var clientConnections: Int64 = 0
    package var upstreamConnections: Int64 = 0
    /// TLS handshakes with clients that came to nothing.
    package var handshakeFailures: UInt64 = 0
    /// Lines that logs had no room for.
    package var droppedLogLines: UInt64 = 0

    package init() {}

    /// What was counted since `earlier`; what moves both ways stays as it is now.
    ///
    /// A number that is smaller than it was began anew in between, as that of a route whose name went and came back.
    package func since(_ earlier: MetricsFigures) -> MetricsFigures {
        var figures = self
        let before = Dictionary(earlier.routes.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
        figures.routes = routes.map { route in before[route.place].map { route.since($0) } ?? route }
        let upstreamsBefore = Dictionary(
            earlier.upstreams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        figures.upstreams = upstreams.map { each in upstreamsBefore[each.name].map { each.since($0) } ?? each }
        let loginsBefore = Dictionary(earlier.logins.map { ($0.client, $0) }, uniquingKeysWith: { first, _ in first })
        figures.logins = logins.map { each in loginsBefore[each.client].map { each.since($0) } ?? each }
        figures.handshakeFailures = handshakeFailures.since(earlier.handshakeFailures)
        figures.droppedLogLines = droppedLogLines.since(earlier.droppedLogLines)
        return figures
    }
}

/// How often something had one cause.
package struct CauseFigures: Sendable, Equatable {
    package var cause: String
    /// Who must act: a label of `RefusalLabel`; empty where only one can be.
    package var blame: String
    package var count: UInt64

    package init(_ cause: String, blame: String = "", count: UInt64) {
        self.cause = cause
        self.blame = blame
        self.count = count
    }
}

/// One route's requests.
package struct RouteFigures: Sendable {
    /// Where its numbers stand, and for the how manieth name there.
    struct Place: Hashable, Sendable {
        var slot: Int
        var tenure: UInt64
    }

    package var name: String
    var place: Place
    /// Answers of 500 and above, whosever they are.
    package var serverErrors: UInt64 = 0
    /// Those that happened, in the order of the labels.
    package var refusals: [CauseFigures] = []
    package var durations = DurationFigures()

    package var requests: UInt64 { durations.count }
    package var refused: UInt64 { refusals.total }

    package init(_ name: String, slot: Int, tenure: UInt64 = 1) {
        self.name = name
        place = Place(slot: slot, tenure: tenure)
    }

    fileprivate func since(_ earlier: RouteFigures) -> RouteFigures {
        var figures = self
        figures.serverErrors = serverErrors.since(earlier.serverErrors)
        figures.refusals = refusals.since(earlier.refusals)
        figures.durations = durations.since(earlier.durations)
        return figures
    }
}

/// One upstream's connections and answers.
package struct UpstreamFigures: Sendable {
    package var name: String
    /// Whether it could be reached when that was last tried; nil where nobody has tried.
    package var isUp: Bool?
    package var connections: Int64 = 0
    /// Those that happened.
    package var failures: [CauseFigures] = []
    package var durations = DurationFigures()

    package init(_ name: String) { self.name = name }

    fileprivate func since(_ earlier: UpstreamFigures) -> UpstreamFigures {
        var figures = self
        figures.failures = failures.since(earlier.failures)
        figures.durations = durations.since(earlier.durations)
        return figures
    }
}

/// The logins of one client.
package struct LoginFigures: Sendable {
    package var client: String
    package var starts: UInt64 = 0
    package var succeeded: UInt64 = 0
    package var logouts: UInt64 = 0
    /// Those that happened.
    package var refusals: [CauseFigures] = []

    package init(_ client: String) { self.client = client }

    fileprivate func since(_ earlier: LoginFigures) -> LoginFigures {
        var figures = self
        figures.starts = starts.since(earlier.starts)
        figures.succeeded = succeeded.since(earlier.succeeded)
        figures.logouts = logouts.since(earlier.logouts)
        figures.refusals = refusals.since(earlier.refusals)
        return figures
    }
}

/// How long something took, each time.
package struct DurationFigures: Sendable {
    /// The buckets, and the sum behind them.
    private var cells: [UInt64] = []

    /// Of nothing.
    package init() {}

    init(_ reading: HistogramReading) { if reading.count > 0 { cells = reading.buckets } }

    package var count: UInt64 { cells.dropLast().reduce(0, &+) }

    /// Adds those of another row.
    package mutating func add(_ other: DurationFigures) {
        guard !cells.isEmpty else { return cells = other.cells }
        for index in other.cells.indices { cells[index] &+= other.cells[index] }
    }

    /// A bound of a duration, as far as buckets tell.
    package enum Bound: Sendable, Equatable {
        /// In microseconds.
        case atMost(UInt64)
        /// More than the last bound, in microseconds.
        case above(UInt64)
    }

    /// What so many thousandths of the durations did not pass: the bound of a bucket, and so an estimate that is never too
    /// small; nil of nothing.
    package func bound(ofThousandths share: UInt64) -> Bound? {
        let count = count
        guard count > 0 else { return nil }
        let wanted = (count * share + 999) / 1000
        var below: UInt64 = 0
        for (index, cell) in cells.dropLast().enumerated() {
            below &+= cell
            guard below >= max(wanted, 1) else { continue }
            let (bound, isLast) = HistogramBuckets.bound(ofBucket: index)
            return isLast ? .above(bound) : .atMost(bound)
        }
        return nil
    }

    fileprivate func since(_ earlier: DurationFigures) -> DurationFigures {
        // Who counted less before has counted nothing, or began anew.
        guard earlier.cells.count == cells.count, zip(cells, earlier.cells).allSatisfy({ $0 >= $1 }) else {
            return self
        }
        var figures = self
        for index in cells.indices { figures.cells[index] -= earlier.cells[index] }
        return figures
    }
}

extension [CauseFigures] {
    /// All of them together.
    package var total: UInt64 { reduce(0) { $0 &+ $1.count } }

    fileprivate func since(_ earlier: [CauseFigures]) -> [CauseFigures] {
        compactMap { figure in
            let before = earlier.first { $0.cause == figure.cause }?.count ?? 0
            let count = figure.count.since(before)
            return count == 0 ? nil : CauseFigures(figure.cause, blame: figure.blame, count: count)
        }
    }
}

extension UInt64 {
    fileprivate func since(_ earlier: UInt64) -> UInt64 { self >= earlier ? self - earlier : self }
}
