import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows H2-38, H2-40 and H2-41: WebSockets that are streams of the client's connection, to an upstream of HTTP/1.1.
@Suite(.serialized) struct `a WebSocket in a stream` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /socket/, upstream: $UPSTREAM, public: true, websocket: true }",
                    """
                    { path: /bound/, upstream: $UPSTREAM, websocket: true, token: { issuers: [main], schemes: [DPoP], \
                    audience: "\(TokenForge.audience)" } }
                    """,
                ]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A message of two bytes, unmasked.
    private static let message: [UInt8] = [0x82, 2, 7, 8]

    /// A client whose WebSocket is open as stream 1.
    private func open(window: UInt32? = nil) throws -> FrameClient {
        let client = try FrameClient(port: stage.gateway.port, window: window)
        try client.openSocket(1, "/socket/a")
        try client.frames { $0.stream == 1 && $0.type == Frame.headers }
        #expect(client.fields[1]?.first == ":status: 200")
        return client
    }

    private func send(_ bytes: [UInt8], ends: Bool = false, _ client: FrameClient) throws {
        try client.client.send(FrameClient.frame(Frame.data, flags: ends ? 1 : 0, stream: 1, bytes))
    }

    @Test(.holds("H2-38")) func `becomes a handshake of HTTP/1.1, and carries bytes both ways`() throws {
        stage.upstream.answer("/socket/a", with: .switching)
        let client = try open()
        let lines = Array(client.fields[1] ?? [])
        for name in ["connection: ", "upgrade: ", "sec-websocket-accept: "] {
            #expect(!lines.contains { (line: String) in line.hasPrefix(name) })
        }
        for _ in 0..<3 {
            try send(Self.message, client)
            #expect(try client.frames { $0.type == Frame.data }.last?.payload == Self.message)
        }
        let recorded = try #require(stage.upstream.onlyRequest(for: "/socket/a"))
        #expect(recorded.method == "GET")
        #expect(recorded.fields.only("upgrade")?.lowercased() == "websocket")
        #expect(recorded.fields.only("sec-websocket-version") == "13")
        #expect(recorded.fields.only("sec-websocket-key")?.count == 24)
    }

    /// The token and the proof of a client that signs this as its method.
    private func proven(_ method: String) -> [(String, String)] {
        ProofCall(method: method).fields(stage).map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (parts[0].lowercased(), String(parts[1]))
        }
    }

    @Test(.holds("H2-37", "DPOP-07"), arguments: ["CONNECT", "GET"])
    func `is opened by a proof of the method that HTTP/2 has for it, or HTTP/1.1`(method: String) throws {
        stage.upstream.answer("/bound/a", with: .switching)
        let client = try FrameClient(port: stage.gateway.port)
        let proof = proven(method)
        try client.openSocket(1, "/bound/a", proof)
        try client.frames { $0.stream == 1 && $0.type == Frame.headers }
        #expect(client.fields[1]?.first == ":status: 200", "\(stage.gateway.diagnosis)")
        try send(Self.message, client)
        #expect(try client.frames { $0.type == Frame.data }.last?.payload == Self.message)
        // Once, whatever the method is called.
        try client.openSocket(3, "/bound/a", proof)
        #expect(try client.status(of: 3) == "401")
        #expect(stage.upstream.requests.map(\.path) == ["/bound/a"])
    }

    @Test(.refuses("H2-37", "DPOP-07"), arguments: ["POST", "connect", "get", "PUT"])
    func `is opened by no proof of another method`(method: String) throws {
        let client = try FrameClient(port: stage.gateway.port)
        try client.openSocket(1, "/bound/a", proven(method))
        #expect(try client.status(of: 1) == "401")
        #expect(stage.upstream.requests.isEmpty)
        let line = stage.gateway.operatorLine { $0["cause"] == "proof_method_mismatch" && $0["check"] == "DPOP-07" }
        #expect(line != nil)
    }

    @Test(.refuses("DPOP-07")) func `lends its method to no request of another kind`() throws {
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/bound/a", proven("CONNECT"))
        #expect(try client.status(of: 1) == "401")
        try client.get(3, "/bound/a", proven("GET"))
        #expect(try client.status(of: 3) == "200")
    }

    /// 405 would say that another method is taken, and so that this one was understood.
    @Test(.refuses("H2-37"), arguments: ["connect-udp", "webtransport", "websocket2"])
    func `is all that a CONNECT may open: another protocol is answered 501`(name: String) throws {
        let client = try FrameClient(port: stage.gateway.port)
        for (stream, path) in zip([UInt32(1), 3], ["/socket/a", "/open/a"]) {
            try client.openSocket(stream, path, speaking: name)
            #expect(try client.status(of: stream) == "501")
            #expect(client.fields[stream]?.contains { $0.hasPrefix("allow: ") } == false)
        }
        try client.get(5, "/open/a")
        #expect(try client.status(of: 5) == "200")
        #expect(stage.upstream.requests.map(\.path) == ["/open/a"])
        let line = stage.gateway.operatorLine { $0["cause"] == "tunnel_protocol_unknown" }
        #expect(line?["check"] == "H2-37" && line?["status"] == "501", "\(String(describing: line))")
        let counted = "portcullis_refusals_total{route=\"(none)\",cause=\"tunnel_protocol_unknown\",blame=\"client\"}"
        #expect((stage.gateway.reading(counted) ?? 0) >= 2)
    }

    @Test(
        .refuses("H2-38"),
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        ])
    func `is none when the upstream has not taken up this one`(answer: String) throws {
        stage.upstream.answer("/socket/a", with: .raw(answer))
        let client = try FrameClient(port: stage.gateway.port)
        try client.openSocket(1, "/socket/a")
        #expect(try client.status(of: 1) == "502")
    }

    @Test(.holds("H2-40"), arguments: [false, true]) func `that its client ends is over at the upstream`(
        resets: Bool
    ) throws {
        stage.upstream.answer("/socket/a", with: .switching)
        let client = try open()
        let connection = try #require(stage.upstream.onlyRequest(for: "/socket/a")).connection
        if resets { try client.client.send(FrameClient.reset(1)) } else { try send([], ends: true, client) }
        #expect(stage.upstream.waits { (resets ? $0.resetConnections : $0.endedConnections).contains(connection) })
        if !resets { #expect(try client.frames { $0.stream == 1 && $0.type <= Frame.reset }.last?.ends == true) }
        try client.get(3, "/open/a")
        #expect(try client.status(of: 3) == "200", "the other streams go on")
        #expect(client.lastStreams.isEmpty)
    }

    @Test(.refuses("H2-40"))
    func `that its upstream ends takes no other stream along, though its client goes on`() throws {
        let handshake = WireScript.switching.steps
        stage.upstream.answer(
            "/socket/a", with: WireScript(exactly: Array(handshake.dropLast()) + [.bytes(Self.message), .close]))
        let client = try open()
        let frames = try client.frames { $0.stream == 1 && ($0.ends || $0.type == Frame.reset) }
        #expect(frames.filter { $0.type == Frame.data }.flatMap(\.payload) == Self.message, "\(frames)")
        #expect(frames.last?.ends == true)
        for _ in 0..<20 { try send(Self.message, client) }
        try client.get(3, "/open/a")
        let rest = try client.frames { $0.stream == 3 && $0.ends }
        #expect(client.fields[3]?.first == ":status: 200")
        #expect(rest.allSatisfy { $0.type != Frame.goAway && ($0.type != Frame.data || $0.stream == 3) })
    }

    @Test(.holds("H2-40")) func `that its upstream breaks off is reset behind what has come`() throws {
        let handshake = WireScript.switching.steps
        stage.upstream.answer(
            "/socket/a", with: WireScript(exactly: Array(handshake.dropLast()) + [.bytes(Self.message), .reset]))
        let client = try open()
        let last = try client.frames { $0.stream == 1 && ($0.ends || $0.type == Frame.reset) }.last
        #expect(last?.type == Frame.reset && last?.code == 8, "\(String(describing: last))")
        try client.get(3, "/open/a")
        #expect(try client.status(of: 3) == "200")
    }

    @Test(.holds("H2-41"), .refuses("H2-41"))
    func `whose client does not read stops its own upstream, and no other stream`() throws {
        let handshake = WireScript.switching.steps
        let count = 60_000_000
        stage.upstream.answer(
            "/socket/a", with: WireScript(exactly: Array(handshake.dropLast()) + [.pattern(count)]))
        let text = String(repeating: "0123456789abcdef", count: 2000)
        stage.upstream.answer("/open/a", with: .answer(200, text))
        // One window of the connection is left for the others.
        let client = try open(window: 1000)
        var taken = try client.frames { $0.stream == 1 && $0.type == Frame.data }.reduce(0) { $0 + $1.payload.count }
        for stream in stride(from: UInt32(3), to: 43, by: 2) {
            try client.get(stream, "/open/a")
            try client.client.send(FrameClient.window(0, 40_000) + FrameClient.window(stream, 40_000))
            let frames = try client.frames { $0.stream == stream && $0.ends }
            #expect(frames.filter { $0.type == Frame.data && $0.stream == stream }.map(\.text).joined() == text)
            taken += frames.filter { $0.type == Frame.data && $0.stream == 1 }.reduce(0) { $0 + $1.payload.count }
        }
        #expect(taken == 1000, "all that it has a window for")
        #expect(stage.upstream.waits { $0.sentCount < count })
    }
}
