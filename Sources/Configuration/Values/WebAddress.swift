import Bytes
import HTTPMessage

/// An absolute `http` or `https` URL, split.
struct WebAddress: Sendable, Equatable {
    /// True for `https`.
    var isSecure: Bool
    /// Lower-case, without brackets.
    var host: String
    var port: UInt16
    var path: String
    var hasQuery: Bool
    var hasFragment: Bool

    /// Nil for anything else: relative references, other schemes, user information, what RFC 3986 does not allow.
    init?(_ text: String) {
        guard let uri = URI(text), uri.scheme == "https" || uri.scheme == "http", !uri.host.isEmpty else { return nil }
        isSecure = uri.scheme == "https"
        host = uri.host.lowercased()
        port = uri.port ?? (isSecure ? 443 : 80)
        path = uri.path
        hasQuery = uri.query != nil
        hasFragment = uri.fragment != nil
    }

    /// Whether nothing follows the authority but perhaps one slash.
    var isOrigin: Bool { (path.isEmpty || path == "/") && !hasQuery && !hasFragment }

    /// Scheme and authority, without a default port: `https://shop.example.com`.
    var origin: String {
        (isSecure ? "https://" : "http://") + (isDefaultPort ? bracketedHost : "\(bracketedHost):\(port)")
    }

    /// What a client may write in Host for this URL: with a default port, both with and without it.
    var authorities: [String] {
        isDefaultPort ? [bracketedHost, "\(bracketedHost):\(port)"] : ["\(bracketedHost):\(port)"]
    }

    private var isDefaultPort: Bool { port == (isSecure ? 443 : 80) }
    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}

/// The URLs of a configuration and what each may consist of.
enum URLText {
    /// A listener's or an upstream's URL: an origin and nothing else.
    static func origin(example: String, remedy: String) -> TextShape {
        TextShape(expected: "a URL such as \(example)", pattern: "^https?://[^/?#@]+/?$") { text in
            guard let address = WebAddress(text) else {
                return TextFault(remedy: "write it as  \(completed(text, like: example) ?? example)")
            }
            return address.isOrigin ? nil : TextFault(remedy: remedy)
        }
    }

    /// A text with what it lacks of a URL: the scheme, or all but the port.
    private static func completed(_ text: String, like example: String) -> String? {
        let isPort = UInt16(text).map { $0 > 0 } ?? false
        let scheme = example.hasPrefix("https:") ? "https" : "http"
        let whole = isPort ? "http://127.0.0.1:\(text)" : "\(scheme)://\(text)"
        // What browsers say for a page without an origin is no host that anybody has.
        guard text.utf8.count <= 80, text != "null", text.firstRange(of: "//") == nil, let address = WebAddress(whole),
            address.isOrigin
        else { return nil }
        return whole
    }

    /// What stands before and behind the path that metadata is read at, joined: the identifier that was meant.
    private static func withoutMetadataPath(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "/.well-known/") else { return nil }
        let name = text[mark.upperBound...].prefix { $0 != "/" }
        return String(text[..<mark.lowerBound]) + String(text[name.endIndex...])
    }

    /// The word that Microsoft Entra ID takes for every tenant, where it stands in a tenant's place.
    private static func manyTenants(_ text: String) -> String? {
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 3, parts[2].hasPrefix("login.microsoftonline.") || parts[2].hasSuffix(".microsoftonline.cn")
        else { return nil }
        return ["common", "organizations", "consumers"].first { $0 == parts[3] }
    }

    /// An issuer identifier (RFC 8414 §2, MD-01; OIDC-14 for templates).
    static let issuer = TextShape(
        expected: "an issuer URL such as https://id.example.com/", pattern: "^https?://[^?#@{}]+$"
    ) { text in
        if text.contains("{") || text.contains("}") {
            return TextFault(
                expected: "the issuer URL of one tenant",
                remedy: "write the tenant's own identifier: a template would believe every tenant of this server")
        }
        if let tenants = manyTenants(text) {
            return TextFault(
                expected: "the issuer URL of one tenant",
                remedy: "write the tenant's id in place of \(tenants): tokens name a tenant in their iss, and never "
                    + "\(tenants), so none would be taken")
        }
        // Metadata would be looked for below the place where it is, and no token names that place as its issuer.
        if let identifier = withoutMetadataPath(text) {
            return TextFault(
                expected: "an issuer URL, not the place of its metadata",
                remedy:
                    "write  \(Quoted.bare(identifier))  as `issuer` in that document spells it, perhaps with a slash at its end"
            )
        }
        guard let address = WebAddress(text) else {
            return TextFault(remedy: "write the identifier exactly as the server's metadata spells it")
        }
        if address.hasQuery || address.hasFragment {
            return TextFault(
                expected: "an issuer URL without query and fragment",
                remedy: "write the identifier exactly as the server's metadata spells it (RFC 8414 section 2)")
        }
        return nil
    }

    /// The place of a document at an issuer.
    static let document = withoutFragment(example: "https://id.example.com/jwks.json")

    /// An endpoint of an issuer.
    static let endpoint = withoutFragment(example: "https://id.example.com/introspect")

    /// The base of a collector's URLs.
    static let collector = TextShape(
        expected: "a URL such as http://127.0.0.1:4318", pattern: "^https?://[^?#@]+$"
    ) { text in
        guard let address = WebAddress(text) else {
            return TextFault(remedy: "write an absolute URL, with the port of OTLP over HTTP")
        }
        if address.hasQuery || address.hasFragment { return TextFault(remedy: "leave out query and fragment") }
        // Of OTLP over gRPC, which would answer HTTP/1.1 with nothing.
        if address.port == 4317 { return TextFault(remedy: "4317 is the port of gRPC; OTLP over HTTP has 4318") }
        return address.path.hasSuffix("/v1/traces") || address.path.hasSuffix("/v1/traces/")
            ? TextFault(remedy: "leave out /v1/traces, which is added") : nil
    }

    private static func withoutFragment(example: String) -> TextShape {
        TextShape(expected: "a URL such as \(example)", pattern: "^https?://[^#@]+$") { text in
            guard let address = WebAddress(text), !address.hasFragment else {
                return TextFault(remedy: "write an absolute URL without fragment")
            }
            return nil
        }
    }

    /// A resource identifier (RFC 9728 §1.2), as strict clients compare it.
    static let resource = TextShape(
        expected: "a resource identifier such as https://shop.example.com/api/orders", pattern: "^https?://[^?#@]+$"
    ) { text in
        guard let address = WebAddress(text) else { return TextFault(remedy: "write an absolute https URL") }
        if address.hasQuery || address.hasFragment {
            return TextFault(
                expected: "a resource identifier without query and fragment",
                remedy: "leave them out (RFC 9728 section 1.2)")
        }
        return address.isSecure || IPAddress.isLoopback(address.host)
            ? nil
            : TextFault(
                expected: "an https resource identifier", remedy: "use https; plain HTTP is possible on loopback only")
    }

    /// A base of a route's URLs: what stands before the path that reaches us.
    static let base = TextShape(
        expected: "a URL such as https://shop.example.com/v1", pattern: "^https?://[^?#@]+$"
    ) { text in
        guard let address = WebAddress(text) else {
            return TextFault(remedy: "write an absolute URL, as clients see it, without user information")
        }
        return address.hasQuery || address.hasFragment
            ? TextFault(remedy: "leave out query and fragment: proofs are compared without them (RFC 9449 section 4.3)")
            : nil
    }

    /// Such a base without a slash at its end, for the path that follows begins with one of its own.
    @Sendable static func baseOfPaths(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }

    /// What a browser writes into Origin (RFC 6454 §6.1).
    static let originField = origin(
        example: "https://app.example.com", remedy: "leave out path and query: Origin has none")

    /// What a service that tokens are for is called (RFC 8707 §2): any absolute URI without fragment, such as a URN.
    static let target = TextShape(
        expected: "a URI such as https://orders.internal/ or urn:example:orders",
        pattern: "^[A-Za-z][A-Za-z0-9+.-]*:[^#]+$"
    ) { text in
        guard text.utf8.count <= 2048, isAbsoluteURI(text) else {
            return TextFault(
                remedy: text.contains("#")
                    ? "leave out the fragment (RFC 8707 section 2)"
                    : "write an absolute URI: a scheme, a colon, and what follows; a plain name belongs under audience")
        }
        return nil
    }

    /// `absolute-URI` of RFC 3986 §4.3, as far as its characters tell; what is a URL is one from end to end.
    private static func isAbsoluteURI(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        let rest = text.utf8[text.utf8.index(after: colon)...]
        guard let first = scheme.first, isLetter(first), !rest.isEmpty,
            scheme.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "+.-".utf8.contains($0) }),
            rest.allSatisfy({ ASCII.isUnreserved($0) || "%:/?[]@!$&'()*+,;=".utf8.contains($0) })
        else { return false }
        let lower = String(decoding: scheme, as: UTF8.self).lowercased()
        return lower == "http" || lower == "https"
            ? WebAddress(text).map { !$0.hasFragment } ?? false : escapesFit(rest)
    }

    /// Whether each `%` stands before two hexadecimal digits.
    private static func escapesFit(_ rest: Substring.UTF8View) -> Bool {
        let bytes = Array(rest)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%")
                || index + 2 < bytes.count && isHexadecimal(bytes[index + 1]) && isHexadecimal(bytes[index + 2])
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
