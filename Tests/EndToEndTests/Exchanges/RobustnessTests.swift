import Foundation
import TestSupport
import TestTraits
import Testing

/// What no single row says: bytes in any portion, peers that vanish, nonsense by the thousand, and nothing left behind.
@Suite(.serialized, .byEachProtocol) struct `robustness` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                // However many come at once, few connections are kept; and nothing ends because it is old.
                settings: """
                    limits: { upstream_idle_connections: 4 }
                    timeouts: { request_head: 10m, request_body: 10m, keep_alive: 10m }
                    """))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private var descriptors: Int {
        let path = "/proc/\(stage.gateway.process.identifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }

    @Test func `a request is read alike however it is cut`() throws {
        let message = request("POST", "/open/cut?a=b", fields: ["X-A: b", "Transfer-Encoding: chunked"])
        let whole = message + "3;x=y\r\nabc\r\n02\r\nde\r\n0\r\nX: y\r\n\r\n"
        let client = try stage.gateway.client()
        for cut in 1..<whole.utf8.count {
            stage.reset()
            try client.send(whole, cutAt: [cut])
            #expect(try client.response().status == 200)
            let recorded = try #require(stage.upstream.onlyRequest(for: "/open/cut"))
            #expect(recorded.bodyText == "abcde")
            #expect(recorded.fields.only("x-a") == "b")
        }
    }

    @Test func `a response is read alike however it is cut`() throws {
        let answer =
            "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n02\r\nde\r\n0\r\nX: y\r\n\r\n"
        let bytes = Array(answer.utf8)
        for cut in 1..<bytes.count {
            let gate = Gate()
            stage.upstream.answer(
                "/open/a", with: WireScript(.bytes(Array(bytes[..<cut])), .wait(gate), .bytes(Array(bytes[cut...]))))
            let client = try stage.gateway.client()
            try client.send(request("GET", "/open/a"))
            #expect(!client.isClosedByPeer(within: .milliseconds(1)))
            gate.open()
            let response = try client.response()
            #expect(response.bodyText == "abcde")
            #expect(response.fields.only("x-a") == "b")
        }
    }

    @Test(.byHTTP1(because: "a stream of HTTP/2 has an end of its own"))
    func `a client that sent its request and FIN is answered`() throws {
        for message in [request("GET", "/open/a"), request("POST", "/open/a", body: "hello")] {
            let client = try stage.gateway.client()
            try client.send(message)
            client.finishSending()
            #expect(try client.response().status == 200)
            #expect(client.isClosedByPeer())
        }
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .refuses("HTTP-37"))
    func `HTTP 1.0 is not kept alive, also when it asks`() throws {
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.response().status == 200)
        #expect(client.isClosedByPeer())
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 is behind another one"))
    func `pipelined requests with bodies keep their borders`() throws {
        let chunked = "POST /open/2 HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        let client = try stage.gateway.client()
        try client.send(
            request("POST", "/open/1", body: "GET / HTTP/1.1\r\n\r\n") + chunked + "4\r\nGET \r\n0\r\n\r\n"
                + request("GET", "/open/3") + request("PUT", "/open/4", body: "x"))
        let responses = try client.responses(4)
        #expect(responses.map(\.status) == [200, 200, 200, 200])
        #expect(stage.upstream.requests.map(\.target) == ["/open/1", "/open/2", "/open/3", "/open/4"])
        #expect(stage.upstream.requests.map(\.bodyText) == ["GET / HTTP/1.1\r\n\r\n", "GET ", "", "x"])
    }

    /// A small generator with a seed, so that a failure can be repeated.
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static let seeds: [String] = [
        "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 5\r\n\r\nhello",
        "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "GET /open/a?b=c HTTP/1.1\r\nHost: gateway.test\r\nConnection: keep-alive, X-A\r\nX-A: b\r\n\r\n",
        "GET http://gateway.test/open/a HTTP/1.1\r\nHost: gateway.test\r\nExpect: 100-continue\r\n\r\n",
        "GET /orders/a HTTP/1.1\r\nHost: gateway.test\r\nAuthorization: Bearer a.b.c\r\n\r\n",
    ]
    private static let pieces: [String] = [
        "\r", "\n", "\r\n", " ", "\t", "\u{0}", ":", ";", ",", "%2e", "..", "//", "\u{ff}", "Content-Length: 3\r\n",
        "Host: x\r\n",
        "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "GET /open/b HTTP/1.1\r\n", "ffffffffffffffff", "-1", "HTTP/1.0",
        "_", "\"", "\\",
    ]

    @Test(.byHTTP1(because: "its bytes are no text that could be put in frames"))
    func `nothing malformed ever reaches the upstream, whatever is sent`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Random(state: seed)
        for round in 0..<1500 {
            var bytes = Array((Self.seeds.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &random) ?? "").utf8, at: position)
                case 1: if position < bytes.count { bytes.remove(at: position) }
                case 2: if position < bytes.count { bytes[position] = UInt8.random(in: 0...255, using: &random) }
                default: bytes.insert(contentsOf: bytes[position...].prefix(12), at: position)
                }
            }
            let client = try stage.gateway.client()
            try client.send(bytes)
            client.finishSending()
            #expect(throws: Never.self, "seed \(seed): left open after \(text(bytes))") {
                try client.bytesToEnd()
            }
            guard stage.gateway.process.isRunning else {
                Issue.record("seed \(seed), round \(round): the gateway ended on \(text(bytes)) (\(bytes))")
                return
            }
        }
        // A body that breaks off leaves half a request; two requests in one, or a line no parser reads, must not be.
        let record = stage.upstream.now
        #expect(record.malformed.isEmpty, "seed \(seed): \(record.malformed)")
        for received in record.requests {
            #expect(["/open/a", "/open/b"].contains { received.path.hasPrefix($0) || received.path.contains("/open") })
            #expect(received.fields["host"].count == 1, "seed \(seed): \(received.headText)")
            #expect(!received.fields.contains("authorization"), "seed \(seed): \(received.headText)")
        }
        stage.reset()
        #expect(try stage.exchange("GET", "/open/alive").status == 200)
    }

    @Test(.byHTTP1(because: "half a head is no frame"), .refuses("OPS-05"))
    func `clients that vanish leave nothing behind`() throws {
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        let before = descriptors
        let gate = Gate()
        stage.upstream.answer("/open/stuck", with: WireScript(.wait(gate)))
        for number in 0..<200 {
            let client = try stage.gateway.client()
            switch number % 5 {
            case 0: break
            case 1: try client.send("GET /open/a HT")
            case 2: try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 100\r\n\r\nhalf")
            case 3: try client.send(request("GET", "/open/stuck"))
            default: try client.send(request("GET", "/orders/a") + request("GET", "/open/a"))
            }
            // FIN behind a whole request may be half a close: such a client is still answered.
            if number % 2 == 0 || number % 5 == 3 { client.reset() } else { client.close() }
        }
        #expect(eventually { descriptors <= before + 8 }, "\(before) descriptors before, \(descriptors) after")
        gate.open()
        stage.reset()
        #expect(try stage.exchange("GET", "/open/a").status == 200)
    }

    @Test func `many clients at once are all answered with their own`() throws {
        let stage = try Stage(StagePlan(workers: 2))
        let (token, version) = (stage.tokens.bearer(), WireProtocol.current)
        let wrong = Watched<[String]>([])
        let finished = Watched(0)
        for thread in 0..<8 {
            Thread.detachNewThread {
                do {
                    let client = try RawClient(port: stage.gateway.port, speaking: version)
                    for number in 0..<100 {
                        let target = number % 2 == 0 ? "/open/\(thread)-\(number)" : "/orders/\(thread)-\(number)"
                        try client.send(request("GET", target, fields: number % 4 == 1 ? [] : [token]))
                        let response = try client.response()
                        let isRight =
                            number % 4 == 1 ? response.status == 401 : response.bodyText.contains("\"\(target)\"")
                        if !isRight { wrong.withLock { $0.append("\(target): \(response.headText)") } }
                    }
                } catch {
                    wrong.withLock { $0.append("\(error)") }
                }
                finished.withLock { $0 += 1 }
            }
        }
        #expect(finished.wait(within: .seconds(300)) { $0 == 8 })
        #expect(wrong.now.isEmpty, "\(wrong.now.prefix(3))")
    }

    @Test func `an upstream may be named`() throws {
        let upstream = try RecordingUpstream()
        let address = "http://localhost:\(upstream.port)"
        let stage = try Stage(
            routes: [
                "{ path: /open/, upstream: \"\(address)\", public: true }",
                "{ path: /lost/, upstream: \"http://no-such-host.invalid:9\", public: true }",
            ])
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        expectTemplate(try stage.exchange("GET", "/lost/a"), status: 502)
        #expect(upstream.requests.count == 1)
    }
}
