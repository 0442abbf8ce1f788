import TestSupport
import TestTraits
import Testing

/// Row OPS-06: who is told what the admin listener knows.
@Suite(.serialized) struct `the admin listener` {
    private static let shared = Shared {
        var plan = StagePlan()
        plan.admin = "hosts: [metrics.internal]"
        return try Stage(plan)
    }
    let stage: Stage

    init() throws { stage = try Self.shared.get() }

    private func ask(_ path: String, host: String) throws -> WireResponse {
        let client = try RawClient(port: stage.gateway.adminPort)
        try client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try client.response()
    }

    @Test(
        .refuses("OPS-06"), arguments: ["/", "/metrics", "/readyz", "/healthz", "/startupz", "/explain/0", "/nowhere"])
    func `tells nothing under a name that somebody else may own`(path: String) throws {
        for host in ["evil.example", "evil.example:\(stage.gateway.adminPort)", "localhost.evil.example"] {
            let response = try ask(path, host: host)
            #expect(response.status == 421)
            #expect(!response.bodyText.contains("portcullis_") && !response.bodyText.contains("state"))
            #expect(!response.bodyText.contains("<html"))
        }
    }

    @Test(
        .holds("OPS-06"),
        arguments: ["127.0.0.1", "[::1]:9901", "10.0.0.7:9901", "localhost", "localhost:9901", "metrics.internal"])
    func `answers probes by address, localhost and its configured names`(host: String) throws {
        #expect(try ask("/readyz", host: host).status == 200)
        #expect(try ask("/metrics", host: host).bodyText.contains("portcullis_"))
    }

    @Test(.holds("OPS-06")) func `answers a probe that speaks HTTP 1.0 and names no host`() throws {
        let client = try RawClient(port: stage.gateway.adminPort)
        try client.send("GET /healthz HTTP/1.0\r\n\r\n")
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("OPS-06"), .timeLimit(.minutes(1)))
    func `answers a probe while somebody holds more connections than it takes`() throws {
        var held: [RawClient] = []
        for _ in 0..<80 {
            let client = try RawClient(port: stage.gateway.adminPort)
            try client.send("GET /metr")
            held.append(client)
        }
        for _ in 0..<3 { #expect(try ask("/healthz", host: "localhost").status == 200) }
        withExtendedLifetime(held) {}
    }
}
