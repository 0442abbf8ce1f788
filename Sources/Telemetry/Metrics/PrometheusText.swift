/// Writes the text exposition format of Prometheus, version 0.0.4.
package struct PrometheusText: Sendable {
    /// The media type of the page.
    package static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    /// A sample's value: a whole number, or a number of microseconds that is written in seconds.
    package enum Value: Sendable {
        case whole(Int64)
        case unsigned(UInt64)
        case microseconds(UInt64)
    }

    /// A label's name and value.
    package typealias Label = (name: String, value: String)

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Begins a family: its help and its type, which come once and before its samples.
    package mutating func begin(_ metric: MetricName) {
        put("# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n")
    }

    /// One sample; `suffix` is for the parts of a histogram.
    package mutating func sample(
        _ metric: MetricName, _ value: Value, labels: [Label] = [], suffix: String = ""
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
        case .microseconds(let number): put(Self.seconds(microseconds: number))
        }
        put("\n")
    }

    /// 1,500,000 microseconds are `1.5`; exact, without a way through floating point.
    static func seconds(microseconds: UInt64) -> String {
        let whole = String(microseconds / 1_000_000)
        let rest = microseconds % 1_000_000
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
