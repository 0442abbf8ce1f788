/// The buckets of every duration: from a tenth of a millisecond, which a cached answer takes, to ten seconds.
enum HistogramBuckets {
    /// Upper bounds as the exposition format writes them, without `+Inf`.
    static let labels = [
        "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1",
        "2.5", "5", "10",
    ]

    /// Buckets (one more than bounds) and the sum behind them.
    static let cells = 18
    /// The cell of the sum, in microseconds.
    static let sum = 17

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
        case ...100_000: 9
        case ...250_000: 10
        case ...500_000: 11
        case ...1_000_000: 12
        case ...2_500_000: 13
        case ...5_000_000: 14
        case ...10_000_000: 15
        default: 16
        }
    }
}
