import TestSupport
import TestTraits
import Testing

/// Row ECO-75 over real sockets: an upstream that is known by a name, at a name server of the test's own.
@Suite struct `an upstream known by name` {
    private static let name = "orders.test"

    /// Servers at 127.0.0.1, 127.0.0.2 and so on, all at one port.
    private func servers(_ count: Int) throws -> [RecordingUpstream] {
        for _ in 0..<20 {
            let first = try RecordingUpstream()
            let others = try? (1..<count).map { try RecordingUpstream(port: first.port, at: Self.host($0)) }
            if let others { return [first] + others }
        }
        throw WireFailure.timedOut("no port is free at \(count) addresses")
    }

    private static func host(_ number: Int) -> String { "127.0.0.\(number + 1)" }

    private func gateway(
        _ names: ScriptedNameServer, port: UInt16, _ keys: String = "", settings: String = ""
    ) throws -> GatewayProcess {
        try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: { url: "http://\(Self.name):\(port)" \(keys) } }]
            name_servers: ["127.0.0.1:\(names.port)"]
            log: { level: debug }
            \(settings)

            """)
    }

    private func count(_ cause: String, at gateway: GatewayProcess) throws -> Int {
        let page = try gateway.admin("/metrics").bodyText
        let line = page.split(separator: "\n").first {
            $0.hasPrefix("portcullis_upstream_failures_total") && $0.contains("cause=\"\(cause)\"")
        }
        return line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
    }

    private func connections(_ gateway: GatewayProcess) throws -> Int? {
        let page = try gateway.admin("/metrics").bodyText
        let line = page.split(separator: "\n").first { $0.hasPrefix("portcullis_upstream_connections{") }
        return line.flatMap { Int($0.split(separator: " ").last ?? "") }
    }

    @Test(.holds("ECO-75")) func `has its new servers used when the time of the last answer is over`() throws {
        let (names, servers) = (try ScriptedNameServer(), try servers(3))
        names.answer(Self.name, with: .addresses([Self.host(0)], lifetime: 1))
        let gateway = try gateway(names, port: servers[0].port)
        for number in 0..<6 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [6, 0, 0])
        names.answer(Self.name, with: .addresses((0..<3).map(Self.host), lifetime: 1))
        // Without a request: the next ones need not wait for it.
        let line = gateway.operatorLine { line in
            line["event"] == "upstream_addresses_changed" && line["found"]?.contains(Self.host(2)) == true
        }
        #expect(line?["upstream"] == "\(Self.name):\(servers[0].port)", "\(line?.raw ?? "none")")
        for server in servers { server.forget() }
        for number in 0..<9 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [3, 3, 3])
    }

    @Test(.holds("ECO-75")) func `leaves a server that has gone from it, once what is under way there is over`() throws
    {
        let (names, servers, gate) = (try ScriptedNameServer(), try servers(2), Gate())
        names.answer(Self.name, with: .addresses([Self.host(0)], lifetime: 1))
        let gateway = try gateway(names, port: servers[0].port)
        servers[0].answer("/slow", with: WireScript(.wait(gate), .echo))
        let slow = try gateway.client()
        try slow.send(request("GET", "/slow"))
        #expect(servers[0].waits { $0.requests.count == 1 })
        #expect(try gateway.exchange(request("GET", "/idle")).status == 200)
        #expect(servers[0].connectionCount == 2)
        names.answer(Self.name, with: .addresses([Self.host(1)], lifetime: 1))
        // The idle one at once, and not the one in use.
        #expect(servers[0].waits { $0.endedConnections.count == 1 })
        for number in 0..<4 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [2, 4])
        gate.open()
        #expect(try slow.response().status == 200)
        #expect(servers[0].waits { $0.endedConnections.count == 2 })
        for number in 0..<4 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [2, 8])
    }

    @Test(.refuses("ECO-75"), arguments: [ScriptedNameServer.Answer.unknown, .failure, .empty])
    func `keeps its last servers while nobody can say where it leads, and then no longer`(
        answer: ScriptedNameServer.Answer
    ) throws {
        let (names, servers) = (try ScriptedNameServer(), try servers(1))
        names.answer(Self.name, with: .addresses([Self.host(0)], lifetime: 1))
        let gateway = try gateway(names, port: servers[0].port, ", stale: 3s")
        #expect(try gateway.exchange(request("GET", "/first")).status == 200)
        names.answer(Self.name, with: answer)
        let began = try #require(gateway.operatorLine { $0["event"] == "upstream_name_failed" })
        #expect(began["expected"] == "addresses of \(Self.name)", "\(began.raw)")
        #expect(began["seconds"].flatMap { UInt8($0) }.map { $0 <= 3 } == true, "\(began.raw)")
        var good = 0
        let isRefused = try eventually {
            let status = try gateway.exchange(request("GET", "/meanwhile")).status
            if status == 200 { good += 1 }
            return status != 200
        }
        #expect(isRefused)
        let end = gateway.operatorLine { $0["event"] == "upstream_name_failed" && $0["seconds"] == "0" }
        #expect(end != nil, "\(gateway.diagnosis)")
        #expect(good > 0)
        let refused = try gateway.exchange(request("GET", "/after"))
        expectTemplate(refused, status: 502)
        let line = try #require(gateway.operatorLine { $0["cause"] == "upstream_unresolved" })
        #expect(["no such name", "no answer of a name server"].contains(line["found"] ?? ""), "\(line.raw)")
        #expect(try count("name_failed", at: gateway) == 2 && count("unresolved", at: gateway) > 0)
        #expect(servers[0].waits { $0.endedConnections.count == $0.connectionCount })
        names.answer(Self.name, with: .addresses([Self.host(0)], lifetime: 1))
        #expect(try eventually { try gateway.exchange(request("GET", "/again")).status == 200 })
    }

    @Test(.refuses("ECO-75")) func `that leads nowhere is answered 502, and found once it leads somewhere`() throws {
        let (names, servers) = (try ScriptedNameServer(), try servers(1))
        let gateway = try gateway(names, port: servers[0].port)
        for number in 0..<20 { expectTemplate(try gateway.exchange(request("GET", "/\(number)")), status: 502) }
        #expect(try count("unresolved", at: gateway) == 20)
        names.answer(Self.name, with: .addresses([Self.host(0)], lifetime: 60))
        #expect(try eventually { try gateway.exchange(request("GET", "/again")).status == 200 })
    }

    @Test(.refuses("ECO-75")) func `outlives answers that are none`() throws {
        let (names, servers) = (try ScriptedNameServer(), try servers(1))
        names.answer(Self.name, with: .addresses([Self.host(0)], lifetime: 1))
        let gateway = try gateway(names, port: servers[0].port)
        #expect(try gateway.exchange(request("GET", "/first")).status == 200)
        for (answers, bytes) in [
            (65_535, []), (1, [0xC0, 29, 0, 1, 0, 1, 0, 0, 0, 9, 0xFF, 0xFF]),
            (9, [UInt8](repeating: 0xC0, count: 900)),
        ] as [(UInt16, [UInt8])] {
            let asked = names.count(of: Self.name)
            names.answer(Self.name, with: .raw(answers: answers, bytes))
            // Less often each time that it fails: one question of the next look is enough.
            #expect(names.questions.wait { $0.count { $0 == Self.name } > asked + 1 })
            #expect(try gateway.exchange(request("GET", "/meanwhile")).status == 200)
        }
        #expect(gateway.process.isRunning)
    }

    @Test(.holds("ECO-75")) func `is reached at another address when one swallows what it is sent`() throws {
        let (names, servers) = (try ScriptedNameServer(), try servers(1))
        // Its queue has room for one connection, which nobody accepts: what else begins one is not answered.
        let (silent, _) = try Socket.listen(port: servers[0].port, backlog: 0, at: Self.host(1))
        let first = try Socket.connect(port: servers[0].port, at: Self.host(1))
        names.answer(Self.name, with: .addresses([Self.host(1), Self.host(0)], lifetime: 60))
        let gateway = try gateway(
            names, port: servers[0].port,
            settings: "timeouts: { upstream_connect: 40s }\nlimits: { upstream_idle_connections: 0 }")
        let began = ContinuousClock.now
        for number in 0..<6 {
            #expect(try gateway.exchange(request("POST", "/\(number)", body: "once")).status == 200)
        }
        // Half of what there was for a connection, were they tried one after the other.
        #expect(ContinuousClock.now - began < .seconds(15))
        #expect(servers[0].requests.map(\.bodyText) == [String](repeating: "once", count: 6))
        let line = try #require(gateway.operatorLine { $0["event"] == "upstream_address_put_back" })
        #expect(line["address"] == "\(Self.host(1)):\(servers[0].port)", "\(line.raw)")
        #expect(line["found"] == "no connection yet when there was one to another address", "\(line.raw)")
        // Neither is kept: the one that won served one request, and the other was given up.
        #expect(servers[0].connectionCount == 6)
        #expect(try eventually { try connections(gateway) == 0 })
        first.close()
        silent.close()
    }

    @Test(.refuses("ECO-75")) func `whose addresses all swallow what they are sent is answered 504 in time`() throws {
        let names = try ScriptedNameServer()
        let (one, port) = try Socket.listen(backlog: 0)
        let (two, _) = try Socket.listen(port: port, backlog: 0, at: Self.host(1))
        let fill = try (0..<2).map { try Socket.connect(port: port, at: Self.host($0)) }
        names.answer(Self.name, with: .addresses((0..<2).map(Self.host), lifetime: 60))
        let gateway = try gateway(names, port: port, settings: "timeouts: { upstream_connect: 2s }")
        let began = ContinuousClock.now
        expectTemplate(try gateway.exchange(request("GET", "/a")), status: 504)
        #expect(ContinuousClock.now - began > .milliseconds(1900))
        #expect(eventually { gateway.lines("upstream_address_put_back") == 2 })
        #expect(try eventually { try connections(gateway) == 0 })
        withExtendedLifetime((one, two, fill)) {}
    }

    @Test(.holds("ECO-75")) func `is reached at the next address at once when one refuses`() throws {
        let (names, servers) = (try ScriptedNameServer(), try servers(1))
        names.answer(Self.name, with: .addresses([Self.host(1), Self.host(2), Self.host(0)], lifetime: 60))
        let gateway = try gateway(names, port: servers[0].port, settings: "timeouts: { upstream_connect: 2m }")
        for number in 0..<6 {
            #expect(try gateway.exchange(request("POST", "/\(number)", body: "once")).status == 200)
            servers[0].closeConnections()
        }
        #expect(servers[0].requests.map(\.bodyText) == [String](repeating: "once", count: 6))
        #expect(eventually { gateway.lines("upstream_address_put_back") >= 2 })
    }
}
