import EventLoop
import Telemetry

/// A worker's loop, and the time by which it serves.
struct WorkerLoop {
    let events: EventLoop
    /// The loop as libevent has it, for events in places of their own.
    let base: OpaquePointer
    var tick: UnsafeMutablePointer<FileEvent>
    /// Goes on with connections whose time is over, after others had their turn.
    var timeoutsLeft: UnsafeMutablePointer<FileEvent>
    /// Sends a turn's requests together, and goes on with connections of HTTP/2 that have something to send or to read.
    var turnEnd: UnsafeMutablePointer<FileEvent>
    var isTurnEndDue = false
    /// What answers say of the time; of this second, or of the last tick's.
    var date = DateLine(seconds: WorkerClock().wallSeconds())
    /// When the last tick was, in monotonic microseconds.
    var lastTick: UInt64 = 0
    /// See `WorkerClock`; 0 in every worker that serves.
    var clockStandsAt: Int64 = 0

    init(_ events: EventLoop) {
        self.events = events
        base = events.base
        tick = .allocate(capacity: 1)
        tick.initialize(to: FileEvent())
        timeoutsLeft = .allocate(capacity: 1)
        timeoutsLeft.initialize(to: FileEvent())
        turnEnd = .allocate(capacity: 1)
        turnEnd.initialize(to: FileEvent())
    }
}
