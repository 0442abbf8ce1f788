import TestSupport
import Testing

/// A gateway whose listeners are behind proxies that write headers of the PROXY protocol.
final class ProxyProtocolStage: Sendable {
    /// The listeners, in the order of the configuration.
    enum Listener: Int {
        case plain, secure
        /// Proxies of 203.0.113.0/24 are trusted too, and upstreams get `Forwarded`.
        case trusting
        /// No header is read.
        case bare
    }

    /// A header of version 1 for 203.0.113.9.
    static let line = Array("PROXY TCP4 203.0.113.9 198.51.100.1 4711 443\r\n".utf8)
    /// The same of version 2.
    static let block = block([203, 0, 113, 9, 198, 51, 100, 1, 0x12, 0x67, 0x01, 0xBB])
    /// What a proxy writes for itself.
    static let local = block([], command: 0x20, family: 0)

    static func block(_ rest: [UInt8], command: UInt8 = 0x21, family: UInt8 = 0x11) -> [UInt8] {
        Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
    }

    let authority: TestCertificate
    let upstream: RecordingUpstream
    let gateway: GatewayProcess

    init(_ settings: String = "") throws {
        authority = try TestCertificate.authority(named: "Authority of the tests")
        upstream = try RecordingUpstream()
        let identity = try authority.issue(names: ["gateway.test"])
        let listener = "- { address: \"127.0.0.1:0\", public_url: \"https://gateway.test\""
        let from = "proxy_protocol: { from: [127.0.0.1/32] }"
        gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              \(listener), \(from) }
              \(listener), \(from), tls: { certificate: $FOLDER/a.crt, key: $FOLDER/a.key } }
              \(listener), \(from), trusted_proxies: [203.0.113.0/24], forwarded: true }
              \(listener) }
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, upstream: "\(upstream.url)", public: true }]
            log: { level: debug, operator: stderr, access: stdout }
            \(settings)

            """, files: ["a.crt": identity.certificate, "a.key": identity.key], listeners: 4)
    }

    /// A client whose bytes come behind a header, in one segment with it.
    func client(
        _ listener: Listener, behind header: [UInt8], from source: String? = nil,
        speaking version: WireProtocol = .current
    ) throws -> RawClient {
        let options = TLSClientOptions(serverName: "gateway.test", authority: authority.certificate)
        return try RawClient(
            port: gateway.ports[listener.rawValue], tls: listener == .secure ? options : nil, from: source,
            behind: header,
            speaking: version)
    }

    /// What the upstream is sent for a request behind a header.
    func forwarded(
        _ listener: Listener, behind header: [UInt8], _ fields: [String] = [],
        at location: SourceLocation = #_sourceLocation
    ) throws -> WireRequest {
        upstream.forget()
        let client = try client(listener, behind: header)
        try client.send(request("GET", "/a", fields: fields))
        let answer = try client.response()
        #expect(answer.status == 200, "\(answer.headText)\(gateway.diagnosis)", sourceLocation: location)
        return try #require(upstream.onlyRequest(for: "/a"), sourceLocation: location)
    }

    /// The client in the access log's line of the request that the upstream was sent.
    func loggedClient(_ request: WireRequest, at location: SourceLocation = #_sourceLocation) throws -> String? {
        let id = try #require(request.fields.only("x-request-id"), sourceLocation: location)
        return try #require(gateway.accessLine { $0["request_id"] == id }, sourceLocation: location)["client"]
    }

    /// Connections that were closed for their headers.
    var refusals: Int {
        gateway.reading(
            "portcullis_refusals_total{route=\"(none)\",cause=\"proxy_header_refused\",blame=\"client\"}") ?? 0
    }
}
