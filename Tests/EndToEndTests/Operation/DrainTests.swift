import Foundation
import TestSupport
import TestTraits
import Testing

/// Row OPS-08 and the program's start: how it begins and how it ends.
@Suite(.byEachProtocol) struct `start and stop` {
    /// The row's second; an instrumented gateway takes several times as long for each step.
    private static let second: Duration = Sanitizer.isOn ? .seconds(10) : .seconds(1)

    @Test(.holds("OPS-08")) func `SIGTERM lets a download finish and takes no new connection`() throws {
        let stage = try Stage()
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"
        stage.upstream.answer("/open/a", with: WireScript(.text(head), .wait(gate), .text("last.")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "first")
        let port = stage.gateway.port
        stage.gateway.terminate()
        #expect(eventually { (try? RawClient(port: port)) == nil })
        #expect(stage.gateway.process.isRunning)
        gate.open()
        #expect(text(try client.bytes(5)) == "last.")
        #expect(client.isClosedByPeer())
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test(.holds("OPS-08")) func `without requests in flight SIGTERM ends it at once`() throws {
        let stage = try Stage()
        let idle = try stage.gateway.client()
        try idle.send(request("GET", "/open/a"))
        #expect(try idle.response().status == 200)
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        #expect(idle.isClosedByPeer())
    }

    /// A stage whose upstream has been asked, has said `beginning`, which the client has, and says no more.
    private func held(_ beginning: String, settings: String = "", by gate: Gate) throws -> (Stage, RawClient) {
        let stage = try Stage(StagePlan(settings: settings))
        stage.upstream.answer("/open/a", with: WireScript(.text(beginning), .wait(gate), .text("last.")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(stage.upstream.waits { $0.requests.count == 1 })
        if !beginning.isEmpty { _ = try client.bytes(through: "first") }
        return (stage, client)
    }

    private static let beginnings = ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"]

    @Test(.holds("OPS-08"), arguments: beginnings)
    func `a second SIGTERM ends it within a second, whatever is under way`(beginning: String) throws {
        let gate = Gate()
        defer { gate.open() }
        var least = Duration.seconds(3600)
        // A machine that stands still once does not do so each time.
        for _ in 0..<4 where least >= Self.second {
            let (stage, client) = try held(beginning, by: gate)
            stage.gateway.terminate()
            #expect(stage.gateway.operatorLine { $0["event"] == "stopping" } != nil)
            #expect(client.staysSilent(), "the first lets it go on")
            #expect(stage.gateway.process.isRunning)
            let taken = ContinuousClock().measure {
                stage.gateway.terminate()
                #expect(stage.gateway.process.waitForEnd() == .exited(0))
            }
            least = min(least, taken)
            #expect(stage.gateway.operatorLine { $0["event"] == "drain_timed_out" } != nil)
            #expect(client.isClosedByPeer(), "cut off, and nothing in place of what is missing")
        }
        #expect(least < Self.second)
    }

    @Test(.holds("OPS-08"), arguments: beginnings)
    func `the end of patience ends it within a second, whatever is under way`(beginning: String) throws {
        let gate = Gate()
        defer { gate.open() }
        let most = Duration.milliseconds(600) + Self.second
        var least = Duration.seconds(3600)
        for _ in 0..<4 where least >= most {
            let (stage, client) = try held(beginning, settings: "timeouts: { drain: 600ms }", by: gate)
            let taken = ContinuousClock().measure {
                stage.gateway.terminate()
                #expect(stage.gateway.process.waitForEnd() == .exited(0))
            }
            least = min(least, taken)
            #expect(taken >= .milliseconds(590), "it has time as long as was configured")
            #expect(stage.gateway.operatorLine { $0["event"] == "drain_timed_out" } != nil)
            #expect(client.isClosedByPeer(), "cut off, and nothing in place of what is missing")
        }
        #expect(least < most)
    }

    @Test(.holds("OPS-08")) func `readiness ends with SIGTERM, for as long as it takes`() throws {
        let stage = try Stage()
        let gate = Gate()
        stage.upstream.answer(
            "/open/a", with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        stage.upstream.waits { $0.requests.count == 1 }
        #expect(try stage.gateway.status("/readyz") == 200)
        stage.gateway.terminate()
        // An answer, and no refused connection: a balancer takes that for a gateway that is broken.
        #expect(try eventually { try stage.gateway.status("/readyz") == 503 })
        #expect(try stage.gateway.admin("/readyz").bodyText.contains("draining"))
        gate.open()
        #expect(try client.response().status == 200)
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test(.holds("OPS-08"))
    func `a delay lets everything go on while readiness is gone, until a second signal ends it`() throws {
        let stage = try Stage(StagePlan(settings: "timeouts: { drain_delay: 1h }"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        stage.gateway.terminate()
        #expect(try eventually { try stage.gateway.status("/readyz") == 503 })
        #expect(try stage.gateway.admin("/readyz").bodyText.contains("draining"))
        #expect(try stage.gateway.status("/healthz") == 200)
        for current in [client, try stage.gateway.client()] {
            for _ in 0..<3 {
                try current.send(request("GET", "/open/a"))
                let response = try current.response()
                #expect(response.status == 200)
                #expect(!response.fields["connection"].contains("close"))
            }
        }
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test(.holds("OPS-08"), .refuses("OPS-08"))
    func `after its delay a drain is as without one`() throws {
        let gate = Gate()
        let (stage, client) = try held(
            Self.beginnings[1], settings: "timeouts: { drain_delay: 400ms, drain: 1m }", by: gate)
        let port = stage.gateway.port
        let taken = ContinuousClock().measure {
            stage.gateway.terminate()
            #expect(eventually { (try? RawClient(port: port)) == nil })
        }
        #expect(taken >= .milliseconds(390), "it turns nobody away before")
        #expect(stage.gateway.process.isRunning)
        #expect(stage.gateway.operatorLine { $0["event"] == "stopping" }?["milliseconds"] == "60400")
        gate.open()
        #expect(text(try client.bytes(5)) == "last.")
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test(.byHTTP1(because: "no client takes part"), .holds("OPS-08")) func `SIGINT stops as SIGTERM does`() throws {
        let stage = try Stage()
        stage.gateway.process.signal(2)
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
    }

    @Test(.byHTTP1(because: "no client takes part")) func `a configuration with problems is refused with all of them`()
        throws
    {
        let yaml = """
            listeners:
              - { address: "127.0.0.1:0", public_url: "http://gateway.test" }
            admin: { address: "127.0.0.1:0" }
            issuers:
              main: { url: "not a url" }
            routes:
              - { path: no-slash, upstream: "http://127.0.0.1:9", public: true }
              - { path: /a/, upstrem: "http://127.0.0.1:9", public: true }

            """
        let gateway = try GatewayProcess(yaml, until: .started)
        #expect(gateway.process.waitForEnd() == .exited(2))
        let report = gateway.process.errors.now.joined(separator: "\n")
        for line in [5, 7, 8] { #expect(report.contains("gateway.yaml:\(line):"), "\(report)") }
        #expect(report.contains("upstream"))
        #expect(gateway.ports.isEmpty)
    }

    @Test(.byHTTP1(because: "no client takes part")) func `a port that is taken keeps the gateway from starting`()
        throws
    {
        let taken = try RecordingUpstream()
        let yaml = """
            listeners:
              - { address: "127.0.0.1:\(taken.port)", public_url: "http://gateway.test" }
            admin: { address: "127.0.0.1:0" }
            routes:
              - { path: /a/, upstream: "http://127.0.0.1:9", public: true }

            """
        let gateway = try GatewayProcess(yaml, until: .started)
        let end = gateway.process.waitForEnd()
        #expect(end != nil && end != .exited(0))
        #expect(gateway.process.errors.now.joined().contains("\(taken.port)"))
    }

    @Test func `several workers serve one port`() throws {
        let stage = try Stage(StagePlan(settings: "", workers: 3))
        for number in 0..<30 {
            #expect(try stage.exchange("GET", "/orders/\(number)", fields: [stage.tokens.bearer()]).status == 200)
        }
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test(.byHTTP1(because: "no client takes part"), .refuses("CA-17"))
    func `leaves no core file, and takes all the descriptors it may have`() throws {
        let stage = try Stage()
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        let limits = try String(contentsOfFile: "/proc/\(stage.gateway.process.identifier)/limits", encoding: .utf8)
        func limit(_ name: String) -> [Substring] {
            let line = limits.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return line.dropFirst(name.count).split(separator: " ")
        }
        #expect(limit("Max core file size").prefix(2) == ["0", "0"])
        let descriptors = limit("Max open files")
        #expect(descriptors.count >= 2 && descriptors[0] == descriptors[1])
    }

    @Test(.byHTTP1(because: "no client takes part"), .disabled(if: Sanitizer.isOn)) func `an idle gateway is small`()
        throws
    {
        let stage = try Stage()
        // Debug builds are larger than what is shipped; this catches a second runtime, not a megabyte.
        #expect(stage.gateway.process.memory() < 64 * 1024)
        #expect(stage.gateway.process.memory("RssAnon") < 24 * 1024)
    }
}
