import Issuers

/// When the server is asked again after it could not be asked: later each time, and not by all in the same second
/// (RF-06).
///
/// A token that is still valid is used meanwhile; one that has expired makes 503, which is over soon after the server
/// is back, because no pause is longer than a quarter of a minute unless the server asks for it.
struct RefreshPauses<Key: Hashable & Sendable>: Sendable {
    private struct Pause {
        var until: Int64
        var failures: Int
    }

    private var pauses: [Key: Pause] = [:]
    private let limit: Int

    /// Remembers that many sessions at most.
    init(limit: Int = 8192) { self.limit = limit }

    /// The first pause and the longest one, in milliseconds.
    static var shortest: Int64 { 1000 }
    static var longest: Int64 { 15_000 }
    /// The longest that a server can ask for with `Retry-After`, in seconds.
    static var longestAskedFor: Int { 60 }

    /// Whether it is too early to ask again, at that time of the monotonic clock in milliseconds.
    func lasts(_ key: Key, at milliseconds: Int64) -> Bool {
        guard let pause = pauses[key] else { return false }
        return milliseconds < pause.until
    }

    /// The server could not be asked, or asks for patience; the milliseconds that the pause lasts.
    @discardableResult
    mutating func failed(_ key: Key, at now: Moment, retryAfterSeconds: Int?) -> Int64 {
        makeRoom(at: now.milliseconds)
        let failures = min(pauses[key]?.failures ?? 0, 10)
        let pause = min(Self.longest, Self.shortest << failures)
        // Between three quarters and all of it: thousands of sessions failed in the same second.
        let spread = (min(max(now.spread, -1), 1) + 1) / 2
        var until = now.milliseconds + pause * 3 / 4 + Int64(Double(pause) / 4 * spread)
        if let retryAfterSeconds {
            until = max(until, now.milliseconds + Int64(min(max(retryAfterSeconds, 0), Self.longestAskedFor)) * 1000)
        }
        pauses[key] = Pause(until: until, failures: failures + 1)
        return until - now.milliseconds
    }

    /// Another process has met the same, and said how long to wait.
    mutating func pause(_ key: Key, until milliseconds: Int64) {
        makeRoom(at: milliseconds)
        pauses[key] = Pause(until: milliseconds, failures: pauses[key]?.failures ?? 0)
    }

    /// The server has answered, or the session is over.
    mutating func ended(_ key: Key) { pauses[key] = nil }

    /// Sessions that are remembered.
    var count: Int { pauses.count }

    private mutating func makeRoom(at milliseconds: Int64) {
        guard pauses.count >= limit else { return }
        pauses = pauses.filter { milliseconds < $0.value.until }
        // Everyone fails: to ask a little early now and then is better than to grow.
        if pauses.count >= limit { pauses = [:] }
    }
}
