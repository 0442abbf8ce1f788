// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TestSupport

/// Row OPS-08 and the program's start: how it begins and how it ends.
@Suite struct `start and stop` {
    @Test func `OPS-08 SIGTERM lets a download finish and takes no new connection`() throws {
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

    @Test func `OPS-08 without requests in flight SIGTERM ends it at once`() throws {
        let stage = try Stage()
        let idle = try stage.gateway.client()
        try idle.send(request("GET", "/open/a"))
        #expect(try idle.response().status == 200)
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(5)) == .exited(0))
        #expect(idle.isClosedByPeer())
    }

    @Test func `OPS-08 a second SIGTERM and the end of patience end it anyway`() throws {
        for settings in ["", "timeouts: { drain: 300ms }"] {
            let stage = try Stage(StagePlan(settings: settings))
            let gate = Gate()
            stage.upstream.answer("/open/a", with: WireScript(.wait(gate)))
            let client = try stage.gateway.client()
            try client.send(request("GET", "/open/a"))
            stage.upstream.waits { $0.requests.count == 1 }
            let port = stage.gateway.port
            stage.gateway.terminate()
            #expect(eventually { (try? RawClient(port: port)) == nil })
            if settings.isEmpty { stage.gateway.terminate() }
            #expect(stage.gateway.process.waitForEnd(within: .seconds(5)) != nil)
            gate.open()
        }
    }

    @Test func `OPS-08 readiness ends with SIGTERM`() throws {
        let stage = try Stage()
        let gate = Gate()
        stage.upstream.answer(
            "/open/a", with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        stage.upstream.waits { $0.requests.count == 1 }
        stage.gateway.terminate()
        #expect(eventually { (try? stage.gateway.status("/readyz")) != 200 })
        gate.open()
        #expect(try client.response().status == 200)
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
    }

    @Test func `OPS-08 SIGINT stops as SIGTERM does`() throws {
        let stage = try Stage()
        stage.gateway.process.signal(2)
        #expect(stage.gateway.process.waitForEnd(within: .seconds(5)) == .exited(0))
    }

    @Test func `a configuration with problems is refused with all of them`() throws {
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

    @Test func `a port that is taken keeps the gateway from starting`() throws {
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

    @Test func `CA-17 leaves no core file, and takes all the descriptors it may have`() throws {
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

    @Test(.disabled(if: Sanitizer.isOn)) func `an idle gateway is small`() throws {
        let stage = try Stage()
        // Debug builds are larger than what is shipped; this catches a second runtime, not a megabyte.
        #expect(stage.gateway.process.memory() < 64 * 1024)
        #expect(stage.gateway.process.memory("RssAnon") < 24 * 1024)
    }
}
