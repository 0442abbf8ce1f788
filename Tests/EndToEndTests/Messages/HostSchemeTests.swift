import TestSupport
import TestTraits
import Testing

/// Rows HTTP-42 and ECO-70: the scheme that upstreams and browsers are told is that of the host that is called.
@Suite(.serialized, .byEachProtocol) struct `the scheme that a host is called by` {
    private final class SchemeStage: Sendable {
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        init() throws {
            upstream = try RecordingUpstream()
            let rest = "path: /, upstream: \"\(upstream.url)\", public: true, security_headers: true"
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - { address: "127.0.0.1:0", name: secure, public_url: "https://own.test", forwarded: true }
                  - { address: "127.0.0.1:0", name: plain, public_url: "http://plain.test", forwarded: true }
                admin: { address: "127.0.0.1:0" }
                hosts:
                  - { host: a.test, public_url: "http://a.test" }
                  - { host: b.test, public_url: "https://b.test" }
                  - { host: "*.c.test" }
                routes:
                  - { host: a.test, \(rest) }
                  - { host: b.test, \(rest) }
                  - { host: "*.c.test", \(rest) }
                  - { \(rest) }
                """, listeners: 2)
        }
    }

    private static let shared = Shared { try SchemeStage() }
    private let stage: SchemeStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    @Test(
        .holds("HTTP-42", "ECO-70"), .refuses("ECO-70"),
        arguments: [
            (0, "a.test", "http"), (0, "b.test", "https"), (0, "x.c.test", "https"), (0, "own.test", "https"),
            (1, "a.test", "http"), (1, "b.test", "https"), (1, "x.c.test", "http"), (1, "plain.test", "http"),
        ])
    func `is told upstreams and browsers, whichever listener it is called at`(
        listener: Int, host: String, scheme: String
    ) throws {
        let client = try RawClient(port: stage.gateway.ports[listener])
        defer { client.close() }
        try client.send("GET /a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        let answer = try client.response()
        #expect(answer.status == 200)
        let transport = scheme == "https" ? ["max-age=31536000"] : []
        #expect(answer.fields["strict-transport-security"] == transport, "\(answer.headText)")
        let recorded = try #require(stage.upstream.onlyRequest(for: "/a"))
        #expect(recorded.fields["x-forwarded-proto"] == [scheme])
        #expect(recorded.fields["x-forwarded-port"] == [scheme == "https" ? "443" : "80"])
        #expect(recorded.fields.only("forwarded")?.contains("proto=\(scheme)") == true)
    }
}
