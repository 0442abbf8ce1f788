import Bytes
import HTTPMessage

/// Names of header fields that a route may inject.
enum FieldNameText {
    static let shape = TextShape(
        expected: "a field name such as X-User-Id", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$"
    ) { name in
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(ASCII.isToken) else {
            return TextFault(remedy: "use letters, digits and hyphens")
        }
        let folded = folded(name)
        // A name that HTTP1 knows is not among those that are looked up before a client's line is forwarded.
        let bytes = Array(folded.utf8)
        guard !reserved.contains(folded), !reservedPrefixes.contains(where: folded.hasPrefix),
            FieldID.identify(bytes.span) == .other
        else {
            return TextFault(
                expected: "a field name that nothing else uses",
                remedy: "\(name) has a meaning of its own to servers; choose a name such as X-User-Id")
        }
        return nil
    }

    /// The same, and the names that apps read behind other proxies: clients can send nothing that begins so, in any spelling.
    static let ofIdentity = TextShape(expected: shape.expected, pattern: shape.pattern) { name in
        forwarded.contains(name.lowercased()) ? nil : shape.fault(name)
    }

    /// The field in which other proxies show apps the access token.
    static let accessToken = "x-forwarded-access-token"

    private static let forwarded: Set<String> = [
        "x-forwarded-user", "x-forwarded-email", "x-forwarded-groups", "x-forwarded-preferred-username", accessToken,
    ]

    /// Any field, such as those that scripts send or read.
    static let any = TextShape(expected: "a field name such as Content-Type", pattern: shape.pattern) { name in
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(ASCII.isToken) else {
            return TextFault(remedy: "use letters, digits and hyphens")
        }
        return name == "*" ? TextFault(remedy: "name each field: * does not mean all where credentials are sent") : nil
    }

    /// The field of an identity assertion: `Authorization` is one, for there it replaces what the client sent.
    static let ofAssertion = TextShape(
        expected: "Authorization or a field name such as X-Identity", pattern: shape.pattern
    ) { name in
        name.lowercased() == "authorization" ? nil : shape.fault(name)
    }

    /// A field of our own requests to a collector.
    static let ofExport = TextShape(
        expected: "Authorization or a field name such as Api-Key", pattern: shape.pattern
    ) { name in
        name.lowercased() == "authorization" ? nil : shape.fault(name)
    }

    /// How servers that speak CGI, WSGI or Rack fold names: two names that fold alike are one name to them.
    static func folded(_ name: String) -> String {
        String(name.lowercased().map { $0 == "_" || $0 == "." ? "-" : $0 })
    }

    /// Framing, routing, credentials, negotiation and what the gateway itself writes (HTTP-41 … HTTP-46).
    private static let reserved: Set<String> = [
        "age", "allow", "alt-svc", "alt-used", "authentication-info", "authorization", "cache-control", "client-cert",
        "client-cert-chain", "connection", "cookie", "cookie2", "date", "dnt", "dpop", "dpop-nonce", "early-data",
        "etag", "expect", "expires",
        "forwarded", "from", "host", "http2-settings", "keep-alive", "last-modified", "link", "location",
        "max-forwards", "origin", "pragma", "prefer", "priority", "range", "referer", "retry-after", "server",
        "set-cookie", "set-cookie2", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade",
        "upgrade-insecure-requests", "user-agent", "vary", "via", "warning", "www-authenticate", "x-forwarded",
        "x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-real-ip",
        "x-request-id", "x-rewrite-url",
    ]

    private static let reservedPrefixes = [
        "accept", "access-control-", "content-", "grpc-", "if-", "proxy-", "sec-", "strict-transport-", "x-forwarded-",
    ]
}
