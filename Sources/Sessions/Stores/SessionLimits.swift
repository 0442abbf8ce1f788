import Bytes

/// When sessions end by themselves, and how often it is written down that they are in use (SC-08).
package struct SessionLimits: Sendable {
    /// Seconds without a request.
    package let idle: Int64
    /// Seconds in all.
    package let absolute: Int64

    /// At least a second each.
    package init(_ settings: SessionSettings) {
        idle = Int64(max(1, settings.idle.wholeSeconds))
        absolute = Int64(max(1, settings.absolute.wholeSeconds))
    }

    /// Seconds between two notes of one session's use: a minute, and less only where the idle limit is minutes.
    package var touchInterval: Int64 { min(60, max(1, idle / 3)) }

    /// Whether the use of a session that was last noted then is to be noted.
    package func isTouchDue(seenAt: Int64, now: Int64) -> Bool {
        SessionLimits.isTouchDue(seenAt: seenAt, now: now, interval: touchInterval)
    }

    /// The same with another interval.
    package static func isTouchDue(seenAt: Int64, now: Int64, interval: Int64) -> Bool {
        // A time ahead is from before the clock was set back.
        sum(seenAt, interval) <= now || sum(now, interval) < seenAt
    }

    /// The end that nothing moves: the session's own, or what is configured now if that is earlier.
    package func end(of session: Session) -> Int64 {
        min(session.endsAt, SessionLimits.sum(session.createdAt, absolute))
    }

    /// Whether a session that was last seen at `seenAt` is within both limits.
    func permit(_ session: Session, seenAt: Int64, now: Int64) -> Bool {
        now < end(of: session) && now < SessionLimits.sum(seenAt, idle)
    }

    /// The sum, or the end of time.
    package static func sum(_ time: Int64, _ seconds: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(seconds)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }
}
