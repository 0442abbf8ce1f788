import Foundation
import TestSupport
import TestTraits
import Testing

/// Row OPS-07: what a reload says and does about listeners, and about descriptors for their connections.
@Suite struct `a reload that moves listeners` {
    private static func plan(_ extra: String) -> StagePlan {
        var plan = StagePlan()
        plan.publicURL += extra
        return plan
    }

    @Test(.holds("OPS-07")) func `says where it began to listen and where it stopped, and nothing of those that stay`()
        throws
    {
        let folder = try TemporaryFolder.make(for: "moved")
        defer { TemporaryFolder.remove(folder) }
        func listener(_ name: String) -> StagePlan {
            Self.plan("\n  - { address: \"unix:\(folder)/\(name).sock\", public_url: \"http://\(name).test\" }")
        }
        let stage = try Stage(listener("first"))
        func lines(_ event: String) -> [String] {
            stage.gateway.operatorLog.filter { $0["event"] == event && $0["listener"] == "public" }
                .compactMap { $0["address"] }
        }
        let started = lines("listening")
        #expect(started.count == 2)
        try stage.rewrite(listener("second"))
        try stage.reload()
        let opened = stage.gateway.operatorLine { $0["url"] == "http://second.test" }
        #expect(opened?["event"] == "listening")
        #expect(opened?["address"]?.hasSuffix("\(folder)/second.sock") == true, "\(opened?.raw ?? "")")
        let closed = stage.gateway.operatorLine { $0["event"] == "listener_closed" }
        #expect(closed?["address"]?.hasSuffix("\(folder)/first.sock") == true, "\(closed?.raw ?? "")")
        try stage.reload(times: 2)
        try stage.reload(times: 3)
        #expect(lines("listening").count == 3)
        #expect(lines("listener_closed").count == 1)
    }

    /// Where the listener is that a reload takes away.
    private func refused(at path: String) throws -> RawClient {
        let client = try RawClient(unixPath: path)
        // More is announced than ever comes, so that a close would reset what is sent later.
        try client.send("POST /open/a HTTP/1.1\r\nHost: unknown.test\r\nContent-Length: 100000\r\n\r\nbeginning")
        #expect(try client.response().status == 421)
        #expect(client.isClosedByPeer())
        return client
    }

    @Test(.refuses("OPS-07")) func `leaves a connection alone that only reads away what its client still sends`() throws
    {
        let folder = try TemporaryFolder.make(for: "lingering")
        defer { TemporaryFolder.remove(folder) }
        let path = "\(folder)/web.sock"
        let with = Self.plan("\n  - { address: \"unix:\(path)\", public_url: \"http://second.test\" }")
        let stage = try Stage(with)
        var reloads = 0
        func reload(_ plan: StagePlan) throws {
            try stage.rewrite(plan)
            reloads += 1
            try stage.reload(times: reloads)
        }
        // It lingers for two seconds: a machine so slow that they are over by then is tried again.
        for _ in 0..<10 {
            let began = ContinuousClock.now
            let client = try refused(at: path)
            try reload(StagePlan())
            var isTaken = true
            for _ in 0..<3 { isTaken = isTaken && (try? client.send("more of the body")) != nil }
            guard ContinuousClock.now - began < .milliseconds(1800) else {
                try reload(with)
                continue
            }
            #expect(isTaken, "reset by the reload")
            return
        }
        Issue.record("no reload within two seconds")
    }

    @Test(.holds("OPS-05")) func `says where fewer files may be open than the limits promise connections`() throws {
        var plan = StagePlan(settings: "limits: { connections: 300, upstream_connections: 30 }")
        let stage = try Stage(plan)
        func lines() -> [LogLine] { stage.gateway.operatorLog.filter { $0["event"] == "descriptors_short" } }
        try stage.gateway.process.limitDescriptors(to: 377)
        try stage.reload()
        #expect(lines().isEmpty, "30 to the only upstream, 300 of clients, and an eighth of all to issuers")
        plan.settings = "limits: { connections: 300, upstream_connections: 31 }"
        try stage.rewrite(plan)
        try stage.reload(times: 2)
        let line = stage.gateway.operatorLine { $0["event"] == "descriptors_short" }
        #expect(line?["level"] == "warning")
        #expect(line?["expected"] == "378")
        #expect(line?["found"] == "377")
    }

    @Test(.refuses("OPS-05")) func `takes as many connections as there are descriptors where nobody says how many`()
        throws
    {
        let folder = try TemporaryFolder.make(for: "fitted")
        defer { TemporaryFolder.remove(folder) }
        let path = folder + "/gateway.yaml"
        try """
        workers: 2
        listeners: [{ address: "127.0.0.1:0", public_url: "http://a.test" }]
        admin: { address: "127.0.0.1:0" }
        routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]

        """.write(toFile: path, atomically: true, encoding: .utf8)
        let command = "ulimit -n 1024; exec '\(GatewayProcess.binary)' run '\(path)'"
        let gateway = try ChildProcess("/bin/sh", ["-c", command])
        // 1,024 without an eighth for everything else, for two workers, and half of each one's for upstreams.
        #expect(
            gateway.errors.wait { lines in
                lines.contains { line in
                    let line = LogLine(line)
                    return line?["event"] == "connections_fitted" && line?["count"] == "224"
                        && line?["found"] == "1024" && line?["level"] == "info"
                }
            }, "\(gateway.errors.now)")
        #expect(gateway.errors.wait { $0.contains { LogLine($0)?["event"] == "listening" } })
        #expect(!gateway.errors.now.contains { LogLine($0)?["event"] == "descriptors_short" })
    }

    @Test(.holds("OPS-05")) func `a start says so too`() throws {
        let folder = try TemporaryFolder.make(for: "few")
        defer { TemporaryFolder.remove(folder) }
        let path = folder + "/gateway.yaml"
        try """
        workers: 2
        listeners: [{ address: "127.0.0.1:0", public_url: "http://a.test" }]
        admin: { address: "127.0.0.1:0" }
        routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]
        limits: { connections: 200, upstream_connections: 4096 }

        """.write(toFile: path, atomically: true, encoding: .utf8)
        let command = "ulimit -n 512; exec '\(GatewayProcess.binary)' run '\(path)'"
        let gateway = try ChildProcess("/bin/sh", ["-c", command])
        // As many to upstreams as clients may ask for, by each of two workers.
        #expect(
            gateway.errors.wait { lines in
                lines.contains { line in
                    let line = LogLine(line)
                    return line?["event"] == "descriptors_short" && line?["expected"] == "800"
                        && line?["found"] == "512"
                }
            }, "\(gateway.errors.now)")
    }
}
