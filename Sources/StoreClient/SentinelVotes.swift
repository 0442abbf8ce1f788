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

    private var votes: [Vote?]

    init(sentinels: Int) { votes = Array(repeating: nil, count: sentinels) }

    /// One has named a server; or said that it knows none.
    mutating func record(_ sentinel: Int, _ place: LinkServer.Place?, now: UInt64) {
        guard votes.indices.contains(sentinel) else { return }
        votes[sentinel] = place.map { Vote(place: $0, at: now) }
    }

    /// The server to go to: the one that more than half of all name; while there is none that serves, the one that was
    /// named last.
    func choice(isServed: Bool, now: UInt64) -> LinkServer.Place? {
        let fresh = votes.compactMap { $0 }.filter { now < $0.at &+ SentinelVotes.lifetime }
        for vote in fresh where 2 * fresh.count(where: { $0.place == vote.place }) > votes.count { return vote.place }
        return isServed ? nil : fresh.max { $0.at < $1.at }?.place
    }
}
