import Testing
import TestSupport

/// A gateway whose listeners trust the proxies in front of them in different ways.
final class ProxyStage: Sendable {
    /// The listeners, in the order of the configuration; all are plain, behind a terminator.
    enum Listener: Int {
        /// Nobody is trusted.
        case plain
        /// Nobody is trusted; upstreams get `Forwarded`.
        case forwarding
        /// This machine and 10.0.0.0/8 are trusted.
        case trusting
        /// The same, and upstreams get `Forwarded`.
        case trustingForwarding
        /// Another machine is trusted.
        case elsewhere
    }

    let upstream: RecordingUpstream
    let gateway: GatewayProcess

    init() throws {
        upstream = try RecordingUpstream()
        let trust = "trusted_proxies: [\"127.0.0.1/32\", \"10.0.0.0/8\", \"fd00::/8\"]"
        let listener =
            "- { address: \"127.0.0.1:0\", public_url: \"https://gateway.test\", http2: true, hosts: [\"other.test:8443\", \"[::1]\"]"
        gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              \(listener) }
              \(listener), forwarded: true }
              \(listener), \(trust) }
              \(listener), \(trust), forwarded: true }
              \(listener), trusted_proxies: [192.0.2.0/24] }
            admin: { address: "127.0.0.1:0" }
            routes:
              - { path: /, upstream: "\(upstream.url)", public: true }
            log: { level: debug, operator: stderr, access: stdout }

            """, listeners: 5)
    }

    /// What the upstream is sent for a request with these field lines at a listener.
    func forwarded(
        _ listener: Listener, _ fields: [String] = [], host: String = "gateway.test",
        at location: SourceLocation = #_sourceLocation
    ) throws -> WireRequest {
        upstream.forget()
        let client = try RawClient(port: gateway.ports[listener.rawValue])
        let lines = ["GET /a HTTP/1.1", "Host: \(host)"] + fields
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        let answer = try client.response()
        #expect(answer.status == 200, "\(answer.headText)\(gateway.diagnosis)", sourceLocation: location)
        return try #require(upstream.onlyRequest(for: "/a"), sourceLocation: location)
    }

    /// The client in the access log's line of the request that the upstream was sent.
    func loggedClient(_ request: WireRequest, at location: SourceLocation = #_sourceLocation) throws -> String? {
        let id = try #require(request.fields.only("x-request-id"), sourceLocation: location)
        return try #require(gateway.accessLine { $0["request_id"] == id }, sourceLocation: location)["client"]
    }
}
