import EventLoop
import Transport

/// The connections of one worker's clients, their exchanges, and what both borrow while they need it.
struct Connections {
    /// How long a refusal is held back from a client that gets too many of them, in milliseconds.
    static let refusalPause = 1000
    /// Connections whose time is over that are seen to before others have their turn: about half a millisecond's work.
    static let timeoutsAtOnce = 32

    var clients = Slab<ClientConnection>()
    var exchanges = Slab<Exchange>()
    /// Where clients that do not take what is there wait until they do.
    var writeEvents = Slab<FileEvent>()
    /// What those need who speak HTTP/2.
    var http2 = HTTP2Connections()
    /// How far the bodies are that are read away.
    var discards = Slab<BodyCounter>()
    var buffers = BufferPool()
    /// How much of that has content of requests that may have to be sent once more.
    var held = HeldContent()
    var pipes = PipePool()
    var wheel = TimeoutWheel()
    var openClients = 0
    var bursts = Bursts()
    /// Said when many connections have come and gone.
    let onBurstOver: @Sendable () -> Void
    /// What each client has of them, and of what else all clients share.
    var networks = ClientNetworks()
    /// The tick before which no client that is idle now is to be closed for it.
    var idleFrom: UInt32 = 0
    /// The tick at which no client was idle.
    var noneIdleAt: UInt32 = 0
    /// The tick at which the operator was last told of connections that were not taken.
    var refusedConnectionsSaidAt: UInt32 = 0

    init(onBurstOver: @escaping @Sendable () -> Void) { self.onBurstOver = onBurstOver }
}
