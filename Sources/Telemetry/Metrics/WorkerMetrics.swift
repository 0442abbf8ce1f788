/// One worker's numbers: written by that worker's thread alone, read by whoever answers a scrape.
///
/// Everything is allocated at start and found by index. Counting is some moves: no lock, no dictionary, no `String`.
package final class WorkerMetrics: Sendable {
    let bank: CounterBank
    let layout: MetricsLayout
    let exemplars: ExemplarBank
    /// Whose numbers stand in each route's row; see `RouteSlots`.
    private let tenures: [UInt64]
    /// The numbers of the upstreams of its configuration; those of a name that stays are those of before.
    package let upstreams: UpstreamMetrics

    init(labels: MetricsLabels, tenures: [UInt64], continuing old: UpstreamMetrics? = nil) {
        layout = MetricsLayout(labels, routes: tenures.count)
        bank = CounterBank(count: layout.count)
        exemplars = ExemplarBank(rows: tenures.count + MetricsLayout.unroutedRows)
        self.tenures = tenures
        upstreams = UpstreamMetrics(names: labels.upstreams, continuing: old)
    }

    /// Zero for the rows of requests that matched no route, which every layout has, and for a row that is nobody's.
    func tenure(of slot: Int) -> UInt64 { tenures.indices.contains(slot) ? tenures[slot] : 0 }

    /// Copies every number that `old` has of what is counted here; nothing was counted here yet.
    ///
    /// On the thread that writes to `old`, which writes to it no more.
    package func takeOver(from old: WorkerMetrics) {
        bank.copy(0, from: old.bank, at: 0, count: layout.firstRequest)
        for row in UnroutedRequests.allCases { copyRow(of: row.slot, from: old) }
        for slot in 0..<min(tenures.count, old.tenures.count) where tenures[slot] == old.tenures[slot] {
            copyRow(of: slot, from: old)
        }
    }

    private func copyRow(of route: Int, from old: WorkerMetrics) {
        bank.copy(
            layout.request(route: route, statusClass: 0), from: old.bank,
            at: old.layout.request(route: route, statusClass: 0), count: MetricsLayout.requestCells)
        bank.copy(
            layout.refusal(route: route, cause: 0), from: old.bank, at: old.layout.refusal(route: route, cause: 0),
            count: layout.causes)
    }

    /// Notes that a request which was counted is in a trace that is exported.
    package func noteExemplar(of trace: UInt128, route: Int, status: UInt16, microseconds: UInt64) {
        exemplars.store(
            Exemplar(trace: trace, microseconds: microseconds), row: route + MetricsLayout.unroutedRows,
            statusClass: MetricsLayout.statusClass(of: status))
    }

    /// Counts one more.
    package func count(_ counter: WorkerCounter) {
        bank.add(1, at: counter.rawValue)
    }

    /// Counts some more.
    package func count(_ counter: WorkerCounter, by amount: Int) {
        bank.add(UInt64(clamping: amount), at: counter.rawValue)
    }

    /// Counts a TLS handshake that came to nothing.
    package func count(_ reason: HandshakeReason) {
        bank.add(1, at: layout.firstHandshake + reason.place)
    }

    /// Moves a gauge to a value.
    package func set(_ gauge: WorkerGauge, to value: Int) {
        bank.store(UInt64(bitPattern: Int64(value)), at: layout.firstGauge + gauge.rawValue)
    }

    /// Moves a gauge by an amount.
    package func adjust(_ gauge: WorkerGauge, by amount: Int) {
        bank.add(UInt64(bitPattern: Int64(amount)), at: layout.firstGauge + gauge.rawValue)
    }

    /// Notes a duration.
    package func observe(_ histogram: WorkerHistogram, microseconds: UInt64) {
        bank.cells.observe(layout.histogram(histogram), microseconds: microseconds)
    }

    /// Counts an answered request, and how long it took; status 0 is one whose client left before it was answered.
    ///
    /// `route` is a route's slot, or that of `UnroutedRequests`.
    package func countRequest(route: Int, status: UInt16, microseconds: UInt64) {
        let statusClass = MetricsLayout.statusClass(of: status)
        bank.cells.observe(layout.request(route: route, statusClass: statusClass), microseconds: microseconds)
    }

    /// Counts a refused request by the index of its cause.
    package func countRefusal(route: Int, cause: Int) {
        // Without this a wrong cause would count in another route's row.
        precondition(cause >= 0 && cause < layout.causes, "a cause outside the labels given at start")
        bank.add(1, at: layout.refusal(route: route, cause: cause))
    }

    /// Counts a signature verification by the index of its algorithm.
    package func countVerification(algorithm: Int) {
        precondition(algorithm >= 0 && algorithm < layout.algorithms, "an algorithm outside the labels given at start")
        bank.add(1, at: layout.firstAlgorithm + algorithm)
    }
}
