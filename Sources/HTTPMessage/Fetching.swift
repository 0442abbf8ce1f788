// SPDX-License-Identifier: Apache-2.0

/// A small request to a server that the operator or an issuer's metadata named.
public struct FetchRequest: Sendable {
    /// The methods that such requests use.
    public enum Method: Sendable {
        case get, post
    }

    /// An absolute `https` (or, when allowed, `http`) URL.
    public var url: String
    /// GET unless said otherwise.
    public var method = Method.get
    /// Names and values in order, none with CR or LF.
    public var headers: [(String, String)] = []
    /// Sent with POST.
    public var body: [UInt8]?
    /// A longer response body is refused.
    public var maximumBytes: Int
    /// The whole transfer must end within this time.
    public var timeoutMilliseconds: Int
    /// PEM file of certification authorities; the system's when nil.
    public var certificateAuthorityFile: String?
    /// Blocks of addresses (CIDR) that the address guard lets through.
    public var allowPrivate: [String] = []
    /// The host that the operator wrote in the configuration: not subject to the address guard.
    public var allowLoopbackAndPrivateHost: String?
    /// Lets an `http` URL through; for development on loopback.
    public var insecureAllowHTTP = false

    /// A GET of `url` with the bounds that every request must have.
    public init(url: String, maximumBytes: Int, timeoutMilliseconds: Int) {
        self.url = url
        self.maximumBytes = maximumBytes
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}

/// What came back, whole and within its bound.
public struct FetchResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The value of Content-Type.
    public var contentType: String?
    /// `max-age` of Cache-Control.
    public var maxAgeSeconds: Int?
    /// The body.
    public var body: [UInt8]

    /// A response with all its parts.
    public init(status: Int, contentType: String? = nil, maxAgeSeconds: Int? = nil, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.maxAgeSeconds = maxAgeSeconds
        self.body = body
    }
}

/// Why a fetch brought nothing.
public enum FetchRefusal: Error, Sendable, Equatable {
    case unresolved
    /// The name led to an address that requests from outside must not reach.
    case refusedAddress(String)
    case connectFailed(String)
    case tlsFailed(String)
    case timedOut
    case tooLarge
    case protocolNotAllowed
    case redirected
    case cancelled
    case failed(String)
}

/// Whoever performs fetches: curl in the product, a script in tests.
public protocol Fetching: Sendable {
    /// The response to `request`, or the reason why there is none.
    func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse
}
