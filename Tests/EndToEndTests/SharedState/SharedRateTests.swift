import TestSupport
import TestTraits
import Testing

/// Row ECO-80 over real sockets: three gateways that know of each other by their store alone.
@Suite(.serialized, .byEachProtocol) struct `a rate of requests at several replicas` {
    private static let rate = 300
    private static let burst = 30
    private static let local = "portcullis_store_limits_local"

    /// The stage has the upstream, which ends with it.
    private func fleet(
        _ store: StoreServer, _ further: String = ""
    ) throws -> (stage: Stage, gateways: [GatewayProcess]) {
        let stage = try Stage(
            StagePlan(
                routes: ["{ path: /, name: all, upstream: $UPSTREAM, public: true }"],
                // Whoever is refused is answered at once, and asks again.
                settings: """
                    replicas: 3
                    limits: { requests: [{ rate: \(Self.rate)/s, burst: \(Self.burst), by: address }], \
                    refusal_rate_per_client: 1000000 }
                    \(Fleet.settings(store, "shares: [limits]" + further))
                    """,
                files: Fleet.keys, workers: 2))
        return (stage, [stage.gateway, try stage.another(), try stage.another()])
    }

    /// What became of requests to all of them, as many as are answered in that time.
    private struct Tally {
        var asked = 0
        var passed = 0
        var refused = 0
        var seconds = 0.0

        var granted: Double { Double(`a rate of requests at several replicas`.rate) * seconds }
    }

    private func ask(_ gateways: [GatewayProcess], for time: Duration) throws -> Tally {
        let clients = try gateways.flatMap { [try $0.client(), try $0.client()] }
        var tally = Tally()
        let start = ContinuousClock.now
        while ContinuousClock.now - start < time {
            for client in clients { try client.send(request("GET", "/a")) }
            for client in clients {
                let status = try client.response().status
                tally.asked += 1
                #expect(status == 200 || status == 429)
                if status == 200 { tally.passed += 1 } else { tally.refused += 1 }
            }
        }
        tally.seconds = (ContinuousClock.now - start) / .seconds(1)
        return tally
    }

    private func isLocal(_ gateway: GatewayProcess, _ value: Int) -> Bool {
        eventually { (try? gateway.admin("/metrics"))?.bodyText.contains("\n\(Self.local) \(value)\n") ?? false }
    }

    @Test(.holds("ECO-80"), arguments: ["", ", limits: { connections: per_process }"])
    func `is one for all of them, about`(further: String) throws {
        let store = try StoreServer()
        let (stage, gateways) = try fleet(store, further)
        defer { withExtendedLifetime(stage) {} }
        for gateway in gateways { #expect(isLocal(gateway, 0), "\(gateway.diagnosis)") }
        // The first second is each one's own burst, which is paid for in it.
        _ = try ask(gateways, for: .seconds(1))
        let tally = try ask(gateways, for: .seconds(3))
        #expect(Double(tally.passed) <= tally.granted * 1.1 + Double(3 * Self.burst), "\(tally)")
        // A machine that is busy with other things may not have asked for so many.
        if Double(tally.asked) >= tally.granted * 2 {
            #expect(Double(tally.passed) >= tally.granted * 0.9, "\(tally)")
        }
        let page = try gateways[0].admin("/metrics").bodyText
        #expect(page.contains(#"portcullis_store_commands_total{kind="limit",outcome="answered"}"#))
        #expect(!page.contains(#"portcullis_store_commands_total{kind="limit",outcome="answered"} 0"#))
        // They are kept for a moment only: on a machine that is busy they may be gone before they are looked for.
        #expect(
            eventually {
                _ = try? ask(gateways, for: .milliseconds(100))
                return (try? store.contents().contains("pc:q:")) ?? false
            })
    }

    @Test(.refuses("ECO-80")) func `is each one's part while the store is away, and nobody is answered for that`()
        throws
    {
        let store = try StoreServer()
        let (stage, gateways) = try fleet(store)
        defer { withExtendedLifetime(stage) {} }
        _ = try ask(gateways, for: .milliseconds(500))
        store.kill()
        for gateway in gateways { #expect(isLocal(gateway, 1), "\(gateway.diagnosis)") }
        let tally = try ask(gateways, for: .seconds(2))
        #expect(Double(tally.passed) <= tally.granted * 1.1 + Double(3 * Self.burst), "\(tally)")
        if Double(tally.asked) >= tally.granted * 2 {
            #expect(Double(tally.passed) >= tally.granted * 0.85, "\(tally)")
        }
        // A third of them, at one alone.
        let alone = try ask([gateways[1]], for: .seconds(2))
        #expect(Double(alone.passed) <= alone.granted / 3 * 1.1 + Double(Self.burst), "\(alone)")
        #expect(gateways[0].operatorLine { $0["event"] == "store_limits_local" } != nil)
        try store.start()
        for gateway in gateways { #expect(isLocal(gateway, 0), "\(gateway.diagnosis)") }
    }
}
