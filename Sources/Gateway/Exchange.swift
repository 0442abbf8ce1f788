import Access
import HTTP1
import HTTPMessage
import Pages

/// One request and its response, and what was learned about them.
///
/// Apart from the connection from the first day: HTTP/2 will give one connection many of these. Plain values; a token's
/// record is held by count.
struct Exchange {
    enum Phase: UInt8 {
        /// Waits for an issuer, a session or a login's answer; the head is kept in the client's input.
        case parked
        /// Is refused, and hears of it in a moment.
        case held
        /// Waits for an upstream connection, or for the upstream's head.
        case awaitingResponse
        /// The response's head has been sent on.
        case responding
    }

    /// Whose it is; there is none without.
    let client: ClientRef
    var upstream: UpstreamRef?
    /// What the judgement knows of it.
    var findings = Findings()
    let id: RequestID
    /// The configuration it began by: what its route and its token refer to.
    var generation: UInt32
    /// Who sent it: the connection's peer, or whom a trusted proxy in front names (HTTP-52).
    var address: PeerAddress
    let startedAt: UInt64
    var phase = Phase.awaitingResponse
    var method = MethodID.get
    /// What is left of the request's body.
    var request = BodyCounter()
    /// What is left of the response's body.
    var response = BodyCounter()
    /// Whether the response's body is sent to the client in chunks of ours.
    var sendsChunks = false
    /// The client spoke HTTP/1.0.
    var isHTTP10 = false
    /// The client's connection goes on after this exchange.
    var keepsAlive = false
    var expectsContinue = false
    /// Who reads its answer, should that be one of ours.
    var reader = Reader()
    var offersWebSocket = false
    /// What the upstream's answer to that must prove.
    var webSocketAccept = WebSocketAccept()
    /// Where the upstream's WebSocket frames end, in a tunnel.
    var frames = WebSocketFrames()
    /// A tunnel whose time is over ends at the next frame's end.
    var endsAtFrame = false
    /// A fresh connection may be tried if a pooled one turns out closed, and another server if one fails: idempotent, and
    /// no body that is not held (HTTP-64, ECO-73).
    var mayRetry = false
    /// All of its content that has come is in `held`.
    var holdsContent = false
    /// How much memory is accounted for it and for its head, and to whom, where that is anybody.
    var heldBytes = 0
    var heldBy: (UInt64, UInt64)?
    /// That is sent in chunks by HTTP/1.1.
    var isHeldInChunks = false
    /// What is sent once more has its content behind the head as it is, for it is not known yet how it is to be framed.
    var isUnframed = false
    /// It has asked an authorization server twice, for the first time it was not known how.
    var hasAskedAgain = false
    /// What it waits for, while parked.
    var wait = Wait.nothing
    /// The number of the question to the store about its proof; 0 where none is under way.
    var proofTicket: UInt64 = 0
    /// When that was asked, in monotonic microseconds, and how long the request waited for the answer.
    var storeAskedAt: UInt64 = 0
    var storeMicroseconds: UInt32 = 0
    /// It is one of those that wait for what is said of their credentials: by an authorization server, or by the store.
    var isWaiting = false
    /// It is one of those of its client.
    var isCountedWaiting = false
    var status: UInt16 = 0
    var refusal: Refusal?
    var truncation = Truncation.none
    /// The page of ours that took the place of the upstream's response.
    var replacedBy: PageTopic?
    /// Interim responses seen (HTTP-63).
    var interim: UInt8 = 0
    var requestBytes: Int64 = 0
    var responseBytes: Int64 = 0
    /// When the upstream was asked, for the log's split.
    var forwardedAt: UInt64 = 0
    var respondedAt: UInt64 = 0
    /// A request to one of the paths of logins, which is answered elsewhere.
    var loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>?
    /// `Set-Cookie` lines of ours for its answer, CRLF included.
    var cookies: UnsafeMutablePointer<[UInt8]>?
    /// A request for a document that the gateway publishes.
    var isPublished = false
    /// The request's method and path for the log, kept in a borrowed buffer.
    var logged = Buffer()
    var loggedMethod: UInt16 = 0
    /// How long the trusted proxy's own id of the request is, which stands at the end of `logged`.
    var loggedProxyID: UInt8 = 0
    var loggedPath: UInt16 = 0
    /// The upstream's head, kept while it may have to be sent again.
    var replay = Buffer()
    /// The content that goes with it, without framing (`HeldContent`).
    var held = Buffer()
    /// Fields behind the request's content, as lines.
    var trailers = Buffer()
    /// What has come behind the last chunk of its answer, until all of it has.
    var responseTrailers = Buffer()
    /// How much of the request's content that has in it.
    var replayedContent: Int64 = 0
    /// How often a connection to an upstream has ended, or was refused, without a look at it.
    var timesLeftOut: UInt8 = 0
    /// How many milliseconds its client waits for the end of a call, from its beginning; negative where it does not say.
    var callTime: Int = -1
    /// Its client takes fields behind the content of an answer.
    var takesTrailers = false
    /// Its upstream speaks HTTP/2.
    var goesByHTTP2 = false
    /// How many were parked before it and with it: who parks while an answer is handed out does not wait for that one.
    var parking: UInt64 = 0
    /// The trace that it belongs to; not begun without a collector.
    var trace = ExchangeTrace()
    var previousParked: ExchangeRef?
    var nextParked: ExchangeRef?

    /// A request of this client's, of which nothing is known yet.
    init(_ client: ClientRef, id: RequestID = RequestID(), generation: UInt32 = 0, startedAt: UInt64 = 0) {
        self.client = client
        self.id = id
        self.generation = generation
        self.startedAt = startedAt
        address = client.pointee.peer
    }
}

extension ExchangeRef {
    /// The version of HTTP that its client speaks, as `network.protocol.version` of OpenTelemetry has it.
    var protocolVersion: StaticString {
        if pointee.client.pointee.part.isStream { return "2" }
        return pointee.isHTTP10 ? "1.0" : "1.1"
    }
}

/// Why a response is not whole, for the access log: its status alone would look like a success.
enum Truncation: UInt8 {
    case none, upstreamClosed, upstreamTimedOut, clientLeft
    /// The process ended before it.
    case shutDown
}

/// Sixteen random bytes that name one request in answers, logs and at the upstream.
package struct RequestID: Sendable {
    var words: (UInt64, UInt64) = (0, 0)

    /// Writes 32 hexadecimal digits.
    func write(into buffer: UnsafeMutablePointer<UInt8>) {
        RequestID.write(words.0, into: buffer)
        RequestID.write(words.1, into: buffer + 16)
    }

    /// What an id that a proxy made may consist of, such as `Root=1-67891233-abcdef0123456789`.
    package static func mayContain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "="),
            UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func write(_ word: UInt64, into buffer: UnsafeMutablePointer<UInt8>) {
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index)) & 15
            buffer[index] = digit < 10 ? 48 + digit : 87 + digit
        }
    }
}
