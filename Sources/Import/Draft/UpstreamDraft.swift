import Configuration

/// Where a route's requests go: a server, or several that answer alike.
struct UpstreamDraft: Sendable, Equatable {
    /// A server with its share of the requests.
    struct Server: Sendable, Equatable {
        var url: String
        var weight = 1
    }

    /// Stands for an upstream that the foreign configuration does not name; nobody has that name.
    static let unknown = UpstreamDraft(["http://upstream-not-named.invalid"])
    private static let mostServers = 32

    private(set) var servers: [Server]
    /// What stands before every path.
    var base = ""
    var prefersIdle = false
    var isSticky = false
    var retries = false
    /// After so many failures a server gets nothing for so many seconds.
    var ejection: (failures: Int, seconds: Int)?

    init(_ urls: [String]) { servers = urls.map { Server(url: $0) } }

    /// Those of the servers that can stand beside the first: others with TLS or without it, sockets, and those that are there
    /// twice are left out.
    init?(servers: [Server]) {
        guard let first = servers.first(where: { AcceptedText.isGood($0.url, for: .upstream) }) else { return nil }
        var own = [first]
        if !first.url.hasPrefix("unix:") {
            let scheme = first.url.hasPrefix("https:") ? "https:" : "http:"
            for server in servers where server.url.hasPrefix(scheme) && own.count < Self.mostServers {
                let isThere = own.contains { $0.url == server.url }
                if !isThere, AcceptedText.isGood(server.url, for: .upstream) { own.append(server) }
            }
        }
        self.servers = own
    }

    static func == (left: UpstreamDraft, right: UpstreamDraft) -> Bool { left.text == right.text }

    var hasTLS: Bool { servers.contains { $0.url.hasPrefix("https:") } }
    var isSocket: Bool { servers.contains { $0.url.hasPrefix("unix:") } }

    /// What stands behind `upstream`.
    var text: String {
        let urls = servers.map { YAMLText.scalar($0.url + base) }
        if servers.count == 1 { return urls[0] }
        let list = zip(servers, urls).map { server, url in
            server.weight == 1 ? url : "{ url: \(url), weight: \(min(max(server.weight, 1), 1000)) }"
        }
        var parts = ["url: [\(list.joined(separator: ", "))]"]
        if prefersIdle { parts.append("policy: least_requests") }
        if isSticky { parts.append("sticky: session") }
        if let ejection {
            let seconds = min(max(ejection.seconds, 1), 600)
            parts.append("ejection: { failures: \(min(max(ejection.failures, 0), 1000)), time: \(seconds)s }")
        }
        if retries { parts.append("retries: true") }
        return "{ \(parts.joined(separator: ", ")) }"
    }
}
