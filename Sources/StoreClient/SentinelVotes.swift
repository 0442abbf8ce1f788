import StoreLink

/// What the Sentinels say which server is the primary, and who is believed (SH-03).
///
/// One of them alone may be cut off from the others and still name the old one.
struct SentinelVotes {
    private struct Vote {
        let place: LinkServer.Place
        let at: UInt64
    }

    /// A word that is older counts no more, in microseconds.
    static let lifetime: UInt64 = 5_000_000

    /// Where nobody serves, how long it is waited for more than half of them, in microseconds: one that lies answers first.
    static let patience: UInt64 = 1_000_000

    private var votes: [Vote?]
    /// Since when some of them name servers, and nobody serves.
    private var waitsSince: UInt64?

    init(sentinels: Int) { votes = Array(repeating: nil, count: sentinels) }

    /// One has named a server; or said that it knows none.
    mutating func record(_ sentinel: Int, _ place: LinkServer.Place?, now: UInt64) {
        guard votes.indices.contains(sentinel) else { return }
        votes[sentinel] = place.map { Vote(place: $0, at: now) }
    }

    /// The server to go to: the one that more than half of all name.
    ///
    /// While there is none that serves, and that was not said for a second, the one that most of those name who speak at all,
    /// and of several the one that was named last.
    mutating func choice(isServed: Bool, now: UInt64) -> LinkServer.Place? {
        let fresh = votes.compactMap { $0 }.filter { now < $0.at &+ SentinelVotes.lifetime }
        func count(_ place: LinkServer.Place) -> Int { fresh.count { $0.place == place } }
        let best = fresh.max { (count($0.place), $0.at) < (count($1.place), $1.at) }
        guard let best, !isServed, 2 * count(best.place) <= votes.count else {
            waitsSince = nil
            return best.flatMap { 2 * count($0.place) > votes.count ? $0.place : nil }
        }
        let since = waitsSince ?? now
        waitsSince = since
        return now >= since &+ SentinelVotes.patience ? best.place : nil
    }
}
