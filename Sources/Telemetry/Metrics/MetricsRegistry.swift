// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// All numbers of the process, and the page that shows them.
package final class MetricsRegistry: Sendable {
    /// One per worker, in the workers' order; each is written by its worker alone.
    package let workers: [WorkerMetrics]
    /// Written by the thread that keeps the issuers' keys.
    package let issuers: IssuerMetrics
    /// Written by the thread that answers logins.
    package let logins: LoginMetrics
    /// The version that `portcullis_build_info` shows.
    package let version: String

    private let labels: MetricsLabels
    private let layout: MetricsLayout
    private let startTime: Timestamp
    private let clockStep = Atomic<Int64>(0)
    private let replay = Mutex<(@Sendable () -> ReplayReadings)?>(nil)
    private let logs = Mutex<[(name: String, sink: LogSink)]>([])

    /// Allocates every number that will ever be counted.
    package init(workers: Int, labels: MetricsLabels, version: String, startTime: Timestamp = .now()) {
        let layout = MetricsLayout(labels)
        self.labels = labels
        self.layout = layout
        self.version = version
        self.startTime = startTime
        self.workers = (0..<workers).map { _ in WorkerMetrics(layout: layout) }
        issuers = IssuerMetrics(count: labels.issuers.count)
        logins = LoginMetrics(count: labels.logins.count)
    }

    /// Shows the dropped lines of this log on the page.
    package func attach(log name: String, _ sink: LogSink) {
        logs.withLock { $0.append((name, sink)) }
    }

    /// Shows the numbers of the replay set on the page.
    package func attach(replay readings: @escaping @Sendable () -> ReplayReadings) {
        replay.withLock { $0 = readings }
    }

    /// Notes a jump of the wall clock; any thread.
    package func setClockStep(seconds: Int64) {
        clockStep.store(seconds, ordering: .relaxed)
    }

    /// The page: every family of `MetricName`, summed over the workers.
    ///
    /// For the admin listener: allocates, and reads procfs unless the readings are given.
    package func page(now: Timestamp = .now(), process: ProcessReadings = .now()) -> [UInt8] {
        var text = PrometheusText()
        for metric in MetricName.allCases {
            text.begin(metric)
            write(metric, to: &text, now: now, process: process)
        }
        return text.bytes
    }

    private func write(_ metric: MetricName, to text: inout PrometheusText, now: Timestamp, process: ProcessReadings) {
        switch metric {
        case .requests: writeRequests(to: &text)
        case .refusals: writeRefusals(to: &text)
        case .requestDuration: write(.request, as: metric, to: &text)
        case .upstreamDuration: write(.upstream, as: metric, to: &text)
        case .connections:
            text.sample(metric, .whole(sum(.clientConnections)), labels: [("side", "client")])
            text.sample(metric, .whole(sum(.upstreamConnections)), labels: [("side", "upstream")])
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
        case .logins, .logouts, .sessionRefreshes: writeLogins(metric, to: &text)
        case .loginRequests: text.sample(metric, .whole(sum(.loginRequests)))
        case .sessionCacheHits: text.sample(metric, .unsigned(sum(at: WorkerCounter.sessionCacheHits.rawValue)))
        case .sessionCacheMisses: text.sample(metric, .unsigned(sum(at: WorkerCounter.sessionCacheMisses.rawValue)))
        case .sessionCacheEvictions:
            text.sample(metric, .unsigned(sum(at: WorkerCounter.sessionCacheEvictions.rawValue)))
        case .sessionCacheEntries: text.sample(metric, .whole(sum(.sessionCacheEntries)))
        case .sessionCacheBytes: text.sample(metric, .whole(sum(.sessionCacheBytes)))
        case .issuerReady, .issuerKeysAge, .issuerRefreshes: writeIssuers(metric, to: &text, now: now)
        case .logDropped:
            for log in logs.withLock({ $0 }) {
                text.sample(metric, .unsigned(log.sink.droppedLines), labels: [("log", log.name)])
            }
        case .loopLag:
            for (index, worker) in workers.enumerated() {
                let lag = worker.bank.load(layout.firstGauge + WorkerGauge.loopLag.rawValue)
                text.sample(metric, .microseconds(lag), labels: [("worker", String(index))])
            }
        case .clockStep: text.sample(metric, .whole(clockStep.load(ordering: .relaxed)))
        case .buildInfo: text.sample(metric, .whole(1), labels: [("version", version)])
        case .residentMemory: if let bytes = process.residentBytes { text.sample(metric, .whole(bytes)) }
        case .openDescriptors: if let count = process.openDescriptors { text.sample(metric, .whole(count)) }
        case .startTime: text.sample(metric, .whole(startTime.seconds))
        }
    }

    private func writeReplay(_ metric: MetricName, to text: inout PrometheusText) {
        guard let readings = replay.withLock({ $0 })?() else { return }
        switch metric {
        case .replayEntries: text.sample(metric, .whole(Int64(readings.entries)))
        case .replayBytes: text.sample(metric, .whole(Int64(readings.bytes)))
        case .replayInserts: text.sample(metric, .unsigned(readings.inserted))
        case _: text.sample(metric, .unsigned(readings.refused))
        }
    }

    private func sum(at index: Int) -> UInt64 {
        workers.reduce(0) { $0 &+ $1.bank.load(index) }
    }

    private func sum(_ gauge: WorkerGauge) -> Int64 {
        Int64(bitPattern: sum(at: layout.firstGauge + gauge.rawValue))
    }

    private func routeName(_ route: Int) -> String {
        route == WorkerMetrics.unrouted ? "(none)" : labels.routes[route]
    }

    /// Series that never counted are left out: routes × causes are many, and most pairs cannot happen.
    private func writeRequests(to text: inout PrometheusText) {
        for route in -1..<labels.routes.count {
            for (index, name) in MetricsLayout.statusClasses.enumerated() {
                let count = sum(at: layout.request(route: route, statusClass: index))
                guard count > 0 else { continue }
                text.sample(.requests, .unsigned(count), labels: [("route", routeName(route)), ("code", name)])
            }
        }
    }

    private func writeRefusals(to text: inout PrometheusText) {
        for route in -1..<labels.routes.count {
            for (index, label) in labels.causes.enumerated() {
                let count = sum(at: layout.refusal(route: route, cause: index))
                guard count > 0 else { continue }
                let name = routeName(route)
                text.sample(
                    .refusals, .unsigned(count),
                    labels: [("route", name), ("cause", label.cause), ("blame", label.blame)])
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
            case .logouts: text.sample(metric, .unsigned(logins.logouts(client: index)), labels: [client])
            case .logins:
                for outcome in LoginMetrics.Login.allCases {
                    let count = logins.logins(client: index, outcome)
                    text.sample(metric, .unsigned(count), labels: [client, ("outcome", outcome.rawValue)])
                }
            case _:
                for outcome in LoginMetrics.Refresh.allCases {
                    let count = logins.refreshes(client: index, outcome)
                    text.sample(metric, .unsigned(count), labels: [client, ("outcome", outcome.rawValue)])
                }
            }
        }
    }

    private func writeIssuers(_ metric: MetricName, to text: inout PrometheusText, now: Timestamp) {
        for (index, name) in labels.issuers.enumerated() {
            if metric == .issuerReady {
                text.sample(metric, .whole(issuers.isReady(issuer: index) ? 1 : 0), labels: [("issuer", name)])
            } else if metric == .issuerKeysAge {
                guard let age = issuers.keysAge(issuer: index, now: now) else { continue }
                text.sample(metric, .whole(age), labels: [("issuer", name)])
            } else {
                for result in IssuerMetrics.Refresh.allCases {
                    let count = issuers.refreshes(issuer: index, result)
                    text.sample(metric, .unsigned(count), labels: [("issuer", name), ("result", result.rawValue)])
                }
            }
        }
    }
}
