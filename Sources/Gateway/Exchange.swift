import Access
import Crypto
import HTTP1
import HTTPMessage
import Pages

/// One request and its response, and what the stages learned about them.
///
/// Apart from the connection from the first day: HTTP/2 will give one connection many of these. Plain values; a token's
/// record is held by count.
struct Exchange {
    enum Phase: UInt8 {
        /// Waits for an issuer's keys; the head is kept in the client's input.
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
    var route: UnsafePointer<Route>?
    var token: TokenRecord?
    /// The token for the upstream that this one was exchanged for, of which the exchange holds one use.
    var upstreamToken: AttachedBlock?
    let id: RequestID
    /// The configuration it began by: what its route and its token refer to.
    var generation: UInt32
    /// Who sent it: the connection's peer, or whom a trusted proxy in front names (HTTP-52).
    var address: PeerAddress
    let startedAt: UInt64
    var phase = Phase.awaitingResponse
    var method = MethodID.get
    /// Where the route's policy says what the method needs; known once the method is permitted.
    var methodRow: UInt16 = 0
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
    /// A fresh connection may be tried if a pooled one turns out closed: no body, idempotent (HTTP-64).
    var mayRetry = false
    /// The scheme of its credentials, for the challenge that tells what was wrong with them.
    var scheme = AttemptedScheme.none
    /// Its answer carries a nonce for the client's next proof (RFC 9449 §8.2).
    var givesNonce = false
    /// It has waited for keys once; an unknown key is then refused.
    var hasWaited = false
    /// It has asked an authorization server twice, for the first time it was not known how.
    var hasAskedAgain = false
    /// What it waits for, while parked.
    var wait = Wait.nothing
    /// It is one of those that wait for what an authorization server says of their credentials.
    var isWaiting = false
    /// It is one of those of its client.
    var isCountedWaiting = false
    /// What the authorization server said of its token, once it has waited for that.
    var lookup = Lookup.none
    /// The proof that was right in everything before the exchange waited for a token for its upstream.
    var proved: UnspentProof?
    /// What became of asking for a token for the upstream: the record that it was put beside, or a refusal.
    var exchanged = Lookup.none
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
    /// Which of the route's lines its answer says to a page of another origin (HTTP-71, HTTP-72).
    var corsLines = CrossOrigin.Lines.none
    /// A browser's own question, which goes to the upstream without anybody's identity and credentials.
    var isPreflight = false
    /// A script of a page that the route names, which acts with its user's session (SC-09).
    var isOfListedOrigin = false
    /// The request's method and path for the log, kept in a borrowed buffer.
    var logged = Buffer()
    var loggedMethod: UInt16 = 0
    /// How long the trusted proxy's own id of the request is, which stands at the end of `logged`.
    var loggedProxyID: UInt8 = 0
    var loggedPath: UInt16 = 0
    /// The upstream's head, kept while it may have to be sent again.
    var replay = Buffer()
    /// How many were parked before it and with it: who parks while an answer is handed out does not wait for that one.
    var parking: UInt64 = 0
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

/// Why a response is not whole, for the access log: its status alone would look like a success.
enum Truncation: UInt8 {
    case none, upstreamClosed, upstreamTimedOut, clientLeft
}

/// The authentication scheme that a request's credentials are of.
enum AttemptedScheme: UInt8 {
    case none, bearer, dpop
}

/// What a request must wait for before its stages can end; they are then run once more.
enum Wait: Equatable {
    case nothing
    /// An issuer's keys.
    case keys(issuer: Int)
    /// What an issuer says about itself: the endpoints are there.
    case metadata(issuer: Int)
    /// The authorization server's word on a token (RFC 7662), by the digest under which its record is kept.
    case introspection(issuer: Int, SHA256Digest)
    /// A token for the upstream in exchange for this one (RFC 8693).
    case exchange(rule: Int, SHA256Digest)
    /// A session that its store or its authorization server must be asked about, by its cookie's digest.
    case session(login: Int, SHA256Digest)
    /// A place among the logins' requests that are being answered.
    case loginPlace
    /// The answer to a login's own request.
    case login(ticket: UInt64)
}

/// What a lookup at an authorization server has brought an exchange.
enum Lookup {
    case none
    /// The token is good; its record, of which the exchange holds one use.
    case active(TokenRecord)
    /// It is not, or nobody can say; in a place of its own, so that the exchanges that ask nobody stay small.
    indirect case refused(Refused)
}

/// Sixteen random bytes that name one request in answers, logs and at the upstream.
struct RequestID {
    var words: (UInt64, UInt64) = (0, 0)

    /// Writes 32 hexadecimal digits.
    func write(into buffer: UnsafeMutablePointer<UInt8>) {
        RequestID.write(words.0, into: buffer)
        RequestID.write(words.1, into: buffer + 16)
    }

    /// What an id that a proxy made may consist of, such as `Root=1-67891233-abcdef0123456789`.
    static func mayContain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "="),
            UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func write(_ word: UInt64, into buffer: UnsafeMutablePointer<UInt8>) {
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index)) & 15
            buffer[index] = digit < 10 ? 48 + digit : 87 + digit
        }
    }
}
