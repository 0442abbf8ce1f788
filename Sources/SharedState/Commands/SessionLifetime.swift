import Sessions

/// How long what belongs to a session stays in the store (SH-23).
struct SessionLifetime: Sendable {
    private let limits: SessionLimits

    /// Seconds beyond a session's end for which it is remembered that it was ended: replicas' clocks differ.
    private static let clockSeconds: Int64 = 60

    init(_ settings: SessionSettings) {
        limits = SessionLimits(settings)
    }

    /// What a session has left that is used now: the idle limit, and never beyond its absolute end; nil when it is over,
    /// whatever the store's time to live says (a writer may have lengthened that).
    func timeToLive(of session: Session, now: Int64) -> TimeToLive? {
        timeToEnd(of: session, now: now).map { TimeToLive(milliseconds: min($0.milliseconds, limits.idle &* 1000)) }
    }

    /// What it has left until its absolute end.
    func timeToEnd(of session: Session, now: Int64) -> TimeToLive? {
        let end = limits.end(of: session)
        guard now < end else { return nil }
        let (left, overflow) = end.subtractingReportingOverflow(now)
        return TimeToLive(seconds: overflow ? .max : left)
    }

    /// How long a tombstone or a marker stays: as long as any session could live, and a minute.
    var memoryOfEnding: TimeToLive {
        TimeToLive(seconds: SessionLimits.sum(limits.absolute, SessionLifetime.clockSeconds))
    }
}
