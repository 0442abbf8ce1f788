import Foundation
import TestSupport
import TestTraits
import Testing

/// Row OPS-05, T-42: no descriptor is left for a connection, a file or an upstream, and what comes after that.
@Suite struct `a gateway without descriptors` {
    private static let plenty = 1024

    /// A stage with one connection to the upstream that idles, and a client that stands.
    private func standing() throws -> (stage: Stage, client: RawClient) {
        // Longer than anything takes that is answered at once, on whatever machine.
        let timeouts = "timeouts: { upstream_connect: 5m, upstream_first_byte: 5m, upstream_idle: 5m }"
        let stage = try Stage(StagePlan(settings: timeouts))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/warm"))
        #expect(try client.response().status == 200)
        return (stage, client)
    }

    @Test(.holds("OPS-05"))
    func `connections that stand are served, new ones wait and are answered once there is room`() throws {
        let (stage, client) = try standing()
        let process = stage.gateway.process
        try process.limitDescriptors(to: 0)
        let began = ContinuousClock.now
        let waiting = try (0..<5).map { _ in try stage.gateway.client() }
        for one in waiting { try one.send(request("GET", "/open/waiting")) }
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "accept_failed" })
        #expect(line["error_number"] == "\(EMFILE)")
        #expect(line["reason"]?.contains("open files") == true)
        // A second and more of it: clients wait, those who are in are served as ever.
        var served = 0
        #expect(
            try eventually {
                try client.send(request("GET", "/open/\(served)"))
                guard try client.response().status == 200 else { return false }
                served += 1
                return stage.gateway.lines("accept_failed") >= 10
            })
        #expect(waiting.allSatisfy { $0.staysSilent(for: .milliseconds(10)) })
        // What the loop's own turns cost, without the requests that this test sends meanwhile.
        let (quiet, computed) = (ContinuousClock.now, process.processorTime)
        let said = stage.gateway.lines("accept_failed")
        #expect(eventually { stage.gateway.lines("accept_failed") >= said + 10 })
        let elapsed = ContinuousClock.now - quiet
        #expect(process.processorTime - computed < elapsed / 4 + .milliseconds(100), "it spins")
        // One try a tick of 100 ms, and a line for each: neither a busy loop nor thousands of lines.
        let written = stage.gateway.lines("accept_failed")
        let ticks = (ContinuousClock.now - began) / Duration.milliseconds(100)
        #expect(Double(written) <= ticks + 3)
        try process.limitDescriptors(to: Self.plenty)
        for one in waiting { #expect(try one.response().status == 200) }
        try stage.awaitOperatorLog()
        let lines = stage.gateway.lines("accept_failed")
        #expect(try stage.exchange("GET", "/open/after").status == 200)
        try stage.awaitOperatorLog()
        #expect(stage.gateway.lines("accept_failed") == lines)
        #expect(try stage.gateway.status("/healthz") == 200)
    }

    @Test(.holds("OPS-05")) func `each connection that ends makes room for one that waits`() throws {
        let (stage, client) = try standing()
        let process = stage.gateway.process
        // The upstream's connection and the client's are there already.
        let before = process.openDescriptors(of: "socket:")
        try process.limitDescriptors(toRoomFor: 4)
        let crowd = try (0..<12).map { _ in try stage.gateway.client() }
        #expect(stage.gateway.operatorLine { $0["event"] == "accept_failed" } != nil)
        let accepted = process.openDescriptors(of: "socket:") - before
        #expect((1...5).contains(accepted), "\(accepted) with room for four")
        for one in [client] + crowd.prefix(max(0, accepted)) {
            try one.send(request("GET", "/open/in"))
            #expect(try one.response().status == 200)
        }
        client.close()
        // One after the other, so that the connection to the upstream that stands is enough for all of them.
        for (number, one) in crowd.enumerated() {
            try one.send(request("GET", "/open/turn"))
            #expect(try one.response().status == 200, "client \(number)")
            one.close()
        }
    }

    @Test(.holds("OPS-05"))
    func `an upstream to which no socket is to be had is answered at once and found again later`() throws {
        let (stage, client) = try standing()
        let process = stage.gateway.process
        let before = process.openDescriptors(of: "socket:")
        stage.upstream.closeConnections()
        #expect(eventually { process.openDescriptors(of: "socket:") < before })
        try process.limitDescriptors(to: 0)
        try client.send(request("GET", "/open/a"))
        // Before the time for a connection is over, which is longer than the client waits.
        let response = try client.response()
        #expect([502, 503].contains(response.status), "\(response.headText)")
        expectTemplate(response, status: response.status)
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "upstream_connect_failed" })
        #expect(line["found"]?.contains("open files") == true, "\(line.raw)")
        try process.limitDescriptors(to: Self.plenty)
        #expect(try stage.exchange("GET", "/open/b").status == 200)
        #expect(stage.upstream.now.malformed.isEmpty)
    }

    @Test(.refuses("OPS-05")) func `a POST that no socket can be had for has reached nobody`() throws {
        let (stage, client) = try standing()
        let process = stage.gateway.process
        let before = process.openDescriptors(of: "socket:")
        stage.upstream.closeConnections()
        #expect(eventually { process.openDescriptors(of: "socket:") < before })
        stage.reset()
        try process.limitDescriptors(to: 0)
        try client.send(request("POST", "/open/a", body: "once"))
        #expect([502, 503].contains(try client.response(to: "POST").status))
        try process.limitDescriptors(to: Self.plenty)
        try stage.expectNothingForwarded()
    }

    @Test(.holds("OPS-05")) func `the admin listener waits for a descriptor too, and answers then`() throws {
        let (stage, client) = try standing()
        let process = stage.gateway.process
        try process.limitDescriptors(to: 0)
        let scraper = try RawClient(port: stage.gateway.adminPort)
        try scraper.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(scraper.staysSilent(for: .milliseconds(250)))
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        try process.limitDescriptors(to: Self.plenty)
        #expect(try scraper.response().status == 200)
    }

    @Test(.refuses("OPS-07")) func `a reload that cannot open its file keeps what is served and is taken later`() throws
    {
        let (stage, client) = try standing()
        let process = stage.gateway.process
        try stage.rewrite(StagePlan(routes: ["{ path: /new/, upstream: $UPSTREAM, public: true }"]))
        try process.limitDescriptors(to: 0)
        process.signal(SIGHUP)
        #expect(stage.gateway.operatorLine { $0["event"] == "reload_refused" } != nil)
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        try process.limitDescriptors(to: Self.plenty)
        try stage.reload()
        #expect(try stage.exchange("GET", "/new/a").status == 200)
    }

    @Test(.holds("OPS-08")) func `SIGTERM ends it also when it has no descriptor left`() throws {
        let (stage, client) = try standing()
        try stage.gateway.process.limitDescriptors(to: 0)
        let waiting = try stage.gateway.client()
        #expect(stage.gateway.operatorLine { $0["event"] == "accept_failed" } != nil)
        client.close()
        waiting.close()
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
    }
}

/// Row OPS-05, T-42: connections that the kernel took while nobody accepted.
@Suite struct `a gateway that stood still` {
    @Test(.holds("OPS-05")) func `answers everybody who came meanwhile`() throws {
        let stage = try Stage(StagePlan(workers: 2))
        #expect(try stage.exchange("GET", "/open/warm").status == 200)
        stage.gateway.process.signal(SIGSTOP)
        let clients = try (0..<150).map { _ in try stage.gateway.client() }
        for (number, client) in clients.enumerated() { try client.send(request("GET", "/open/\(number)")) }
        stage.gateway.process.signal(SIGCONT)
        for (number, client) in clients.enumerated() {
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.bodyText.contains("\"/open/\(number)\""))
        }
    }

    @Test(.holds("OPS-05")) func `forgets those who left meanwhile`() throws {
        let stage = try Stage()
        #expect(try stage.exchange("GET", "/open/warm").status == 200)
        stage.reset()
        stage.gateway.process.signal(SIGSTOP)
        for number in 0..<60 {
            let client = try stage.gateway.client()
            if number % 3 == 1 { try client.send("GET /open/a HTTP/1.1\r\nHost: ga") }
            if number % 2 == 0 { client.reset() } else { client.close() }
        }
        stage.gateway.process.signal(SIGCONT)
        try stage.expectNothingForwarded()
        #expect(eventually { stage.gateway.connections("client") == 0 })
    }

    /// The queue of the admin listener is short enough to be filled: 64 connections.
    @Test(.refuses("OPS-05")) func `with a full queue serves those it took and loses nobody else`() throws {
        let stage = try Stage()
        let port = stage.gateway.adminPort
        stage.gateway.process.signal(SIGSTOP)
        let connected = Watched(0)
        let finished = Watched<[Int]>([])
        let count = 100
        for _ in 0..<count {
            // On threads: connect(2) waits where the queue is full, and its SYN is sent again.
            Thread.detachNewThread {
                var status = 0
                if let client = try? RawClient(port: port) {
                    connected.withLock { $0 += 1 }
                    try? client.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    status = (try? client.response().status) ?? 0
                }
                finished.withLock { $0.append(status) }
            }
        }
        #expect(connected.wait { $0 >= 60 })
        stage.gateway.process.signal(SIGCONT)
        #expect(finished.wait(within: .seconds(180)) { $0.count == count })
        // It has 64 connections at most at the same time: what comes on top is closed without a word.
        #expect(finished.now.allSatisfy { $0 == 200 || $0 == 0 })
        #expect(finished.now.count { $0 == 200 } >= 60, "\(finished.now)")
        // Once it has seen that the others have gone.
        #expect(eventually { (try? stage.gateway.status("/healthz")) == 200 })
        #expect(try stage.exchange("GET", "/open/a").status == 200)
    }
}
