/// Watches the wall clock against the monotonic one and tells when it jumped (OPS-09).
///
/// Token times are judged by the wall clock: after a jump good tokens are refused, or dead ones live again, and the
/// operator has to know. Timers use the monotonic clock and do not notice. Slow corrections by a time daemon are
/// followed: only what happens between two observations counts.
package struct ClockStepWatch: Sendable {
    private var offset: Int64?
    private let threshold: Int64

    /// Tells of jumps of at least so many milliseconds.
    package init(thresholdMilliseconds: Int64 = 60_000) {
        threshold = max(thresholdMilliseconds, 1)
    }

    /// Takes both clocks, read together, every second or so; returns the jump in seconds, forwards positive, if any.
    package mutating func observe(wall: Timestamp, monotonicMilliseconds: Int64) -> Int64? {
        let now = wall.seconds &* 1000 &+ wall.milliseconds &- monotonicMilliseconds
        guard let before = offset else {
            offset = now
            return nil
        }
        offset = now
        let step = now &- before
        // Rounded to the nearest second: a jump of an hour is 3600, not 3599.
        return step.magnitude >= UInt64(threshold) ? (step &+ (step < 0 ? -500 : 500)) / 1000 : nil
    }
}
