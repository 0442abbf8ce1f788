// SPDX-License-Identifier: Apache-2.0
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
            guard let address = WebAddress(text) else { return TextFault(remedy: "write it as  \(example)") }
            return address.isOrigin ? nil : TextFault(remedy: remedy)
        }
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

    /// What a browser writes into Origin (RFC 6454 §6.1).
    static let originField = origin(
        example: "https://app.example.com", remedy: "leave out path and query: Origin has none")

    /// What a target service is called in a token exchange (RFC 8707 §2).
    static let target = withoutFragment(example: "https://orders.internal/")
}
