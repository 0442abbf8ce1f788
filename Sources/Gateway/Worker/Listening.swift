/// Where the clients of one worker come in, and how far a worker is that takes no more of them.
struct Listening {
    /// Ticks from SIGTERM to the end of listening: handshakes under way take a round trip.
    static let closingTicks = 3
    /// How long a client of a draining worker may be idle, in milliseconds.
    static let drainedIdleTimeout = 1000

    var listeners: UnsafeMutablePointer<ListenerSocket>
    private(set) var count: Int
    var isAcceptPaused = false
    var isDraining = false
    /// Ticks until the listening sockets of a draining worker are closed.
    var ticksToClosing = 0
    var hasSaidDrained = false
    /// Whether a draining worker still takes clients at sockets that were handed over.
    ///
    /// Nobody else does as long as this process lives: the service manager starts the next one when it has ended.
    var takesLateClients = false
    /// Clients that were there when it began to.
    var earlyClients = 0
    /// Said when it has none of them left, each time that it begins to.
    let onEarlyClientsGone: @Sendable () -> Void
    /// Said once when a drained worker has no connection left.
    let onDrained: @Sendable () -> Void

    init(
        _ listeners: UnsafeMutablePointer<ListenerSocket>, count: Int,
        onEarlyClientsGone: @escaping @Sendable () -> Void, onDrained: @escaping @Sendable () -> Void
    ) {
        self.listeners = listeners
        self.count = count
        self.onEarlyClientsGone = onEarlyClientsGone
        self.onDrained = onDrained
    }

    /// At other listeners, as far on the way to the end as `old`.
    init(_ listeners: UnsafeMutablePointer<ListenerSocket>, count: Int, continuing old: Listening) {
        self = old
        self.listeners = listeners
        self.count = count
    }
}
