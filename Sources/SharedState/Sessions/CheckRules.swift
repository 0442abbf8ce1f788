import Sessions

/// How long what the store said is good.
struct CheckRules: Sendable {
    enum Age { case fresh, due, over }

    let limits: SessionLimits
    /// Seconds from one question about a session to the next; 0: each time.
    let recheck: Int64

    /// Until when an answer of that time is good without another look.
    func usableUntil(_ checkedAt: Int64?, now: Int64) -> Int64 {
        guard recheck > 0, let checkedAt else { return now }
        return max(SessionLimits.sum(checkedAt, recheck), SessionLimits.sum(now, 1))
    }

    /// How old an answer of that time is; `isAsked` tells whether a request came in the second in which it became due,
    /// or the store did not answer since.
    func age(_ checkedAt: Int64?, isAsked: Bool, now: Int64) -> Age {
        // Threads read their clocks a second apart. A time further ahead is from before the clock was set back.
        guard let checkedAt, checkedAt <= SessionLimits.sum(now, 1) else { return .over }
        let age = max(0, now - checkedAt)
        if age < recheck { return .fresh }
        return age < 2 * recheck && (isAsked || age == recheck) ? .due : .over
    }
}
