/// A moment by both clocks of a process.
package struct WatchTime: Sendable {
    /// Milliseconds since 1970, as the machine believes.
    let wall: Int64
    /// Milliseconds of the clock that nobody sets.
    let monotonic: Int64

    /// Both clocks, read together.
    package init(wall: Int64, monotonic: Int64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Seconds since 1970.
    var seconds: Int64 { wall / 1000 }
}

/// How far a replica's clock is from the store's, and whether that has gone on for too long (SH-36).
///
///     near ──more than 5 s──▶ far ──for 30 s──▶ unready
///      ▲                       └───────┬──────────┘
///      └────────── 5 s or less ────────┘
package struct ClockSkew: Sendable {
    /// By how much this clock is ahead at least, in milliseconds; less than nothing where it is behind.
    package private(set) var milliseconds: Int64 = 0
    /// Since when it has been too much, by the clock that nobody sets.
    private var since: Int64?

    /// What clocks of replicas may differ from the store's by.
    static let limit: Int64 = 5000
    /// How long it may be more.
    private static let patience: Int64 = 30_000

    /// A reading of the store's clock, made at some time between asking and answer.
    mutating func measure(_ store: StoreTime, asked: WatchTime, answered: WatchTime) {
        // A clock that was set in between tells nothing.
        guard answered.wall >= asked.wall else { return }
        let (most, least) = (answered.wall - store.milliseconds, asked.wall - store.milliseconds)
        milliseconds = least > 0 ? least : most < 0 ? most : 0
        if abs(milliseconds) <= ClockSkew.limit {
            since = nil
        } else if since == nil {
            since = answered.monotonic
        }
    }

    /// Whether this replica is to say that it is not ready: its clock is its own fault, and others' are right.
    package func isUnready(at now: WatchTime) -> Bool {
        since.map { now.monotonic - $0 >= ClockSkew.patience } ?? false
    }
}
