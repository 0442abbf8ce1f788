/// Field names as words of eight lower-case bytes, the lowest byte first (RFC 9110 and the documents named by IANA).
///
/// This is data: the tests of field names hold each row to the name beside it.
extension FieldName {
    /// The identifier of the name, or `other`.
    @inline(__always)
    var identified: FieldID {
        switch count {
        case 2:
            switch first {
            case 0x0000000000006574: return .te  // TE
            default: return .other
            }
        case 3:
            switch first {
            case 0x0000000000616976: return .via  // Via
            case 0x0000000000656761: return .age  // Age
            default: return .other
            }
        case 4:
            switch first {
            case 0x0000000074736f68: return .host  // Host
            case 0x00000000706f7064: return .dpop  // DPoP
            case 0x0000000065746164: return .date  // Date
            case 0x0000000067617465: return .etag  // ETag
            case 0x0000000079726176: return .vary  // Vary
            case 0x000000006b6e696c: return .link  // Link
            default: return .other
            }
        case 5:
            switch first {
            case 0x00000065676e6172: return .range  // Range
            case 0x000000776f6c6c61: return .allow  // Allow
            default: return .other
            }
        case 6:
            switch first {
            case 0x000065696b6f6f63: return .cookie  // Cookie
            case 0x0000746365707865: return .expect  // Expect
            case 0x00006e696769726f: return .origin  // Origin
            case 0x0000726576726573: return .server  // Server
            case 0x0000747065636361: return .accept  // Accept
            case 0x0000616d67617270: return .pragma  // Pragma
            default: return .other
            }
        case 7:
            switch first {
            case 0x0065646172677075: return .upgrade  // Upgrade
            case 0x0072656c69617274: return .trailer  // Trailer
            case 0x0072657265666572: return .referer  // Referer
            case 0x0073657269707865: return .expires  // Expires
            case 0x006376732d746c61: return .altSvc  // Alt-Svc
            default: return .other
            }
        case 8:
            switch first {
            case 0x6e6f697461636f6c: return .location  // Location
            case 0x686374616d2d6669: return .ifMatch  // If-Match
            case 0x65676e61722d6669: return .ifRange  // If-Range
            case 0x797469726f697270: return .priority  // Priority
            default: return .other
            }
        case 9:
            switch (first, second) {
            case (0x6564726177726f66, 0x0000000000000064): return .forwarded  // Forwarded
            case (0x692d6c6165722d78, 0x0000000000000070): return .xRealIP  // X-Real-IP
            default: return .other
            }
        case 10:
            switch (first, second) {
            case (0x697463656e6e6f63, 0x0000000000006e6f): return .connection  // Connection
            case (0x696c612d7065656b, 0x0000000000006576): return .keepAlive  // Keep-Alive
            case (0x6b6f6f632d746573, 0x0000000000006569): return .setCookie  // Set-Cookie
            case (0x6567612d72657375, 0x000000000000746e): return .userAgent  // User-Agent
            case (0x6174736563617274, 0x0000000000006574): return .tracestate  // Tracestate
            case (0x6e6f6e2d706f7064, 0x0000000000006563): return .dpopNonce  // DPoP-Nonce
            default: return .other
            }
        case 11:
            switch (first, second) {
            case (0x66612d7972746572, 0x0000000000726574): return .retryAfter  // Retry-After
            case (0x7261706563617274, 0x0000000000746e65): return .traceparent  // Traceparent
            case (0x632d746e65696c63, 0x0000000000747265): return .clientCert  // Client-Cert
            default: return .other
            }
        case 12:
            switch (first, second) {
            case (0x77726f662d78616d, 0x0000000073647261): return .maxForwards  // Max-Forwards
            case (0x2d746e65746e6f63, 0x0000000065707974): return .contentType  // Content-Type
            case (0x7365757165722d78, 0x0000000064692d74): return .xRequestID  // X-Request-ID
            default: return .other
            }
        case 13:
            switch (first, second) {
            case (0x7a69726f68747561, 0x0000006e6f697461): return .authorization  // Authorization
            case (0x6f632d6568636163, 0x0000006c6f72746e): return .cacheControl  // Cache-Control
            case (0x646f6d2d7473616c, 0x0000006465696669): return .lastModified  // Last-Modified
            case (0x722d747065636361, 0x0000007365676e61): return .acceptRanges  // Accept-Ranges
            case (0x2d746e65746e6f63, 0x00000065676e6172): return .contentRange  // Content-Range
            case (0x2d656e6f6e2d6669, 0x000000686374616d): return .ifNoneMatch  // If-None-Match
            default: return .other
            }
        case 14:
            switch (first, second) {
            case (0x2d746e65746e6f63, 0x00006874676e656c): return .contentLength  // Content-Length
            case (0x65732d3270747468, 0x000073676e697474): return .http2Settings  // HTTP2-Settings
            case (0x637465662d636573, 0x0000657469732d68): return .secFetchSite  // Sec-Fetch-Site
            case (0x637465662d636573, 0x000065646f6d2d68): return .secFetchMode  // Sec-Fetch-Mode
            case (0x637465662d636573, 0x0000747365642d68): return .secFetchDest  // Sec-Fetch-Dest
            case (0x637465662d636573, 0x0000726573752d68): return .secFetchUser  // Sec-Fetch-User
            default: return .other
            }
        case 15:
            switch (first, second) {
            case (0x652d747065636361, 0x00676e69646f636e): return .acceptEncoding  // Accept-Encoding
            case (0x6c2d747065636361, 0x0065676175676e61): return .acceptLanguage  // Accept-Language
            case (0x726177726f662d78, 0x00726f662d646564): return .xForwardedFor  // X-Forwarded-For
            default: return .other
            }
        case 16:
            switch (first, second) {
            case (0x6f632d79786f7270, 0x6e6f697463656e6e): return .proxyConnection  // Proxy-Connection
            case (0x687475612d777777, 0x6574616369746e65): return .wwwAuthenticate  // WWW-Authenticate
            case (0x2d746e65746e6f63, 0x676e69646f636e65): return .contentEncoding  // Content-Encoding
            case (0x2d746e65746e6f63, 0x65676175676e616c): return .contentLanguage  // Content-Language
            case (0x2d746e65746e6f63, 0x6e6f697461636f6c): return .contentLocation  // Content-Location
            case (0x726177726f662d78, 0x74736f682d646564): return .xForwardedHost  // X-Forwarded-Host
            case (0x726177726f662d78, 0x74726f702d646564): return .xForwardedPort  // X-Forwarded-Port
            default: return .other
            }
        case 17...32: return identifiedLong
        default: return .other
        }
    }

    private var identifiedLong: FieldID {
        switch (first, second) {
        case (0x726566736e617274, 0x6e69646f636e652d):
            switch (third, fourth) {
            case (0x0000000000000067, 0x0000000000000000): return .transferEncoding  // …g
            default: return .other
            }
        case (0x736265772d636573, 0x656b2d74656b636f):
            switch (third, fourth) {
            case (0x0000000000000079, 0x0000000000000000): return .secWebSocketKey  // …y
            default: return .other
            }
        case (0x6669646f6d2d6669, 0x636e69732d646569):
            switch (third, fourth) {
            case (0x0000000000000065, 0x0000000000000000): return .ifModifiedSince  // …e
            default: return .other
            }
        case (0x726177726f662d78, 0x746f72702d646564):
            switch (third, fourth) {
            case (0x000000000000006f, 0x0000000000000000): return .xForwardedProto  // …o
            default: return .other
            }
        case (0x75612d79786f7270, 0x616369746e656874):
            switch (third, fourth) {
            case (0x0000000000006574, 0x0000000000000000): return .proxyAuthenticate  // …te
            case (0x666e692d6e6f6974, 0x000000000000006f): return .proxyAuthenticationInfo  // …tion-Info
            default: return .other
            }
        case (0x75612d79786f7270, 0x74617a69726f6874):
            switch (third, fourth) {
            case (0x00000000006e6f69, 0x0000000000000000): return .proxyAuthorization  // …ion
            default: return .other
            }
        case (0x2d746e65746e6f63, 0x7469736f70736964):
            switch (third, fourth) {
            case (0x00000000006e6f69, 0x0000000000000000): return .contentDisposition  // …ion
            default: return .other
            }
        case (0x646f6d6e752d6669, 0x69732d6465696669):
            switch (third, fourth) {
            case (0x000000000065636e, 0x0000000000000000): return .ifUnmodifiedSince  // …nce
            default: return .other
            }
        case (0x69746e6568747561, 0x692d6e6f69746163):
            switch (third, fourth) {
            case (0x00000000006f666e, 0x0000000000000000): return .authenticationInfo  // …nfo
            default: return .other
            }
        case (0x736265772d636573, 0x63612d74656b636f):
            switch (third, fourth) {
            case (0x0000000074706563, 0x0000000000000000): return .secWebSocketAccept  // …cept
            default: return .other
            }
        case (0x736265772d636573, 0x65762d74656b636f):
            switch (third, fourth) {
            case (0x0000006e6f697372, 0x0000000000000000): return .secWebSocketVersion  // …rsion
            default: return .other
            }
        case (0x736265772d636573, 0x72702d74656b636f):
            switch (third, fourth) {
            case (0x00006c6f636f746f, 0x0000000000000000): return .secWebSocketProtocol  // …otocol
            default: return .other
            }
        case (0x6e65746e6f632d78, 0x6f2d657079742d74):
            switch (third, fourth) {
            case (0x0000736e6f697470, 0x0000000000000000): return .xContentTypeOptions  // …ptions
            default: return .other
            }
        case (0x736265772d636573, 0x78652d74656b636f):
            switch (third, fourth) {
            case (0x736e6f69736e6574, 0x0000000000000000): return .secWebSocketExtensions  // …tensions
            default: return .other
            }
        case (0x742d746369727473, 0x74726f70736e6172):
            switch (third, fourth) {
            case (0x746972756365732d, 0x0000000000000079): return .strictTransportSecurity  // …-Security
            default: return .other
            }
        case (0x2d65646172677075, 0x6572756365736e69):
            switch (third, fourth) {
            case (0x747365757165722d, 0x0000000000000073): return .upgradeInsecureRequests  // …-Requests
            default: return .other
            }
        case (0x632d737365636361, 0x722d6c6f72746e6f):
            switch (third, fourth) {
            case (0x6d2d747365757165, 0x000000646f687465): return .accessControlRequestMethod  // …equest-Method
            case (0x682d747365757165, 0x0000737265646165): return .accessControlRequestHeaders  // …equest-Headers
            default: return .other
            }
        default: return .other
        }
    }
}
