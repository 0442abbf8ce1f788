import Access
import EventLoop
import HTTP1
import Telemetry
import Transport

/// One connection to an upstream.
///
///     resolving ──▶ connecting ──▶ handshaking (TLS) ──▶ active ──response complete──▶ idle ──▶ active …
///          └─────────────┴───────────────┴── failed ──▶ closed ◀── any byte or end ─────┘
///
/// Several requests share a connection that speaks HTTP/2; each has one of these without a socket (`UpstreamPart`):
///
///     queued ──room──▶ active ──response complete──▶ closed
///
/// Where a page took the response's place, what is left of that is read before the connection is idle:
/// active ── response replaced ──▶ draining ──▶ idle.
struct UpstreamConnection {
    enum State: UInt8 {
        /// It is over: its place is free in one of the loop's next turns.
        case closed
        /// Waits for the name's addresses.
        case resolving
        /// Waits for room in a connection that is shared; it has no socket.
        case queued
        /// The TCP handshake is under way.
        case connecting
        /// The TLS handshake is under way.
        case handshaking
        /// Serves an exchange, or a tunnel.
        case active
        /// What is left of a response that nobody gets is read (`draining` bytes), so that another can follow it.
        case draining
        /// In the pool; whatever arrives now ends it (HTTP-40).
        case idle
    }

    var readEvent = FileEvent()
    var writeEvent = FileEvent()
    var timeout = Timeout(of: .upstream)
    var stream = ByteStream()
    /// What stands behind it.
    var part = UpstreamPart.none
    let worker: WorkerRef
    let pool: UnsafeMutablePointer<UpstreamPool>
    var exchange: ExchangeRef?
    var input = Buffer()
    var output = Buffer()
    /// Body bytes behind those of `output` that wait inside the kernel; open only while there are any.
    var pipe = Pipe()
    var parser = ResponseHeadParser()
    var state = State.resolving
    var isReading = false
    var isWriting = false
    /// It has carried a response before: its peer may have closed it meanwhile.
    var wasUsed = false
    /// It knows that nothing more follows.
    var hasSaidEnd = false
    /// The upstream's addresses that were tried, by their places.
    var tried: UInt64 = 0
    /// The one that is tried, or connected to (`UpstreamAddress.identity`).
    var address: UInt64 = 0
    /// Its request counts at that address.
    var isAtServer = false
    /// Its request waits for a socket, or for room in one.
    var isPending = false
    /// The address that it counts at as one that waits; 0 for none.
    var pendingAddress: UInt64 = 0
    /// Its request leaves at the end of the loop's turn.
    var isUnsent = false
    /// The client that counts for, where that is anybody's.
    var pendingNetwork: (UInt64, UInt64)?
    /// Its request is one that another server has failed.
    var isRetry = false
    /// Attempts to connect to further addresses, the latest first (`UpstreamPart.attempt`).
    var attempts: UpstreamRef?
    /// The address that it was to be opened to, for those that wait for one there.
    var wanted: UInt64 = 0
    /// The pool's addresses when that was last found among them (`UpstreamPool.epoch`).
    var epoch: UInt32 = 0
    /// Monotonic microseconds at which there must be a connection.
    var deadline: UInt64 = 0
    /// The response allowed another request on this connection.
    var keepsAlive = false
    /// Bytes of a response's body that nobody gets and that have not come yet.
    var draining = 0
    /// The pool's reading at its handshake.
    let reading: UInt32
    /// The counting of the pool that it is part of (`UpstreamPool.counting`), or 0.
    var countedBy: UInt32 = 0
    /// It waits behind requests of others, for its client has its share of the upstream.
    var waitsBehind = false
    /// The client's connection that its header is about, and all its requests come from; nil where none is sent.
    var owner: ClientRef?
    /// Whose request it carries, while it is counted.
    var network: (UInt64, UInt64) = (0, 0)
    var previous: UpstreamRef?
    var next: UpstreamRef?

    /// A connection that is to be opened.
    init(_ worker: WorkerRef, of pool: UnsafeMutablePointer<UpstreamPool>) {
        self.worker = worker
        self.pool = pool
        reading = pool.pointee.reading
    }

    /// Whether something waits to be taken by the upstream.
    var hasOutput: Bool { !output.isEmpty || pipe.isOpen }
}

extension UpstreamRef {
    var readEvent: UnsafeMutablePointer<FileEvent> { withUnsafeMutablePointer(to: &pointee.readEvent) { $0 } }
    var writeEvent: UnsafeMutablePointer<FileEvent> { withUnsafeMutablePointer(to: &pointee.writeEvent) { $0 } }
    var timeout: UnsafeMutablePointer<Timeout> { withUnsafeMutablePointer(to: &pointee.timeout) { $0 } }
}

/// The connections of one worker to one upstream.
struct UpstreamPool {
    let settings: UpstreamSettings
    /// Another one after a reload, which may have read other authorities.
    var tls: ClientTLS?
    /// How often its files were read again: a handshake by what they said before is nobody's next.
    var reading: UInt32 = 0
    /// Where new connections go, and which addresses are left out for a while.
    var addresses: UpstreamAddresses
    /// Idle connections, the latest first.
    var idle: UpstreamRef?
    var idleCount = 0
    var connectionCount = 0
    /// How many of them have no socket yet, or share none.
    var pendingCount = 0
    /// How many of those count at a server already.
    var pendingAtServer = 0
    /// Whose they are; nil where nobody has waited yet, or as many may as there may be.
    var pendingClients: ClientNetworks?
    /// How many there may be.
    let bounds: PoolBounds
    /// Whose requests the connections in use carry; nil while so few are in use that nobody counts.
    var users: ClientNetworks?
    /// How often counting was begun: what an earlier one counted is none of this one's.
    var counting: UInt32 = 0
    /// How many requests are sent once more that a server has failed.
    var retries = RetryBudget()
    /// The nonce that the upstream wants in proofs, once it has said so (RFC 9449 §9).
    var proofNonce: String?
    /// Connections that wait for addresses.
    var waiting: UpstreamRef?
    /// What its connections speak; decided with the first of them where that is left to the upstream.
    var version: UpstreamHTTPVersion
    /// Open connections that requests share, the latest first.
    var shared: UpstreamRef?
    /// How many there are, those on their way among them, and how many of them take no more requests.
    var sharedCount = 0
    var sharedConnecting = 0
    var leavingCount = 0
    /// Requests that wait for room in one of them, in the order in which they came.
    var queue = WaitingRequests()
    /// The same of clients that have their share already: after those of all others.
    var queueBehind = WaitingRequests()
    /// How often the operator is told of its failures.
    var lines = UpstreamLineRateLimits()
    /// What is counted of it, and where; the memory is kept here, since a reload may leave nobody else who does.
    let counters: UpstreamCounters
    private let bank: UpstreamBank

    /// Whether nothing leads to the upstream, or is on its way there.
    var hasNoConnection: Bool { connectionCount == 0 && sharedCount == 0 && leavingCount == 0 && !isResolving }

    /// Connections that carry a request or a tunnel, or will.
    var inUse: Int { connectionCount - idleCount }

    /// Whether an answer of the resolver is on its way here.
    var isResolving: Bool { addresses.isResolving }

    /// A pool at a place of its own.
    static func make(
        _ settings: UpstreamSettings, tls: ClientTLS?, _ metrics: UpstreamMetrics
    ) -> UnsafeMutablePointer<UpstreamPool> {
        let place = UnsafeMutablePointer<UpstreamPool>.allocate(capacity: 1)
        place.initialize(to: UpstreamPool(settings, tls: tls, metrics[settings.name]))
        return place
    }

    init(_ settings: UpstreamSettings, tls: ClientTLS?, _ bank: UpstreamBank) {
        self.bank = bank
        counters = bank.counters
        self.settings = settings
        bounds = PoolBounds(settings.pool.bounds)
        version = settings.version
        self.tls = tls
        addresses = UpstreamAddresses(settings)
    }
}
