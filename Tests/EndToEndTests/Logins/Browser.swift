import Foundation
import Testing
import TestSupport

/// As much of a browser as a login needs: it keeps cookies by a browser's rules and goes where it is told to.
final class Browser: Sendable {
    /// One answer, and where it came from.
    struct Page: Sendable {
        let origin: String
        let response: WireResponse
    }

    private struct State: Sendable {
        var cookies: [String: [String: String]] = [:]
        var values: Set<String> = []
        var refused: [String] = []
        var pages: [Page] = []
    }

    private let authority: String
    private let tested: String
    private let version: WireProtocol?
    private let state = Watched(State())

    /// A browser without cookies that trusts this authority's certificates (PEM).
    ///
    /// It speaks to an origin that is tested as it is told or as the test says, and HTTP/1.1 to any other.
    init(trusting authority: String, testing origin: String, speaking version: WireProtocol? = nil) {
        self.authority = authority
        tested = origin
        self.version = version
    }

    /// The cookies that an origin gets.
    func cookies(of origin: String) -> [String: String] { state.now.cookies[origin] ?? [:] }
    /// Every value that some cookie of an `https` origin ever had.
    var cookieValues: Set<String> { state.now.values }
    /// `Set-Cookie` lines that a browser would not have taken.
    var refusedCookies: [String] { state.now.refused }
    /// Every answer so far.
    var pages: [Page] { state.now.pages }

    /// Puts a cookie back as it was.
    func keep(_ name: String, _ value: String, for origin: String) {
        state.withLock { $0.cookies[origin, default: [:]][name] = value }
    }

    /// One request; redirects are shown and not followed.
    @discardableResult
    func send(
        _ method: String = "GET", _ url: String, fields: [String] = ["Accept: text/html"], body: String = ""
    ) throws -> WireResponse {
        let address = try WebAddress(url)
        let version = address.origin == tested ? self.version ?? .current : .http1
        let client = try RawClient(
            port: address.port,
            tls: address.isSecure ? TLSClientOptions(serverName: address.name, authority: authority) : nil,
            speaking: version)
        defer { client.close() }
        let jar = cookies(of: address.origin).sorted { $0.key < $1.key }
        var lines = ["\(method) \(address.target) HTTP/1.1", "Host: \(address.host)"] + version.closing + fields
        if !jar.isEmpty { lines.append("Cookie: " + jar.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")) }
        if !body.isEmpty || method == "POST" || method == "PUT" { lines.append("Content-Length: \(body.utf8.count)") }
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        let response = try client.response(to: method)
        for line in response.fields["set-cookie"] { take(line, from: address) }
        state.withLock { $0.pages.append(Page(origin: address.origin, response: response)) }
        return response
    }

    /// Where an answer leads, as a whole URL; it must lead somewhere.
    func location(
        _ response: WireResponse, from url: String, at place: SourceLocation = #_sourceLocation
    ) throws -> String {
        let location = try #require(
            response.fields.only("location"), "\(response.headText)\(response.bodyText.prefix(300))",
            sourceLocation: place)
        return location.hasPrefix("/") ? try WebAddress(url).origin + location : location
    }

    /// RFC 6265bis §5.7: a `__Host-` cookie is Secure, for every path and for this host alone, or it is none.
    private func take(_ line: String, from address: WebAddress) {
        let parts = line.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let attributes = parts.dropFirst().map { $0.lowercased() }
        guard pair.count == 2 else { return state.withLock { $0.refused.append(line) } }
        let isHostCookie = pair[0].lowercased().hasPrefix("__host-")
        let isGood =
            address.isSecure && attributes.contains("secure") && attributes.contains("path=/")
            && attributes.contains("httponly") && !attributes.contains { $0.hasPrefix("domain") }
        if isHostCookie, !isGood { return state.withLock { $0.refused.append(line) } }
        state.withLock { state in
            let isGone = attributes.contains("max-age=0")
            state.cookies[address.origin, default: [:]][pair[0]] = isGone ? nil : pair[1]
            if address.isSecure, !pair[1].isEmpty { state.values.insert(pair[1]) }
        }
    }
}

/// The parts of an absolute URL that a browser needs; the host is on the loopback.
struct WebAddress: Sendable {
    let isSecure: Bool
    /// Name and port, as the Host field says them.
    let host: String
    let name: String
    let port: UInt16
    /// Path and query.
    let target: String

    init(_ url: String) throws {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3, parts[1].isEmpty, parts[0] == "https:" || parts[0] == "http:",
            let port = parts[2].split(separator: ":").last.flatMap({ UInt16($0) })
        else { throw WireFailure.malformed("URL \(url)") }
        isSecure = parts[0] == "https:"
        host = parts[2]
        name = String(parts[2].split(separator: ":")[0])
        self.port = port
        target = "/" + (parts.count > 3 ? parts[3] : "")
    }

    var origin: String { (isSecure ? "https://" : "http://") + host }

    /// Parameters of the query, decoded; of a name that is repeated, all.
    var parameters: [String: [String]] {
        target.split(separator: "?", maxSplits: 1).dropFirst().first.map { form(String($0)) } ?? [:]
    }
}

/// The pairs of a form, decoded.
func form(_ text: String) -> [String: [String]] {
    var found: [String: [String]] = [:]
    for pair in text.split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
        found[sides[0], default: []].append(sides.count > 1 ? sides[1] : "")
    }
    return found
}

private func decoded(_ text: Substring) -> String {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? String(text)
}
