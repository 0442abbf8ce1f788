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
