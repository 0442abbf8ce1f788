import Glibc
import TestSupport
import TestTraits
import Testing

/// Rows SH-55 to SH-59 and SH-74 over real sockets: three gateways that know of each other by their store alone.
@Suite(.serialized, .byEachProtocol) struct `a proof at several replicas` {
    private static let route = """
        { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
        audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
        """

    /// A stage whose gateway is the first of three.
    private func fleet(
        _ store: StoreServer, _ further: String = "", workers: Int = 1
    ) throws -> (stage: Stage, others: [GatewayProcess]) {
        let stage = try Stage(
            StagePlan(
                routes: [Self.route], settings: Fleet.settings(store, "shares: [proofs], " + further),
                files: Fleet.keys, workers: workers))
        return (stage, [try stage.another(), try stage.another()])
    }

    private func send(_ fields: [String], to gateway: GatewayProcess) throws -> WireResponse {
        try gateway.exchange(request("GET", "/bound/a", fields: fields))
    }

    @Test(.holds("SH-55"), .refuses("SH-55")) func `passes once, wherever it is sent again`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        for replay in others + [stage.gateway] {
            let fields = ProofCall().fields(stage)
            #expect(try send(fields, to: stage.gateway).status == 200, "\(stage.gateway.diagnosis)")
            let answer = try send(fields, to: replay)
            #expect(answer.status == 401, "\(answer.headText)")
            #expect(try challenges(answer)["DPoP"]?["error"] == "invalid_dpop_proof")
            #expect(replay.accessLine { $0["cause"] == "proof_replayed" } != nil)
        }
    }

    @Test(.refuses("SH-55")) func `passes once of fifteen that are sent at once`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently, workers: 2)
        let gateways = [stage.gateway] + others
        for _ in 0..<20 {
            let fields = ProofCall().fields(stage)
            let clients = try (0..<5).flatMap { _ in try gateways.map { try $0.client() } }
            for client in clients { try client.send(request("GET", "/bound/a", fields: fields)) }
            let statuses = try clients.map { try $0.response().status }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
            #expect(statuses.count { $0 == 401 } == statuses.count - 1, "\(statuses)")
        }
    }

    /// The full number is tried by `Tests/Benchmarks/equal-proofs`.
    @Test(.holds("SH-55"), .refuses("SH-55"))
    func `passes once of thirty, for each of a hundred proofs that all come together`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently, workers: 2)
        let gateways = [stage.gateway] + others
        let proofs = (0..<100).map { _ in ProofCall().fields(stage) }
        let clients = try (0..<30).map { try gateways[$0 % 3].client() }
        // Each begins elsewhere, and all of them go round.
        for (index, client) in clients.enumerated() {
            let turned = proofs[(index * 7 % 100)...] + proofs[..<(index * 7 % 100)]
            try client.send(turned.map { request("GET", "/bound/a", fields: $0) }.joined())
        }
        var passed = [Int](repeating: 0, count: proofs.count)
        for (index, client) in clients.enumerated() {
            for (turn, response) in try client.responses(proofs.count).enumerated() {
                #expect([200, 401].contains(response.status), "\(response.headText)")
                if response.status == 200 { passed[(index * 7 + turn) % proofs.count] += 1 }
            }
        }
        #expect(passed.allSatisfy { $0 == 1 }, "\(passed)")
    }

    @Test(.holds("SH-84")) func `is asked about by one connection of a process where it has few`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(
            store, "limits: { connections: per_process }, " + Fleet.patiently, workers: 2)
        for _ in 0..<10 {
            let fields = ProofCall().fields(stage)
            #expect(try send(fields, to: stage.gateway).status == 200, "\(stage.gateway.diagnosis)")
            #expect(try send(fields, to: others[0]).status == 401)
        }
        #expect(try store.connections() == 3, "one of each process, whatever workers it has")
    }

    @Test(.refuses("SH-58", "SH-74"))
    func `that the store is silent about is never used up in vain, and never a client's fault`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store)
        #expect(eventually { (try? send(ProofCall().fields(stage), to: stage.gateway))?.status == 200 })
        store.signal(SIGSTOP)
        let fields = ProofCall().fields(stage)
        let answer = try send(fields, to: stage.gateway)
        #expect(answer.status == 503, "\(answer.headText)")
        #expect(answer.fields.only("retry-after") == "1")
        #expect(answer.fields["www-authenticate"].isEmpty)
        store.signal(SIGCONT)
        // The command that nobody waited for was executed all the same.
        let isRefused = eventually {
            guard let answer = try? send(fields, to: others[0]) else { return false }
            #expect(answer.status != 200)
            return answer.status == 401
        }
        #expect(isRefused)
        let isBack = eventually { (try? send(ProofCall().fields(stage), to: stage.gateway))?.status == 200 }
        #expect(isBack, "\(stage.gateway.diagnosis)")
    }

    @Test(.holds("SH-74"), .refuses("SH-74"))
    func `is refused for the store's sake while that is down, and Bearer is not`() throws {
        let store = try StoreServer()
        let (stage, _) = try fleet(store)
        store.kill()
        let isNoticed = eventually { (try? send(ProofCall().fields(stage), to: stage.gateway))?.status == 503 }
        #expect(isNoticed)
        let bearer = "Authorization: Bearer " + stage.tokens.token([:])
        #expect(try send([bearer], to: stage.gateway).status == 200)
        #expect(stage.gateway.operatorLine { $0["event"] == "store_lost" } != nil)
        try store.start()
        let isBack = eventually { (try? send(ProofCall().fields(stage), to: stage.gateway))?.status == 200 }
        #expect(isBack, "\(stage.gateway.diagnosis)")
    }

    @Test(.holds("SH-86"), .refuses("SH-86")) func `is counted with what came of it`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        let fields = ProofCall().fields(stage)
        #expect(try send(fields, to: stage.gateway).status == 200)
        #expect(try send(fields, to: others[0]).status == 401)
        func shows(_ gateway: GatewayProcess, _ line: String) -> Bool {
            eventually { (try? gateway.admin("/metrics"))?.bodyText.contains("\n\(line)\n") ?? false }
        }
        let answered = "portcullis_store_commands_total{kind=\"proof\",outcome=\"answered\"} 1"
        for gateway in [stage.gateway, others[0]] {
            #expect(shows(gateway, answered))
            #expect(shows(gateway, "portcullis_store_up{node=\"\(store.path)\"} 1"))
            #expect(shows(gateway, "portcullis_store_seconds_count{kind=\"proof\"} 1"))
        }
        store.kill()
        #expect(shows(stage.gateway, "portcullis_store_up{node=\"\(store.path)\"} 0"))
        #expect(try send(ProofCall().fields(stage), to: stage.gateway).status == 503)
        #expect(shows(stage.gateway, "portcullis_store_commands_total{kind=\"proof\",outcome=\"unavailable\"} 1"))
    }

    @Test(.holds("SH-11"), .refuses("SH-11"))
    func `needs a store that a start does not wait for, but where readiness is strict`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, "readiness: strict")
        #expect(try stage.gateway.status("/readyz") == 200)
        func since() throws -> String? {
            let body = try others[0].admin("/readyz").bodyText
            return body.firstMatch(of: #/"store":"down","store_down_since":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"/#)
                .map { String($0.1) }
        }
        #expect(try since() == nil)
        store.kill()
        let isUnready = eventually { (try? others[0].status("/readyz")) == 503 }
        #expect(isUnready)
        let lostAt = try #require(try since())
        // Attempts to connect go on, and are no outages of their own.
        let attempts = "portcullis_store_reconnects_total{reason=\"unreachable\"}"
        #expect(eventually { (others[0].reading(attempts) ?? 0) >= 4 })
        #expect(try since() == lostAt)
        let bearer = "Authorization: Bearer " + stage.tokens.token([:])
        #expect(try send([bearer], to: others[0]).status == 200)
        try store.start()
        let isReady = eventually { (try? others[0].status("/readyz")) == 200 }
        #expect(isReady)
        let isGone = eventually {
            let body = (try? others[0].admin("/readyz"))?.bodyText
            return body?.contains("\"store\":\"up\"") == true && body?.contains("since") == false
        }
        #expect(isGone, "\(others[0].diagnosis)")
    }

    @Test(.holds("SH-12"), .refuses("SH-12"))
    func `is known after a reload that reaches the store in another way`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(
            store, "limits: { connections: per_process }, " + Fleet.patiently, workers: 2)
        let fields = ProofCall().fields(stage)
        #expect(try send(fields, to: stage.gateway).status == 200)
        func isServed(_ number: Int) -> Bool {
            eventually { (try? stage.gateway.admin("/readyz"))?.bodyText.contains("\"number\":\(number)") ?? false }
        }
        let settings = [
            "recheck: 5s", "limits: { connections: per_process }", "timeouts: { command: 500ms }",
            "limits: { connections: per_process }, after_failover: refuse", Fleet.patiently,
        ]
        for (number, further) in settings.enumerated() {
            try stage.rewrite(
                StagePlan(
                    routes: [Self.route], settings: Fleet.settings(store, "shares: [proofs], " + further), workers: 2))
            try stage.reload()
            #expect(isServed(number + 2))
            // By whichever of the two workers: and a connection of one's own may have to be opened first.
            for _ in 0..<6 {
                let isServing = eventually { (try? send(ProofCall().fields(stage), to: stage.gateway))?.status == 200 }
                #expect(isServing, "\(further)\(stage.gateway.diagnosis)")
            }
        }
        #expect(try send(fields, to: stage.gateway).status == 401)
        #expect(try send(fields, to: others[0]).status == 401)
        // Without a store nobody is asked, and the process knows its own.
        try stage.rewrite(StagePlan(routes: [Self.route], workers: 2))
        try stage.reload()
        #expect(isServed(settings.count + 2))
        store.kill()
        let answer = try send(ProofCall().fields(stage), to: stage.gateway)
        #expect(answer.status == 200, "\(answer.headText)\(stage.gateway.diagnosis)")
        #expect(try send(fields, to: stage.gateway).status == 401)
    }

    @Test(.refuses("SH-61")) func `is refused for a while where the store has forgotten what it knew`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, Fleet.patiently)
        let fields = ProofCall().fields(stage)
        #expect(try send(fields, to: stage.gateway).status == 200)
        store.kill()
        try store.start(forgot: true)
        let isNoticed = eventually { others[0].operatorLine(within: .zero) { $0["event"] == "store_forgot" } != nil }
        #expect(isNoticed, "\(others[0].diagnosis)")
        let answer = try send(fields, to: others[0])
        #expect(answer.status == 503, "\(answer.headText)")
        #expect(others[0].accessLine { $0["cause"] == "store_forgot" } != nil)
        #expect(try store.ask("EXISTS", "pc:epoch") == ":1")
    }

    @Test(.holds("SH-59"), .refuses("SH-59"))
    func `is judged by each replica alone where the operator says so, and the store hears of it first`() throws {
        let store = try StoreServer()
        let (stage, others) = try fleet(store, "when_down: { proofs: local }")
        store.kill()
        let fields = ProofCall().fields(stage)
        var passed: [String] = []
        let isLocal = eventually {
            let fields = ProofCall().fields(stage)
            guard (try? send(fields, to: stage.gateway))?.status == 200 else { return false }
            passed = fields
            return true
        }
        #expect(isLocal, "\(stage.gateway.diagnosis)")
        #expect(try send(passed, to: stage.gateway).status == 401)
        #expect(try send(fields, to: stage.gateway).status == 200)
        #expect(stage.gateway.operatorLine { $0["event"] == "store_proofs_local" } != nil)
        try store.start()
        let isWritten = eventually { (try? store.ask("DBSIZE")).map { $0 != ":0" && $0 != ":1" } ?? false }
        #expect(isWritten)
        let isRefused = eventually { (try? send(passed, to: others[1]))?.status == 401 }
        #expect(isRefused)
    }
}
