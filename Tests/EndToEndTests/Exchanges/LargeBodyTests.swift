import TestSupport
import TestTraits
import Testing

/// Rows HTTP-31, HTTP-40, HTTP-41 and HTTP-70 for bodies that go from socket to socket inside the kernel, or in frames.
@Suite(.serialized, .byEachProtocol) struct `large bodies` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// More than all buffers between the two ends hold once a peer has stopped reading.
    private static let huge = 48 << 20

    /// Lengths on both sides of where moving begins (64 KiB to go), of one pipe (256 KiB) and of one turn (1 MiB).
    private static let lengths = [
        65_535, 65_536, 65_537, 131_072, 262_143, 262_144, 262_145, 327_679, 327_680, 327_681, 1_048_575, 1_048_576,
        1_048_577, 1_114_113, 3_000_001,
    ]

    private func head(_ length: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" }

    private func post(_ length: Int, _ target: String = "/open/a") -> String {
        "POST \(target) HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Downloads one body of a length and holds it against what was sent.
    private func expectWholeDownload(_ length: Int, from client: RawClient, at other: Stage? = nil) throws {
        let stage = other ?? stage
        let body = content(length)
        stage.upstream.answer("/open/whole", with: WireScript(.text(head(length)), .bytes(body)))
        try client.send(request("GET", "/open/whole"))
        _ = try client.bytes(through: "\r\n\r\n")
        #expect(try client.bytes(length) == body, "\(length) bytes")
    }

    // MARK: down

    @Test(.holds("HTTP-70")) func `a download of any length arrives byte for byte and the next answer behind it`()
        throws
    {
        let client = try stage.gateway.client()
        for length in Self.lengths {
            let body = content(length)
            let gate = Gate()
            // The head alone first: what is left when the body begins is exactly its length.
            let steps: [WireScript.Step] = [.text(head(length)), .wait(gate), .bytes(body)]
            stage.upstream.answer("/open/a", with: WireScript(exactly: steps))
            try client.send(request("GET", "/open/a") + request("GET", "/open/next"))
            _ = try client.bytes(through: "\r\n\r\n")
            gate.open()
            #expect(try client.bytes(length) == body, "\(length) bytes")
            #expect(try client.response().bodyText.contains("/open/next"), "behind \(length) bytes")
            try expectWholeDownload(length, from: client)
        }
        #expect(stage.upstream.now.malformed.isEmpty)
    }

    @Test(.byHTTP1(because: "what is in frames passes through no pipe"), .holds("HTTP-70"))
    func `a slow reader gets every byte of what waited in the kernel for it`() throws {
        // A gateway that keeps no pipe yet, so that one in use is seen.
        let stage = try Stage()
        let body = content(Self.huge)
        stage.upstream.answer("/open/a", with: WireScript(.text(head(body.count)), .bytes(body)))
        let before = stage.gateway.process.openDescriptors(of: "pipe:")
        let client = try stage.gateway.client(receiveBuffer: 16 << 10)
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "\r\n\r\n")
        // It reads nothing: a pipe is seen to wait with bytes that it does not take.
        #expect(eventually { stage.gateway.process.openDescriptors(of: "pipe:") > before })
        // Others are served meanwhile, through other pipes.
        try expectWholeDownload(1 << 20, from: try stage.gateway.client(), at: stage)
        #expect(try client.bytes(body.count, within: .seconds(120)) == body)
        try client.send(request("GET", "/open/next"))
        #expect(try client.response().bodyText.contains("/open/next"))
    }

    @Test(.refuses("HTTP-70")) func `a client that leaves while a body waits for it leaves nothing to others`() throws {
        for _ in 0..<4 {
            stage.upstream.answer("/open/a", with: WireScript(.text(head(Self.huge)), .pattern(Self.huge)))
            let ended = stage.upstream.now.endedConnections.count + stage.upstream.now.resetConnections.count
            let client = try stage.gateway.client(receiveBuffer: 16 << 10)
            try client.send(request("GET", "/open/a"))
            _ = try client.bytes(through: "\r\n\r\n")
            // Some of it is under way, whichever buffer that is in when the client goes.
            #expect(stage.upstream.waits { $0.sentCount > 1 << 20 })
            client.reset()
            #expect(stage.upstream.waits { $0.endedConnections.count + $0.resetConnections.count > ended })
            // A pipe with the pattern in it, used again, would begin with it here.
            try expectWholeDownload(2 << 20, from: try stage.gateway.client())
        }
    }

    @Test(.refuses("HTTP-41"), arguments: [WireScript.Step.close, .reset])
    func `a long body that breaks off is not made whole`(end: WireScript.Step) throws {
        let part = content(700_000)
        stage.upstream.answer("/open/a", with: WireScript(.text(head(900_000)), .bytes(part), end))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "\r\n\r\n")
        let received = try client.bytesToEnd()
        #expect(received.count <= part.count)
        #expect(received == Array(part.prefix(received.count)))
        try expectWholeDownload(1 << 20, from: try stage.gateway.client())
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-41"))
    func `towards HTTP 1.0 a long body without a length arrives whole and then ends`() throws {
        let body = content(2_000_003)
        stage.upstream.answer("/open/a", with: WireScript(.text("HTTP/1.1 200 OK\r\n\r\n"), .bytes(body), .close))
        let client = try stage.gateway.client(receiveBuffer: 16 << 10)
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        _ = try client.bytes(through: "\r\n\r\n")
        #expect(try client.bytesToEnd() == body)
        #expect(!client.wasReset)
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-41"), .refuses("HTTP-41"))
    func `towards HTTP 1.0 a long body that breaks off ends with a reset`() throws {
        let part = content(700_000)
        stage.upstream.answer("/open/a", with: WireScript(.text("HTTP/1.1 200 OK\r\n\r\n"), .bytes(part), .reset))
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        _ = try client.bytesToEnd()
        #expect(client.wasReset)
    }

    @Test(.refuses("HTTP-40")) func `what an upstream sends behind a long body is nobody's`() throws {
        let body = content(400_000)
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned"
        stage.upstream.answer("/open/a", with: WireScript(.bytes(Array(head(body.count).utf8) + body), .text(poison)))
        for _ in 0..<10 {
            let over = stage.upstream.now.overConnections
            let client = try stage.gateway.client()
            try client.send(request("GET", "/open/a"))
            _ = try client.bytes(through: "\r\n\r\n")
            #expect(try client.bytes(body.count) == body)
            // Over TCP it may come any time later; once it has come, the connection is good for nothing.
            #expect(stage.upstream.waits { $0.overConnections > over })
            #expect(client.staysSilent(for: .milliseconds(20)))
            try client.send(request("GET", "/open/b"))
            #expect(try client.response().bodyText.contains("/open/b"))
        }
    }

    @Test(.holds("HTTP-38")) func `a response to HEAD keeps a long length and has no body`() throws {
        stage.upstream.answer("/open/a", with: .raw(head(10 << 20)))
        let client = try stage.gateway.client()
        try client.send(request("HEAD", "/open/a") + request("GET", "/open/b"))
        #expect(try client.response(to: "HEAD").fields.only("content-length") == "\(10 << 20)")
        #expect(try client.response().bodyText.contains("/open/b"))
    }

    @Test(.byHTTP1(because: "what is in frames passes through no pipe"))
    func `long bodies are copied while the system gives no pipes`() throws {
        let stage = try Stage()
        let process = stage.gateway.process
        let client = try stage.gateway.client()
        // Both connections stand; from here on not one descriptor more is to be had.
        try client.send(request("GET", "/open/warm"))
        _ = try client.response()
        let pipes = process.openDescriptors(of: "pipe:")
        try process.limitDescriptors(to: 0)
        let body = content(3_000_000)
        stage.upstream.answer("/open/a", with: WireScript(.text(head(body.count)), .bytes(body)))
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "\r\n\r\n")
        #expect(try client.bytes(body.count) == body)
        stage.upstream.answer("/open/b", with: .answer(200))
        try client.send(Array(post(body.count, "/open/b").utf8) + body)
        #expect(try client.response().status == 200)
        #expect(stage.upstream.onlyRequest(for: "/open/b")?.body == body)
        // Of pipes alone: what the start had open, such as the connection of a fetch, may end meanwhile.
        #expect(process.openDescriptors(of: "pipe:") == pipes)
    }

    // MARK: up

    @Test(.holds("HTTP-70")) func `an upload of any length arrives byte for byte and the next request behind it`()
        throws
    {
        let client = try stage.gateway.client()
        for length in Self.lengths {
            stage.upstream.forget()
            stage.upstream.answer("/open/a", with: .answer(200))
            let body = content(length)
            let next = Array(request("GET", "/open/next").utf8)
            try client.send(Array(post(length).utf8))
            // The head arrives alone: what is left when the body begins is exactly its length.
            stage.upstream.waits { !$0.requests.isEmpty }
            try client.send(body + next)
            #expect(try client.responses(2).map(\.status) == [200, 200])
            let recorded = try #require(stage.upstream.onlyRequest(for: "/open/a"))
            #expect(recorded.isComplete)
            #expect(recorded.body == body, "\(length) bytes")
            #expect(stage.upstream.onlyRequest(for: "/open/next")?.isComplete == true)
            #expect(stage.upstream.now.malformed.isEmpty)
        }
    }

    @Test(.byHTTP1(because: "what is in frames passes through no pipe"), .holds("HTTP-70"))
    func `a slow upstream gets every byte of what waited in the kernel for it`() throws {
        let stage = try Stage()
        let gate = Gate()
        let body = content(3 << 20)
        let rest = [UInt8](repeating: UInt8(ascii: "u"), count: 1 << 20)
        let length = body.count + 45 * rest.count
        stage.upstream.answer("/open/a", with: WireScript(exactly: [.wait(gate), .readBody, .close]))
        let before = stage.gateway.process.openDescriptors(of: "pipe:")
        let client = try stage.gateway.client()
        try client.send(Array(post(length).utf8) + body)
        var left = length - body.count
        // Until nothing goes on: the upstream reads nothing yet.
        while left > 0, (try? client.send(rest, within: .seconds(5))) != nil { left -= rest.count }
        try #require(left > 0, "the buffers between the two ends took everything")
        #expect(eventually { stage.gateway.process.openDescriptors(of: "pipe:") > before })
        gate.open()
        // The last piece was sent in part; how much of it nobody knows, so that this connection is given up.
        client.close()
        let ended = stage.upstream.waits(within: .seconds(180)) {
            !($0.endedConnections + $0.resetConnections).isEmpty
        }
        #expect(ended)
        let recorded = try #require(stage.upstream.onlyRequest(for: "/open/a"))
        #expect(!recorded.isComplete)
        #expect(Array(recorded.body.prefix(body.count)) == body)
        try expectWholeDownload(1 << 20, from: try stage.gateway.client(), at: stage)
    }

    @Test(.refuses("HTTP-31"), arguments: [true, false])
    func `a long upload that breaks off never looks complete`(orderly: Bool) throws {
        let client = try stage.gateway.client()
        let part = content(700_000)
        try client.send(Array(post(900_000).utf8) + part)
        stage.upstream.waits { $0.receivedCount > 600_000 }
        if orderly { client.finishSending() } else { client.reset() }
        #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty })
        let recorded = try #require(stage.upstream.onlyRequest(for: "/open/a"))
        #expect(!recorded.isComplete)
        #expect(recorded.body == Array(part.prefix(recorded.bodyCount)))
        try expectWholeDownload(1 << 20, from: try stage.gateway.client())
    }

    @Test(.holds("HTTP-35")) func `an answer given in the middle of a long upload reaches its client`() throws {
        let refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
        for _ in 0..<5 {
            stage.upstream.forget()
            stage.upstream.answer("/open/a", with: WireScript(exactly: [.readSome(300_000), .text(refusal)]))
            let client = try stage.gateway.client()
            try client.send(Array(post(Self.huge).utf8) + content(400_000))
            let response = try client.response()
            #expect(response.status == 403)
            #expect(response.isLast)
            #expect(stage.upstream.onlyRequest(for: "/open/a")?.isComplete == false)
            #expect(stage.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty })
        }
        try expectWholeDownload(1 << 20, from: try stage.gateway.client())
    }

    @Test(.holds("HTTP-31")) func `an upstream that dies in the middle of a long upload is a bad gateway`() throws {
        stage.upstream.answer("/open/a", with: WireScript(exactly: [.readSome(300_000), .reset]))
        let client = try stage.gateway.client()
        try client.send(Array(post(Self.huge).utf8) + content(400_000))
        #expect(try client.response().status == 502)
        try expectWholeDownload(1 << 20, from: try stage.gateway.client())
    }
}

/// Bytes that repeat nowhere near, so that a piece lost, doubled or out of its place is seen.
private func content(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + 8) { bytes, filled in
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        var position = 0
        let raw = UnsafeMutableRawBufferPointer(bytes)
        while position < count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            raw.storeBytes(of: state, toByteOffset: position, as: UInt64.self)
            position += 8
        }
        filled = count
    }
}
