import StoreLink

/// How much of the store the process reaches, and since when not all of it (SH-11).
///
///     up ──a server is lost──▶ partly ──the last one too──▶ down
///      ▲                          │  ▲                        │
///      └──────every server────────┘  └──────one of several────┘
///
/// - `up`: each worker that has connections reaches every server.
/// - `partly`: one server of several is reached, or by some workers alone.
/// - `down`: no server is reached by any worker. The moment at which that began stays until one is.
struct StoreReach: Sendable, Equatable {
    enum State: String {
        case up, partly, down
    }

    /// A server that not every worker reaches, and since when, in seconds of the wall clock.
    struct LostServer: Sendable, Equatable {
        let place: LinkServer.Place
        let since: Int64
    }

    private(set) var state = State.up
    /// When the store went down, in seconds of the wall clock; nil while a server of it is reached.
    private(set) var downSince: Int64?
    /// Servers that are not reached, in the order in which they are known.
    private(set) var lost: [LostServer] = []

    /// The workers' links are like this now, at a second of the wall clock.
    mutating func note(_ links: [StoreReports.Links], at now: Int64) {
        var servers: [(place: LinkServer.Place, isUp: Bool)] = []
        var places: [LinkServer.Place: Int] = [:]
        var isAnyUp = false
        for server in links.lazy.map(\.states).joined() {
            isAnyUp = isAnyUp || server.isUp
            if let known = places[server.place] {
                servers[known].isUp = servers[known].isUp && server.isUp
            } else {
                places[server.place] = servers.count
                servers.append(server)
            }
        }
        // Of one that is still lost the first moment stays.
        let earlier = Dictionary(lost.map { ($0.place, $0.since) }) { first, _ in first }
        lost = servers.filter { !$0.isUp }.map { LostServer(place: $0.place, since: earlier[$0.place] ?? now) }
        state = lost.isEmpty ? .up : isAnyUp ? .partly : .down
        downSince = state == .down ? downSince ?? now : nil
    }
}
