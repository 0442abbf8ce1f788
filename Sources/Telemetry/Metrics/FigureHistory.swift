/// The figures of the last minute or so, for rates: looked at every ten seconds, whoever asks.
///
/// Without it a page could only say what was counted since the process began, which after a week tells nothing of now.
package struct FigureHistory: Sendable {
    /// From one look to the next, in microseconds.
    private static let interval: UInt64 = 10_000_000
    /// Looks that are kept: one minute, and the one at its beginning.
    private static let limit = 7

    /// The oldest first; times are microseconds of a clock that only goes on.
    private var looks: [(time: UInt64, figures: MetricsFigures)] = []

    package init() {}

    /// Whether it is time for the next look.
    package func wantsLook(at time: UInt64) -> Bool {
        looks.last.map { time >= $0.time + Self.interval } ?? true
    }

    /// Keeps a look in place of the oldest one.
    package mutating func keep(_ figures: MetricsFigures, at time: UInt64) {
        if looks.count == Self.limit { looks.removeFirst() }
        looks.append((time, figures))
    }

    /// What was counted since the oldest look, and in how many seconds; nil where that was just now, or never.
    package func recent(_ figures: MetricsFigures, at time: UInt64) -> (figures: MetricsFigures, seconds: Int64)? {
        guard let oldest = looks.first, time >= oldest.time + 1_000_000 else { return nil }
        return (figures.since(oldest.figures), Int64(clamping: (time - oldest.time) / 1_000_000))
    }
}
