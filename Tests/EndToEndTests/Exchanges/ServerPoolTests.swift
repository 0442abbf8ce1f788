import TestSupport
import TestTraits
import Testing

/// Rows ECO-71 to ECO-73 over real sockets: servers of one upstream of which some fail.
@Suite(.byEachProtocol) struct `a pool of servers` {
    private func gateway(_ servers: [RecordingUpstream], _ keys: String, weights: [Int] = []) throws -> GatewayProcess {
        let list = servers.indices.map { number in
            weights.isEmpty
                ? "\"\(servers[number].url)\"" : "{ url: \"\(servers[number].url)\", weight: \(weights[number]) }"
        }
        return try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: { url: [\(list.joined(separator: ", "))], \(keys) } }]
            log: { level: debug }

            """)
    }

    private func servers(_ count: Int) throws -> [RecordingUpstream] {
        try (0..<count).map { _ in try RecordingUpstream() }
    }

    @Test(.holds("ECO-71")) func `shares requests by weights`() throws {
        let servers = try servers(3)
        let gateway = try gateway(servers, "policy: round_robin", weights: [3, 1, 2])
        for number in 0..<18 { #expect(try gateway.exchange(request("GET", "/\(number)")).status == 200) }
        #expect(servers.map(\.requests.count) == [9, 3, 6])
    }

    @Test(.holds("ECO-71")) func `gives a server that is stuck no more when others have less to do`() throws {
        let (servers, gate) = (try servers(2), Gate())
        servers[0].answerAll(with: WireScript(.wait(gate), .echo))
        let gateway = try gateway(servers, "policy: least_requests")
        // The first one or two that meet the stuck server wait there; nobody else does.
        let waiting = try (0..<8).map { number in
            let client = try gateway.client()
            try client.send(request("GET", "/\(number)"))
            return client
        }
        #expect(eventually { servers[0].requests.count + servers[1].requests.count == 8 })
        #expect(servers[0].requests.count <= 4, "\(servers.map(\.requests.count))")
        gate.open()
        for client in waiting { #expect(try client.response().status == 200) }
    }

    @Test(.holds("ECO-71")) func `keeps a user at one server, whichever token they bring`() throws {
        let servers = try servers(3)
        let list = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let stage = try Stage(routes: [
            """
            { path: /, upstream: { url: [\(list)], sticky: session }, \
            token: { issuers: [main], audience: "\(TokenForge.audience)" } }
            """
        ])
        let client = try stage.gateway.client()
        for user in 0..<100 {
            for turn in 0..<3 {
                let token = stage.tokens.bearer(["sub": quoted("user-\(user)")])
                try client.send(request("GET", "/\(user)/\(turn)", fields: [token]))
                #expect(try client.response().status == 200)
            }
        }
        let users = servers.map { server in Set(server.requests.compactMap { $0.path.split(separator: "/").first }) }
        #expect(users.allSatisfy { !$0.isEmpty } && users.map(\.count).reduce(0, +) == 100, "\(users.map(\.count))")
    }

    @Test(.holds("ECO-71")) func `keeps a session at one server`() throws {
        let servers = try servers(3)
        let list = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let stage = try SessionStage(
            LoginPlan(routes: ["{ path: /app/, upstream: { url: [\(list)], sticky: session }, login: web }"]))
        let browser = try stage.login()
        for number in 0..<12 {
            #expect(try stage.exchange("GET", "/app/\(number)", browser: browser).status == 200)
        }
        #expect(servers.map(\.requests.count).sorted() == [0, 0, 12])
    }

    @Test(.holds("ECO-72"), .refuses("ECO-72")) func `leaves out a server that answers 503, and nobody else`() throws {
        let servers = try servers(3)
        servers[1].answerAll(with: .answer(503, "no"))
        let gateway = try gateway(servers, "ejection: { failures: 3, time: 10m }")
        let statuses = try (0..<60).map { try gateway.exchange(request("POST", "/\($0)")).status }
        #expect(statuses.count { $0 == 503 } == 3 && statuses.suffix(40).allSatisfy { $0 == 200 })
        #expect(servers[1].requests.count == 3 && servers[0].requests.count > 20)
        let line = try #require(gateway.operatorLine { $0["event"] == "upstream_server_ejected" })
        #expect(line["seconds"] == "600" && line["found"] == "3 failures in a row, the last: 503", "\(line.raw)")
        #expect(try gateway.upstreamFailures("ejected") == 1)
        // The second of three may not go too.
        servers[2].answerAll(with: .answer(503, "no"))
        for number in 0..<30 { _ = try gateway.exchange(request("POST", "/\(number)")) }
        #expect(try gateway.upstreamFailures("ejected") == 1)
    }

    @Test(.holds("ECO-72")) func `asks servers whether they are well, and uses all when none is`() throws {
        let servers = try servers(2)
        for server in servers { server.answer("/healthz", with: .answer(204, "")) }
        let gateway = try gateway(
            servers,
            "health: { path: /healthz, status: 204, interval: 500ms, timeout: 500ms, unhealthy: 2, healthy: 1 }")
        servers[0].answer("/healthz", with: .answer(500, "no"))
        let down = try #require(gateway.operatorLine { $0["event"] == "upstream_server_down" })
        #expect(down["address"] == "127.0.0.1:\(servers[0].port)", "\(down.raw)")
        for number in 0..<6 { #expect(try gateway.exchange(request("GET", "/one/\(number)")).status == 200) }
        #expect(!servers[0].requests.contains { $0.path.hasPrefix("/one/") })
        let check = try #require(servers[1].requests.first { $0.path == "/healthz" })
        #expect(check.fields.only("host") == "127.0.0.1:\(servers[1].port)")
        #expect(check.fields.only("connection") == "close")
        servers[1].answer("/healthz", with: .answer(500, "no"))
        #expect(eventually { gateway.lines("upstream_server_down") == 2 })
        for number in 0..<6 { #expect(try gateway.exchange(request("GET", "/two/\(number)")).status == 200) }
        #expect(servers.allSatisfy { $0.requests.contains { $0.path.hasPrefix("/two/") } })
        #expect(gateway.operatorLine { $0["event"] == "upstream_all_servers_out" } != nil)
        #expect(try gateway.upstreamFailures("all_out") == 1)
        servers[0].answer("/healthz", with: .answer(204, ""))
        #expect(gateway.operatorLine { $0["event"] == "upstream_server_up" } != nil)
        for number in 0..<6 { #expect(try gateway.exchange(request("GET", "/three/\(number)")).status == 200) }
        #expect(!servers[1].requests.contains { $0.path.hasPrefix("/three/") })
    }

    @Test(.holds("ECO-72")) func `asks servers by the Host that the configuration says`() throws {
        let servers = try servers(2)
        let gateway = try gateway(
            servers, "health: { path: /healthz, host: \"orders.internal:8080\", interval: 100ms, timeout: 100ms }")
        for server in servers {
            #expect(server.waits { $0.requests.contains { $0.path == "/healthz" } })
            let checks = server.requests.filter { $0.path == "/healthz" }
            #expect(checks.allSatisfy { $0.fields["host"] == ["orders.internal:8080"] })
        }
        // What clients ask for goes on under their own.
        #expect(try gateway.exchange(request("GET", "/a")).status == 200)
        let asked = try #require(servers.flatMap(\.requests).first { $0.path == "/a" })
        #expect(asked.fields["host"] != ["orders.internal:8080"])
    }

    @Test(.holds("ECO-74"), arguments: ["", ", slow_start: 10m"])
    func `gives a server that came back its share little by little where that is said`(slowStart: String) throws {
        let servers = try servers(2)
        servers[0].answer("/healthz", with: .answer(500, "no"))
        let gateway = try gateway(
            servers, "health: { path: /healthz, interval: 100ms, timeout: 100ms, unhealthy: 1, healthy: 1 }\(slowStart)"
        )
        try #require(gateway.operatorLine { $0["event"] == "upstream_server_down" } != nil)
        servers[0].answer("/healthz", with: .answer(200, "yes"))
        try #require(gateway.operatorLine { $0["event"] == "upstream_server_up" } != nil)
        for number in 0..<110 { #expect(try gateway.exchange(request("GET", "/one/\(number)")).status == 200) }
        let share = servers[0].requests.count { $0.path.hasPrefix("/one/") }
        // A tenth of a share beside a whole one is ten of 110, and no time passes that would make it a half.
        #expect(slowStart.isEmpty ? (50...60).contains(share) : (5...20).contains(share), "\(share)")
    }

    @Test(
        .holds("ECO-73"),
        arguments: [
            WireScript(.close), WireScript(.reset), .answer(502, "no"), .answer(503, "no"), .answer(504, "no"),
            .rawThenClose("HTTP/1.1 2"), .rawThenClose("nonsense\r\n\r\n"),
        ])
    func `asks another server when one fails what may be repeated`(failure: WireScript) throws {
        let servers = try servers(3)
        servers[1].answerAll(with: failure)
        let gateway = try gateway(servers, "retries: true, ejection: { failures: 4, time: 10m }")
        for number in 0..<40 {
            let method = ["GET", "HEAD", "PUT", "DELETE"][number % 4]
            #expect(try gateway.exchange(request(method, "/\(number)"), method: method).status == 200)
        }
        #expect(servers[1].requests.count <= 4)
        #expect(try gateway.upstreamFailures("retried") == servers[1].requests.count)
    }

    @Test(.refuses("ECO-73")) func `never repeats what might be done twice`() throws {
        let servers = try servers(2)
        for server in servers { server.answerAll(with: WireScript(.close)) }
        let gateway = try gateway(servers, "retries: true, ejection: { failures: 0 }")
        for number in 0..<20 {
            #expect(try gateway.exchange(request("POST", "/\(number)")).status == 502)
            #expect(try gateway.exchange(request("POST", "/body/\(number)", body: "once")).status == 502)
        }
        let paths = servers.flatMap { $0.requests.map(\.path) }
        #expect(Set(paths).count == paths.count && paths.count == 40)
        #expect(try gateway.upstreamFailures("retried") == 0)
        // Twice and no more, where it may be.
        #expect(try gateway.exchange(request("GET", "/again")).status == 502)
        let keyed = "POST /keyed HTTP/1.1\r\nHost: gateway.test\r\nIdempotency-Key: \"a\"\r\nContent-Length: 0\r\n\r\n"
        #expect(try gateway.exchange(keyed).status == 502)
        #expect(servers.map { $0.requests.count { $0.path == "/again" } } == [1, 1])
        #expect(servers.map { $0.requests.count { $0.path == "/keyed" } } == [1, 1])
    }

    @Test(.refuses("ECO-73")) func `does not repeat what its client has seen the beginning of`() throws {
        let servers = try servers(2)
        for server in servers {
            server.answerAll(with: .rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"))
        }
        let gateway = try gateway(servers, "retries: true")
        #expect(try gateway.exchange(request("GET", "/part")).ending == .truncated)
        #expect(servers.flatMap(\.requests).count == 1)
    }
}
