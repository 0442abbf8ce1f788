import Synchronization

/// Spans that are exported together: at most so many as one request has.
package struct SpanBatch: Sendable, Equatable {
    /// In the JSON of OTLP, a comma before each.
    package fileprivate(set) var bytes: [UInt8] = []
    package fileprivate(set) var spans = 0
    /// When the first of them came, in milliseconds of the caller's clock.
    fileprivate var since: Int64 = 0
}

/// Why spans did not reach the collector, as the metric's label names it.
package enum SpanLoss: String, Sendable, CaseIterable {
    /// Too many waited already.
    case queueFull = "queue_full"
    /// The collector does not want them.
    case refused
    /// The collector could not be reached, or had no time, as often as it was tried.
    case unavailable
}

/// Spans on their way from the workers to the exporter: bounded, so that a collector which hangs costs spans and nothing else.
///
///     workers ──offer──▶ waiting (≤ 8192 spans, ≤ 16 MiB) ──take──▶ the exporter
///
/// The lock is held for a copy of some kilobytes, never during a request. A full queue refuses: the spans are counted and
/// lost. One for the process, over all its configurations.
package final class SpanQueue: Sendable {
    /// Spans of one export request.
    private static let batchLimit = 512
    /// How long a span waits for others, in milliseconds.
    private static let patience: Int64 = 5000
    private static let spanLimit = 8192
    private static let byteLimit = 16 << 20

    private struct State {
        var waiting: [SpanBatch] = []
        var spans = 0
        var bytes = 0
        var exported: UInt64 = 0
        var lost = [UInt64](repeating: 0, count: SpanLoss.allCases.count)
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes all spans of `text` over, or loses and counts them; `text` is empty afterwards.
    package func offer(_ text: inout SpanText, at now: Int64) {
        guard text.spans > 0 else { return }
        let (bytes, count, spans) = (text.storage, text.count, text.spans)
        state.withLock { state in
            guard state.spans + spans <= Self.spanLimit, state.bytes + count <= Self.byteLimit else {
                state.lost[SpanLoss.queueFull.place] += UInt64(spans)
                return
            }
            if state.waiting.last.map({ $0.spans + spans > Self.batchLimit }) ?? true {
                state.waiting.append(SpanBatch(since: now))
            }
            let last = state.waiting.count - 1
            state.waiting[last].bytes.append(contentsOf: bytes[..<count])
            state.waiting[last].spans += spans
            state.spans += spans
            state.bytes += count
        }
        text.clear()
    }

    /// The next spans to export: when there are many, when the first of them has waited long, or whatever there is.
    package func take(at now: Int64, all: Bool = false) -> SpanBatch? {
        state.withLock { state in
            guard let first = state.waiting.first,
                all || state.waiting.count > 1 || first.spans >= Self.batchLimit || now - first.since >= Self.patience
            else { return nil }
            state.waiting.removeFirst()
            state.spans -= first.spans
            state.bytes -= first.bytes.count
            return first
        }
    }

    /// Notes that so many spans have reached the collector.
    package func countExported(_ spans: Int) { state.withLock { $0.exported += UInt64(max(spans, 0)) } }

    /// Notes that so many spans are lost.
    package func count(_ loss: SpanLoss, _ spans: Int) {
        state.withLock { $0.lost[loss.place] += UInt64(max(spans, 0)) }
    }

    /// Forgets what waits, because nobody exports it any more.
    package func drop() {
        state.withLock { state in
            state.lost[SpanLoss.unavailable.place] += UInt64(state.spans)
            state.waiting = []
            (state.spans, state.bytes) = (0, 0)
        }
    }

    /// How many spans wait, were exported, and were lost.
    package var readings: TraceReadings {
        state.withLock { state in
            TraceReadings(
                waiting: state.spans, exported: state.exported, lost: SpanLoss.allCases.map { state.lost[$0.place] })
        }
    }
}

extension SpanLoss {
    fileprivate var place: Int {
        switch self {
        case .queueFull: 0
        case .refused: 1
        case .unavailable: 2
        }
    }
}

/// What the metrics page shows of the export of spans.
package struct TraceReadings: Sendable, Equatable {
    package var waiting = 0
    package var exported: UInt64 = 0
    /// By the cases of `SpanLoss`, in their order.
    package var lost = [UInt64](repeating: 0, count: SpanLoss.allCases.count)
}

/// One worker's end of the queue: spans are gathered here and handed over many at once.
package struct SpanWriter: ~Copyable {
    /// Where the worker builds its spans.
    package var text: SpanText
    private let queue: SpanQueue

    /// Bytes and spans after which all are handed over; no export request could take more of them.
    private static let threshold = 48 << 10
    private static let spans = 256

    package init(_ queue: SpanQueue) {
        self.queue = queue
        text = SpanText(capacity: Self.threshold + 16 << 10)
    }

    /// Hands over what has gathered where that is much; between two spans.
    package mutating func handOver(at now: Int64) {
        if text.count >= Self.threshold || text.spans >= Self.spans { flush(at: now) }
    }

    /// Hands over what has gathered.
    package mutating func flush(at now: Int64) { queue.offer(&text, at: now) }
}
