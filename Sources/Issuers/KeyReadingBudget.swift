import Rates

/// How often made-up keys may have an issuer's keys read (JOSE-17, ECO-81).
///
/// Random `kid`s cost an attacker nothing: without a bound each would cost the issuer a request. But a bound that all
/// clients share is spent by one of them just before the issuer takes a new key, and everybody's tokens are refused until
/// it is over. So the issuer answers a few, and a client has one of them:
///
///     client ─▶ none in the last `interval`? ─▶ one of 4 left, which come back in `interval`? ─▶ the keys are read
///                 └ no                            └ no: not read
///
/// - In any `interval` an issuer is asked 8 times at most, whoever asks, and 4 times in the long run.
/// - It takes more than four clients to keep a fifth from its reading, and then for a quarter of `interval`.
/// - Those whom nobody can tell apart are one client.
///
/// Only who was given a reading is remembered, so that there are never more than eight of them: nobody can fill this up.
package struct KeyReadingBudget: Sendable {
    private struct Reading {
        let client: AskingClient
        let at: Int64
    }

    /// So many at once, and so many in an interval.
    private static let readings = 4

    private var bucket = TokenBucket()
    private var given: [Reading] = []

    /// A full one.
    package init() {}

    /// Takes a reading for `client`, unless none is left to it; times are milliseconds of the monotonic clock.
    package mutating func take(for client: AskingClient, at now: Int64, interval: Int64) -> Bool {
        // Looked through first: a flood that is refused moves nothing.
        guard !given.contains(where: { $0.client == client && now - $0.at < interval }) else { return false }
        let rate = TokenRate(
            Self.readings, in: UInt64(max(interval, 1)), burst: Self.readings)
        guard bucket.take(at: UInt64(max(now, 0)), rate) else { return false }
        given.removeAll { now - $0.at >= interval }
        given.append(Reading(client: client, at: now))
        return true
    }

    /// How many clients are remembered.
    var remembered: Int { given.count }
}
