import Access
import Crypto
import EventLoop
import Glibc
import HTTP1
import HTTPMessage
import Issuers
import JOSE
import Login
import OAuth
import Pages
import Replay
import Sessions
import Telemetry
import Transport

/// Everything one thread serves with: its connections, memory, upstream pools, token cache, log and numbers.
///
/// A plain value at a fixed place, reached by pointer: nothing here is shared, locked or counted on a request's way.
/// What crosses threads is handed over through the loop's inbox (decision 0007).
struct Worker {
    let index: Int
    /// Which configuration it serves by; grows with each that is put in the place of another.
    let generation: UInt32
    let loop: EventLoop
    let base: OpaquePointer
    let tables: RouteTable
    let routes: RouteIndex
    let limits: LimitSettings
    /// What of it one client may have.
    let shares: ClientShares
    let timeouts: TimeoutSettings
    let httpLimits: HTTP1Limits
    let issuerCount: Int
    /// The issuer that exchanges tokens by each of the tables' rules.
    let exchangeIssuers: [Int]
    let poolCount: Int
    let resolver: Resolver
    let operatorLog: OperatorLog
    let metrics: WorkerMetrics
    /// Proofs that were used, by all workers.
    let replay: ReplaySet
    /// The last decisions of all workers; nil unless the operator wants them.
    let decisions: DecisionBuffer?
    /// Nil when no route takes nonces.
    let nonces: DPoPNonces?
    /// Clients' keys, with the contexts that verify by them.
    let proofKeys: ProofKeys
    /// Asks the issuer directory for a refresh; the answer comes back as `keysArrived`.
    let requestKeys: @Sendable (_ issuer: Int) -> Void
    /// Asks an authorization server about a token; the answer comes back through the loop's inbox.
    let ask: AskServer
    /// Has a login's request answered; the answer comes back as `loginAnswered`.
    let askLogin: @Sendable (_ request: LoginRequest, _ ticket: UInt64) -> Void
    /// Has a session loaded or refreshed; the answer comes back as `sessionAnswered`.
    let askSession: @Sendable (_ login: Int, _ value: [UInt8], _ digest: SHA256Digest) -> Void
    /// Browser logins, with what of their clients and issuers is asked for on a request's way.
    let logins: [LoginSettings]
    let loginClientIDs: [String]
    let loginIssuers: [Int]
    let loginPaths: LoginPaths
    /// The public halves of our clients' keys (MD-30).
    let clientKeys: [JWK]
    /// What upstreams are told of this gateway.
    let via: Via
    /// The names of session cookies, which go to no upstream.
    let ownCookieNames: [String]
    /// What clients see of each listener.
    let publicURLs: [String]
    /// What people read when something is refused.
    let pages: PageBook
    /// Said when no request refers to a configuration any more that was replaced.
    let onRetired: @Sendable (_ generation: UInt32) -> Void
    /// Said when many connections have come and gone.
    let onBurstOver: @Sendable () -> Void
    /// Said once when a drained worker has no connection left.
    let onDrained: @Sendable () -> Void

    var listeners: UnsafeMutablePointer<ListenerSocket>
    let listenerCount: Int
    /// Each at a place of its own, which connections point at: a reload keeps the pools of the upstreams that stay.
    var pools: UnsafeMutablePointer<UnsafeMutablePointer<UpstreamPool>>
    var issuers: UnsafeMutablePointer<IssuerView>
    var clients: Slab<ClientConnection>
    var upstreams: Slab<UpstreamConnection>
    var exchanges: Slab<Exchange>
    /// Where clients that do not take what is there wait until they do.
    var writeEvents = Slab { FileEvent() }
    /// How far the bodies are that are read away.
    var discards = Slab { BodyCounter() }
    var buffers = BufferPool()
    var pipes = PipePool()
    var wheel = TimeoutWheel()
    var tokens: TokenCache
    /// Sessions that were looked up, by the digest of their cookie: apart from tokens, so that neither is ever taken for
    /// the other.
    var sessions: TokenCache
    /// Where the sessions of each login are; handed over before the worker serves.
    var stores: [any SessionStore] = []
    /// Login requests that are being answered.
    var loginsUnderWay = 0
    /// Those of them that begin or complete a login.
    var beginningsUnderWay = 0
    /// Login requests that wait until one of these is answered.
    var loginsQueued = 0
    /// Bytes of login requests' bodies that are not complete yet.
    var loginBodyBytes = 0
    /// Those of them that begin or complete a login.
    var beginningBodyBytes = 0
    var loginTickets: UInt64 = 0
    /// When pages about what cannot be reached come back.
    var outage = OutageBackoff()
    var refusedTokens = RefusedTokens()
    var vouchedTokens = VouchedTokens()
    let failures: FailureBudget
    /// Configurations that requests under way still refer to.
    var retired: [RetiredConfiguration] = []
    /// Pools of upstreams that no route leads to any more.
    var leavingPools: [UnsafeMutablePointer<UpstreamPool>] = []
    /// The keys that sign identity assertions; nil when none are signed.
    var assertionKeys: AssertionKeys?
    let log: UnsafeMutablePointer<LogWriter>?
    let head: UnsafeMutablePointer<RequestHead>
    let responseHead: UnsafeMutablePointer<ResponseHead>
    /// What is read goes here first; a message that fits is never copied before it is sent on.
    let readScratch: UnsafeMutablePointer<UInt8>
    /// What is to be written is put together here.
    let writeScratch: UnsafeMutablePointer<UInt8>
    static let readCapacity = 64 << 10
    /// Request line and fields together: what a client may send of a head before it is whole (HTTP-66).
    static let headBytes = 64 << 10
    /// How long a request waits for a token for its upstream, in milliseconds; the service gives up first.
    static let exchangeTimeout = 10_500
    /// How long a request waits for its session's refresh, in milliseconds (RF-01); the service gives up first, so that a
    /// token that is still valid is used (RF-06).
    static let refreshTimeout = 5500
    /// How long a login's request waits for its answer, in milliseconds; several questions to a server may be in it.
    static let loginTimeout = 35_000
    /// Login requests of one worker that are answered at the same time.
    static let loginLimit = 512
    /// Those of them that starts and callbacks leave to what must work beside any number of them: logouts, the
    /// authorization server's word on them, sessions.
    static let loginReserve = 128
    /// Login requests of one worker that wait for a place among these; starts and callbacks leave the reserve here too.
    static let loginQueueLimit = 1408
    /// How long they wait, in milliseconds: a person has not given up by then.
    static let loginQueueTimeout = 10_000
    /// Bytes of login requests that one worker holds while their bodies arrive, or while they wait for a place.
    static let loginBodyLimit = 32 << 20
    /// Those of these bytes that starts and callbacks leave to logouts and the like.
    static let loginBodyReserve = 8 << 20
    /// How long a refusal is held back from a client that gets too many of them, in milliseconds.
    static let refusalPause = 1000
    /// Connections whose time is over that are seen to before others have their turn: about half a millisecond's work.
    static let timeoutsAtOnce = 32
    /// Ticks from SIGTERM to the end of listening: handshakes under way take a round trip.
    static let closingTicks = 3
    /// How long a client of a draining worker may be idle, in milliseconds.
    static let drainedIdleTimeout = 1000
    /// Clients' keys kept by one worker, some 4 KB each with what OpenSSL prepares for them.
    static let proofKeyLimit = 4096
    static let writeCapacity = BufferPool.largest
    let requestRules = FieldRules.request()
    let preflightRules = FieldRules.preflight()
    let responseRules = FieldRules.response()
    let cachingRules = FieldRules.caching()
    /// Lent to whoever reads a path in another way, empty (`borrowPathMemory`).
    var pathMemory: [UInt8] = []
    var identifiers = RequestIDs()
    var tick: UnsafeMutablePointer<FileEvent>
    /// Goes on with connections whose time is over, after others had their turn.
    var timeoutsLeft: UnsafeMutablePointer<FileEvent>
    var firstParked: ExchangeRef?
    var lastParked: ExchangeRef?
    var parkedCount = 0
    /// Those of them that do not wait for the answer to a login's request.
    var waitingCount = 0
    /// How many exchanges were ever parked.
    var parkings: UInt64 = 0
    var openClients = 0
    var bursts = Bursts()
    /// What each client has of them, and of what else all clients share.
    var networks = ClientNetworks()
    /// The tick before which no client that is idle now is to be closed for it.
    var idleFrom: UInt32 = 0
    /// The tick at which no client was idle.
    var noneIdleAt: UInt32 = 0
    /// The tick at which the operator was last told of connections that were not taken.
    var refusedConnectionsSaidAt: UInt32 = 0
    /// What answers say of the time; of this second, or of the last tick's.
    var date = DateLine(seconds: WorkerClock().wallSeconds())
    /// When the last tick was, in monotonic microseconds.
    var lastTick: UInt64 = 0
    /// See `WorkerClock`; 0 in every worker that serves.
    var clockStandsAt: Int64 = 0
    var isDraining = false
    /// Ticks until the listening sockets of a draining worker are closed.
    var ticksToClosing = 0
    var hasSaidDrained = false
    var isAcceptPaused = false
    /// What is said of clients and upstreams, and how often.
    var lines = LineRateLimits()
    /// The nonce that answers carry at this time, as field value.
    var nonce = NonceText()
}

/// The clocks a worker reads, coarse ones: a few nanoseconds each, good to some milliseconds.
struct WorkerClock {
    /// Unix seconds at which the wall clock stands still, for requests that are judged as of another time; 0: it runs.
    var standsAt: Int64 = 0

    /// Unix seconds.
    func wallSeconds() -> Int64 {
        if standsAt != 0 { return standsAt }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec)
    }

    func timestamp() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Timestamp(seconds: Int64(time.tv_sec), milliseconds: Int64(time.tv_nsec) / 1_000_000)
    }

    /// Monotonic microseconds, precise: for durations in the log and in metrics.
    func microseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000 &+ UInt64(time.tv_nsec) / 1000
    }
}

/// Request identifiers: random bytes of the operating system's kind, drawn for many requests at a time.
struct RequestIDs {
    private var pool: [UInt8] = []
    private var used = 0

    mutating func next() -> RequestID {
        if used + 16 > pool.count {
            pool = RandomBytes.fill(4096)
            used = 0
        }
        defer { used += 16 }
        return pool.withUnsafeBytes { bytes in
            RequestID(
                words: (
                    bytes.loadUnaligned(fromByteOffset: used, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: used + 8, as: UInt64.self)
                ))
        }
    }
}

/// One listening socket of one worker.
struct ListenerSocket: ~Copyable {
    var event = FileEvent()
    var descriptor: Int32
    /// The file to remove when no client is to come any more, of a Unix socket.
    let unixFile: UnixListener?
    let worker: WorkerRef
    let index: UInt16
    let tls: ServerTLS?
    /// Whose `Client-Cert` is believed (RFC 9440 §2.4).
    let terminators: NetworkList
    /// Whose `X-Forwarded-…` and `Forwarded` are read (HTTP-52).
    let proxies: NetworkList
    /// There are any of them: what costs nothing to ask, of every request.
    let hasProxies: Bool
    /// Clients see it as https.
    let isSecure: Bool
    /// Upstreams get a `Forwarded` field too.
    let saysForwarded: Bool
    /// It sends whoever comes to https.
    let redirects: Bool
    /// Authorities accepted in Host, in lower case.
    let authorities: TextList
    /// The first of them, for upstreams where a client names none.
    let ownAuthority: Route.Bytes
}

extension WorkerRef {
    var clock: WorkerClock { WorkerClock(standsAt: pointee.clockStandsAt) }

    func setTimeout(_ timeout: UnsafeMutablePointer<Timeout>, _ milliseconds: Int) {
        pointee.wheel.set(timeout, milliseconds: milliseconds)
    }

    func clearTimeout(_ timeout: UnsafeMutablePointer<Timeout>) { pointee.wheel.clear(timeout) }
}
