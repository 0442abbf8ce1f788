import Glibc
import TestSupport
import TestTraits
import Testing

/// A named pipe whose reading end is the test's, and is read only when the test says so.
///
/// To the gateway it is what standard output is under a service manager or a container's runtime: a pipe.
private final class NamedPipe {
    let path: String
    private let folder: String
    private var descriptor: Int32 = -1
    private var rest: [UInt8] = []

    init() throws {
        folder = try TemporaryFolder.make(for: "log")
        path = folder + "/log"
        guard mkfifo(path, 0o600) == 0 else { throw WireFailure.system("mkfifo", errno) }
        try attach()
    }

    deinit {
        leave()
        TemporaryFolder.remove(folder)
    }

    func attach() throws {
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw WireFailure.system("open", errno) }
    }

    func leave() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        rest = []
    }

    /// The lines that are complete by now and were not read before.
    func lines() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            rest += buffer[..<count]
        }
        let pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(pieces.last ?? [])
        return pieces.dropLast().map { text(Array($0)) }
    }
}

/// A gateway whose logs go where the test wants them.
private struct LoggingStage {
    let upstream: RecordingUpstream
    let gateway: GatewayProcess

    init(
        access: String, operatorLog: String = "stderr", until milestone: GatewayProcess.Milestone = .ready
    ) throws {
        upstream = try RecordingUpstream()
        gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              - { address: "127.0.0.1:0", public_url: "http://gateway.test" }
            admin: { address: "127.0.0.1:0" }
            routes:
              - { path: /open/, upstream: "\(upstream.url)", public: true }
            log: { operator: "\(operatorLog)", access: "\(access)" }

            """, until: milestone)
    }

    /// A target whose line is more than a kilobyte.
    static let long = "/open/" + String(repeating: "long-", count: 200)

    /// Requests one behind the other, all answered.
    func serve(_ count: Int, _ client: RawClient, _ target: String = LoggingStage.long) throws {
        try client.send(String(repeating: request("GET", target), count: count))
        for _ in 0..<count { #expect(try client.response().status == 200) }
        upstream.forget()
    }

    /// Lines of the access log that were lost.
    var dropped: Int { gateway.reading("portcullis_log_dropped_total{log=\"access\"}") ?? -1 }

    /// Requests until more lines wait than may: some megabytes.
    func fill(_ client: RawClient) throws {
        for _ in 0..<150 where dropped == 0 { try serve(50, client) }
        #expect(dropped > 0)
    }
}

/// Rows OPS-04 and OPS-05: logs that nobody reads, that are full, that come back.
@Suite struct `logs that take nothing` {
    @Test(.refuses("OPS-04", "OPS-05"))
    func `a log that nobody reads delays no request, and goes on whole when it is read`() throws {
        let pipe = try NamedPipe()
        let stage = try LoggingStage(access: pipe.path)
        let client = try stage.gateway.client()
        try stage.serve(50, client)
        let clear = try ContinuousClock().measure { try stage.serve(100, client) }
        try stage.fill(client)
        let most = clear * 4 + .milliseconds(500)
        let blocked = try leastTime(below: most) { try stage.serve(100, client) }
        #expect(blocked < most, "\(clear) with room, \(blocked) without")
        #expect(try stage.gateway.status("/healthz") == 200)
        // Somebody reads again: what waited comes first, then what is new; between them lines are missing, never parts.
        var lines: [String] = []
        var fresh: [String] = []
        #expect(
            try eventually {
                try stage.serve(1, client, "/open/marker")
                fresh = pipe.lines()
                lines += fresh
                return fresh.contains { $0.contains("/open/marker") }
            })
        #expect(lines.count > 1000)
        #expect(lines.allSatisfy { LogLine($0) != nil }, "a torn line: \(lines.first { LogLine($0) == nil } ?? "")")
        let lost = stage.dropped
        try stage.serve(1, client, "/open/after")
        #expect(eventually { pipe.lines().contains { $0.contains("/open/after") } })
        #expect(stage.dropped == lost)
    }

    @Test(.refuses("OPS-08")) func `a log that nobody reads does not hold the end`() throws {
        let pipe = try NamedPipe()
        let stage = try LoggingStage(access: pipe.path)
        let client = try stage.gateway.client()
        try stage.fill(client)
        client.close()
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        withExtendedLifetime(pipe) {}
    }

    @Test(.refuses("OPS-05"))
    func `both logs in one pipe that nobody reads hold up neither requests nor refusals nor the end`()
        throws
    {
        let pipe = try NamedPipe()
        let stage = try LoggingStage(access: pipe.path, operatorLog: pipe.path, until: .started)
        // The ports are said in the log, which is read up to there.
        var ports: [String: UInt16] = [:]
        #expect(
            eventually {
                for line in pipe.lines().compactMap({ LogLine($0) }) where line["event"] == "listening" {
                    let port = line["address"]?.split(separator: ":").last.flatMap { UInt16($0) }
                    if let name = line["listener"], let port { ports[name] = port }
                }
                return ports.count == 2
            })
        let port = try #require(ports["public"])
        let admin = try #require(ports["admin"])
        func metrics() throws -> String {
            let scraper = try RawClient(port: admin)
            try scraper.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return try scraper.response().bodyText
        }
        let client = try RawClient(port: port)
        let full = "portcullis_log_dropped_total{log=\"operator\"} "
        for _ in 0..<150 {
            guard try metrics().contains(full + "0\n") else { break }
            try stage.serve(50, client)
        }
        #expect(try !metrics().contains(full + "0\n"))
        for _ in 0..<20 {
            try client.send(request("GET", "/nowhere/a"))
            expectTemplate(try client.response(), status: 404)
        }
        client.close()
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        withExtendedLifetime(pipe) {}
    }

    @Test(.holds("OPS-05")) func `a reader that leaves costs the lines meanwhile and nothing else`() throws {
        let pipe = try NamedPipe()
        let stage = try LoggingStage(access: pipe.path)
        let client = try stage.gateway.client()
        try stage.serve(1, client, "/open/before")
        #expect(eventually { pipe.lines().contains { $0.contains("/open/before") } })
        pipe.leave()
        try stage.serve(20, client)
        #expect(eventually { stage.dropped > 0 })
        #expect(stage.gateway.process.isRunning)
        try pipe.attach()
        var lines: [String] = []
        #expect(
            try eventually {
                try stage.serve(1, client, "/open/again")
                lines += pipe.lines()
                return lines.contains { $0.contains("/open/again") }
            })
        #expect(lines.allSatisfy { $0.isEmpty || LogLine($0) != nil }, "\(lines)")
    }

    @Test(.refuses("OPS-05")) func `a full disk costs lines, which are counted, and no request`() throws {
        let stage = try LoggingStage(access: "/dev/full")
        let client = try stage.gateway.client()
        try stage.serve(50, client)
        #expect(eventually { stage.dropped >= 50 })
        try stage.serve(50, client)
        #expect(eventually { stage.dropped >= 100 })
        #expect(stage.dropped == 100)
        client.close()
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
    }

    @Test(.holds("OPS-07")) func `a log whose folder is gone is written on where it is, and the operator is told`()
        throws
    {
        let folder = try TemporaryFolder.make(for: "log")
        let stage = try LoggingStage(access: folder + "/access")
        let client = try stage.gateway.client()
        try stage.serve(1, client, "/open/before")
        TemporaryFolder.remove(folder)
        stage.gateway.process.signal(SIGHUP)
        #expect(stage.gateway.operatorLine { $0["event"] == "log_not_reopened" } != nil)
        try stage.serve(20, client)
        #expect(stage.dropped == 0)
        #expect(stage.gateway.process.isRunning)
    }
}
