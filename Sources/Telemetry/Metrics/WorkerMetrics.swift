// SPDX-License-Identifier: Apache-2.0

/// One worker's numbers: written by that worker's thread alone, read by whoever answers a scrape.
///
/// Everything is allocated at start and found by index. Counting is some moves: no lock, no dictionary, no `String`.
package final class WorkerMetrics: Sendable {
    /// The route of requests that matched none.
    package static let unrouted = -1

    let bank: CounterBank
    let layout: MetricsLayout

    init(layout: MetricsLayout) {
        self.layout = layout
        bank = CounterBank(count: layout.count)
    }

    /// Counts one more.
    package func count(_ counter: WorkerCounter) {
        bank.add(1, at: counter.rawValue)
    }

    /// Counts some more.
    package func count(_ counter: WorkerCounter, by amount: Int) {
        bank.add(UInt64(clamping: amount), at: counter.rawValue)
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
        let first = layout.histogram(histogram)
        bank.add(1, at: first + HistogramBuckets.index(microseconds: microseconds))
        bank.add(microseconds, at: first + HistogramBuckets.sum)
    }

    /// Counts an answered request; status 0 is one whose client left before it was answered.
    package func countRequest(route: Int, status: UInt16) {
        let statusClass = status >= 100 && status < 600 ? Int(status) / 100 : 0
        bank.add(1, at: layout.request(route: route, statusClass: statusClass))
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
