import TestSupport
import TestTraits
import Testing

/// One answer with a length and one in chunks, both with the same content.
private let answers = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
]

/// Rows HTTP-39, HTTP-41, HTTP-64 and HTTP-66: upstreams that refuse, break off and stall.
@Suite(.serialized, .byEachProtocol) struct `upstreams that fail` {
    private struct Parts: Sendable {
        let stage: Stage
        /// Takes connections and says nothing.
        let mute: RecordingUpstream
    }

    private static let shared = Shared { () throws -> Parts in
        let mute = try RecordingUpstream()
        let stage = try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    // Nobody there speaks TLS: the handshake is never answered.
                    "{ path: /unanswered/, upstream: \"https://127.0.0.1:\(mute.port)\", public: true }",
                    "{ path: /absent/, upstream: \"http://127.0.0.1:1\", public: true }",
                    // Of their own, so that a server of the tests that stands still is not late for the others.
                    "{ path: /hasty/, upstream: $UPSTREAM, public: true, timeouts: { upstream_first_byte: 400ms } }",
                    "{ path: /halting/, upstream: $UPSTREAM, public: true, timeouts: { response_body: 400ms } }",
                ],
                settings: "timeouts: { upstream_connect: 400ms, upstream_first_byte: 5m, response_body: 5m }"))
        return Parts(stage: stage, mute: mute)
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get().stage
        stage.reset()
        stage.upstream.closeConnections()
    }

    /// 502 or an end that nobody can take for the answer's; then the same connections serve others.
    private func expectBroken(_ client: RawClient, _ what: String) throws {
        try client.send(request("GET", "/open/broken"))
        let response = try? client.response()
        if let response, response.status != 502 {
            #expect(response.ending == .truncated, "\(what): \(text(response.raw))")
        } else if let response {
            expectTemplate(response, status: 502)
        }
    }

    @Test(.refuses("HTTP-41"), arguments: answers)
    func `an answer that is reset at any byte is whole to nobody`(answer: String) throws {
        let bytes = Array(answer.utf8)
        for cut in 0..<bytes.count {
            stage.upstream.answer("/open/broken", with: WireScript(.bytes(Array(bytes[..<cut])), .reset))
            try expectBroken(try stage.gateway.client(), "cut after \(cut)")
        }
        for _ in 0..<3 { #expect(try stage.exchange("GET", "/open/next").bodyText.contains("/open/next")) }
        stage.upstream.answer("/open/broken", with: .raw(answer))
        #expect(try stage.exchange("GET", "/open/broken").bodyText == "hello")
    }

    @Test(.holds("HTTP-41"), .refuses("HTTP-41"), arguments: answers)
    func `the part that came before a reset is passed on, and its end is missing`(answer: String) throws {
        let gate = Gate()
        let part = answer.firstRange(of: "hel").map { String(answer[..<$0.upperBound]) } ?? ""
        stage.upstream.answer("/open/broken", with: WireScript(.text(part), .wait(gate), .reset))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/broken"))
        _ = try client.bytes(through: "hel")
        gate.open()
        let rest = text(try client.bytesToEnd())
        #expect(!rest.contains("0\r\n\r\n") && !rest.contains("lo"), "\(rest)")
    }

    @Test(
        .refuses("HTTP-66"),
        arguments: ["", "H", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nA: b\r\n"])
    func `a head that stalls is 504, and its connection is used no more`(beginning: String) throws {
        let gate = Gate()
        stage.upstream.answer("/hasty/stalled", with: WireScript(.text(beginning), .wait(gate), .echo))
        // By the route's own time: that of the others is longer than a client of the tests waits.
        expectTemplate(try stage.exchange("GET", "/hasty/stalled"), status: 504)
        let stalled = stage.upstream.requests.last?.connection
        gate.open()
        #expect(try stage.exchange("GET", "/open/next").bodyText.contains("/open/next"))
        #expect(stage.upstream.requests.last?.connection != stalled)
        #expect(stage.upstream.waits { $0.overConnections >= 1 })
    }

    @Test(.holds("HTTP-66"), arguments: answers)
    func `a body that stalls is cut off, and its client sees that`(answer: String) throws {
        let gate = Gate()
        let part = answer.firstRange(of: "hel").map { String(answer[..<$0.upperBound]) } ?? ""
        stage.upstream.answer("/halting/stalled", with: WireScript(.text(part), .wait(gate), .close))
        let response = try stage.exchange("GET", "/halting/stalled")
        #expect(response.status == 200)
        #expect(response.ending == .truncated)
        gate.open()
        #expect(try stage.exchange("GET", "/open/next").status == 200)
    }

    @Test(.refuses("HTTP-66")) func `a TLS handshake that nobody answers is 504`() throws {
        expectTemplate(try stage.exchange("GET", "/unanswered/a"), status: 504)
    }

    @Test(.refuses("OPS-04")) func `one upstream that stalls or refuses delays no other`() throws {
        let gate = Gate()
        stage.upstream.answer("/hasty/stalled", with: WireScript(.wait(gate), .echo))
        let stalled = try (0..<20).map { number in
            let client = try stage.gateway.client()
            let path = ["/hasty/stalled", "/unanswered/a", "/absent/a"][number % 3]
            try client.send(request("GET", path))
            return client
        }
        try expectPrompt(30) { number in
            let response = try stage.exchange("GET", "/open/\(number)")
            #expect(response.status == 200)
        }
        for client in stalled { #expect([502, 504].contains(try client.response().status)) }
        gate.open()
    }

    @Test(.holds("HTTP-64"), arguments: ["POST", "PATCH"])
    func `a request that changes something and is reset on a kept connection reached it once`(
        method: String
    ) throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        stage.upstream.answer("/open/again", with: WireScript(.reset))
        expectTemplate(try stage.exchange(method, "/open/again", body: "x"), status: 502)
        #expect(stage.upstream.requests.filter { $0.path == "/open/again" }.count == 1)
        #expect(Set(stage.upstream.requests.map(\.connection)).count == 1, "it was to be the kept connection")
    }

    @Test(.holds("HTTP-64"), .refuses("HTTP-64"))
    func `a GET that is reset on a kept connection is tried once more and no oftener`() throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        stage.upstream.answer("/open/again", with: WireScript(exactly: [.reset]))
        expectTemplate(try stage.exchange("GET", "/open/again"), status: 502)
        let tries = stage.upstream.requests.filter { $0.path == "/open/again" }
        #expect(tries.count == 2)
        #expect(Set(tries.map(\.connection)).count == 2)
    }

    @Test(.refuses("HTTP-31")) func `an upload whose upstream resets is answered and never sent twice`() throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        stage.upstream.answer("/open/upload", with: WireScript(exactly: [.readSome(1000), .reset]))
        let client = try stage.gateway.client()
        try client.send("POST /open/upload HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 2000000\r\n\r\n")
        // Goes on sending as clients do; the gateway may have closed already.
        for _ in 0..<20 where (try? client.send([UInt8](repeating: 98, count: 100_000))) == nil { break }
        if let response = try? client.response(to: "POST") { #expect(response.status == 502) }
        let tries = stage.upstream.requests.filter { $0.path == "/open/upload" }
        #expect(tries.count == 1 && tries.allSatisfy { !$0.isComplete })
        #expect(try stage.exchange("GET", "/open/next").status == 200)
    }

    @Test func `an upstream that goes away is 502 at once, and is found again when it is back`() throws {
        let upstream = try RecordingUpstream()
        let stage = try Stage(routes: ["{ path: /open/, upstream: \"\(upstream.url)\", public: true }"])
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        upstream.stop()
        for method in ["GET", "POST"] {
            let taken = try leastTime(below: .seconds(2)) {
                expectTemplate(try stage.exchange(method, "/open/a", body: method == "POST" ? "x" : ""), status: 502)
            }
            #expect(taken < .seconds(2))
        }
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "upstream_connect_failed" })
        #expect(line["found"]?.contains("refused") == true, "\(line.raw)")
        upstream.releasePort()
        let again = try RecordingUpstream(port: upstream.port)
        #expect(try stage.exchange("GET", "/open/b").status == 200)
        #expect(again.requests.map(\.path) == ["/open/b"])
    }
}
