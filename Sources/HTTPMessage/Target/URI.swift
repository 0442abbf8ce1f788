import Bytes

/// An absolute hierarchical URI with an authority (RFC 3986), such as an issuer, an endpoint or an upstream.
///
/// Strict: every byte is one that the grammar allows, escapes are complete, userinfo is refused (it is how a URL looks
/// like one host to a person and like another to a client).
public struct URI: Sendable, Equatable {
    /// Lower-case.
    public private(set) var scheme: String
    /// Lower-case, IPv6 without brackets.
    public private(set) var host: String
    /// The port as written, or nil.
    public private(set) var port: UInt16?
    /// The path as written; may be empty.
    public private(set) var path: String
    /// The query without `?`, or nil when there is none.
    public private(set) var query: String?
    /// The fragment without `#`, or nil when there is none.
    public private(set) var fragment: String?

    /// Reads `scheme://authority[path][?query][#fragment]`; nil for anything else.
    public init?(_ text: String) {
        let bytes = [UInt8](text.utf8)
        guard let parts = URIParts(bytes.span) else { return nil }
        let span = bytes.span
        scheme = String(copying: span.extracting(parts.scheme)).lowercased()
        host = String(copying: span.extracting(parts.host)).lowercased()
        port = parts.port
        path = String(copying: span.extracting(parts.path))
        query = parts.query.map { String(decoding: bytes[$0], as: UTF8.self) }
        fragment = parts.fragment.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// The port, or the scheme's default when none is written; nil when neither is known.
    public var effectivePort: UInt16? {
        if let port { return port }
        switch scheme {
        case "https", "wss": return 443
        case "http", "ws": return 80
        default: return nil
        }
    }

    /// `host` or `host:port` as written, lower-case, IPv6 in brackets.
    public var authority: String {
        let name = host.utf8.contains(0x3a) ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}
