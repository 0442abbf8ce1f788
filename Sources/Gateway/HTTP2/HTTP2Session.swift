import HTTP2

typealias SessionRef = UnsafeMutablePointer<HTTP2Session>
typealias StreamRef = UnsafeMutablePointer<HTTP2Stream>

/// What a client's connection has beside its socket when it speaks HTTP/2: its frames, and the streams that are open.
struct HTTP2Session {
    /// What is done for one connection in one go; the rest waits for the loop's next turn, so that it cannot own the worker
    /// (H2-54): 8 new requests, or as many pieces of content as cost as much.
    static let workAtOnce = 8 * requestWork
    /// How many such goes in a row may leave together, as long as there is more to do: many small answers are few writes (H2-46).
    static let goesTogether = 6
    /// What a request costs, in pieces of content that may be a byte each.
    static let requestWork = 64
    /// Bytes of frames that are put together for one write: as much as one TLS record holds.
    static let writeSize = 16 << 10
    /// Content after which a stream is given that window: one that is over before it needs none.
    static let admittedAfter = 16 << 10
    /// Answers that wait in a stream before its upstream is read no further (H2-43).
    static let streamBuffer = 64 << 10

    /// Whose it is.
    let client: ClientRef
    let core: ServerConnection
    /// The streams whose exchanges are not over, or whose answers have not left.
    var streams: StreamRef?
    var streamCount = 0
    /// Chains of streams that have something to send, to read, and of which bytes have just been put in frames.
    var toSend: StreamRef?
    var toRead: StreamRef?
    var sent: StreamRef?
    /// What the logs call the connection.
    let identifier: UInt64
    /// How many streams it may open yet, and until when.
    var life: ConnectionLife
    /// Exchanges of its streams that are not over.
    var exchanges = 0
    /// How many there may be: as many as its peer was told, whatever a reload says since (H2-07).
    let mostExchanges: Int
    /// The clock of the acknowledgement of our SETTINGS; it runs once, whether that comes or not.
    var settingsTime = Timeout(of: .settings)
    /// The tick since which it waits for what its clock is about.
    var waitsSince: UInt32
    /// The tick at which a field section began that is not whole; nil without one.
    var sectionSince: UInt32?
    /// The tick at which some stream's answer went on last.
    var movedAt: UInt32
    /// A stream was opened: it is idle when there is none, and no longer new.
    var hasServed = false
    /// The core has asked its peer to end it, for its resets.
    var isWarned = false
    /// Its listener is gone: there is nothing by which a new stream could be judged.
    var takesNoStreams = false
    /// What may be done before the loop's next turn.
    var workLeft = 0
    /// Goes whose answers have not been sent yet, because there was more to do.
    var goesUnsent = 0
    /// It broke a rule of the connection, or is told to go: closed as soon as everything has left.
    var isEnding = false
    /// Its socket takes nothing any more: it is closed as soon as it goes on.
    var isBroken = false
    /// How far it is with telling its peer that no more streams are taken.
    var farewell = Farewell.none
    /// Events of the connection are seen to further up the stack.
    var isAtWork = false
    /// It is one of those that the loop comes back to in this turn.
    var isQueued = false
    var nextQueued: SessionRef?

    /// A peer may have begun streams when it hears that none are taken: so it hears it twice (RFC 9113 §6.8).
    enum Farewell: UInt8 {
        case none
        /// It knows that the connection ends; streams that are on their way are taken.
        case announced
        /// It knows which stream was the last.
        case said
    }

    init(
        _ client: ClientRef, _ core: ServerConnection, identifier: UInt64, _ life: ConnectionLife, tick: UInt32,
        mostExchanges: Int
    ) {
        self.client = client
        self.core = core
        self.mostExchanges = mostExchanges
        self.identifier = identifier
        self.life = life
        waitsSince = tick
        movedAt = tick
    }
}

extension SessionRef {
    var settingsTime: UnsafeMutablePointer<Timeout> {
        withUnsafeMutablePointer(to: &pointee.settingsTime) { $0 }
    }
}

/// One stream of a client's connection: it stands for a connection of its own, which carries one request and its answer.
///
/// Exchanges neither know nor ask whether their client has a socket: what they read and write passes here. So nothing of
/// routing, authentication and rewriting is there twice.
struct HTTP2Stream {
    /// The connection with the socket.
    let connection: ClientRef
    let session: SessionRef
    let number: Int32
    /// The connection that it stands for, until the exchange is over.
    var client: ClientRef?
    /// Content that has come and that nobody has taken; never more than the window that was given for it.
    var content = Buffer()
    /// How much of it was taken.
    var taken = 0
    /// It may send as much as one whose request was let through.
    var isAdmitted = false
    /// Something follows the request's head: content, or a tunnel's bytes.
    let isOpen: Bool
    /// The peer has ended its side.
    var hasEnded = false
    /// The answer's head is in frames.
    var isHeadSent = false
    /// The answer's end is in frames.
    var isEndSent = false
    /// The answer is whole; its end is to be sent.
    var mustEnd = false
    /// It was opened by extended CONNECT, and nothing else was answered: an answer of 200 would open the tunnel (RFC 8441 §5).
    var isTunnel = false
    /// It is a tunnel whose upstream broke off: it ends in a reset behind what has come.
    var isBroken = false
    /// Fields follow the answer's content.
    var hasTrailers = false
    /// There is nobody to tell of an end: the peer or the core has reset it, or the connection is over.
    var isGone = false
    /// The clock of a call that has a deadline, or a token that ends; of a tunnel that is over, until its client ends it too.
    var callTime = Timeout(of: .call)
    /// The code of its reset: of ours, should its answer not become whole, until the peer or the core has reset it.
    var code = ErrorCode.internalError
    /// Who has reset it.
    var resetBy = ResetSide.none
    /// Bytes that were put in frames since its client was told.
    var framed = 0
    var isToSend = false
    var isToRead = false
    var isSent = false
    var nextToSend: StreamRef?
    var nextToRead: StreamRef?
    var nextSent: StreamRef?
    var previous: StreamRef?
    var next: StreamRef?

    init(_ session: SessionRef, number: Int32, isOpen: Bool) {
        connection = session.pointee.client
        self.session = session
        self.number = number
        self.isOpen = isOpen
        hasEnded = !isOpen
    }

    /// Whether its client would read something now: content, or the end.
    var isReadable: Bool { hasEnded || !content.isEmpty && readableAtMost > 0 }

    /// How much content its client may read before the stream's end is known.
    ///
    /// An upstream of HTTP/1.1 takes a body for whole with the last byte of its length. What comes behind that byte can still make
    /// the request malformed, so that byte waits (H2-13).
    var readableAtMost: Int {
        guard !hasEnded, let exchange = client?.pointee.exchange, exchange.pointee.request.kind == .length else {
            return .max
        }
        return Int(exchange.pointee.request.remaining) - 1
    }
}

/// Who ended a stream before its answer was whole.
enum ResetSide: UInt8 {
    case none, client, gateway
}
