import TestSupport
import TestTraits
import Testing

/// Why a TLS handshake came to nothing, in the operator's log and in the metric: each reason is met once.
@Suite struct `a handshake that fails` {
    private final class Stage: Sendable {
        let authority: TestCertificate
        let stranger: TestCertificate
        let gateway: GatewayProcess

        init(head: String) throws {
            authority = try TestCertificate.authority(named: "Authority of the tests")
            stranger = try TestCertificate.authority(named: "Another authority")
            let identity = try authority.issue(names: ["a.test"])
            let listener = "- { address: \"127.0.0.1:0\", public_url: \"https://a.test\", "
            let tls = "tls: { certificate: $FOLDER/a.crt, key: $FOLDER/a.key"
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  \(listener) \(tls) } }
                  \(listener) \(tls), minimum_version: "1.3" } }
                  \(listener) \(tls), client_certificates: { request: required, trust: any } } }
                admin: { address: "127.0.0.1:0" }
                routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]
                timeouts: { request_head: \(head), keep_alive: 60s }
                log: { level: debug }

                """, files: ["a.crt": identity.certificate, "a.key": identity.key], listeners: 3)
        }

        func connect(_ listener: Int = 0, tls: TLSClientOptions? = nil) throws -> RawClient {
            try RawClient(port: gateway.ports[listener], tls: tls)
        }
    }

    private static let shared = Shared { try Stage(head: "60s") }

    private static let reasons: [(String, @Sendable (Stage) throws -> Void)] = [
        (
            "not_tls",
            { stage in
                let client = try stage.connect()
                try client.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                _ = try? client.bytesToEnd()
            }
        ),
        (
            "version",
            { stage in
                let client = try stage.connect(1)
                try client.send(ClientHello(compressions: [0]).bytes)
                #expect(try ClientHello.answer(from: client) == .alert)
            }
        ),
        (
            "cipher",
            { stage in
                var hello = ClientHello(compressions: [0]).bytes
                // The only suite offered: RC4, which no listener has.
                try #require(Array(hello[44..<48]) == [0, 2, 0xC0, 0x2B])
                hello.replaceSubrange(46..<48, with: [0x00, 0x05])
                let client = try stage.connect()
                try client.send(hello)
                #expect(try ClientHello.answer(from: client) == .alert)
            }
        ),
        (
            "certificate",
            { stage in
                // A client of TLS 1.3 believes itself connected before the server has asked in vain.
                let client = try? stage.connect(2, tls: TLSClientOptions(serverName: "a.test"))
                _ = try? client?.bytesToEnd()
            }
        ),
        (
            "alert",
            { stage in
                let distrusting = TLSClientOptions(serverName: "a.test", authority: stage.stranger.certificate)
                #expect(throws: WireFailure.self) { try stage.connect(tls: distrusting) }
            }
        ),
        (
            "application_protocol",
            { stage in
                var options = TLSClientOptions(serverName: "a.test")
                options.applicationProtocols = ["spdy/3"]
                #expect(throws: WireFailure.self) { try stage.connect(tls: options) }
            }
        ),
        (
            "closed",
            { stage in
                let client = try stage.connect()
                try client.send(Array(ClientHello(compressions: [0]).bytes.prefix(20)))
                client.close()
            }
        ),
        (
            "timed_out",
            { stage in
                let client = try stage.connect()
                _ = try? client.bytesToEnd()
            }
        ),
    ]

    @Test(.holds("HTTP-73", "OPS-06"), arguments: reasons.indices) func `is logged with its reason, and counted by it`(
        index: Int
    ) throws {
        let (reason, fail) = Self.reasons[index]
        // A short time is only for the one that lets it pass: the others may be late.
        let stage = try reason == "timed_out" ? Stage(head: "500ms") : Self.shared.get()
        let sample = "portcullis_handshake_failures_total{reason=\"\(reason)\"}"
        #expect(text(try stage.gateway.admin("/metrics").body).contains("\(sample) 0\n"))
        try fail(stage)
        let line = try #require(
            stage.gateway.operatorLine { $0["event"] == "handshake_failed" && $0["reason"] == reason },
            "\(stage.gateway.diagnosis)")
        // A port that is probed is no event.
        #expect(line["level"] == (reason == "closed" ? "debug" : "info"))
        #expect(line["client"] == "127.0.0.1")
        let isCounted = try eventually { text(try stage.gateway.admin("/metrics").body).contains("\(sample) 1\n") }
        #expect(isCounted)
    }
}
