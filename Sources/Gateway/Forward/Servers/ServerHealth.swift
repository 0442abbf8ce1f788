import Access
import Bytes

/// What one worker knows of a server from what it did to requests, and from its answers to checks (ECO-72).
struct ServerHealth {
    /// Requests in a row that it failed.
    private(set) var failures = 0
    /// How often it was taken out in a row: each time for longer.
    private(set) var ejections = 0
    /// Monotonic microseconds until which it gets nothing.
    private(set) var ejectedUntil: UInt64 = 0
    /// How long it was taken out the last time.
    private var lastTime: UInt64 = 0
    /// Its answers to checks say that it is not well.
    private(set) var isDown = false
    /// Answers to checks in a row that say the opposite.
    private var contrary = 0
    /// Since when it gets requests again; 0 where it always did.
    var returnedAt: UInt64 = 0
    /// When it is asked next.
    var checkDueAt: UInt64 = 0
    /// It is being asked.
    var isChecking = false

    /// Doubled no more often than this.
    private static let mostDoublings = 5

    /// Whether it gets requests as long as others do too.
    func isWell(at now: UInt64) -> Bool { !isDown && ejectedUntil <= now }

    /// It did what a request asked.
    mutating func served(at now: UInt64) {
        failures = 0
        // What it did before counts no more once it has been well for as long as it was out.
        if ejections > 0, ejectedUntil <= now, now - ejectedUntil >= lastTime { ejections = 0 }
    }

    /// It failed a request; whether that is often enough in a row.
    mutating func failed(_ settings: ServerEjectionSettings) -> Bool {
        failures += 1
        return settings.failures > 0 && failures >= settings.failures
    }

    /// Takes it out; for how many microseconds.
    mutating func eject(for time: UInt64, at now: UInt64) -> UInt64 {
        lastTime = time << UInt64(min(ejections, Self.mostDoublings))
        ejections += 1
        failures = 0
        ejectedUntil = now &+ lastTime
        returnedAt = ejectedUntil
        return lastTime
    }

    /// It has answered a check, or not; what it is from now on where that changes it.
    mutating func checked(isWell: Bool, _ settings: ServerHealthSettings, at now: UInt64) -> Bool? {
        guard isWell == isDown else {
            contrary = 0
            return nil
        }
        contrary += 1
        guard contrary >= (isWell ? settings.healthy : settings.unhealthy) else { return nil }
        contrary = 0
        isDown = !isWell
        if isWell { returnedAt = now }
        return isWell
    }
}

extension UpstreamAddresses {
    /// Whether an address gets requests as long as others do too.
    func isWell(_ place: Int, at now: UInt64) -> Bool {
        all[place].avoidedUntil <= now && all[place].health.isWell(at: now)
    }

    /// A server has done what a request asked, or failed it; for how many microseconds it is taken out where that was once
    /// too often.
    ///
    /// No more than half of the addresses are taken out so: what all of them do is not one server's fault.
    mutating func judge(_ identity: UInt64, isWell: Bool, now: UInt64) -> UInt64? {
        guard isSeveral, let place = place(of: identity) else { return nil }
        guard !isWell else {
            all[place].health.served(at: now)
            return nil
        }
        guard all[place].health.failed(settings.ejection), all[place].health.isWell(at: now) else { return nil }
        let out = all.indices.count { $0 != place && all[$0].health.ejectedUntil > now }
        guard out + 1 <= all.count / 2 else { return nil }
        return all[place].health.eject(for: UInt64(settings.ejection.time.wholeMilliseconds) * 1000, at: now)
    }

    /// Whether nobody is well when somebody is needed: said once, until somebody is.
    mutating func noticePanic(_ isPanic: Bool) {
        guard isPanic != isPanicking else { return }
        isPanicking = isPanic
        isPanicNew = isPanic
    }

    /// Whether that is yet to be told.
    mutating func takePanic() -> Bool {
        guard isPanicNew else { return false }
        isPanicNew = false
        return true
    }
}
