/// What the page shows at one moment: who counts now, and what their numbers are labelled with.
struct ShownMetrics: Sendable {
    var labels: MetricsLabels
    var slots: RouteSlots
    var workers: [WorkerMetrics]
    var issuers: IssuerMetrics
    var logins: LoginMetrics
}

/// A log as the page shows it.
struct ShownLog: Sendable {
    let name: String
    let sink: LogSink
    /// Lines dropped by the sinks that had this name before.
    let before: UInt64

    var droppedLines: UInt64 { before &+ sink.droppedLines }
}

/// Writes one page of numbers.
struct MetricsPage {
    let shown: ShownMetrics
    let version: String
    let startTime: Timestamp
    let clockStep: Int64
    let reloads: ReloadReadings
    let replay: ReplayReadings?
    let logs: [ShownLog]
    let now: Timestamp
    let process: ProcessReadings

    private var labels: MetricsLabels { shown.labels }
    /// All of a layout but the rows of routes is the same for every worker, whichever layout it has by now.
    private var layout: MetricsLayout { MetricsLayout(labels, routes: 0) }

    /// Every family of `MetricName`, summed over the workers.
    func written() -> [UInt8] {
        var text = PrometheusText()
        for metric in MetricName.allCases {
            text.begin(metric)
            write(metric, to: &text)
        }
        return text.bytes
    }

    private func write(_ metric: MetricName, to text: inout PrometheusText) {
        switch metric {
        case .requests: writeRequests(to: &text)
        case .refusals: writeRefusals(to: &text)
        case .requestDuration: write(.request, as: metric, to: &text)
        case .upstreamDuration: write(.upstream, as: metric, to: &text)
        case .connections:
            text.sample(metric, .whole(sum(.clientConnections)), labels: [("side", "client")])
            text.sample(metric, .whole(sum(.upstreamConnections)), labels: [("side", "upstream")])
        case .handshakeFailures:
            for reason in HandshakeReason.allCases {
                let count = sum(at: layout.firstHandshake + reason.place)
                text.sample(metric, .unsigned(count), labels: [("reason", reason.rawValue)])
            }
        case .strippedFields: text.sample(metric, .unsigned(sum(at: WorkerCounter.strippedFields.rawValue)))
        case .parkedRequests: text.sample(metric, .whole(sum(.parkedRequests)))
        case .tokenCacheHits: text.sample(metric, .unsigned(sum(at: WorkerCounter.tokenCacheHits.rawValue)))
        case .tokenCacheMisses: text.sample(metric, .unsigned(sum(at: WorkerCounter.tokenCacheMisses.rawValue)))
        case .tokenCacheEvictions: text.sample(metric, .unsigned(sum(at: WorkerCounter.tokenCacheEvictions.rawValue)))
        case .tokenCacheEntries: text.sample(metric, .whole(sum(.tokenCacheEntries)))
        case .tokenCacheBytes: text.sample(metric, .whole(sum(.tokenCacheBytes)))
        case .signatureVerifications:
            for (index, name) in labels.algorithms.enumerated() {
                text.sample(metric, .unsigned(sum(at: layout.firstAlgorithm + index)), labels: [("algorithm", name)])
            }
        case .proofsVerified: text.sample(metric, .unsigned(sum(at: WorkerCounter.proofsVerified.rawValue)))
        case .introspections: text.sample(metric, .unsigned(sum(at: WorkerCounter.introspections.rawValue)))
        case .replayEntries, .replayBytes, .replayInserts, .replayRefusals: writeReplay(metric, to: &text)
        case .loginStarts, .logins, .logouts, .sessionRefreshes: writeLogins(metric, to: &text)
        case .loginRequests: text.sample(metric, .whole(sum(.loginRequests)))
        case .sessionCacheHits: text.sample(metric, .unsigned(sum(at: WorkerCounter.sessionCacheHits.rawValue)))
        case .sessionCacheMisses: text.sample(metric, .unsigned(sum(at: WorkerCounter.sessionCacheMisses.rawValue)))
        case .sessionCacheEvictions:
            text.sample(metric, .unsigned(sum(at: WorkerCounter.sessionCacheEvictions.rawValue)))
        case .sessionCacheEntries: text.sample(metric, .whole(sum(.sessionCacheEntries)))
        case .sessionCacheBytes: text.sample(metric, .whole(sum(.sessionCacheBytes)))
        case .issuerReady, .issuerKeysAge, .issuerRefreshes: writeIssuers(metric, to: &text)
        case .logDropped:
            for log in logs {
                text.sample(metric, .unsigned(log.droppedLines), labels: [("log", log.name)])
            }
        case .loopLag:
            for (index, worker) in shown.workers.enumerated() {
                let lag = worker.bank.load(layout.firstGauge + WorkerGauge.loopLag.rawValue)
                text.sample(metric, .microseconds(lag), labels: [("worker", String(index))])
            }
        case .configReloads:
            text.sample(metric, .unsigned(reloads.applied), labels: [("result", "applied")])
            text.sample(metric, .unsigned(reloads.refused), labels: [("result", "refused")])
        case .configReloadSuccessful: text.sample(metric, .whole(reloads.isLastApplied ? 1 : 0))
        case .configApplied: text.sample(metric, .whole(reloads.appliedAt))
        case .clockStep: text.sample(metric, .whole(clockStep))
        case .buildInfo: text.sample(metric, .whole(1), labels: [("version", version)])
        case .residentMemory: if let bytes = process.residentBytes { text.sample(metric, .whole(bytes)) }
        case .openDescriptors: if let count = process.openDescriptors { text.sample(metric, .whole(count)) }
        case .startTime: text.sample(metric, .whole(startTime.seconds))
        }
    }

    private func writeReplay(_ metric: MetricName, to text: inout PrometheusText) {
        guard let readings = replay else { return }
        switch metric {
        case .replayEntries: text.sample(metric, .whole(Int64(readings.entries)))
        case .replayBytes: text.sample(metric, .whole(Int64(readings.bytes)))
        case .replayInserts: text.sample(metric, .unsigned(readings.inserted))
        case _: text.sample(metric, .unsigned(readings.refused))
        }
    }

    private func sum(at index: Int) -> UInt64 {
        shown.workers.reduce(0) { $0 &+ $1.bank.load(index) }
    }

    private func sum(_ gauge: WorkerGauge) -> Int64 {
        Int64(bitPattern: sum(at: layout.firstGauge + gauge.rawValue))
    }

    /// A number of one row, summed over the workers in whose layout the row is that route's.
    private func sum(_ row: MetricsRow, _ cell: (MetricsLayout, Int) -> Int) -> UInt64 {
        shown.workers.reduce(0) { sum, worker in
            guard row.tenure == worker.tenure(of: row.slot) else { return sum }
            return sum &+ worker.bank.load(cell(worker.layout, row.slot))
        }
    }

    /// Series that never counted are left out: routes × causes are many, and most pairs cannot happen.
    private func writeRequests(to text: inout PrometheusText) {
        for row in shown.slots.rows {
            for (index, name) in MetricsLayout.statusClasses.enumerated() {
                let count = sum(row) { $0.request(route: $1, statusClass: index) }
                guard count > 0 else { continue }
                text.sample(.requests, .unsigned(count), labels: [("route", row.name), ("code", name)])
            }
        }
    }

    private func writeRefusals(to text: inout PrometheusText) {
        for row in shown.slots.rows {
            for (index, label) in labels.causes.enumerated() {
                let count = sum(row) { $0.refusal(route: $1, cause: index) }
                guard count > 0 else { continue }
                text.sample(
                    .refusals, .unsigned(count),
                    labels: [("route", row.name), ("cause", label.cause), ("blame", label.blame)])
            }
        }
    }

    private func write(_ histogram: WorkerHistogram, as metric: MetricName, to text: inout PrometheusText) {
        let first = layout.histogram(histogram)
        var count: UInt64 = 0
        for (index, bound) in (HistogramBuckets.labels + ["+Inf"]).enumerated() {
            count &+= sum(at: first + index)
            text.sample(metric, .unsigned(count), labels: [("le", bound)], suffix: "_bucket")
        }
        text.sample(metric, .microseconds(sum(at: first + HistogramBuckets.sum)), suffix: "_sum")
        text.sample(metric, .unsigned(count), suffix: "_count")
    }

    private func writeLogins(_ metric: MetricName, to text: inout PrometheusText) {
        for (index, name) in labels.logins.enumerated() {
            let client = ("client", name)
            switch metric {
            case .loginStarts:
                text.sample(metric, .unsigned(shown.logins.starts(client: index)), labels: [client])
            case .logouts: text.sample(metric, .unsigned(shown.logins.logouts(client: index)), labels: [client])
            case .logins:
                for outcome in LoginMetrics.Login.allCases {
                    let count = shown.logins.logins(client: index, outcome)
                    text.sample(metric, .unsigned(count), labels: [client, ("outcome", outcome.rawValue)])
                }
            case _:
                for outcome in LoginMetrics.Refresh.allCases {
                    let count = shown.logins.refreshes(client: index, outcome)
                    text.sample(metric, .unsigned(count), labels: [client, ("outcome", outcome.rawValue)])
                }
            }
        }
    }

    private func writeIssuers(_ metric: MetricName, to text: inout PrometheusText) {
        for (index, name) in labels.issuers.enumerated() {
            if metric == .issuerReady {
                text.sample(metric, .whole(shown.issuers.isReady(issuer: index) ? 1 : 0), labels: [("issuer", name)])
            } else if metric == .issuerKeysAge {
                guard let age = shown.issuers.keysAge(issuer: index, now: now) else { continue }
                text.sample(metric, .whole(age), labels: [("issuer", name)])
            } else {
                for result in IssuerMetrics.Refresh.allCases {
                    let count = shown.issuers.refreshes(issuer: index, result)
                    text.sample(metric, .unsigned(count), labels: [("issuer", name), ("result", result.rawValue)])
                }
            }
        }
    }
}
