import TestSupport
import TestTraits
import Testing

/// Row ECO-74 over real sockets: an upstream that stalls has so many requests and no more, and holds up no other route.
@Suite struct `the bounds of an upstream` {
    private static let cause = "upstream_connections_exhausted"

    private func gateway(_ url: String, _ keys: String, beside other: RecordingUpstream, settings: String = "") throws
        -> GatewayProcess
    {
        try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes:
              - { path: /stalls/, public: true, upstream: { url: \(url), \(keys) } }
              - { path: /, public: true, upstream: "\(other.url)" }
            \(settings)

            """)
    }

    /// A request of a client of its own, so that none has more than its share.
    private func send(_ number: Int, to gateway: GatewayProcess) throws -> RawClient {
        let client = try RawClient(port: gateway.port, from: "127.0.0.\(number + 2)")
        try client.send(request("GET", "/stalls/\(number)"))
        return client
    }

    private func expectExhausted(
        _ client: RawClient, _ gateway: GatewayProcess, _ expected: String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try client.response()
        expectTemplate(answer, status: 503, at: location)
        #expect(answer.fields.only("retry-after") != nil, "\(answer.headText)", sourceLocation: location)
        let line = try #require(gateway.operatorLine { $0["cause"] == Self.cause }, sourceLocation: location)
        #expect(line["expected"] == expected && line["blame"] == "capacity", "\(line.raw)", sourceLocation: location)
    }

    /// The 99th of a hundred in order, of how long requests of another route take.
    private func slowest(_ gateway: GatewayProcess) throws -> Duration {
        let client = try gateway.client()
        let taken = try (0..<200).map { number in
            try ContinuousClock().measure {
                try client.send(request("GET", "/other/\(number)"))
                let response = try client.response()
                #expect(response.status == 200)
            }
        }
        return taken.sorted()[197]
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"))
    func `keep an app that stalls from the requests of other routes`() throws {
        let (app, other, gate) = (try RecordingUpstream(), try RecordingUpstream(), Gate())
        defer { gate.open() }
        let gateway = try gateway("\"\(app.url)\"", "limits: { requests: 8 }", beside: other)
        let quiet = try slowest(gateway)
        app.answerAll(with: WireScript(.wait(gate), .echo))
        let waiting = try (0..<8).map { try send($0, to: gateway) }
        #expect(app.waits { $0.requests.count == 8 })
        try expectExhausted(try send(8, to: gateway), gateway, "8 connections at most")
        // More of them meanwhile: none waits, and none is sent.
        for number in 9..<60 { #expect(try send(number, to: gateway).response().status == 503) }
        var stalled = try slowest(gateway)
        // A machine that stands still now and then is none of the gateway's doing.
        for _ in 0..<5 where stalled > quiet * 3 + .milliseconds(20) { stalled = min(stalled, try slowest(gateway)) }
        #expect(stalled <= quiet * 3 + .milliseconds(20), "\(stalled) beside \(quiet)")
        #expect(app.requests.count == 8)
        gate.open()
        for client in waiting { #expect(try client.response().status == 200) }
        app.answerAll(with: .echo)
        #expect(try send(60, to: gateway).response().status == 200)
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"), arguments: ["round_robin", "least_requests"])
    func `of one server send its requests to the others, and nobody's where all are full`(policy: String) throws {
        let (apps, other, gate) = (try (0..<2).map { _ in try RecordingUpstream() }, try RecordingUpstream(), Gate())
        defer { gate.open() }
        let list = apps.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let gateway = try gateway("[\(list)]", "policy: \(policy), limits: { requests_per_server: 3 }", beside: other)
        apps[0].answerAll(with: WireScript(.wait(gate), .echo))
        // Whoever meets the one that is stuck waits there, three at most; all others are served.
        let clients = try (0..<30).map { number in
            let client = try send(number, to: gateway)
            // What is not stuck is over before the next one comes.
            #expect(eventually { apps[0].requests.count + gateway.accessLog.count == number + 1 })
            return client
        }
        #expect(apps[0].requests.count <= 3, "\(apps.map(\.requests.count))")
        if policy == "round_robin" { #expect(apps[0].requests.count == 3) }
        let before = apps.map(\.requests.count)
        apps[1].answerAll(with: WireScript(.wait(gate), .echo))
        let more = try (30..<(36 - before[0])).map { try send($0, to: gateway) }
        #expect(eventually { apps.map(\.requests.count).reduce(0, +) == 36 - before[0] })
        try expectExhausted(
            try send(40, to: gateway), gateway,
            "3 requests at most at one server (upstream.limits.requests_per_server)")
        gate.open()
        for client in clients + more { #expect(try client.response().status == 200) }
        for app in apps { app.answerAll(with: .echo) }
        for number in 41..<50 { #expect(try send(number, to: gateway).response().status == 200) }
    }

    @Test(.refuses("ECO-74")) func `of one alone hold too`() throws {
        let (app, other, gate) = (try RecordingUpstream(), try RecordingUpstream(), Gate())
        defer { gate.open() }
        let gateway = try gateway("\"\(app.url)\"", "limits: { requests_per_server: 2 }", beside: other)
        app.answerAll(with: WireScript(.wait(gate), .echo))
        let waiting = try (0..<2).map { try send($0, to: gateway) }
        #expect(app.waits { $0.requests.count == 2 })
        try expectExhausted(
            try send(2, to: gateway), gateway,
            "2 requests at most at one server (upstream.limits.requests_per_server)")
        gate.open()
        for client in waiting { #expect(try client.response().status == 200) }
        app.answerAll(with: .echo)
        for number in 3..<9 { #expect(try send(number, to: gateway).response().status == 200) }
    }

    /// Servers that accept connections and never say a word of TLS, and what else a pool with them needs.
    private func silent(
        _ count: Int, beside servers: [RecordingUpstream], _ authority: TestCertificate, _ limits: String
    ) throws -> (held: [Socket], gateway: GatewayProcess, name: String) {
        let silent = try (0..<count).map { _ in try Socket.listen(backlog: 128) }
        let urls = silent.map { "https://127.0.0.1:\($0.port)" } + servers.map(\.url)
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes:
              - path: /
                public: true
                upstream: { url: [\(urls.map { "\"\($0)\"" }.joined(separator: ", "))], limits: { \(limits) },
                  certificate_authority: $FOLDER/ca.crt, server_name: inner.test }
            timeouts: { upstream_connect: 1m }

            """, files: ["ca.crt": authority.certificate])
        return (silent.map(\.socket), gateway, urls.map { $0.dropFirst("https://".count) }.joined(separator: ","))
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"))
    func `let no server that says nothing have all the places of those that wait`() throws {
        let authority = try TestCertificate.authority(named: "Authority")
        let servers = try (0..<2).map { _ in try RecordingUpstream(identity: authority.issue(names: ["inner.test"])) }
        // Each request needs a connection of its own: none is kept that could serve the next.
        for server in servers { server.answerAll(with: .answer(200, fields: ["Connection: close"])) }
        let (held, gateway, name) = try silent(1, beside: servers, authority, "pending: 6")
        // Each request is answered by one of the two that speak, or waits at the one that is silent.
        func settled(_ number: Int) throws -> Bool {
            let page = try gateway.admin("/metrics").bodyText
            let open = (0...6).first {
                page.contains("portcullis_upstream_connections{upstream=\"\(name)\"} \($0)\n")
            }
            return open.map { gateway.accessLog.count + $0 == number } ?? false
        }
        let clients = try (0..<30).map { number in
            let client = try RawClient(port: gateway.port, from: "127.0.0.\(number + 2)")
            try client.send(request("GET", "/\(number)"))
            #expect(try eventually { try settled(number + 1) })
            return client
        }
        // The last one may still be on its way to a server that speaks, with a connection as those that wait have.
        #expect(eventually { gateway.accessLog.count == 27 }, "half of those that may wait: 3")
        #expect(try eventually { try settled(30) })
        #expect(gateway.accessLog.allSatisfy { $0["status"] == "200" })
        withExtendedLifetime((held, clients)) {}
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74"))
    func `let so many wait for each server, and refuse the next where none is left`() throws {
        let authority = try TestCertificate.authority(named: "Authority")
        let (held, gateway, name) = try silent(2, beside: [], authority, "pending_per_server: 2")
        let waiting = try (0..<4).map { number in
            let client = try RawClient(port: gateway.port, from: "127.0.0.\(number + 2)")
            try client.send(request("GET", "/\(number)"))
            return client
        }
        #expect(
            try eventually {
                let page = try gateway.admin("/metrics").bodyText
                return page.contains("portcullis_upstream_connections{upstream=\"\(name)\"} 4\n")
            })
        let refused = try RawClient(port: gateway.port, from: "127.0.0.9")
        try refused.send(request("GET", "/more"))
        try expectExhausted(
            refused, gateway,
            "2 requests at most that wait for a connection to one server (upstream.limits.pending_per_server)")
        withExtendedLifetime((held, waiting)) {}
    }

    @Test(.holds("ECO-74"), .refuses("ECO-74")) func `let so many wait for a connection, and refuse the next`() throws {
        let other = try RecordingUpstream()
        // Its queue has room for one connection, which nobody accepts: what else begins one is not answered.
        let (silent, port) = try Socket.listen(backlog: 0)
        let first = try Socket.connect(port: port)
        let gateway = try gateway(
            "\"http://127.0.0.1:\(port)\"", "limits: { pending: 3 }", beside: other,
            settings: "timeouts: { upstream_connect: 6s }")
        let waiting = try (0..<3).map { try send($0, to: gateway) }
        // One after the other, so that these three are there before.
        #expect(
            try eventually {
                let page = try gateway.admin("/metrics").bodyText
                return page.contains("portcullis_upstream_connections{upstream=\"127.0.0.1:\(port)\"} 3")
            })
        try expectExhausted(
            try send(3, to: gateway), gateway,
            "3 requests at most that wait for a connection (upstream.limits.pending)")
        try expectPrompt(10) { number in
            let response = try gateway.exchange(request("GET", "/other/\(number)"))
            #expect(response.status == 200)
        }
        for client in waiting { expectTemplate(try client.response(), status: 504) }
        withExtendedLifetime((silent, first)) {}
    }
}
