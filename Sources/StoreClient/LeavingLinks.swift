import StoreLink

/// A link that is not asked any more.
struct LeavingLink {
    let link: NodeLink
    /// When it is closed, whatever it has answered.
    let until: UInt64
}

/// Links that are kept until the call is over which they may be in.
final class RetiredLinks: @unchecked Sendable {
    private let links: [NodeLink]

    init(_ links: [NodeLink]) { self.links = links }
}

extension LinkCounters {
    /// Counts another link's with these.
    mutating func add(_ other: LinkCounters) {
        commands += other.commands
        writes += other.writes
        replies += other.replies
        attempts += other.attempts
    }
}

extension StoreLinks {
    /// Opens no connection from now on: others serve, and may have another password, or another store.
    ///
    /// What has been asked over connections that stand is answered. One that ends is not opened again, and nobody is told.
    package func stopConnecting() {
        guard !isStopped else { return }
        mayConnect = false
        nextQuestion = .max
        for guide in guides { guide.link.stop() }
        for link in links + writers { if let link, link.link.phase != .ready { link.link.stop() } }
    }
}
