import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows H2-35, H2-44, H2-53: streams that nobody takes the answers of, streams that are reset, and what is told of both.
@Suite(.serialized) struct `the life of a stream` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /halting/, upstream: $UPSTREAM, public: true, timeouts: { response_body: 500ms } }"
                ]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let part = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"

    private func resets(_ side: String, _ code: String) -> Int {
        stage.gateway.reading("portcullis_http2_resets_total{side=\"\(side)\",code=\"\(code)\"}") ?? 0
    }

    // MARK: Windows

    @Test(.refuses("H2-44"), arguments: [false, true])
    func `ends with CANCEL when its client gives no window, or next to none`(trickles: Bool) throws {
        let path = "/halting/stalled-\(trickles)"
        stage.upstream.answer(path, with: WireScript(.text(Self.part), .pattern(100_000)))
        let stalled = stage.gateway.reading(#"portcullis_http2_goaways_total{cause="stalled"}"#) ?? 0
        let before = resets("gateway", "cancel")
        let client = try FrameClient(port: stage.gateway.port, window: 0)
        try client.get(1, path)
        try client.frames { $0.type == Frame.headers }
        var last: Frame?
        let deadline = Deadline.patient
        while last == nil, !deadline.hasPassed {
            if trickles { try client.client.send(FrameClient.window(1, 1)) }
            do { last = try client.frames(until: { $0.type == Frame.reset }, within: .milliseconds(40)).last } catch {}
        }
        #expect(last?.stream == 1)
        #expect(last?.code == 8)
        #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty }, "its upstream is let go")
        let line = stage.gateway.accessLine { $0["path"] == path && $0["connection"] != nil }
        #expect(line?["ended"] == "client_left")
        #expect(line?["reset_by"] == "gateway")
        #expect(line?["reset_code"] == "cancel")
        #expect(eventually { resets("gateway", "cancel") > before })
        guard !trickles else { return }
        // Nothing of the connection went on: it comes to its end, though it could be asked something else.
        _ = try client.frames { $0.type == Frame.goAway && $0.lastStream == 1 }
        #expect(try client.framesToEnd().isEmpty)
        #expect(stage.gateway.reading(#"portcullis_http2_goaways_total{cause="stalled"}"#) == stalled + 1)
    }

    @Test(.holds("H2-44")) func `does not end so when its client is slow but steady`() throws {
        stage.upstream.answer("/halting/steady", with: WireScript(.text(Self.part), .pattern(100_000)))
        // A client that stands still itself is not steady; it does not do so each time.
        for _ in 0..<4 where try takesSteadily() { return }
        Issue.record("the client was never steady")
    }

    /// Whether it was as steady as it should be; then it has got everything.
    private func takesSteadily() throws -> Bool {
        let client = try FrameClient(port: stage.gateway.port, window: 0)
        try client.get(1, "/halting/steady")
        let began = ContinuousClock.now
        var (count, last, longest) = (0, began, Duration.zero)
        // Three times as long as nothing may be taken; then the rest at once.
        while count < 100_000 {
            let isLate = ContinuousClock.now - began > .milliseconds(1500)
            let increment: UInt32 = isLate ? 20_000 : 1000
            try client.client.send(FrameClient.window(1, increment) + FrameClient.window(0, increment))
            longest = max(longest, ContinuousClock.now - last)
            last = ContinuousClock.now
            let deadline = Deadline.after(.milliseconds(40))
            while !deadline.hasPassed, let frame = try? client.next(within: .milliseconds(20)) {
                guard frame.type != Frame.reset else {
                    #expect(longest > .milliseconds(300), "it was steady: a window every \(longest)")
                    return false
                }
                if frame.type == Frame.data { count += frame.payload.count }
            }
        }
        #expect(count == 100_000)
        #expect(ContinuousClock.now - began > .milliseconds(1500))
        return true
    }

    // MARK: Resets

    @Test(.holds("H2-53")) func `of which its client resets it takes its upstream's request along`() throws {
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answerAll(with: WireScript(exactly: [.wait(gate)]))
        let client = try FrameClient(port: stage.gateway.port)
        for number in 0..<50 { try client.get(UInt32(number * 2 + 1), "/open/\(number)") }
        #expect(stage.upstream.waits { $0.requests.count == 50 })
        for number in 0..<50 { try client.client.send(FrameClient.reset(UInt32(number * 2 + 1))) }
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).count >= 50 })
        #expect(eventually { stage.gateway.reading("portcullis_http2_open_streams") == 0 })
        client.client.close()
    }

    /// Idle connections to the upstream, as many as requests that were on their way at once.
    private func warm(_ count: Int) throws {
        let gate = Gate()
        let answer = "HTTP/1.1 204 No Content\r\n\r\n"
        stage.upstream.answer("/open/warm", with: WireScript(exactly: [.wait(gate), .text(answer)]))
        let client = try FrameClient(port: stage.gateway.port)
        for number in 0..<count { try client.get(UInt32(number * 2 + 1), "/open/warm") }
        #expect(stage.upstream.waits { $0.requests.count == count })
        gate.open()
        var answered = 0
        while answered < count { if try client.next().ends { answered += 1 } }
        client.client.close()
        #expect(eventually { stage.gateway.reading("portcullis_http2_open_streams") == 0 })
        stage.upstream.forget()
    }

    /// Requests of one turn of the loop leave together at its end.
    @Test(.holds("H2-53")) func `that its client takes back at once leaves nothing at its upstream`() throws {
        try warm(6)
        let client = try FrameClient(port: stage.gateway.port)
        let streams = (0..<6).map { UInt32($0 * 2 + 1) }
        // Request, reset, request, reset: all of it is there when the first of it is read.
        try client.client.send(streams.flatMap { FrameClient.request($0, "/open/taken-back") + FrameClient.reset($0) })
        try client.get(13, "/open/kept")
        #expect(try client.status(of: 13) == "200")
        #expect(eventually { stage.gateway.reading("portcullis_http2_open_streams") == 0 })
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).count >= 6 })
        #expect(stage.upstream.requests.map(\.path) == ["/open/kept"])
    }

    @Test func `leaves with those of its turn, however many they are`() throws {
        try warm(40)
        let client = try FrameClient(port: stage.gateway.port)
        let streams = (0..<40).map { UInt32($0 * 2 + 1) }
        try client.client.send(streams.flatMap { FrameClient.request($0, "/open/together-\($0)") })
        var left = Set(streams)
        while !left.isEmpty {
            let frame = try client.next()
            if frame.ends { left.remove(frame.stream) }
        }
        #expect(streams.allSatisfy { client.fields[$0]?.first == ":status: 200" })
        #expect(Set(stage.upstream.requests.map(\.path)) == Set(streams.map { "/open/together-\($0)" }))
        #expect(stage.upstream.requests.count == 40)
    }

    @Test(.refuses("H2-53")) func `is one of 128 at most at the upstream, however many are reset`() throws {
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answerAll(with: WireScript(exactly: [.wait(gate)]))
        // Idle connections of other tests are none of these.
        let client = try FrameClient(port: stage.gateway.port)
        for number in 0..<128 { try client.get(UInt32(number * 2 + 1), "/open/\(number)") }
        for number in 0..<60 {
            try client.client.send(FrameClient.reset(UInt32(number * 2 + 1)))
            try client.get(UInt32((number + 128) * 2 + 1), "/open/\(number + 128)")
        }
        #expect(stage.upstream.waits { $0.requests.count == 188 })
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).count >= 60 })
        #expect(stage.gateway.reading("portcullis_http2_open_streams") == 128)
        // One more is over the limit that the client has acknowledged.
        try client.get(UInt32(188 * 2 + 1), "/open/one-more")
        let last = try client.frames { $0.type == Frame.goAway || $0.type == Frame.reset }.last
        #expect(last?.code == (last?.type == Frame.goAway ? 1 : 7))
        #expect(!stage.upstream.requests.contains { $0.path == "/open/one-more" })
        client.client.close()
        #expect(eventually { stage.gateway.reading("portcullis_http2_open_streams") == 0 })
    }

    /// The mark on the client's address, of section H.7.
    @Test(.refuses("H2-52")) func `has a quarter of the budget to be reset in, after its client was told to calm down`()
        throws
    {
        func resetsUntilCalm(from address: String) throws -> Int {
            let client = try FrameClient(port: stage.gateway.port, from: address)
            for number in 0..<400 {
                let stream = UInt32(number * 2 + 1)
                do {
                    try client.client.send(FrameClient.request(stream, "/open/a") + FrameClient.reset(stream))
                } catch { break }
            }
            _ = try client.frames { $0.type == Frame.goAway && $0.code == 11 }
            client.client.close()
            return counted(address)
        }
        func counted(_ address: String) -> Int { stage.gateway.accessLog.count { $0["client"] == address } }
        let calms = stage.gateway.reading(#"portcullis_http2_calms_total{cause="h2_resets"}"#) ?? 0
        var first = try resetsUntilCalm(from: "127.0.0.51")
        // The last of their lines may come later than the word to the client.
        #expect(
            eventually {
                first = counted("127.0.0.51")
                return first > 150
            }, "\(first)")
        let both = try resetsUntilCalm(from: "127.0.0.51")
        #expect(both - first < 150, "\(first) and \(both - first)")
        #expect(eventually { stage.gateway.reading(#"portcullis_http2_calms_total{cause="h2_resets"}"#) == calms + 2 })
        _ = try resetsUntilCalm(from: "127.0.0.52")
        #expect(eventually { counted("127.0.0.52") > 150 }, "nobody else's budget is smaller")
    }

    @Test(.holds("H2-52")) func `is one of fifty that a browser leaves at once, and is told nothing for it`() throws {
        let gate = Gate()
        defer { gate.open() }
        let streams = (0..<50).map { UInt32($0 * 2 + 1) }
        for stream in streams {
            stage.upstream.answer("/open/image-\(stream)", with: WireScript(exactly: [.wait(gate)]))
        }
        let client = try FrameClient(port: stage.gateway.port, from: "127.0.0.53")
        for stream in streams { try client.get(stream, "/open/image-\(stream)") }
        #expect(stage.upstream.waits { $0.requests.count == 50 })
        try client.client.send(streams.flatMap { FrameClient.reset($0) })
        try client.get(101, "/open/page")
        #expect(try client.status(of: 101) == "200")
        #expect(client.lastStreams.isEmpty, "its connection goes on")
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).count >= 50 })
        // Nor is its next connection one of somebody who is to be watched.
        let next = try FrameClient(port: stage.gateway.port, from: "127.0.0.53")
        for stream in streams + [101] {
            try next.client.send(FrameClient.request(stream, "/open/a") + FrameClient.reset(stream))
        }
        try next.get(103, "/open/page")
        #expect(try next.status(of: 103) == "200")
        #expect(next.lastStreams.isEmpty)
        client.client.close()
        next.client.close()
    }

    // MARK: What is told

    @Test(.holds("H2-35")) func `is named in the access log, with its connection and who reset it`() throws {
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answer("/open/left", with: WireScript(exactly: [.wait(gate)]))
        stage.upstream.answer("/open/broken", with: WireScript(.text(Self.part + "beginning"), .close))
        let streams = stage.gateway.reading("portcullis_http2_streams_total") ?? 0
        let (left, broken) = (resets("client", "cancel"), resets("gateway", "internal_error"))
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/named")
        #expect(try client.status(of: 1) == "200")
        try client.get(3, "/open/left")
        #expect(stage.upstream.waits { $0.requests.contains { $0.path == "/open/left" } })
        try client.client.send(FrameClient.reset(3))
        try client.get(5, "/open/broken")
        #expect(try client.status(of: 5) == nil)
        func line(_ path: String) throws -> LogLine {
            try #require(stage.gateway.accessLine { $0["path"] == path })
        }
        let lines = try ["/open/named", "/open/left", "/open/broken"].map(line)
        #expect(lines.map { $0["protocol"] } == ["h2c", "h2c", "h2c"])
        #expect(lines.map { $0["stream"] } == ["1", "3", "5"])
        #expect(lines[0]["connection"]?.count == 16)
        #expect(Set(lines.map { $0["connection"] }).count == 1)
        #expect(lines.map { $0["reset_by"] } == [nil, "client", "gateway"])
        #expect(lines.map { $0["reset_code"] } == [nil, "cancel", "internal_error"])
        let other = try FrameClient(port: stage.gateway.port)
        try other.get(1, "/open/other")
        #expect(try other.status(of: 1) == "200")
        #expect(try line("/open/other")["connection"] != lines[0]["connection"])
        #expect(eventually { resets("client", "cancel") > left })
        #expect(eventually { resets("gateway", "internal_error") > broken })
        #expect(stage.gateway.reading("portcullis_http2_streams_total") == streams + 4)
        #expect(try stage.exchange("GET", "/open/older").status == 200)
        #expect(try line("/open/older")["connection"] == nil)
    }

    @Test(.refuses("H2-35")) func `is one of many malformed ones, of which the operator log says but some`() throws {
        let before = stage.gateway.lines("refused")
        for _ in 0..<3 {
            let client = try FrameClient(port: stage.gateway.port, from: "127.0.0.53")
            for number in 0..<60 {
                try client.client.send(FrameClient.request(UInt32(number * 2 + 1), "/a", [("x-a", " b")]))
                #expect(try client.status(of: UInt32(number * 2 + 1)) == "400")
            }
            client.client.close()
        }
        let said = stage.gateway.lines("refused") - before
        #expect(said >= 1 && said < 120, "\(said) of 180")
    }
}
