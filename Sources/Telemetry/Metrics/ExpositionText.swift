/// The two ways in which a page of numbers is written.
package enum ExpositionFormat: Sendable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheusText
    /// OpenMetrics 1.0.
    case openMetrics

    /// The media type of the page.
    package var contentType: StaticString {
        switch self {
        case .prometheusText: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}

/// Writes families of numbers in one of the formats.
///
/// OpenMetrics differs in three things: a counter's family lacks the `_total` of its samples, bounds of buckets are written as
/// floating-point numbers, and the page ends with `# EOF`. It may have `_created` too, when each series began; ours all begin
/// with the process, and `process_start_time_seconds` says when that was.
package struct ExpositionText: Sendable {
    /// A sample's value: a whole number, or a number of millionths, such as microseconds that are written in seconds.
    package enum Value: Sendable {
        case whole(Int64)
        case unsigned(UInt64)
        case millionths(UInt64)
        case signedMillionths(Int64)
    }

    /// A label's name and value.
    package typealias Label = (name: String, value: String)

    package private(set) var bytes: [UInt8] = []
    private let format: ExpositionFormat

    package init(_ format: ExpositionFormat = .prometheusText) { self.format = format }

    /// Begins a family: its help and its type, which come once and before its samples.
    package mutating func begin(_ metric: MetricName) {
        var name = metric.rawValue
        if format == .openMetrics, metric.kind == .counter, name.hasSuffix("_total") { name.removeLast(6) }
        put("# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.kind.rawValue)\n")
    }

    /// Ends the page: nothing comes behind it.
    package mutating func end() {
        if format == .openMetrics { put("# EOF\n") }
    }

    /// One sample; `suffix` is for the parts of a histogram.
    package mutating func sample(
        _ metric: MetricName, _ value: Value, labels: [Label] = [], suffix: String = ""
    ) {
        sample(metric, value, labels: labels, suffix: suffix, exemplar: nil)
    }

    private mutating func sample(
        _ metric: MetricName, _ value: Value, labels: [Label], suffix: String, exemplar: Exemplar?
    ) {
        put(metric.rawValue)
        put(suffix)
        for (index, label) in labels.enumerated() {
            put(index == 0 ? "{" : ",")
            put(label.name)
            put("=\"")
            putEscaped(label.value)
            put("\"")
        }
        put(labels.isEmpty ? " " : "} ")
        switch value {
        case .whole(let number): put(String(number))
        case .unsigned(let number): put(String(number))
        case .millionths(let number): put(Self.decimal(millionths: number))
        case .signedMillionths(let number):
            put((number < 0 ? "-" : "") + Self.decimal(millionths: number.magnitude))
        }
        // OpenMetrics alone has a place for it.
        if let exemplar, format == .openMetrics {
            let digits = String(exemplar.trace, radix: 16)
            let trace = String(repeating: "0", count: 32 - digits.count) + digits
            put(" # {trace_id=\"\(trace)\"} \(Self.decimal(millionths: exemplar.microseconds))")
        }
        put("\n")
    }

    /// A histogram's samples for one set of labels: its buckets, each with all below it, their sum and their number.
    ///
    /// An exemplar stands at the end of the line of the first bucket that has it, in OpenMetrics alone.
    mutating func histogram(
        _ metric: MetricName, _ reading: HistogramReading, _ bounds: HistogramBuckets.Bounds, labels: [Label] = []
    ) {
        var exemplar = reading.exemplar
        // Whether a bucket has it: then it is no later one's.
        func taken(_ buckets: Int) -> Exemplar? {
            guard let found = exemplar, HistogramBuckets.index(microseconds: found.microseconds) < buckets else {
                return nil
            }
            exemplar = nil
            return found
        }
        for bound in HistogramBuckets.upperBounds(bounds) {
            let isWhole = !bound.label.contains(".")
            let label = format == .openMetrics && isWhole ? bound.label + ".0" : bound.label
            sample(
                metric, .unsigned(reading.below(bound.buckets)), labels: labels + [("le", label)], suffix: "_bucket",
                exemplar: taken(bound.buckets))
        }
        sample(
            metric, .unsigned(reading.count), labels: labels + [("le", "+Inf")], suffix: "_bucket",
            exemplar: taken(HistogramBuckets.cells))
        sample(metric, .millionths(reading.microseconds), labels: labels, suffix: "_sum")
        sample(metric, .unsigned(reading.count), labels: labels, suffix: "_count")
    }

    /// 1,500,000 millionths are `1.5`; exact, without a way through floating point.
    static func decimal(millionths number: UInt64) -> String {
        let whole = String(number / 1_000_000)
        let rest = number % 1_000_000
        if rest == 0 { return whole }
        let digits = String(rest)
        var fraction = String(repeating: "0", count: 6 - digits.count) + digits
        while fraction.last == "0" { fraction.removeLast() }
        return whole + "." + fraction
    }

    private mutating func put(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Label values escape backslash, quote and line feed; a route's name may hold any of them.
    private mutating func putEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): put("\\\\")
            case UInt8(ascii: "\""): put("\\\"")
            case UInt8(ascii: "\n"): put("\\n")
            default: bytes.append(byte)
            }
        }
    }
}
