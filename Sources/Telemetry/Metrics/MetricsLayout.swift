/// A cause of refusal as metrics label it.
package struct RefusalLabel: Sendable, Equatable {
    package var cause: String
    package var blame: String

    package init(cause: String, blame: String) {
        self.cause = cause
        self.blame = blame
    }
}

/// What the metrics of one configuration can be labelled with, each by its index; fixed until the next one.
///
/// No label value ever comes from a request, so that no client can make the number of series grow.
package struct MetricsLabels: Sendable {
    package var routes: [String]
    package var causes: [RefusalLabel]
    package var algorithms: [String]
    package var issuers: [String]
    /// The clients that log browsers in.
    package var logins: [String]

    package init(
        routes: [String], causes: [RefusalLabel], algorithms: [String], issuers: [String], logins: [String]
    ) {
        self.routes = routes
        self.causes = causes
        self.algorithms = algorithms
        self.issuers = issuers
        self.logins = logins
    }
}

/// Numbers of a worker that only grow.
package enum WorkerCounter: Int, Sendable, CaseIterable {
    case tokenCacheHits
    case tokenCacheMisses
    case tokenCacheEvictions
    case strippedFields
    case proofsVerified
    case introspections
    case sessionCacheHits
    case sessionCacheMisses
    case sessionCacheEvictions
}

/// Why a TLS handshake with a client came to nothing, as the metric's label and the operator log name it.
package enum HandshakeReason: String, Sendable, CaseIterable {
    case closed
    case timedOut = "timed_out"
    case notTLS = "not_tls"
    case version
    case cipher
    case certificate
    case applicationProtocol = "application_protocol"
    case alert
    case other

    /// Its place among the reasons.
    var place: Int {
        switch self {
        case .closed: 0
        case .timedOut: 1
        case .notTLS: 2
        case .version: 3
        case .cipher: 4
        case .certificate: 5
        case .applicationProtocol: 6
        case .alert: 7
        case .other: 8
        }
    }
}

/// Numbers of a worker that move both ways.
package enum WorkerGauge: Int, Sendable, CaseIterable {
    case clientConnections
    case upstreamConnections
    case tokenCacheEntries
    case tokenCacheBytes
    case parkedRequests
    case sessionCacheEntries
    case sessionCacheBytes
    case loginRequests
    /// In microseconds.
    case loopLag
}

/// Durations of which a worker keeps the distribution.
package enum WorkerHistogram: Int, Sendable, CaseIterable {
    case request
    case upstream
}

/// Where each number of a worker stands in its bank.
///
///     counters │ handshake failures │ gauges │ histograms: buckets and sum │ algorithms │ routes × status classes │ routes × causes
///
/// Row 0 of the route matrices is for requests that matched no route.
struct MetricsLayout: Sendable {
    static let statusClasses = ["other", "1xx", "2xx", "3xx", "4xx", "5xx"]

    let causes: Int
    let routes: Int
    let algorithms: Int
    let firstHandshake: Int
    let firstGauge: Int
    let firstHistogram: Int
    let firstAlgorithm: Int
    let firstRequest: Int
    let firstRefusal: Int
    let count: Int

    /// `routes` counts rows: those of the labels, and of routes that are gone but may still be counted.
    init(_ labels: MetricsLabels, routes: Int) {
        causes = labels.causes.count
        self.routes = routes
        algorithms = labels.algorithms.count
        firstHandshake = WorkerCounter.allCases.count
        firstGauge = firstHandshake + HandshakeReason.allCases.count
        firstHistogram = firstGauge + WorkerGauge.allCases.count
        firstAlgorithm = firstHistogram + WorkerHistogram.allCases.count * HistogramBuckets.cells
        firstRequest = firstAlgorithm + algorithms
        firstRefusal = firstRequest + (routes + 1) * Self.statusClasses.count
        count = firstRefusal + (routes + 1) * causes
    }

    @inline(__always)
    func histogram(_ histogram: WorkerHistogram) -> Int {
        firstHistogram + histogram.rawValue * HistogramBuckets.cells
    }

    @inline(__always)
    func request(route: Int, statusClass: Int) -> Int {
        firstRequest + (route + 1) * 6 + statusClass
    }

    @inline(__always)
    func refusal(route: Int, cause: Int) -> Int {
        firstRefusal + (route + 1) * causes + cause
    }
}
