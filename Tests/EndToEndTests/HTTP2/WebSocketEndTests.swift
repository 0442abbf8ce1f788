import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Row H2-40: WebSockets in streams end with what let them through.
@Suite(.serialized) struct `a WebSocket in a stream that is let through` {
    private static let shared = Shared {
        var plan = StagePlan()
        plan.issuer = "discovery: openid, leeway: 0s"
        plan.routes =
            Stage.ordinaryRoutes + [
                """
                { path: /guarded/, upstream: $UPSTREAM, websocket: true, token: { issuers: [main], \
                audience: "\(TokenForge.audience)" } }
                """
            ]
        return try Stage(plan)
    }

    /// A Close frame with status 1008 (RFC 6455 §5.5.1, §7.4.1).
    private static let goodbye: [UInt8] = [0x88, 0x02, 0x03, 0xF0]
    /// A message of two bytes, unmasked.
    private static let message: [UInt8] = [0x82, 2, 7, 8]

    /// A client whose WebSocket is open as stream 1 and has carried a message.
    private func open(_ port: UInt16, _ path: String, _ fields: [(String, String)]) throws -> FrameClient {
        let client = try FrameClient(port: port)
        try client.openSocket(1, path, fields)
        try client.frames { $0.stream == 1 && $0.type == Frame.headers }
        #expect(client.fields[1]?.first == ":status: 200", "\(client.fields[1] ?? [])")
        try client.client.send(FrameClient.frame(Frame.data, stream: 1, Self.message))
        #expect(try client.frames { $0.type == Frame.data }.last?.payload == Self.message)
        return client
    }

    /// What comes of stream 1 until it is over on the gateway's side: the bytes, and how it ended.
    private func end(of client: FrameClient) throws -> (bytes: [UInt8], last: Frame) {
        let frames = try client.frames { $0.stream == 1 && ($0.ends || $0.type == Frame.reset) }
        let bytes = frames.filter { $0.stream == 1 && $0.type == Frame.data }.flatMap(\.payload)
        return (bytes, try #require(frames.last))
    }

    private func guarded(seconds: Int, _ stage: Stage) throws -> FrameClient {
        stage.upstream.answer("/guarded/a", with: .switching)
        let token = stage.tokens.token(["exp": moment(seconds)])
        return try open(stage.gateway.port, "/guarded/a", [("authorization", "Bearer " + token)])
    }

    @Test(.holds("H2-40")) func `ends with its token, by a Close frame and the end of its stream`() throws {
        let stage = try Self.shared.get()
        stage.reset()
        let staying = try guarded(seconds: 600, stage)
        let client = try guarded(seconds: 5, stage)
        let connection = try #require(stage.upstream.requests.last?.connection)
        let (bytes, last) = try end(of: client)
        #expect(bytes == Self.goodbye)
        #expect(last.type == Frame.data, "\(last)")
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).contains(connection) })
        // Its client ends its side in time, and nothing is reset.
        try client.client.send(FrameClient.frame(Frame.data, flags: 1, stream: 1, Self.goodbye))
        try client.get(3, "/open/a")
        let rest = try client.frames { $0.stream == 3 && $0.ends }
        #expect(client.fields[3]?.first == ":status: 200")
        #expect(!rest.contains { $0.type == Frame.reset || $0.type == Frame.goAway })
        try staying.client.send(FrameClient.frame(Frame.data, stream: 1, Self.message))
        #expect(try staying.frames { $0.type == Frame.data }.last?.payload == Self.message)
    }

    @Test(.refuses("H2-40"))
    func `is reset where its client goes on, and the connection goes on and is idle at its time`() throws {
        var plan = StagePlan()
        plan.issuer = "discovery: openid, leeway: 0s"
        plan.settings = "timeouts: { keep_alive: 3s }"
        plan.routes = [
            """
            { path: /guarded/, upstream: $UPSTREAM, websocket: true, token: { issuers: [main], \
            audience: "\(TokenForge.audience)" } }
            """,
            "{ path: /open/, upstream: $UPSTREAM, public: true }",
        ]
        let stage = try Stage(plan)
        let client = try guarded(seconds: 5, stage)
        #expect(try end(of: client).bytes == Self.goodbye)
        let began = ContinuousClock.now
        for _ in 0..<20 { try client.client.send(FrameClient.frame(Frame.data, stream: 1, Self.message)) }
        let last = try #require(try client.frames { $0.stream == 1 && $0.type == Frame.reset }.last)
        #expect(last.code == 8, "CANCEL")
        // It has a second, less the tick of a clock or two, and less what this test is late to hear of the goodbye.
        #expect(ContinuousClock.now - began >= .milliseconds(300))
        try client.get(3, "/open/a")
        #expect(try client.status(of: 3) == "200")
        // A stream that stayed open would keep it for ever.
        #expect(try client.frames { $0.type == Frame.goAway }.last?.code == 0)
        _ = try client.framesToEnd()
    }

    @Test(.holds("H2-40"), .refuses("H2-40"))
    func `ends with its session, and the page's other requests and other people's sockets go on`() throws {
        let stage = try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: web, websocket: true }",
                "{ path: /open/, upstream: $UPSTREAM, public: true }",
            ]))
        stage.upstream.answer("/app/socket", with: .switching)
        func socket(_ browser: CookieJar) throws -> FrameClient {
            try open(
                stage.gateway.port, "/app/socket",
                [("cookie", browser.text), ("origin", "https://gateway.test"), ("sec-fetch-site", "same-origin")])
        }
        let (mine, other) = (try stage.login(), try stage.login())
        let (ended, kept) = (try socket(mine), try socket(other))
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answer(
            "/open/slow",
            with: WireScript(
                .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(gate), .text("ok")))
        try ended.get(3, "/open/slow")
        try ended.frames { $0.stream == 3 && $0.type == Frame.headers }
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: mine, fields: ownPage)
        #expect((200..<400).contains(answer.status), "\(answer.headText)")
        let (bytes, last) = try end(of: ended)
        #expect(bytes == Self.goodbye)
        #expect(last.type == Frame.data, "\(last)")
        gate.open()
        #expect(try ended.frames { $0.stream == 3 && $0.ends }.last?.text == "ok")
        try ended.get(5, "/open/a")
        #expect(try ended.status(of: 5) == "200")
        try kept.client.send(FrameClient.frame(Frame.data, stream: 1, Self.message))
        #expect(try kept.frames { $0.type == Frame.data }.last?.payload == Self.message)
    }
}
