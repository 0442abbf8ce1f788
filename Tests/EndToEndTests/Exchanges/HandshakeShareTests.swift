import TestSupport
import TestTraits
import Testing

/// Row OPS-05, T-42: TLS handshakes that are begun and left alone.
@Suite(.serialized) struct `handshakes under way` {
    private final class Stage: Sendable {
        let authority: TestCertificate
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        init(_ limits: String, listener: String = "") throws {
            authority = try TestCertificate.authority(named: "Authority of the tests")
            upstream = try RecordingUpstream()
            let identity = try authority.issue(names: ["a.test"])
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - address: 127.0.0.1:0
                    public_url: https://a.test
                    tls: { certificate: $FOLDER/a.crt, key: $FOLDER/a.key }
                    \(listener)
                admin: { address: "127.0.0.1:0" }
                routes: [{ path: /, upstream: "\(upstream.url)", public: true }]
                limits: { \(limits) }
                timeouts: { request_head: 5m }

                """, files: ["a.crt": identity.certificate, "a.key": identity.key])
        }

        /// A connection that has sent nothing yet.
        func open(from address: String) throws -> RawClient { try RawClient(port: gateway.port, from: address) }

        func secured(from address: String) throws -> RawClient {
            let options = TLSClientOptions(serverName: "a.test", authority: authority.certificate)
            return try RawClient(port: gateway.port, tls: options, from: address)
        }

        func isServed(_ client: RawClient) throws -> Bool {
            try client.send("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n")
            return try client.response().status == 200
        }
    }

    @Test(.holds("OPS-05"), .refuses("OPS-05")) func `one client has so many, and the others theirs`() throws {
        let stage = try Stage("handshakes_per_client: 3")
        let half = try (0..<3).map { _ in try stage.open(from: "127.0.0.2") }
        #expect(eventually { stage.gateway.connections("client") == 3 })
        let refused = try stage.open(from: "127.0.0.2")
        #expect(refused.isClosedByPeer())
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "connections_refused" })
        #expect(line["expected"] == "3 handshakes of one client at most")
        #expect(line["client"] == "127.0.0.2")
        #expect(try stage.isServed(stage.secured(from: "127.0.0.1")))
        // Whoever leaves makes room, and a handshake that is done is none under way.
        half[0].close()
        #expect(
            eventually {
                guard let client = try? stage.secured(from: "127.0.0.2") else { return false }
                return (try? stage.isServed(client)) == true
            })
        let done = try (0..<6).map { _ in
            let client = try stage.secured(from: "127.0.0.2")
            #expect(try stage.isServed(client))
            return client
        }
        withExtendedLifetime((half, done)) {}
    }

    @Test(.holds("OPS-05")) func `one client begins so many in a while, and the others theirs`() throws {
        let stage = try Stage("handshake_rate_per_client: 1, handshake_burst_per_client: 3")
        let done = try (0..<3).map { _ in
            let client = try stage.secured(from: "127.0.0.2")
            #expect(try stage.isServed(client))
            return client
        }
        // Far more than a second's worth each, however slow the machine.
        let flood = try (0..<60).map { _ in try stage.open(from: "127.0.0.2") }
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "connections_refused" })
        #expect(line["expected"] == "1 handshakes a second of one client (limits.handshake_rate_per_client)")
        #expect(line["client"] == "127.0.0.2")
        #expect(flood.contains { $0.isClosedByPeer() })
        #expect(eventually { stage.gateway.reading(Self.refusals) ?? 0 > 0 })
        #expect(try stage.isServed(stage.secured(from: "127.0.0.1")))
        // What has had its handshake goes on.
        for client in done { #expect(try stage.isServed(client)) }
        // It may again after a while.
        #expect(
            eventually {
                guard let client = try? stage.secured(from: "127.0.0.2") else { return false }
                return (try? stage.isServed(client)) == true
            })
    }

    @Test(.refuses("OPS-05")) func `those of a proxy in front have no rate`() throws {
        let stage = try Stage(
            "handshake_rate_per_client: 1, handshake_burst_per_client: 1", listener: "trusted_proxies: [127.0.0.3/32]")
        for _ in 0..<20 { #expect(try stage.isServed(stage.secured(from: "127.0.0.3"))) }
        #expect(stage.gateway.reading(Self.refusals) ?? 0 == 0)
    }

    private static let refusals =
        "portcullis_refusals_total{route=\"(none)\",cause=\"client_connections_too_many\",blame=\"client\"}"
}
