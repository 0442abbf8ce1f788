/// How many commands a server had, and how many of them took more than half of their time (SH-87).
///
/// More than one in a hundred of the second is a 99th percentile beyond that: nothing else has to be kept.
package struct ServerPace: Sendable, Equatable {
    /// Commands that were answered, or not answered in time.
    package private(set) var commands: UInt64 = 0
    /// Those that took more than half of their time, and those that were not answered.
    package private(set) var slow: UInt64 = 0

    /// A server that has had none.
    package init() {}

    /// Fewer commands in a minute say nothing of one in a hundred.
    private static let fewest: UInt64 = 100

    /// Notes that a command took so long of its time, both in microseconds; nil where no answer came.
    mutating func note(_ microseconds: UInt64?, of time: UInt64) {
        commands &+= 1
        if microseconds.map({ $0 > time / 2 }) ?? true { slow &+= 1 }
    }

    /// Counts another link's with these.
    package mutating func add(_ other: ServerPace) {
        commands &+= other.commands
        slow &+= other.slow
    }

    /// Whether the 99th percentile since `earlier` is beyond half of the time.
    package func isSlow(since earlier: ServerPace) -> Bool {
        // A link that is new begins at nothing.
        guard commands >= earlier.commands, slow >= earlier.slow else { return false }
        let (commands, slow) = (commands - earlier.commands, slow - earlier.slow)
        return commands >= ServerPace.fewest && slow > commands / 100
    }
}
