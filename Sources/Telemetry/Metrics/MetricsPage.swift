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
    let serving: ServingReadings
    let traces: TraceReadings
    let logs: [ShownLog]
    let store: StoreReadings?
    let storeMetrics: StoreMetrics
    let now: Timestamp
    let process: ProcessReadings

    private var labels: MetricsLabels { shown.labels }
    /// All of a layout but the rows of routes is the same for every worker, whichever layout it has by now.
    var layout: MetricsLayout { MetricsLayout(labels, routes: 0) }

    /// Every family of `MetricName`, summed over the workers.
    func written(_ format: ExpositionFormat) -> [UInt8] {
        var text = ExpositionText(format)
        for metric in MetricName.allCases {
            text.begin(metric)
            write(metric, to: &text)
        }
        text.end()
        return text.bytes
    }

    private func write(_ metric: MetricName, to text: inout ExpositionText) {
        switch metric {
        case .requests: writeRequests(to: &text)
        case .refusals: writeRefusals(to: &text)
        case .requestDuration, .serverDuration: writeRequestDurations(as: metric, to: &text)
        case .authDuration: text.histogram(metric, sum(.auth), .own)
        case .upstreamDuration, .clientDuration: writeUpstreamDurations(as: metric, to: &text)
        case .upstreamUp, .upstreamConnections, .upstreamConnects, .upstreamFailures: writeUpstreams(metric, to: &text)
        case .connections:
            text.sample(metric, .whole(sum(.clientConnections)), labels: [("side", "client")])
            text.sample(metric, .whole(sum(.upstreamConnections)), labels: [("side", "upstream")])
        case .handshakeFailures:
            for reason in HandshakeReason.allCases {
                let count = sum(at: layout.firstHandshake + reason.place)
                text.sample(metric, .unsigned(count), labels: [("reason", reason.rawValue)])
            }
        case .http2Connections, .http2OpenStreams, .http2Streams, .http2Resets, .http2GoAways, .http2Calms:
            writeHTTP2(metric, to: &text)
        case .parkedRequests: text.sample(metric, .whole(sum(.parkedRequests)))
        case .tokenCacheEntries: text.sample(metric, .whole(sum(.tokenCacheEntries)))
        case .tokenCacheBytes: text.sample(metric, .whole(sum(.tokenCacheBytes)))
        case .loginRequests: text.sample(metric, .whole(sum(.loginRequests)))
        case .sessionCacheEntries: text.sample(metric, .whole(sum(.sessionCacheEntries)))
        case .sessionCacheBytes: text.sample(metric, .whole(sum(.sessionCacheBytes)))
        case .strippedFields: text.sample(metric, .unsigned(sum(.strippedFields)))
        case .trailersDropped: writeTrailers(to: &text)
        case .tokenCacheHits: text.sample(metric, .unsigned(sum(.tokenCacheHits)))
        case .tokenCacheMisses: text.sample(metric, .unsigned(sum(.tokenCacheMisses)))
        case .tokenCacheEvictions: text.sample(metric, .unsigned(sum(.tokenCacheEvictions)))
        case .proofsVerified: text.sample(metric, .unsigned(sum(.proofsVerified)))
        case .introspections: text.sample(metric, .unsigned(sum(.introspections)))
        case .sessionCacheHits: text.sample(metric, .unsigned(sum(.sessionCacheHits)))
        case .sessionCacheMisses: text.sample(metric, .unsigned(sum(.sessionCacheMisses)))
        case .sessionCacheEvictions: text.sample(metric, .unsigned(sum(.sessionCacheEvictions)))
        case .signatureVerifications:
            for (index, name) in labels.algorithms.enumerated() {
                text.sample(metric, .unsigned(sum(at: layout.firstAlgorithm + index)), labels: [("algorithm", name)])
            }
        case .replayUsed, .replayEntries, .replayBytes, .replayInserts, .replayRefusals:
            writeReplay(metric, to: &text)
        case .loginStarts, .logins, .loginRefusals, .logouts, .sessionRefreshes: writeLogins(metric, to: &text)
        case .sessions, .certificateExpiry, .processorTime, .residentMemory, .virtualMemory, .openDescriptors,
            .descriptorLimit:
            writeReadings(metric, to: &text)
        case .storeUp, .storeCommands, .storeDuration, .storeInFlight, .storeWrites, .storeReconnects, .storeRedirects,
            .storeSessions, .storeRefreshes, .storeRevocationsSkipped, .storeEndingsLag, .storeGaps, .storeTampered,
            .storeForgot,
            .storeProofsLocal, .storeLimitsLocal, .storeClockSkew, .storeEvicting:
            writeStore(metric, to: &text)
        case .issuerReady, .issuerKeysAge, .issuerRefreshes: writeIssuers(metric, to: &text)
        case .logDropped:
            for log in logs {
                text.sample(metric, .unsigned(log.droppedLines), labels: [("log", log.name)])
            }
        case .spansExported, .spansDropped, .spansWaiting: writeTraces(metric, to: &text)
        case .loopLag:
            for (index, worker) in shown.workers.enumerated() {
                let lag = worker.bank.load(layout.firstGauge + WorkerGauge.loopLag.rawValue)
                text.sample(metric, .millionths(lag), labels: [("worker", String(index))])
            }
        case .configReloads:
            text.sample(metric, .unsigned(reloads.applied), labels: [("result", "applied")])
            text.sample(metric, .unsigned(reloads.refused), labels: [("result", "refused")])
        case .configReloadSuccessful: text.sample(metric, .whole(reloads.isLastApplied ? 1 : 0))
        case .configApplied: text.sample(metric, .whole(reloads.appliedAt))
        case .clockStep: text.sample(metric, .whole(clockStep))
        case .buildInfo: text.sample(metric, .whole(1), labels: [("version", version)])
        case .startTime: text.sample(metric, .whole(startTime.seconds))
        }
    }

    private func writeTraces(_ metric: MetricName, to text: inout ExpositionText) {
        switch metric {
        case .spansExported: text.sample(metric, .unsigned(traces.exported))
        case .spansWaiting: text.sample(metric, .whole(Int64(traces.waiting)))
        case _:
            for (loss, count) in zip(SpanLoss.allCases, traces.lost) {
                text.sample(metric, .unsigned(count), labels: [("reason", loss.rawValue)])
            }
        }
    }

    private func writeReplay(_ metric: MetricName, to text: inout ExpositionText) {
        guard let readings = replay else { return }
        switch metric {
        case .replayUsed: text.sample(metric, .millionths(readings.usedMillionths))
        case .replayEntries: text.sample(metric, .whole(Int64(readings.entries)))
        case .replayBytes: text.sample(metric, .whole(Int64(readings.bytes)))
        case .replayInserts: text.sample(metric, .unsigned(readings.inserted))
        case _: text.sample(metric, .unsigned(readings.refused))
        }
    }

    /// What is asked of the kernel and of others, and not counted; what they do not say has no sample.
    private func writeReadings(_ metric: MetricName, to text: inout ExpositionText) {
        func put(_ value: Int64?) { if let value { text.sample(metric, .whole(value)) } }
        switch metric {
        case .sessions:
            for (client, count) in serving.sessions {
                text.sample(metric, .whole(Int64(count)), labels: [("client", client)])
            }
        case .certificateExpiry:
            for certificate in serving.certificates {
                let labels = [("use", certificate.use.rawValue), ("file", certificate.file)]
                text.sample(metric, .whole(certificate.notAfter), labels: labels)
            }
        case .processorTime: if let time = process.processorTime { text.sample(metric, .millionths(time)) }
        case .residentMemory: put(process.residentBytes)
        case .virtualMemory: put(process.virtualBytes)
        case .openDescriptors: put(process.openDescriptors)
        case _: put(process.descriptorLimit)
        }
    }

    func sum(at index: Int) -> UInt64 {
        shown.workers.reduce(0) { $0 &+ $1.bank.load(index) }
    }

    func sum(_ counter: WorkerCounter) -> UInt64 { sum(at: counter.rawValue) }

    func sum(_ gauge: WorkerGauge) -> Int64 {
        Int64(bitPattern: sum(at: layout.firstGauge + gauge.rawValue))
    }

    private func sum(_ histogram: WorkerHistogram) -> HistogramReading {
        var reading = HistogramReading()
        for worker in shown.workers { reading.add(worker.bank.cells, at: layout.histogram(histogram)) }
        return reading
    }

    /// The workers in whose layout the row is that route's.
    private func workers(counting row: MetricsRow) -> [WorkerMetrics] {
        shown.workers.filter { row.tenure == $0.tenure(of: row.slot) }
    }

    /// Each row's requests of each class; those that never counted are left out, since most pairs cannot happen.
    private func forEachRow(_ body: (_ route: String, _ statusClass: String, HistogramReading) -> Void) {
        for row in shown.slots.rows {
            let workers = workers(counting: row)
            for (index, name) in MetricsLayout.statusClasses.enumerated() {
                var reading = HistogramReading()
                for worker in workers {
                    reading.add(worker.bank.cells, at: worker.layout.request(route: row.slot, statusClass: index))
                    let place = row.slot + MetricsLayout.unroutedRows
                    reading.exemplar = worker.exemplars.load(row: place, statusClass: index) ?? reading.exemplar
                }
                if reading.count > 0 { body(row.name, name, reading) }
            }
        }
    }

    private func writeRequests(to text: inout ExpositionText) {
        forEachRow { route, code, reading in
            text.sample(.requests, .unsigned(reading.count), labels: [("route", route), ("code", code)])
        }
    }

    private func writeRequestDurations(as metric: MetricName, to text: inout ExpositionText) {
        forEachRow { route, code, reading in
            if metric == .requestDuration {
                text.histogram(metric, reading, .own, labels: [("route", route), ("code", code)])
            } else {
                text.histogram(
                    metric, reading, .conventions, labels: [("http_route", route)] + Self.conventionalCode(code))
            }
        }
    }

    /// The class of a status in the place of the conventions' code: there are six at most for each route.
    ///
    /// A response that was not given has none.
    private static func conventionalCode(_ code: String) -> [ExpositionText.Label] {
        code == MetricsLayout.statusClasses[0] ? [] : [("http_response_status_code", code)]
    }

    private func writeRefusals(to text: inout ExpositionText) {
        for row in shown.slots.rows {
            let workers = workers(counting: row)
            for (index, label) in labels.causes.enumerated() {
                let count = workers.reduce(0) { sum, worker in
                    sum &+ worker.bank.load(worker.layout.refusal(route: row.slot, cause: index))
                }
                guard count > 0 else { continue }
                text.sample(
                    .refusals, .unsigned(count),
                    labels: [("route", row.name), ("cause", label.cause), ("blame", label.blame)])
            }
        }
    }

    private func writeUpstreams(_ metric: MetricName, to text: inout ExpositionText) {
        for name in labels.upstreams {
            let reading = UpstreamReading(name, shown.workers)
            let upstream = ("upstream", name)
            switch metric {
            case .upstreamUp:
                if let isUp = reading.isUp { text.sample(metric, .whole(isUp ? 1 : 0), labels: [upstream]) }
            case .upstreamConnections: text.sample(metric, .whole(reading.connections), labels: [upstream])
            case .upstreamConnects: text.sample(metric, .unsigned(reading.connects), labels: [upstream])
            case _:
                for failure in UpstreamFailure.allCases {
                    text.sample(
                        metric, .unsigned(reading.failures(failure)), labels: [upstream, ("cause", failure.label)])
                }
            }
        }
    }

    private func writeUpstreamDurations(as metric: MetricName, to text: inout ExpositionText) {
        for name in labels.upstreams {
            let upstream = UpstreamReading(name, shown.workers)
            for (index, code) in MetricsLayout.statusClasses.enumerated() {
                let reading = upstream.durations(statusClass: index)
                guard reading.count > 0 else { continue }
                if metric == .upstreamDuration {
                    text.histogram(metric, reading, .own, labels: [("upstream", name), ("code", code)])
                } else {
                    text.histogram(
                        metric, reading, .conventions,
                        labels: [("server_address", name)] + Self.conventionalCode(code))
                }
            }
        }
    }

    private func writeLogins(_ metric: MetricName, to text: inout ExpositionText) {
        for (index, name) in labels.logins.enumerated() {
            let client = ("client", name)
            switch metric {
            case .loginStarts:
                text.sample(metric, .unsigned(shown.logins.starts(client: index)), labels: [client])
            case .logouts: text.sample(metric, .unsigned(shown.logins.logouts(client: index)), labels: [client])
            case .loginRefusals:
                for (cause, label) in labels.causes.enumerated() {
                    let count = shown.logins.refusals(client: index, cause: cause)
                    guard count > 0 else { continue }
                    text.sample(
                        metric, .unsigned(count), labels: [client, ("cause", label.cause), ("blame", label.blame)])
                }
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

    private func writeIssuers(_ metric: MetricName, to text: inout ExpositionText) {
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
