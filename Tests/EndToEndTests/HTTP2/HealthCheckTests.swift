import TestSupport
import TestTraits
import Testing

/// Row H2-92: servers of gRPC that are asked by its own protocol whether they are well.
@Suite struct `servers that are asked by gRPC` {
    private func gateway(_ servers: [HealthServer], _ service: String = "shop.Orders") throws -> GatewayProcess {
        let list = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
        let health = "grpc: \"\(service)\", interval: 200ms, timeout: 200ms, unhealthy: 2, healthy: 1"
        return try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: { url: [\(list)], protocol: h2, health: { \(health) } } }]
            log: { level: debug }

            """)
    }

    /// Who answers so many requests.
    private func answering(_ gateway: GatewayProcess, _ count: Int = 6) throws -> Set<String> {
        var names: Set<String> = []
        for number in 0..<count {
            let answer = try gateway.exchange(request("GET", "/\(number)"))
            names.insert(answer.fields.only("x-server") ?? "\(answer.status)")
        }
        return names
    }

    @Test(
        .refuses("H2-92"), arguments: HealthServer.Answer.allCases.filter { $0 != .serving })
    func `get no requests while they say anything but SERVING, and others do`(answer: HealthServer.Answer) throws {
        let (bad, good) = (try HealthServer(answer), try HealthServer(.serving))
        let gateway = try gateway([bad, good])
        let line = try #require(
            gateway.operatorLine {
                $0["event"] == "upstream_server_down" && $0["address"] == "127.0.0.1:\(bad.port)"
            }, "\(gateway.diagnosis)")
        #expect(line["expected"] == "SERVING by gRPC, of shop.Orders", "\(line.raw)")
        #expect(try eventually { try answering(gateway) == ["\(good.port)"] })
        // Well again, it gets its turns again.
        bad.answer(.serving)
        let back = gateway.operatorLine {
            $0["event"] == "upstream_server_up" && $0["address"] == "127.0.0.1:\(bad.port)"
        }
        #expect(back != nil)
        #expect(try eventually { try answering(gateway) == ["\(good.port)", "\(bad.port)"] })
    }

    @Test(.holds("H2-92"), arguments: ["", "shop.Orders"])
    func `are asked about a service, or as a whole, on connections of their own`(service: String) throws {
        let servers = [try HealthServer(.serving), try HealthServer(.serving)]
        let gateway = try gateway(servers, service)
        for server in servers { #expect(eventually { server.questions.count >= 3 }, "\(gateway.diagnosis)") }
        #expect(servers.allSatisfy { $0.calls == 0 })
        let question = try #require(servers[1].questions.first)
        let fields = question.fields
        for field in [
            ":method: POST", ":scheme: http", ":path: /grpc.health.v1.Health/Check",
            ":authority: 127.0.0.1:\(servers[1].port)", "content-type: application/grpc", "te: trailers",
            "grpc-timeout: 200m", "user-agent: portcullis",
        ] {
            #expect(fields.contains(field), "\(fields)")
        }
        let name = Array(service.utf8)
        let message: [UInt8] = name.isEmpty ? [] : [0x0A, UInt8(name.count)] + name
        #expect(question.message == [0, 0, 0, 0, UInt8(message.count)] + message)
        #expect(try eventually { try answering(gateway) == Set(servers.map { "\($0.port)" }) })
    }
}
