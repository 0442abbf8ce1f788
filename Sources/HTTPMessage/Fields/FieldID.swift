import Bytes

/// The field names that rules in this product speak about; every other name is `other`.
public enum FieldID: UInt8, Sendable, CaseIterable {
    case other = 0
    case host, connection, contentLength, transferEncoding, authorization, dpop, cookie, expect, upgrade, te
    case trailer, keepAlive, proxyConnection, proxyAuthorization, proxyAuthenticate, proxyAuthenticationInfo, via
    case maxForwards, forwarded, http2Settings, origin, date, server, setCookie, wwwAuthenticate, contentType
    case contentEncoding, accept, acceptEncoding, acceptLanguage, userAgent, referer, cacheControl, etag
    case lastModified, location, vary, range, secWebSocketKey, secWebSocketVersion, secWebSocketProtocol
    case secWebSocketExtensions, secWebSocketAccept, acceptRanges, contentRange, contentLanguage
    case contentDisposition, contentLocation, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange
    case age, allow, expires, pragma, retryAfter, link, altSvc, xForwardedFor, xForwardedProto, xForwardedHost
    case xForwardedPort, xRealIP, xRequestID, traceparent, tracestate, priority, accessControlRequestMethod
    case accessControlRequestHeaders, secFetchSite, secFetchMode, secFetchDest, secFetchUser
    case strictTransportSecurity, upgradeInsecureRequests, authenticationInfo, xContentTypeOptions
    case clientCert, dpopNonce

    /// The number of cases: raw values are smaller than this.
    public static var count: Int { 82 }

    /// Which name this is, ASCII letters compared without case.
    ///
    /// Compares whole words of the name with the table in `FieldID+Names.swift`: no hashing, no `String`.
    public static func identify(_ name: Span<UInt8>) -> FieldID {
        guard name.count >= 2, name.count <= 32 else { return .other }
        return FieldName(name).identified
    }
}
