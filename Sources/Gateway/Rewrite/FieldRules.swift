import HTTPMessage

/// Which fields are never forwarded, as one bit for each `FieldID` (HTTP-45, HTTP-47).
struct FieldRules {
    /// Two words of bits; `FieldID` has fewer than 128 cases.
    private let low: UInt64
    private let high: UInt64

    private init(_ fields: [FieldID]) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for field in fields {
            if field.rawValue < 64 {
                low |= 1 << UInt64(field.rawValue)
            } else {
                high |= 1 << UInt64(field.rawValue - 64)
            }
        }
        self.low = low
        self.high = high
    }

    func contains(_ field: FieldID) -> Bool {
        field.rawValue < 64 ? low >> UInt64(field.rawValue) & 1 == 1 : high >> UInt64(field.rawValue - 64) & 1 == 1
    }

    /// Made anew by the gateway, hop-by-hop, credentials, or reserved.
    ///
    /// Where spans are made, the gateway's is the one `traceparent` that an upstream gets (ECO-51).
    static func request(tracing: Bool) -> FieldRules { FieldRules(ofRequests + (tracing ? ofTraces : [])) }

    /// A browser's preflight carries nobody's credentials, an upstream's cookies neither (HTTP-71).
    static func preflight(tracing: Bool) -> FieldRules {
        FieldRules(ofRequests + [.cookie] + (tracing ? ofTraces : []))
    }

    private static var ofTraces: [FieldID] { [.traceparent, .tracestate] }

    private static var ofRequests: [FieldID] {
        [
            .host, .connection, .keepAlive, .proxyConnection, .te, .trailer, .transferEncoding, .contentLength,
            .upgrade, .expect, .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationInfo, .authorization,
            .dpop, .forwarded, .http2Settings, .xForwardedFor, .xForwardedProto, .xForwardedHost, .xForwardedPort,
            .xRealIP, .xRequestID, .clientCert,
        ]
    }

    /// Made anew by the gateway, hop-by-hop, or reserved (HTTP-49): what names connections and certificates is for upstreams,
    /// and a request id of an upstream's own would be one that no log here has.
    static func response() -> FieldRules {
        FieldRules([
            .connection, .keepAlive, .proxyConnection, .te, .trailer, .transferEncoding, .contentLength, .upgrade,
            .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .forwarded, .xForwardedFor,
            .xForwardedProto, .xForwardedHost, .xForwardedPort, .xRealIP, .xRequestID, .clientCert,
        ])
    }

    /// What an answer that carries a nonce may not say of caches: it is for one client (RFC 9449 §8.2, DPOP-14).
    static func caching() -> FieldRules { FieldRules([.cacheControl, .expires, .pragma, .age]) }
}
