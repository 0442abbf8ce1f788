/// The buckets of every duration: from a tenth of a millisecond, which a cached answer takes, to ten seconds.
///
/// One row of numbers serves two families: ours, and that of the conventions of OpenTelemetry, which has other bounds. Each
/// shows the bounds that are its own.
enum HistogramBuckets {
    /// One family's bounds.
    enum Bounds: Sendable {
        /// Ours.
        case own
        /// Those that the conventions advise for `http.server.request.duration` and `http.client.request.duration`.
        case conventions
    }

    /// An upper bound: in microseconds, as the exposition format writes it in seconds, and whose it is.
    private typealias Bound = (microseconds: UInt64, label: String, isOwn: Bool, isOfConventions: Bool)

    private static let bounds: [Bound] = [
        (100, "0.0001", true, false), (250, "0.00025", true, false), (500, "0.0005", true, false),
        (1000, "0.001", true, false), (2500, "0.0025", true, false), (5000, "0.005", true, true),
        (10_000, "0.01", true, true), (25_000, "0.025", true, true), (50_000, "0.05", true, true),
        (75_000, "0.075", false, true), (100_000, "0.1", true, true), (250_000, "0.25", true, true),
        (500_000, "0.5", true, true), (750_000, "0.75", false, true), (1_000_000, "1", true, true),
        (2_500_000, "2.5", true, true), (5_000_000, "5", true, true), (7_500_000, "7.5", false, true),
        (10_000_000, "10", true, true),
    ]

    /// Buckets (one more than bounds) and the sum behind them.
    static let cells = 21
    /// The cell of the sum, in microseconds.
    static let sum = 20

    /// The upper bounds of a family, without `+Inf`, each with how many buckets are at or below it.
    static func upperBounds(_ whose: Bounds) -> [(label: String, buckets: Int)] {
        bounds.enumerated().compactMap { index, bound in
            switch whose {
            case .own: bound.isOwn ? (bound.label, index + 1) : nil
            case .conventions: bound.isOfConventions ? (bound.label, index + 1) : nil
            }
        }
    }

    /// The bound of a bucket, in microseconds; of the last one the bound that its durations pass.
    static func bound(ofBucket index: Int) -> (microseconds: UInt64, isLast: Bool) {
        bounds.indices.contains(index)
            ? (bounds[index].microseconds, false) : (bounds[bounds.count - 1].microseconds, true)
    }

    /// The bucket of a duration: the first whose bound it does not pass.
    static func index(microseconds: UInt64) -> Int {
        switch microseconds {
        case ...100: 0
        case ...250: 1
        case ...500: 2
        case ...1000: 3
        case ...2500: 4
        case ...5000: 5
        case ...10_000: 6
        case ...25_000: 7
        case ...50_000: 8
        case ...75_000: 9
        case ...100_000: 10
        case ...250_000: 11
        case ...500_000: 12
        case ...750_000: 13
        case ...1_000_000: 14
        case ...2_500_000: 15
        case ...5_000_000: 16
        case ...7_500_000: 17
        case ...10_000_000: 18
        default: 19
        }
    }
}

extension CounterCells {
    /// Notes a duration in the row of buckets that begins here: two additions.
    @inline(__always)
    func observe(_ first: Int, microseconds: UInt64) {
        add(1, at: first + HistogramBuckets.index(microseconds: microseconds))
        add(microseconds, at: first + HistogramBuckets.sum)
    }
}

/// A row of buckets as a page shows it, summed over whatever it is summed over.
struct HistogramReading: Sendable {
    private var cells = [UInt64](repeating: 0, count: HistogramBuckets.cells)
    /// One of them, where one is known.
    var exemplar: Exemplar?

    /// How many durations there were.
    var count: UInt64 { below(HistogramBuckets.sum) }
    /// All of them together, in microseconds.
    var microseconds: UInt64 { cells[HistogramBuckets.sum] }

    /// All cells: the buckets, and the sum behind them.
    var buckets: [UInt64] { cells }

    /// How many are in the first so many buckets.
    func below(_ buckets: Int) -> UInt64 { cells[..<buckets].reduce(0, &+) }

    /// Adds another one.
    mutating func add(_ other: HistogramReading) {
        for index in cells.indices { cells[index] &+= other.cells[index] }
    }

    /// Adds the row that begins at `first`.
    mutating func add(_ other: CounterCells, at first: Int) {
        for index in cells.indices { cells[index] &+= other.load(first + index) }
    }
}
