import HTTP2

typealias UpstreamSessionRef = UnsafeMutablePointer<UpstreamSession>
typealias UpstreamStreamRef = UnsafeMutablePointer<UpstreamStream>

/// What stands behind a connection to an upstream.
enum UpstreamPart {
    /// A socket that speaks HTTP/1.1: one request at a time.
    case none
    /// A socket on which a server is asked whether it is well, and whether it has said so.
    case check(isWell: Bool)
    /// The same while it is asked by gRPC.
    case grpcCheck(GRPCCheckRef)
    /// A socket on its way to another address, for a connection that has none yet.
    case attempt(for: UpstreamRef)
    /// A socket that requests will share, once it is open and speaks HTTP/2.
    case shared
    /// A socket with the frames of several requests.
    case session(UpstreamSessionRef)
    /// No socket: a request that waits for room in a connection that is shared, or whose stream has gone.
    case waiting
    /// No socket: one stream of a connection that is shared.
    case stream(UpstreamStreamRef)
}

/// What a connection to an upstream has beside its socket when it speaks HTTP/2: its frames, and the streams that are open.
struct UpstreamSession {
    /// Connections of one worker to one upstream that requests share; another one only where these have no room.
    static let mostConnections = 2
    /// One more, for clients that have less than their share while others hold all that there is (H2-83).
    static let reservedConnections = 1
    /// What an upstream may send on one stream before its client has taken any of it: less than one buffer holds.
    static let streamWindow = 128 << 10
    /// What it may send on all of them: a stalled client holds up its own stream alone.
    static let connectionWindow = 100 * streamWindow
    /// Bytes of a request's head and content that are kept until its answer begins, to be sent again where they were not
    /// looked at.
    static let mostRepeated = 32 << 10
    /// How often a request may be left out by connections that end, each of which is another one.
    static let mostTimesLeftOut: UInt8 = 4
    /// With a request open, a connection that says nothing for so many milliseconds is asked whether it is there.
    static let silence = 20_000
    /// How much later it is asked again when it has said nothing else since: servers of gRPC take more than two questions in
    /// five minutes for an attack, unless they had something to answer in between, and end the connection with all its calls.
    static let silenceOnceAsked = 310_000
    /// So many questions may come sooner, each because of a request that was begun meanwhile: servers of gRPC take two.
    static let mostEarlyQuestions: UInt8 = 2
    /// How long it may take to answer that.
    static let answerTime = 5_000

    /// The connection with the socket.
    let carrier: UpstreamRef
    let core: HTTP2.ClientConnection
    /// The streams that the core knows.
    var streams: UpstreamStreamRef?
    /// Those that carry a request of somebody's.
    var attached = 0
    /// Chains of streams that have something to send, to read, and of which bytes have just been put in frames.
    var toSend: UpstreamStreamRef?
    var toRead: UpstreamStreamRef?
    var sent: UpstreamStreamRef?
    /// It has begun an answer: what broke later may have been alive when the request was sent.
    var hasServed = false
    /// No request is sent here any more: it closes with the last of its streams.
    var isLeaving = false
    /// It was asked whether it is there.
    var awaitsAnswer = false
    /// When it was asked last, in microseconds; 0 where part of an answer to a request has come since.
    var askedAt: UInt64 = 0
    /// How many questions came soon behind another one since then.
    var earlyQuestions: UInt8 = 0
    /// A request was begun since it was asked: silence means something again.
    var hasBegun = false
    /// It has said that something is wrong.
    var isTroubled = false
    /// It takes no requests of clients that have their share of the upstream.
    var isReserved = false
    /// Its connection is closed.
    var isOver = false
    /// Events of the connection are seen to further up the stack.
    var isAtWork = false
    /// It is one of those that the loop comes back to in this turn.
    var isQueued = false
    var nextQueued: UpstreamSessionRef?

    /// Part of an answer has come.
    mutating func noteAnswer() {
        askedAt = 0
        earlyQuestions = 0
    }

    /// Whether its peer broke a rule of HTTP/2, and was told so.
    var hasBrokenRules: Bool {
        if core.fault != nil { return true }
        guard let code = core.sentGoAway else { return false }
        return code != .noError
    }

    init(_ carrier: UpstreamRef, _ core: HTTP2.ClientConnection) {
        self.carrier = carrier
        self.core = core
    }
}

/// One stream of a connection to an upstream: it stands for a connection of its own, which carries one request.
///
/// Exchanges neither know nor ask whether their upstream has a socket: what they read and write passes here.
struct UpstreamStream {
    let session: UpstreamSessionRef
    var number: Int32 = 0
    /// The connection that it stands for, until the exchange is over.
    var upstream: UpstreamRef?
    /// What has come of the answer and nobody has taken: its head as one of HTTP/1.1, and content, of which there is never
    /// more than the window that was given for it.
    var content = Buffer()
    /// The same of the frame that is seen to.
    var arrived = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Bytes of that which are part of a head: they are no content, for which a window is given back.
    var headLeft = 0
    /// Fields behind the content, as lines.
    var trailers = Buffer()
    /// The request takes a WebSocket up (RFC 8441).
    let isTunnel: Bool
    /// The answer has come to its end.
    var hasEnded = false
    /// The request's end is in frames.
    var isEndSent = false
    /// The answer has begun.
    var hasHead = false
    /// The answer is whole, as far as its head says how long it is.
    var isAnswered = false
    /// It was reset, by whomever: nothing can be sent.
    var isReset = false
    /// The core says no more of it, and is told no more of it.
    var isForgotten = false
    var isToSend = false
    var isToRead = false
    var isSent = false
    var nextToSend: UpstreamStreamRef?
    var nextToRead: UpstreamStreamRef?
    var nextSent: UpstreamStreamRef?
    var previous: UpstreamStreamRef?
    var next: UpstreamStreamRef?

    init(_ session: UpstreamSessionRef, _ upstream: UpstreamRef, isTunnel: Bool) {
        self.session = session
        self.upstream = upstream
        self.isTunnel = isTunnel
    }

    /// Whether nothing of content has come that is yet to be taken.
    var hasNoContent: Bool { content.count + arrived.count <= headLeft }

    /// Whether its upstream would be read something from now: part of the answer, or its end.
    var isReadable: Bool { !content.isEmpty || !arrived.isEmpty || hasEnded }
}

/// The sessions and streams of one worker's upstreams that speak HTTP/2.
struct UpstreamSessions {
    var sessions = Slab<UpstreamSession>()
    var streams = Slab<UpstreamStream>()
    /// Those that the loop comes back to in this turn.
    var queued: UpstreamSessionRef?

    mutating func endRetired() {
        streams.endRetired()
        sessions.endRetired()
    }
}

extension UpstreamRef {
    /// The stream that stands for it, if one does.
    var stream: UpstreamStreamRef? {
        if case .stream(let stream) = pointee.part { return stream }
        return nil
    }
}

extension UpstreamConnection {
    /// Whether it has no socket of its own: it shares one by HTTP/2, or waits for that.
    var isShared: Bool {
        switch part {
        case .none, .check, .grpcCheck, .attempt, .shared, .session: false
        case .waiting, .stream: true
        }
    }
}
