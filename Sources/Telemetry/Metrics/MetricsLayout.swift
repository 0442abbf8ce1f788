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
    /// Each once, as log lines name them.
    package var upstreams: [String]

    package init(
        routes: [String], causes: [RefusalLabel], algorithms: [String], issuers: [String], logins: [String],
        upstreams: [String] = []
    ) {
        self.routes = routes
        self.causes = causes
        self.algorithms = algorithms
        self.issuers = issuers
        self.logins = logins
        self.upstreams = upstreams
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
    case storeSessionsKnown
    /// Streams of HTTP/2 that clients opened.
    case http2Streams
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
    /// Connections of clients that speak HTTP/2, and their streams.
    case http2Connections
    case http2OpenStreams
    /// In microseconds.
    case loopLag
}

/// Durations of which a worker keeps the distribution over all requests.
package enum WorkerHistogram: Int, Sendable, CaseIterable {
    /// Until a request is sent upstream.
    case auth
}

/// Requests that no route answers, as the label of routes names them.
///
/// What a stranger asks for is never a label, so these names are all that such requests can be told apart by.
package enum UnroutedRequests: Int, Sendable, CaseIterable {
    /// Refused before it was known where they lead: a malformed message, an unknown host, a connection too many.
    case none
    /// The gateway's own pages of logins, sessions and logouts.
    case logins
    /// Paths that lead nowhere.
    case unknownPath
    /// Documents that the gateway publishes: keys, and metadata of resources.
    case published

    /// The value of the label; a route's name that the operator chooses may be the same.
    package var label: String {
        switch self {
        case .none: "(none)"
        case .logins: "(login)"
        case .unknownPath: "(unknown)"
        case .published: "(published)"
        }
    }

    /// What `countRequest` and `countRefusal` take for a route.
    package var slot: Int { -1 - rawValue }
}

/// Where each number of a worker stands in its bank.
///
///     counters │ handshake failures │ HTTP/2 │ trailers │ gauges │ histograms │ algorithms │ rows × status classes: a histogram │ rows × causes
///
/// A histogram is its buckets and their sum. The first rows are those of requests that matched no route, the others the
/// routes'. A row takes 8 bytes × (6 classes × 21 + causes): two kilobytes for each route and worker.
struct MetricsLayout: Sendable {
    static let statusClasses = ["other", "1xx", "2xx", "3xx", "4xx", "5xx"]
    /// Rows that every layout has.
    static let unroutedRows = UnroutedRequests.allCases.count

    let causes: Int
    let routes: Int
    let algorithms: Int
    let firstHandshake: Int
    let firstHTTP2: Int
    let firstTrailer: Int
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
        firstHTTP2 = firstHandshake + HandshakeReason.allCases.count
        firstTrailer = firstHTTP2 + Self.http2Cells
        firstGauge = firstTrailer + Self.trailerCells
        firstHistogram = firstGauge + WorkerGauge.allCases.count
        firstAlgorithm = firstHistogram + WorkerHistogram.allCases.count * HistogramBuckets.cells
        firstRequest = firstAlgorithm + algorithms
        let rows = routes + Self.unroutedRows
        firstRefusal = firstRequest + rows * Self.requestCells
        count = firstRefusal + rows * causes
    }

    /// The numbers of one row's requests.
    static let requestCells = 6 * HistogramBuckets.cells

    /// The place of a status among the classes; 0 is for a client that left before it was answered, and for what is none.
    @inline(__always)
    static func statusClass(of status: UInt16) -> Int { status >= 100 && status < 600 ? Int(status) / 100 : 0 }

    @inline(__always)
    func histogram(_ histogram: WorkerHistogram) -> Int {
        firstHistogram + histogram.rawValue * HistogramBuckets.cells
    }

    /// The histogram of a row's requests of one class.
    @inline(__always)
    func request(route: Int, statusClass: Int) -> Int {
        firstRequest + (route + Self.unroutedRows) * Self.requestCells + statusClass * HistogramBuckets.cells
    }

    @inline(__always)
    func refusal(route: Int, cause: Int) -> Int {
        firstRefusal + (route + Self.unroutedRows) * causes + cause
    }
}
