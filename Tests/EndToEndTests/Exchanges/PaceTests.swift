import TestSupport
import TestTraits
import Testing

/// Row HTTP-66, T-42: clients that never stop and never get on.
@Suite(.serialized, .byEachProtocol) struct `clients without pace` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /patient/, upstream: $UPSTREAM, public: true, limits: { request_body_rate: 0B } }",
                    "{ path: /quick/, upstream: $UPSTREAM, public: true, timeouts: { request_body: 300ms } }",
                ],
                settings: """
                    limits: { request_body_rate: 4KiB }
                    timeouts: { request_body: 5s, request_head: 5m }
                    """))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let head = "Host: gateway.test\r\nContent-Length: 100000\r\n\r\n"

    /// Sends a byte every now and then until there is an answer, or the time is over.
    private func trickle(
        _ client: RawClient, for limit: Duration = Deadline.patience
    ) -> (response: WireResponse?, sent: Int) {
        let deadline = Deadline.after(limit)
        var sent = 0
        while !deadline.hasPassed {
            if (try? client.send("a")) != nil { sent += 1 }
            if let response = try? client.response(to: "POST", within: .milliseconds(20)) { return (response, sent) }
        }
        return (nil, sent)
    }

    @Test(.refuses("HTTP-66")) func `a body that trickles is 408, and its upstream never takes it for whole`() throws {
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\n" + Self.head)
        let response = try #require(trickle(client).response)
        expectTemplate(response, status: 408)
        #expect(response.isLast)
        let id = response.fields.only("x-request-id")
        let line = try #require(
            stage.gateway.operatorLine { $0["request_id"] == id && $0["cause"] == "request_body_too_slow" })
        #expect(line["expected"] == "4096 bytes of the body a second")
        #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty })
        #expect(stage.upstream.requests.allSatisfy { !$0.isComplete })
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks"), .refuses("HTTP-66"))
    func `a chunked body that trickles is 408 as well`() throws {
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n")
        var response: WireResponse?
        let deadline = Deadline.patient
        while response == nil, !deadline.hasPassed {
            try? client.send("1\r\na\r\n")
            response = try? client.response(to: "POST", within: .milliseconds(20))
        }
        #expect(response?.status == 408)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("HTTP-66"))
    func `a body that brings enough is served although it takes long`() throws {
        let client = try stage.gateway.client()
        let block = String(repeating: "b", count: 16 << 10)
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n")
        // Twice the time and more, and each time what is enough for most of it: who stands still meanwhile brings enough.
        let began = ContinuousClock.now
        var sent = 0
        while ContinuousClock.now - began < .seconds(11) {
            try client.send("4000\r\n\(block)\r\n")
            sent += block.utf8.count
            #expect(stage.upstream.waits { ($0.requests.first?.bodyCount ?? 0) >= sent })
            #expect(client.staysSilent(for: .milliseconds(50)))
        }
        try client.send("0\r\n\r\n")
        #expect(try client.response(to: "POST").status == 200)
    }

    @Test(.byHTTP1(because: "it waits for a clock, which no client moves"), .holds("HTTP-65", "HTTP-66"))
    func `a route may ask for no pace`() throws {
        let patient = try stage.gateway.client()
        try patient.send("POST /patient/a HTTP/1.1\r\n" + Self.head)
        let (early, sent) = trickle(patient, for: .seconds(11))
        #expect(early == nil, "longer than two stretches of time")
        try patient.send(String(repeating: "c", count: 100_000 - sent))
        #expect(try patient.response(to: "POST").status == 200)
    }

    @Test(.holds("HTTP-65", "HTTP-66"), arguments: [false, true])
    func `a route's own time is what its requests have, and what the log tells`(isKept: Bool) throws {
        var shortest = Duration.seconds(60)
        var last: WireResponse?
        // A machine that is late once is not late each time; the time of all routes is.
        for _ in 0..<5 where shortest >= .milliseconds(4900) {
            // Over a connection that is kept, and over one that is begun for it.
            if isKept { _ = try stage.exchange("GET", "/quick/a") } else { stage.upstream.closeConnections() }
            let quick = try stage.gateway.client()
            try quick.send("POST /quick/a HTTP/1.1\r\n" + Self.head)
            shortest = min(shortest, try ContinuousClock().measure { last = try quick.response(to: "POST") })
        }
        let response = try #require(last)
        #expect(response.status == 408)
        #expect(shortest < .milliseconds(4900), "the route's own time")
        let id = response.fields.only("x-request-id")
        let line = try #require(
            stage.gateway.operatorLine { $0["request_id"] == id && $0["cause"] == "request_body_too_slow" })
        #expect(line["expected"]?.hasSuffix(" within 300 ms") == true, "\(line)")
        #expect(line["route"] != nil, "\(line)")
    }

    @Test(.holds("HTTP-66")) func `an upstream that takes nothing is not the client's slowness`() throws {
        let gate = Gate()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        stage.upstream.answer("/patient/b", with: WireScript(exactly: [.wait(gate), .readBody, .text(answer)]))
        let client = try stage.gateway.client()
        let size = 64 << 20
        try client.send("POST /patient/b HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: \(size)\r\n\r\n")
        let block = [UInt8](repeating: 100, count: 64 << 10)
        var sent = 0
        while sent < size, (try? client.send(block, within: .seconds(4))) != nil { sent += block.count }
        #expect(sent < size)
        let response = try client.response(to: "POST")
        #expect(response.status == 504, "\(response.headText)")
        gate.open()
    }

    @Test(.holds("HTTP-66"), .refuses("HTTP-66")) func `a download that is taken too slowly is cut off`() throws {
        let size = 256 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        var found = ""
        // Whoever stands still for a second is silent, which is something else: on a machine that was late, once more.
        for _ in 0..<5 where Int(found) == nil {
            // A stretch that is over before all that waits for the client has been taken.
            let slow = try Stage(
                StagePlan(settings: "limits: { response_rate: 4MiB }\ntimeouts: { response_body: 1s }"))
            slow.upstream.answer("/open/a", with: WireScript(.text(head), .pattern(size)))
            let client = try slow.gateway.client(receiveBuffer: 16 << 10)
            try client.send(request("GET", "/open/a"))
            _ = try client.bytes(through: "\r\n\r\n")
            let deadline = Deadline.after(.seconds(180))
            // Some hundred kilobytes a second at most: never silent, and too slow. In HTTP/2 no more waits than 64 KiB.
            let pause = Duration.milliseconds(WireProtocol.current == .http1 ? 10 : 100)
            while !deadline.hasPassed, (try? client.discard(4 << 10)) != nil { dawdle(for: pause) }
            #expect(!deadline.hasPassed)
            let line = try #require(slow.gateway.operatorLine { $0["event"] == "client_too_slow" })
            found = try #require(line["found"])
            #expect(slow.upstream.now.sentCount < size)
        }
        #expect(Int(found) != nil, "\(found)")
    }

    @Test(.byHTTP1(because: "in HTTP/2 a head comes in frames"), .refuses("HTTP-66"))
    func `half a head holds what was sent of it and never more than 64 KiB`() throws {
        _ = try stage.exchange("GET", "/open/warm")
        let count = 200
        let lines = (0..<6).map { "X-\($0): " + String(repeating: "h", count: 9800) }
        let part = Array(request("GET", "/open/a", fields: lines).utf8.dropLast(2))
        let before = stage.gateway.process.memory("VmData")
        let clients = try (0..<count).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(part) }
        // The last byte was read when the gateway holds all of them: it answers nobody, so its memory says so.
        let expected = count * part.count / 1024 * 9 / 10
        #expect(eventually { stage.gateway.process.memory("VmRSS") >= expected })
        let grown = stage.gateway.process.memory("VmData") - before
        #expect(grown < count * 68, "\(grown) KB for \(count) halves of a head")
        for client in clients { try client.send("\r\n") }
        for client in clients { #expect(try client.response().status == 200) }
    }

    @Test(.byHTTP1(because: "in HTTP/2 a head comes in frames"), .refuses("HTTP-65", "HTTP-66"))
    func `a head of more than 64 KiB is 431 before it ends`() throws {
        let line = "GET /open/" + String(repeating: "a", count: 6000) + " HTTP/1.1\r\nHost: gateway.test\r\n"
        let lines = (0..<6).map { "X-\($0): " + String(repeating: "h", count: 10_000) + "\r\n" }.joined()
        try stage.expectRefused(line + lines, with: 431)
        let short = line.replacingOccurrences(String(repeating: "a", count: 6000), with: "a")
        try stage.expectForwarded(short + lines + "\r\n", path: "/open/a")
    }
}

/// Row HTTP-65: what one route has in place of the bounds for all.
@Suite(.serialized, .byEachProtocol) struct `bounds of a route` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /small/, upstream: $UPSTREAM, public: true, limits: { request_body: 10B } }",
                    "{ path: /large/, upstream: $UPSTREAM, public: true, limits: { request_body: unlimited } }",
                    "{ path: /hasty/, upstream: $UPSTREAM, public: true, timeouts: { upstream_first_byte: 300ms } }",
                    "{ path: /halting/, upstream: $UPSTREAM, public: true, timeouts: { response_body: 300ms } }",
                ], settings: "limits: { request_body: 1KiB }\ntimeouts: { upstream_first_byte: 5m, response_body: 5m }")
        )
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func bytes(_ count: Int) -> String { String(repeating: "b", count: count) }

    @Test(.holds("HTTP-65")) func `its own size of a body counts, larger or smaller than the others'`() throws {
        for (path, size, status) in [
            ("/small/a", 10, 200), ("/small/a", 11, 413), ("/open/a", 1024, 200), ("/open/a", 1025, 413),
            ("/large/a", 100_000, 200),
        ] {
            #expect(try stage.exchange("POST", path, body: bytes(size)).status == status, "\(path) \(size)")
            let client = try stage.gateway.client()
            let head = "POST \(path) HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n"
            try client.send(head + "\(String(size, radix: 16))\r\n\(bytes(size))\r\n0\r\n\r\n")
            #expect(try client.response(to: "POST").status == status, "\(path) \(size) in chunks")
        }
    }

    @Test(.refuses("HTTP-66")) func `its own time for the first byte is 504, and for the others the download ends`()
        throws
    {
        let gate = Gate()
        stage.upstream.answer("/hasty/mute", with: WireScript(.wait(gate)))
        // The others' time is longer than a client of the tests waits.
        #expect(try stage.exchange("GET", "/hasty/mute").status == 504)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        stage.upstream.answer("/halting/stalled", with: WireScript(.text(head + "beginning"), .wait(gate)))
        #expect(try stage.exchange("GET", "/halting/stalled").ending == .truncated)
        stage.upstream.answer("/open/mute", with: WireScript(.wait(gate), .text(head + bytes(100))))
        let patient = try stage.gateway.client()
        try patient.send(request("GET", "/open/mute"))
        #expect(patient.staysSilent(for: .milliseconds(700)), "the others' time is longer")
        gate.open()
        #expect(try patient.response().status == 200)
    }
}
