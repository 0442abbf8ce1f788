/// One small outgoing request: what to ask, and how much trouble the answer may be.
///
/// Fields and body may hold credentials, so it prints as its method and its URL without query.
public struct FetchRequest: Sendable {
    /// The two methods that back-channel calls need.
    public enum Method: Sendable, Equatable {
        case get, post
    }

    /// What a request is for: those of one purpose never wait behind those of another (OPS-05).
    ///
    /// Whoever can cause one of a kind can fill the share of that kind, and of no other.
    public enum Purpose: Sendable, Hashable, CaseIterable {
        /// Metadata and keys.
        case description
        /// Whether a token is active: whoever sends tokens causes it.
        case tokenCheck
        /// A token for an upstream, in exchange for one that is good.
        case exchange
        /// What sessions that exist need: new tokens, and what is known of their users.
        case session
        /// Tokens of sessions that are over.
        case revocation
        /// A pushed authorization request: anybody can begin a login.
        case loginStart
        /// A code for tokens: anybody can bring one that is none.
        case code
        /// What is told of requests that are over: nobody waits for it.
        case export
    }

    /// Which connection it may go over.
    public enum Connection: Sendable, Hashable {
        /// One that was used before, however long ago.
        case kept
        /// One that was used a moment ago: the server has hardly begun to think of closing it.
        case recent
        /// A new one: the request may not be sent twice, and must not be lost on one that the server closes just then.
        case fresh
    }

    /// What it is for.
    public var purpose: Purpose
    /// On whose behalf it is sent, a stranger's network or a user: those who ask take turns, and none has all places.
    public var client: String?
    /// Over which connection it goes; a POST over a recent one unless said otherwise.
    public var connection: Connection?
    /// An absolute `https` URL, or `http` when `insecureAllowHTTP`.
    public var url: String
    /// GET unless said otherwise.
    public var method: Method
    /// Fields sent beside those the fetcher always sends; one of the same name replaces the fetcher's.
    public var headers: [(String, String)]
    /// Sent with POST.
    public var body: [UInt8]?
    /// Bytes of body after which the answer is refused, counted as they arrive.
    public var maximumBytes: Int
    /// From the start to the last byte of the answer.
    public var timeoutMilliseconds: Int
    /// A PEM file that replaces the system's certification authorities.
    public var certificateAuthorityFile: String?
    /// A PEM file with the client's certificate and its chain, presented when the server asks for one.
    ///
    /// A connection that was opened with one certificate is never used for a request with another, or with none.
    public var clientCertificateFile: String?
    /// The PEM file of that certificate's private key, not encrypted.
    public var clientKeyFile: String?
    /// Networks beyond public ones that may be connected to, as CIDRs.
    public var allowPrivate: [String]
    /// The host the operator wrote, which is not subject to the address guard.
    ///
    /// The guard is for addresses that arrive from outside: a URL with another host stays guarded.
    public var allowLoopbackAndPrivateHost: String?
    /// `http` is accepted: only where the operator asked for it by that name.
    public var insecureAllowHTTP: Bool

    /// A guarded GET without extra fields.
    public init(url: String, maximumBytes: Int, timeoutMilliseconds: Int) {
        self.purpose = .description
        self.client = nil
        self.connection = nil
        self.url = url
        self.method = .get
        self.headers = []
        self.body = nil
        self.maximumBytes = maximumBytes
        self.timeoutMilliseconds = timeoutMilliseconds
        self.certificateAuthorityFile = nil
        self.clientCertificateFile = nil
        self.clientKeyFile = nil
        self.allowPrivate = []
        self.allowLoopbackAndPrivateHost = nil
        self.insecureAllowHTTP = false
    }
}

extension FetchRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `POST https://as.example/token`.
    public var description: String {
        (method == .post ? "POST " : "GET ") + url.prefix { $0 != "?" && $0 != "#" }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}

/// A complete answer within the request's bounds, whatever its status below 300 or above 399.
///
/// The body may be a token: it prints as its status and the body's length.
public struct FetchResponse: Sendable {
    /// The status code.
    public var status: Int
    /// `Content-Type` as received.
    public var contentType: String?
    /// `max-age` of `Cache-Control`; 0 when the answer must not be stored or must be revalidated.
    public var maxAgeSeconds: Int?
    /// `DPoP-Nonce`, when there is one such field with a nonce as RFC 9449 §8.1 spells it; for the next proof.
    public var dpopNonce: String?
    /// Seconds until the server wants to be asked again, of `Retry-After`: at least one, at most a day.
    public var retryAfterSeconds: Int?
    /// The whole body, in no coding.
    public var body: [UInt8]

    /// An answer with these parts.
    public init(
        status: Int, contentType: String? = nil, maxAgeSeconds: Int? = nil, dpopNonce: String? = nil,
        retryAfterSeconds: Int? = nil, body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.maxAgeSeconds = maxAgeSeconds
        self.dpopNonce = dpopNonce
        self.retryAfterSeconds = retryAfterSeconds
        self.body = body
    }
}

extension FetchResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `200 with 17 bytes`.
    public var description: String { "\(status) with \(body.count) bytes" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}

/// Why there is no answer to a `FetchRequest`.
public enum FetchRefusal: Error, Sendable, Equatable {
    /// The host has no address.
    case unresolved
    /// The host's address is one that only the operator may point to (MD-08).
    case refusedAddress(String)
    case connectFailed(String)
    /// The handshake failed, or the certificate does not prove the host.
    case tlsFailed(String)
    case timedOut
    /// The body is longer than the request allows.
    case tooLarge
    /// The field lines of the answer are longer than any answer's may be, which no setting changes.
    case fieldsTooLarge
    /// The URL's scheme is not one this request may use.
    case protocolNotAllowed
    /// The connection of a POST ended before a byte of the answer; whether the server acted on it is unknown.
    ///
    /// It is not sent again by itself: a code or an assertion in it may be spent (CA-16).
    case unanswered
    /// The answer is a redirect, which is never followed.
    case redirected
    /// The task that asked is gone.
    case cancelled
    /// As many requests of its purpose as there may be are under way at this server, and as many wait, or it
    /// waited for its turn until its time was over; nothing was sent.
    case crowded
    /// As many requests of its client wait for this server as one client may have, or it waited behind its client's own
    /// until its time was over while the server answered those; nothing was sent, and others' may be.
    case tooManyOfClient
    case failed(String)
}

/// Sends one request and collects its answer.
public protocol Fetching: Sendable {
    /// The complete answer, or why there is none.
    func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse
}
