import Foundation
import TestSupport
import TestTraits
import Testing

/// Row OPS-07: another configuration without another process.
@Suite(.byEachProtocol) struct `reload` {
    private static let both = """
        [{ path: /open/, upstream: $UPSTREAM, public: true }, { path: /new/, upstream: $UPSTREAM, public: true }]
        """

    @Test(.holds("OPS-07")) func `SIGHUP serves by what the file says now, on connections that were open before`()
        throws
    {
        let stage = try Stage()
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        try client.send(request("GET", "/new/a"))
        #expect(try client.response().status == 404)
        try stage.rewrite(StagePlan(routes: ["{ path: /new/, upstream: $UPSTREAM, public: true }"]))
        try stage.reload()
        try client.send(request("GET", "/new/a"))
        #expect(try client.response().status == 200)
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 404)
    }

    @Test(.holds("OPS-07")) func `a request that began before a reload ends by the configuration it began by`() throws {
        let stage = try Stage()
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"
        stage.upstream.answer("/orders/a", with: WireScript(.text(head), .wait(gate), .text("last.")))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/orders/a", fields: [stage.tokens.bearer()]))
        _ = try client.bytes(through: "first")
        // No issuer and no such route any more: what the request refers to is only its own.
        try stage.rewrite(
            StagePlan(routes: ["{ path: /new/, upstream: \"http://127.0.0.1:9\", public: true }"]), issuers: false)
        try stage.reload()
        gate.open()
        #expect(text(try client.bytes(5)) == "last.")
        let line = stage.gateway.accessLine { $0["path"] == "/orders/a" }
        #expect(line?["issuer"] == stage.tokens.issuer)
        #expect(line?["route"] == "orders")
        try client.send(request("GET", "/orders/a"))
        #expect(try client.response().status == 404)
    }

    @Test(.holds("OPS-07")) func `a broken file keeps what is served, and log, metric and readiness say so`() throws {
        let stage = try Stage()
        try stage.rewrite("listeners: []\nroutes: [{ path: x }]\n")
        stage.gateway.process.signal(SIGHUP)
        let line = stage.gateway.operatorLine { $0["event"] == "reload_refused" }
        #expect(line?["level"] == "error")
        #expect(line?["detail"]?.contains("gateway.yaml:1:") == true)
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        func page(_ path: String, says part: String) -> Bool {
            eventually { (try? stage.gateway.admin(path)).map { text($0.body).contains(part) } == true }
        }
        #expect(page("/readyz", says: "\"configuration\":{\"state\":\"refused\",\"number\":1,\"reason\":\""))
        #expect(try stage.gateway.status("/readyz") == 200)
        #expect(page("/metrics", says: "portcullis_config_reloads_total{result=\"refused\"} 1"))
        // Mended, it is taken.
        try stage.rewrite(StagePlan(routes: ["{ path: /new/, upstream: $UPSTREAM, public: true }"]))
        try stage.reload()
        #expect(page("/readyz", says: "\"state\":\"current\",\"number\":2"))
        #expect(try stage.exchange("GET", "/new/a").status == 200)
    }

    @Test(.refuses("OPS-07")) func `a listener that cannot be opened refuses the whole of a reload`() throws {
        let taken = try RecordingUpstream()
        let stage = try Stage()
        let second = "\n  - { address: \"127.0.0.1:\(taken.port)\", public_url: \"http://second.test\" }"
        var plan = StagePlan(routes: ["{ path: /new/, upstream: $UPSTREAM, public: true }"])
        plan.publicURL += second
        try stage.rewrite(plan)
        stage.gateway.process.signal(SIGHUP)
        #expect(stage.gateway.operatorLine { $0["event"] == "reload_refused" } != nil)
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        #expect(try stage.exchange("GET", "/new/a").status == 404)
    }

    @Test(.holds("OPS-07")) func `a listener that is added answers, and one that is taken away does not`() throws {
        let stage = try Stage()
        var plan = StagePlan()
        plan.publicURL += "\n  - { address: \"127.0.0.2:0\", public_url: \"http://second.test\" }"
        try stage.rewrite(plan)
        try stage.reload()
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        try stage.rewrite(StagePlan())
        try stage.reload(times: 2)
        #expect(try stage.exchange("GET", "/open/a").status == 200)
    }

    @Test(.holds("OPS-07")) func `a token is judged anew by the rules of the configuration that is served`() throws {
        let stage = try Stage()
        let bearer = stage.tokens.bearer()
        #expect(try stage.exchange("GET", "/orders/1", fields: [bearer]).status == 200)
        try stage.rewrite(
            StagePlan(routes: [
                """
                { path: /orders/, upstream: $UPSTREAM, token: { issuers: [main], \
                audience: "\(TokenForge.audience)", scopes: ["orders:write"] } }
                """
            ]))
        try stage.reload()
        #expect(try stage.exchange("GET", "/orders/1", fields: [bearer]).status == 403)
        try stage.rewrite(StagePlan())
        try stage.reload(times: 2)
        #expect(try stage.exchange("GET", "/orders/1", fields: [bearer]).status == 200)
        // Its keys were not read once more: the issuer goes on.
        #expect(stage.issuer.fetches() == 1)
    }

    @Test(.holds("OPS-07")) func `numbers go on over a reload`() throws {
        let stage = try Stage()
        for _ in 0..<3 { #expect(try stage.exchange("GET", "/open/a").status == 200) }
        try stage.rewrite(
            StagePlan(routes: [
                "{ path: /first/, upstream: $UPSTREAM, public: true }",
                "{ path: /open/, upstream: $UPSTREAM, public: true }",
            ]))
        try stage.reload()
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        #expect(try stage.exchange("GET", "/first/a").status == 200)
        // A request is counted when its response is out, which its client may see before.
        for (route, count) in [("/open/", 4), ("/first/", 1)] {
            let series = "portcullis_requests_total{route=\"\(route)\",code=\"2xx\"}"
            #expect(eventually { stage.gateway.reading(series) == count }, "\(route)")
        }
    }

    @Test(.holds("OPS-07")) func `a hundred reloads under requests lose none of them`() throws {
        let stage = try Stage(StagePlan(workers: 2))
        let isOver = Watched(false)
        let lost = Watched(0)
        let answered = Watched(0)
        let (port, version) = (stage.gateway.port, WireProtocol.current)
        let threads = (0..<4).map { _ in
            Thread {
                do {
                    let client = try RawClient(port: port, speaking: version)
                    while !isOver.now {
                        try client.send(request("GET", "/open/a"))
                        let status = try client.response().status
                        if status != 200 { lost.withLock { $0 += 1 } }
                        answered.withLock { $0 += 1 }
                    }
                } catch {
                    lost.withLock { $0 += 1 }
                }
            }
        }
        for thread in threads { thread.start() }
        for number in 1...100 { try stage.reload(times: number) }
        #expect(answered.wait { $0 > 100 })
        isOver.withLock { $0 = true }
        #expect(lost.now == 0)
        #expect(stage.gateway.process.isRunning)
    }

    @Test(.holds("OPS-07")) func `what holds until the end of the process is named when it changes`() throws {
        let stage = try Stage()
        try stage.rewrite(StagePlan(workers: 2))
        try stage.reload()
        let line = stage.gateway.operatorLine { $0["event"] == "restart_needed" }
        #expect(line?["setting"] == "workers")
        #expect(try stage.exchange("GET", "/open/a").status == 200)
    }
}

extension Stage {
    /// Puts another configuration in the place of the one in the file.
    func rewrite(_ plan: StagePlan, issuers: Bool = true) throws {
        var yaml = Self.yaml(plan)
            .replacingOccurrences("$UPSTREAM", with: upstream.url)
            .replacingOccurrences("$ISSUER", with: issuer.url)
        if !issuers {
            yaml = yaml.split(separator: "\n").filter { !$0.hasPrefix("issuers:") && !$0.hasPrefix("  main:") }
                .joined(separator: "\n")
        }
        try rewrite(yaml)
    }

    func rewrite(_ yaml: String) throws {
        try yaml.replacingOccurrences("$FOLDER", with: gateway.folder)
            .write(toFile: gateway.folder + "/gateway.yaml", atomically: true, encoding: .utf8)
    }

    /// SIGHUP, and the word that the gateway serves by what it read: for the `times`th time since its start.
    func reload(times: Int = 1) throws {
        gateway.process.signal(SIGHUP)
        let isReloaded = gateway.process.errors.wait { lines in
            lines.count { $0.contains("\"event\":\"reloaded\"") } >= times
        }
        guard isReloaded else { throw WireFailure.timedOut("no reload:\n\(gateway.diagnosis)") }
    }
}
