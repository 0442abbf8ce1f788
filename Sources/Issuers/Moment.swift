/// When something happened, and a draw of randomness to plan the next thing with.
///
/// Plans are made on the monotonic clock, so that a corrected wall clock neither expires keys nor keeps them; the wall
/// clock is only written beside what is published.
package struct Moment: Sendable, Equatable {
    /// The monotonic clock, in milliseconds.
    package var milliseconds: Int64
    /// Unix time, in seconds.
    package var wallSeconds: Int64
    /// A number in −1…1 that spreads what many gateways would otherwise do in the same second.
    package var spread: Double

    package init(milliseconds: Int64, wallSeconds: Int64, spread: Double = 0) {
        self.milliseconds = milliseconds
        self.wallSeconds = wallSeconds
        self.spread = spread
    }

    /// The instant `duration` milliseconds later, give or take a tenth of it.
    func spreadOut(after duration: Int64) -> Int64 {
        let tenth = Double(duration) / 10
        return milliseconds + duration + Int64(tenth * min(max(spread, -1), 1))
    }
}
