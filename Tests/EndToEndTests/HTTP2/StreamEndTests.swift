import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows HTTP-60, H2-40, H2-93 and LO-09 where both sides speak HTTP/2: what ends with its token or session ends alone, in two
/// connections that others use too.
@Suite struct `an exchange with an upstream of HTTP/2` {
    /// A Close frame with status 1008 (RFC 6455 §5.5.1, §7.4.1).
    private static let goodbye: [UInt8] = [0x88, 0x02, 0x03, 0xF0]
    /// A message of two bytes, unmasked.
    private static let message: [UInt8] = [0x82, 2, 7, 8]

    private func stage(_ server: FrameServer) throws -> Stage {
        var plan = StagePlan()
        plan.issuer = "discovery: openid, leeway: 0s"
        plan.routes = [
            """
            { path: /guarded/, upstream: \(server.upstream), websocket: true, token: { issuers: [main], \
            audience: "\(TokenForge.audience)" } }
            """,
            "{ path: /open/, upstream: $UPSTREAM, public: true }",
        ]
        return try Stage(plan)
    }

    private func token(_ stage: Stage, seconds: Int) -> String { stage.tokens.token(["exp": moment(seconds)]) }

    /// The next request that reaches the server: its stream there, where its answer begins.
    private func arrival(_ peer: FrameClient, _ more: [(String, String)] = []) throws -> UInt32 {
        let stream = try #require(try peer.frames { $0.type == Frame.headers }.last).stream
        try peer.client.send(FrameClient.section(stream, [(":status", "200")] + more, ends: false))
        return stream
    }

    private func send(_ bytes: [UInt8], on stream: UInt32, ends: Bool = false, _ side: FrameClient) throws {
        try side.client.send(FrameClient.frame(Frame.data, flags: ends ? 1 : 0, stream: stream, bytes))
    }

    /// Bytes go both ways, from stream to stream.
    private func expectOpen(
        _ client: FrameClient, _ stream: UInt32, _ peer: FrameClient, _ there: UInt32,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        try send(Self.message, on: stream, client)
        let came = try #require(try peer.frames { $0.type == Frame.data }.last, sourceLocation: location)
        #expect(came.stream == there && came.payload == Self.message, "\(came)", sourceLocation: location)
        try send(Self.message, on: there, peer)
        let back = try #require(try client.frames { $0.type == Frame.data }.last, sourceLocation: location)
        #expect(back.stream == stream && back.payload == Self.message, "\(back)", sourceLocation: location)
    }

    // MARK: a token

    @Test(.holds("H2-40", "HTTP-60"), .refuses("H2-40"))
    func `by a WebSocket in a stream ends with its token, and all others of both connections go on`() throws {
        let server = try FrameServer()
        let stage = try stage(server)
        let client = try FrameClient(port: stage.gateway.port)
        func open(_ stream: UInt32, seconds: Int) throws {
            try client.openSocket(
                stream, "/guarded/a", [("authorization", "Bearer " + token(stage, seconds: seconds))])
        }
        try open(1, seconds: 600)
        let peer = try server.connection(takesTunnels: true)
        let staying = try arrival(peer)
        try client.frames { $0.stream == 1 && $0.type == Frame.headers }
        try open(3, seconds: 5)
        let ending = try arrival(peer)
        try client.frames { $0.stream == 3 && $0.type == Frame.headers }
        try expectOpen(client, 1, peer, staying)
        try expectOpen(client, 3, peer, ending)
        let frames = try client.frames { $0.stream == 3 && ($0.ends || $0.type == Frame.reset) }
        #expect(frames.filter { $0.stream == 3 }.flatMap(\.payload) == Self.goodbye, "\(frames)")
        #expect(frames.last?.type == Frame.data)
        let reset = try #require(try peer.frames { $0.type == Frame.reset }.last)
        #expect(reset.stream == ending && reset.code == 8, "\(reset)")
        // Its client ends its side in time, and nothing is reset.
        try send(Self.goodbye, on: 3, ends: true, client)
        try expectOpen(client, 1, peer, staying)
        try client.get(5, "/open/a")
        let rest = try client.frames { $0.stream == 5 && $0.ends }
        #expect(client.fields[5]?.first == ":status: 200")
        #expect(!rest.contains { $0.type == Frame.reset || $0.type == Frame.goAway }, "\(rest)")
        #expect(peer.lastStreams.isEmpty && client.lastStreams.isEmpty)
        #expect(server.connectionCount == 0, "both shared one connection")
    }

    @Test(.holds("H2-40", "HTTP-60"), .refuses("HTTP-60"))
    func `by a WebSocket of HTTP/1.1 ends with its token, and others of the upstream's connection go on`() throws {
        let server = try FrameServer()
        let stage = try stage(server)
        func open(seconds: Int) throws -> RawClient {
            let client = try stage.gateway.client()
            let lines = [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Authorization: Bearer " + token(stage, seconds: seconds),
            ]
            try client.send(request("GET", "/guarded/a", fields: lines))
            return client
        }
        let kept = try open(seconds: 600)
        let peer = try server.connection(takesTunnels: true)
        let staying = try arrival(peer)
        #expect(try kept.response().status == 101)
        let ended = try open(seconds: 5)
        let ending = try arrival(peer)
        #expect(try ended.response().status == 101)
        #expect(try ended.bytesToEnd() == Self.goodbye)
        let reset = try #require(try peer.frames { $0.type == Frame.reset }.last)
        #expect(reset.stream == ending && reset.code == 8, "\(reset)")
        try kept.send(Self.message)
        #expect(try peer.frames { $0.type == Frame.data }.last?.payload == Self.message)
        try send(Self.message, on: staying, peer)
        #expect(try kept.bytes(Self.message.count) == Self.message)
    }

    // MARK: a session

    /// Ends a session: its user does, or its server by a logout token.
    private func end(_ browser: CookieJar, _ session: String, _ stage: SessionStage, byServer: Bool) throws {
        let answer =
            byServer
            ? try stage.exchange(
                "POST", "/.portcullis/backchannel-logout/web",
                fields: ["Content-Type: application/x-www-form-urlencoded"],
                body: "logout_token=\(stage.server.logoutToken(session: session, audience: "web"))")
            : try stage.exchange("POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
        #expect((200..<400).contains(answer.status), "\(answer.headText)")
    }

    /// Two people's WebSockets, responses without end and calls are streams of one connection, as behind a proxy that
    /// speaks HTTP/2.
    @Test(
        .holds("H2-40", "H2-93", "HTTP-60", "LO-09"), .refuses("H2-40", "H2-93", "LO-09"),
        arguments: [false, true])
    func `ends with its session, whatever it is, and those of another's session go on`(byServer: Bool) throws {
        let server = try FrameServer()
        let stage = try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: \(server.upstream), login: web, websocket: true }",
                    "{ path: /user.S/, upstream: \(server.upstream), login: web, grpc: true }",
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                ], client: ["logout: { backchannel: true }"]))
        let mine = try stage.login(), session = stage.server.lastSession
        let other = try stage.login()
        let client = try FrameClient(port: stage.gateway.port)
        func fields(_ browser: CookieJar) -> [(String, String)] {
            [("cookie", browser.text), ("origin", "https://gateway.test"), ("sec-fetch-site", "same-origin")]
        }
        // The routes' upstreams may share their connections, or not: each stream is answered where it came.
        try client.openSocket(1, "/app/socket", fields(mine))
        let peer = try server.connection(takesTunnels: true)
        var there: [UInt32: UInt32] = [1: try arrival(peer)]
        try client.openSocket(3, "/app/socket", fields(other))
        there[3] = try arrival(peer)
        for (stream, browser) in [(UInt32(5), mine), (7, other)] {
            try client.get(stream, "/app/events", fields(browser))
            there[stream] = try arrival(peer, [("content-type", "text/event-stream")])
        }
        let grpc = [("content-type", "application/grpc"), ("te", "trailers")]
        var calls = peer
        for (stream, browser) in [(UInt32(9), mine), (11, other)] {
            try client.client.send(
                FrameClient.request(stream, "/user.S/Any", method: "POST", grpc + fields(browser), ends: false))
            if stream == 9, server.connectionCount > 0 { calls = try server.connection() }
            there[stream] = try arrival(calls, [grpc[0]])
        }
        for _ in 0..<6 { try client.frames { $0.type == Frame.headers } }
        try expectOpen(client, 1, peer, try #require(there[1]))
        try send(Array("data: 1\n\n".utf8), on: try #require(there[5]), peer)
        #expect(try client.frames { $0.type == Frame.data }.last?.stream == 5)

        try end(mine, session, stage, byServer: byServer)
        var left: Set<UInt32> = [1, 5, 9]
        var frames: [Frame] = []
        while !left.isEmpty {
            let frame = try client.next()
            frames.append(frame)
            if frame.ends || frame.type == Frame.reset { left.remove(frame.stream) }
        }
        #expect(frames.filter { $0.stream == 1 }.flatMap(\.payload) == Self.goodbye, "\(frames)")
        // Cut short: nobody takes what came for all there was.
        let cut = frames.last { $0.stream == 5 }
        #expect(cut?.type == Frame.reset && cut?.code == 2, "\(frames)")
        #expect(client.values("grpc-status", of: 9) == ["16"], "\(client.fields[9] ?? [])")
        #expect(!frames.contains { [3, 7, 11].contains($0.stream) }, "\(frames)")
        var cancelled: Set<UInt32> = []
        while cancelled.count < (calls === peer ? 3 : 2) {
            let frame = try peer.next()
            if frame.type == Frame.reset {
                cancelled.insert(frame.stream)
                #expect(frame.code == 8)
            }
        }
        #expect(cancelled.isSuperset(of: [there[1], there[5]].compactMap { $0 }), "\(cancelled)")

        try expectOpen(client, 3, peer, try #require(there[3]))
        try send(Array("data: 2\n\n".utf8), on: try #require(there[7]), ends: true, peer)
        #expect(try client.frames { $0.stream == 7 && $0.ends }.last?.text == "data: 2\n\n")
        try calls.client.send(
            FrameClient.section(try #require(there[11]), [("grpc-status", "0")], ends: true))
        try client.frames { $0.stream == 11 && $0.ends }
        #expect(client.values("grpc-status", of: 11) == ["0"])
        try client.get(13, "/open/a")
        #expect(try client.status(of: 13) == "200")
        #expect(client.lastStreams.isEmpty && peer.lastStreams.isEmpty)
        client.client.close()
    }
}
