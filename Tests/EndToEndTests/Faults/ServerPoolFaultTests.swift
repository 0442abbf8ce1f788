import Foundation
import TestSupport
import TestTraits
import Testing

/// Three real servers behind one gateway under load, of which one is stuck, one lies and one dies.
@Suite(.serialized) struct `a pool of servers that fail` {
    enum Version: String, CaseIterable { case http1, h2 }

    /// What clients ask: to read, or to write something, which may be done twice or not.
    enum Kind: CaseIterable {
        case get, put, keyed, post

        static let content = String(repeating: "0123456789abcdef", count: 300)

        var method: String {
            switch self {
            case .get: "GET"
            case .put: "PUT"
            case .keyed, .post: "POST"
            }
        }

        /// A whole request.
        func message(_ path: String) -> String {
            switch self {
            case .get: request(method, path)
            case .put, .post: request(method, path, body: Self.content)
            case .keyed: request(method, path, fields: ["Idempotency-Key: \"\(path)\""], body: Self.content)
            }
        }
    }

    /// The servers, the gateways before them where these are to speak HTTP/2, and the gateway that has all of them.
    private final class Pool: Sendable {
        let servers: [RecordingUpstream]
        let between: [GatewayProcess]
        let gateway: GatewayProcess
        private let version: Version

        init(_ version: Version, ejection: String = "{ failures: 3, time: 10m }") throws {
            let servers = try (0..<3).map { _ in try RecordingUpstream() }
            let between: [GatewayProcess] =
                try version == .h2 ? servers.map { try .before("\"\($0.url)\"", via: "back") } : []
            let urls =
                version == .h2 ? between.map { "\"http://127.0.0.1:\($0.port)\"" } : servers.map { "\"\($0.url)\"" }
            self.gateway = try .before(
                "{ url: [\(urls.joined(separator: ", "))], protocol: \(version), policy: least_requests, retries: true, "
                    + "ejection: \(ejection) }", via: "front")
            (self.servers, self.between, self.version) = (servers, between, version)
        }

        /// So many servers that are to answer within two seconds, and another upstream beside them at the same gateway.
        init(servers count: Int, beside other: RecordingUpstream) throws {
            let servers = try (0..<count).map { _ in try RecordingUpstream() }
            let urls = servers.map { "\"\($0.url)\"" }.joined(separator: ", ")
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
                admin: { address: "127.0.0.1:0" }
                routes:
                  - path: /
                    public: true
                    upstream: { url: [\(urls)], policy: least_requests, retries: true, ejection: { failures: 3, time: 10m } }
                    timeouts: { upstream_first_byte: 2s }
                  - { path: /other/, public: true, upstream: "\(other.url)" }
                log: { level: debug }

                """)
            (self.servers, between, version) = (servers, [], .http1)
        }

        /// Has a server end, with all that it has under way.
        func kill(_ number: Int) {
            if version == .h2 { between[number].process.signal(SIGKILL) } else { servers[number].stop() }
        }

        /// Requests that the servers have seen, all of them together.
        var asked: Int { servers.reduce(0) { $0 + $1.requests.count } }

        /// Four clients ask as quickly as they can; how often they were answered something else than 200, or nothing.
        func load(_ requests: Int, _ kind: Kind = .get, while action: @Sendable () -> Void = {}) -> Int {
            let failed = Watched(0)
            DispatchQueue.concurrentPerform(iterations: 5) { number in
                guard number < 4 else { return action() }
                for request in 0..<requests / 4 {
                    let status = try? gateway.exchange(
                        kind.message("/\(number)/\(request)"), method: kind.method
                    ).status
                    if status != 200 { failed.withLock { $0 += 1 } }
                }
            }
            return failed.now
        }
    }

    @Test(.holds("ECO-72"), .holds("ECO-73"), arguments: Version.allCases)
    func `loses nobody a request once it knows them`(version: Version) throws {
        let pool = try Pool(version)
        #expect(pool.load(200) == 0)
        #expect(pool.servers.allSatisfy { $0.requests.count > 20 }, "\(pool.servers.map(\.requests.count))")
        // One lies: that it is there is all that it says. Four clients at once are one more than may always be repeated.
        pool.servers[2].answerAll(with: .answer(503, "no"))
        #expect(pool.load(200) <= 1)
        let asked = pool.servers[2].requests.count
        #expect(pool.load(200) == 0 && pool.servers[2].requests.count == asked)
        // One dies under load.
        #expect(pool.load(400) { pool.kill(1) } <= 1)
        #expect(pool.load(400) == 0)
        #expect(pool.servers[2].requests.count == asked, "the one that lies is not asked because another one is gone")
        // That nobody else is there is told by nobody: the first one serves.
        #expect(
            pool.gateway.lines("upstream_server_ejected") == 1 && pool.gateway.lines("upstream_all_servers_out") == 0)
    }

    /// The 99th of a hundred in order, of how long requests of another route take.
    private static func slowest(_ gateway: GatewayProcess, of count: Int) -> Duration {
        let taken = (0..<count).map { number in
            ContinuousClock().measure {
                let status = try? gateway.exchange(request("GET", "/other/\(number)")).status
                #expect(status == 200, "nobody else is refused")
            }
        }
        return taken.sorted()[count * 99 / 100]
    }

    @Test(.timeLimit(.minutes(5)), .holds("ECO-72", "ECO-73", "ECO-74"), .refuses("ECO-72", "ECO-74"))
    func `of which one is slow, one dies and one lies at the same time fails nobody once it knows them`() throws {
        // Half of a pool always stays: three that are well beside these three.
        let (other, gate) = (try RecordingUpstream(), Gate())
        let pool = try Pool(servers: 6, beside: other)
        defer { gate.open() }
        let (servers, gateway) = (pool.servers, pool.gateway)
        #expect(pool.load(120) == 0)
        let quiet = Watched(Duration.zero)
        #expect(pool.load(200) { quiet.withLock { $0 = Self.slowest(gateway, of: 200) } } == 0)
        servers[0].answerAll(with: WireScript(.wait(gate), .echo))
        servers[2].answerAll(with: .answer(503, "no"))
        // Each is known after three failures, and what is under way meanwhile fails too.
        var errors = pool.load(200) { pool.kill(1) }
        let isKnown: @Sendable () -> Bool = {
            let out = pool.gateway.operatorLog.filter { $0["event"] == "upstream_server_ejected" }.map { $0["address"] }
            return [0, 2].allSatisfy { out.contains("127.0.0.1:\(servers[$0].port)") }
        }
        var rounds = 0
        while !isKnown(), rounds < 20 {
            errors += pool.load(40)
            rounds += 1
        }
        #expect(eventually { isKnown() })
        #expect(errors <= 3 * (3 + 4), "\(errors) errors")
        let asked = [0, 2].map { servers[$0].requests.count }
        let disturbed = Watched(Duration.zero)
        #expect(pool.load(400) { disturbed.withLock { $0 = Self.slowest(gateway, of: 200) } } == 0)
        #expect([0, 2].map { servers[$0].requests.count } == asked, "those that fail are not asked")
        // A machine that stands still now and then is none of the gateway's doing.
        for _ in 0..<5 where disturbed.now > quiet.now * 3 + .milliseconds(50) {
            #expect(pool.load(200) { disturbed.withLock { $0 = min($0, Self.slowest(gateway, of: 200)) } } == 0)
        }
        #expect(disturbed.now <= quiet.now * 3 + .milliseconds(50), "\(disturbed.now) beside \(quiet.now)")
        #expect(pool.gateway.lines("upstream_all_servers_out") == 0)
    }

    @Test(.refuses("ECO-73"), arguments: Version.allCases, Kind.allCases)
    func `never does twice at the app what may not be, and nothing by halves`(version: Version, kind: Kind) throws {
        let pool = try Pool(version)
        let failed = pool.load(400, kind) { pool.kill(1) }
        let seen = pool.servers.flatMap(\.requests)
        let times = Dictionary(grouping: seen, by: \.path).mapValues(\.count)
        switch kind {
        // What was under way at the server that died, of four clients.
        case .post: #expect(times.values.allSatisfy { $0 == 1 } && failed <= 4, "\(failed)")
        case .get, .put, .keyed: #expect(times.values.allSatisfy { $0 <= 2 } && failed <= 1, "\(failed)")
        }
        let whole = kind == .get ? "" : Kind.content
        for number in [0, 2] { #expect(pool.servers[number].requests.allSatisfy { $0.bodyText == whole }) }
        #expect(pool.servers.flatMap(\.now.malformed).isEmpty)
    }

    @Test(.refuses("ECO-72"), arguments: Version.allCases)
    func `has one that is stuck hold up nobody who is not there already`(version: Version) throws {
        let (pool, gate) = (try Pool(version), Gate())
        #expect(pool.load(40) == 0)
        pool.servers[0].answerAll(with: WireScript(.wait(gate), .echo))
        var waiting: [RawClient] = []
        func asked(_ number: Int) -> Int { pool.servers[number].requests.count { $0.path.hasPrefix("/stuck") } }
        while asked(0) == 0, waiting.count < 200 {
            let client = try pool.gateway.client()
            try client.send(request("GET", "/stuck/\(waiting.count)"))
            waiting.append(client)
            try #require(eventually { (0..<3).reduce(0) { $0 + asked($1) } == waiting.count })
        }
        // With one there it is never the less busy one again.
        for number in 0..<60 {
            #expect(try pool.gateway.exchange(request("GET", "/stuck/other/\(number)")).status == 200)
        }
        #expect(asked(0) == 1)
        gate.open()
        for client in waiting { #expect(try client.response().status == 200) }
    }

    /// What servers do that all fail: they say so, or go away.
    enum Failing: CaseIterable {
        case answer, end, answerByHTTP2

        var version: Version { self == .answerByHTTP2 ? .h2 : .http1 }
        var status: Int { self == .end ? 502 : 503 }

        /// Fails a path for the first time behind one gate, and for the second time behind another.
        func script(_ first: Gate, _ second: Gate) -> WireScript {
            let seen = Watched<Set<String>>([])
            let answer = self == .end ? "" : "HTTP/1.1 503 Scripted\r\nContent-Length: 0\r\n\r\n"
            let fail = WireScript.Step.reply { request in
                _ = (seen.withLock { $0.insert(request.path).inserted } ? first : second).wait()
                return Array(answer.utf8)
            }
            return self == .end ? WireScript(fail, .close) : WireScript(fail)
        }
    }

    /// How much more servers get when all of them fail: a fifth of what is under way, or three where that is less.
    struct Storm: CustomTestStringConvertible {
        let requests: Int
        let repeated: Int
        var testDescription: String { "\(repeated) of \(requests)" }

        static let all = [Storm(requests: 10, repeated: 3), Storm(requests: 40, repeated: 8)]
    }

    @Test(.refuses("ECO-73"), arguments: Failing.allCases, Storm.all)
    func `that all fail get no more than a part of their requests twice, and clients are told`(
        failing: Failing, storm: Storm
    ) throws {
        let pool = try Pool(failing.version, ejection: "{ failures: 0 }")
        let refused = storm.requests - storm.repeated
        // A second time it is the same: what has been repeated takes no room for good.
        for round in 1...2 {
            let (first, second) = (Gate(), Gate())
            defer {
                first.open()
                second.open()
            }
            // One for all of them: what one has failed, another one fails a second time.
            let script = failing.script(first, second)
            for server in pool.servers { server.answerAll(with: script) }
            let before = pool.asked
            let clients = try (0..<storm.requests).map { number in
                let client = try pool.gateway.client()
                try client.send(request("GET", "/\(round)/\(number)"))
                return client
            }
            try #require(eventually { pool.asked == before + storm.requests })
            first.open()
            #expect(try eventually { try pool.gateway.upstreamFailures("retry_refused") == refused * round })
            #expect(eventually { pool.asked == before + storm.requests + storm.repeated }, "\(pool.asked - before)")
            // Those that nobody repeats need not wait for the others.
            let told = (round - 1) * storm.requests + refused
            let answered = "portcullis_requests_total{route=\"/\",code=\"5xx\"}"
            #expect(eventually { pool.gateway.reading(answered) == told }, "\(pool.gateway.reading(answered) ?? -1)")
            second.open()
            for client in clients { #expect(try client.response().status == failing.status) }
            #expect(pool.asked == before + storm.requests + storm.repeated, "\(pool.asked - before)")
            #expect(try pool.gateway.upstreamFailures("retried") == storm.repeated * round)
            #expect(try pool.gateway.upstreamFailures("retry_refused") == refused * round)
        }
        for server in pool.servers { server.answerAll(with: .echo) }
        #expect(pool.load(40) == 0)
    }
}
