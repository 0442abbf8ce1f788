import TestSupport
import TestTraits
import Testing

/// Rows HTTP-58 to HTTP-60: the one upgrade there is.
@Suite(.serialized) struct `WebSocket` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    "{ path: /socket/, upstream: $UPSTREAM, public: true, websocket: true }",
                    """
                    { path: /guarded/, upstream: $UPSTREAM, websocket: true, token: { issuers: [main], \
                    audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
                    """,
                ], issuer: "discovery: openid, leeway: 0s"))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    // RFC 6455 §1.3
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    private static let answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(accept)\r\n\r\n"
    private static let switching = WireScript(.text(answer), .tunnel)

    private func handshake(_ path: String, upgrade: String = "websocket", fields: [String] = []) -> String {
        let lines = [
            "Connection: Upgrade", "Upgrade: \(upgrade)", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(Self.key)",
        ]
        return request("GET", path, fields: lines + fields)
    }

    /// A masked text frame; the upstream of these tests sends every byte back, so its own mask returns too.
    private static let frame: [UInt8] = [0x81, 0x85, 1, 2, 3, 4] + zip("hello".utf8, [1, 2, 3, 4, 1]).map { $0 ^ $1 }

    @Test(.holds("HTTP-58")) func `a handshake passes and bytes go both ways`() throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a", fields: ["Sec-WebSocket-Protocol: chat"]))
        let response = try client.response()
        #expect(response.status == 101)
        #expect(response.fields.only("sec-websocket-accept") == Self.accept)
        #expect(response.fields.only("upgrade")?.lowercased() == "websocket")
        #expect(response.fields["connection"].joined().lowercased().contains("upgrade"))
        for _ in 0..<3 {
            try client.send(Self.frame)
            #expect(try client.bytes(Self.frame.count) == Self.frame)
        }
        let recorded = try #require(stage.upstream.onlyRequest(for: "/socket/a"))
        #expect(recorded.fields.only("sec-websocket-key") == Self.key)
        #expect(recorded.fields.only("sec-websocket-protocol") == "chat")
        #expect(recorded.fields.only("upgrade")?.lowercased() == "websocket")
        client.close()
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).contains(recorded.connection) })
    }

    @Test(.holds("HTTP-58")) func `bytes sent with the handshake are not lost`() throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(Array(handshake("/socket/a").utf8) + Self.frame)
        #expect(try client.response().status == 101)
        #expect(try client.bytes(Self.frame.count) == Self.frame)
    }

    @Test(.holds("HTTP-58")) func `a large message passes whole and in order`() throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        #expect(try client.response().status == 101)
        var sent: [UInt8] = []
        for number in 0..<64 {
            let piece = [UInt8](repeating: UInt8(number), count: 16 * 1024)
            try client.send(piece)
            sent += piece
            #expect(try client.bytes(piece.count) == piece)
        }
        #expect(sent.count == 1024 * 1024)
    }

    @Test(.holds("HTTP-58")) func `the upstream's end reaches the client`() throws {
        stage.upstream.answer("/socket/a", with: WireScript(.text(Self.answer + "bye"), .close))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        #expect(try client.response().status == 101)
        #expect(text(try client.bytesToEnd()) == "bye")
    }

    @Test(.holds("HTTP-58")) func `a client that has said all still hears the rest`() throws {
        let gate = Gate()
        stage.upstream.answer("/socket/a", with: WireScript(.text(Self.answer), .wait(gate), .text("bye"), .close))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        #expect(try client.response().status == 101)
        try client.send("last words")
        client.finishSending()
        #expect(client.staysSilent())
        gate.open()
        #expect(text(try client.bytesToEnd()) == "bye")
    }

    @Test(
        .holds("H2-04"), .refuses("H2-04", "HTTP-58"),
        arguments: ["h2c", "websocket, h2c", "TLS/1.0", "h2c, websocket", "websockets", "foo"])
    func `another protocol is not offered to the upstream`(upgrade: String) throws {
        let lines = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: \(upgrade)", "HTTP2-Settings: AAMAAABkAAQAAP__"]
        let recorded = try stage.expectForwarded(request("GET", "/socket/a", fields: lines), path: "/socket/a")
        #expect(!recorded.fields.contains("upgrade"), "\(recorded.headText)")
        #expect(!recorded.fields.contains("http2-settings"))
        #expect(!recorded.fields.contains("connection") || recorded.fields.only("connection") == "keep-alive")
    }

    @Test(.refuses("HTTP-58")) func `a route without WebSocket, another method and HTTP 1.0 get no upgrade`() throws {
        let plain = try stage.expectForwarded(handshake("/open/a"), path: "/open/a")
        #expect(!plain.fields.contains("upgrade"))
        let posted = handshake("/socket/b").replacingOccurrences("GET", with: "POST")
        #expect(!(try stage.expectForwarded(posted, path: "/socket/b").fields.contains("upgrade")))
        let old = handshake("/socket/c").replacingOccurrences("HTTP/1.1", with: "HTTP/1.0")
        #expect(!(try stage.expectForwarded(old, path: "/socket/c").fields.contains("upgrade")))
    }

    @Test(.refuses("HTTP-49")) func `a handshake's answer sets no cookie of the gateway's, and no field that is`()
        throws
    {
        let fields = [
            "Set-Cookie: __Host-portcullis-web=evil", "X-User: admin", "set-cookie: __HOST-portcullis-ended=evil",
            "Set-Cookie: app=1", "X-App: 1",
        ]
        let answer = Self.answer.replacingOccurrences(
            "Upgrade: ", with: fields.joined(separator: "\r\n") + "\r\nUpgrade: ")
        stage.upstream.answer("/socket/a", with: WireScript(.text(answer), .tunnel))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        let response = try client.response()
        #expect(response.status == 101)
        #expect(response.fields["set-cookie"] == ["app=1"])
        #expect(!response.fields.contains("x-user"))
        #expect(response.fields.only("x-app") == "1")
        #expect(response.fields.only("sec-websocket-accept") == Self.accept)
        client.close()
    }

    @Test(
        .holds("HTTP-49"), .refuses("HTTP-49"),
        arguments: ["=__Host-portcullis-web=evil", " = __host-portcullis-web=evil", "==__Host-portcullis-web"])
    func `a cookie without a name that would come back as one of the gateway's is dropped`(
        cookie: String
    ) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie:\(cookie)\r\nSet-Cookie: =app=1\r\n\r\n"
        stage.upstream.answer("/open/a", with: .raw(head))
        #expect(try stage.exchange("GET", "/open/a").fields["set-cookie"] == ["=app=1"])
    }

    @Test(.holds("HTTP-58")) func `an upstream that declines is heard`() throws {
        stage.upstream.answer("/socket/a", with: .answer(403, "no"))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        let response = try client.response()
        #expect(response.status == 403)
        #expect(response.bodyText == "no")
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("HTTP-59")) func `an upgrade that nobody asked for becomes 502`() throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        expectTemplate(try stage.exchange("GET", "/socket/a"), status: 502)
        stage.upstream.answer("/open/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(handshake("/open/a"))
        expectTemplate(try client.response(), status: 502)
    }

    @Test(.refuses("HTTP-59")) func `an upgrade to another protocol becomes 502`() throws {
        stage.upstream.answer(
            "/socket/a", with: .raw(Self.answer.replacingOccurrences("Upgrade: websocket", with: "Upgrade: h2c")))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        expectTemplate(try client.response(), status: 502)
    }

    @Test(.holds("HTTP-59")) func `with an expectation 100 comes before 101`() throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a", fields: ["Expect: 100-continue"]))
        #expect(try client.response().status == 100)
        #expect(try client.response().status == 101)
        try client.send(Self.frame)
        #expect(try client.bytes(Self.frame.count) == Self.frame)
    }

    /// A handshake whose key and version lines are these.
    private func offer(_ lines: [String]) -> String {
        request("GET", "/socket/a", fields: ["Connection: Upgrade", "Upgrade: websocket"] + lines)
    }

    @Test(
        .holds("HTTP-58"),
        arguments: [
            ["Sec-WebSocket-Version: 13"],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key:"],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: x"],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ="],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZSE="],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhl_HNhbXBsZSBub25jZQ=="],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Key: \(key)"],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key), \(key)"],
            ["Sec-WebSocket-Key: \(key)"],
            ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)"],
        ])
    func `a handshake without one good key and one version is refused`(lines: [String]) throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        try stage.expectRefused(offer(lines))
    }

    @Test(.holds("HTTP-58"), arguments: ["8", "14", "13, 8", "", "130", "1", "x13"])
    func `a handshake of another version is told which it would be`(version: String) throws {
        stage.upstream.answer("/socket/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(offer(["Sec-WebSocket-Version: \(version)", "Sec-WebSocket-Key: \(Self.key)"]))
        let response = try client.response()
        expectTemplate(response, status: 426)
        #expect(response.fields.only("sec-websocket-version") == "13")
        #expect(response.fields.only("upgrade") == "websocket")
        #expect(response.fields["connection"].joined(separator: ", ").contains("Upgrade"))
        #expect(client.isClosedByPeer())
        try stage.expectNothingForwarded()
    }

    @Test(.holds("HTTP-58")) func `the operator is told once of handshakes that go on as a plain GET`() throws {
        // A stage of its own: another test's handshake would be the one that is told.
        let stage = try Stage()
        for _ in 0..<3 {
            let plain = try stage.expectForwarded(handshake("/open/a"), path: "/open/a")
            #expect(!plain.fields.contains("upgrade"))
        }
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "websocket_not_enabled" })
        #expect(line["level"] == "warning")
        #expect(line["setting"]?.hasSuffix(".websocket") == true)
        // A later line, so that "once" is not merely "not yet twice".
        _ = try stage.exchange("GET", "/open/a%zz")
        _ = try #require(stage.gateway.operatorLine { $0["cause"] == "path_ambiguous" })
        #expect(stage.gateway.operatorLog.filter { $0["event"] == "websocket_not_enabled" }.count == 1)
    }

    @Test(.refuses("HTTP-58")) func `what is no handshake where WebSockets are not let through is a plain GET`() throws
    {
        let lines = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 8"]
        let plain = try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        #expect(!plain.fields.contains("upgrade"))
        #expect(!plain.fields.contains("sec-websocket-version"))
    }

    @Test(
        .refuses("HTTP-59"),
        arguments: [
            [], ["Sec-WebSocket-Accept:"], ["Sec-WebSocket-Accept: \(key)"],
            ["Sec-WebSocket-Accept: \(accept)", "Sec-WebSocket-Accept: \(accept)"],
            ["Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo="], ["Sec-WebSocket-Accept: \(accept)="],
        ])
    func `a 101 that does not answer this handshake becomes 502`(lines: [String]) throws {
        let head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"] + lines
        stage.upstream.answer("/socket/a", with: .raw(head.joined(separator: "\r\n") + "\r\n\r\nLEAK"))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        let response = try client.response()
        expectTemplate(response, status: 502)
        #expect(!response.bodyText.contains("LEAK"))
    }

    @Test(.refuses("HTTP-59"), arguments: ["Connection: Upgrade\r\n", "HTTP/1.1"])
    func `a 101 that switches no connection becomes 502`(part: String) throws {
        let other = part == "HTTP/1.1" ? "HTTP/1.0" : ""
        stage.upstream.answer("/socket/a", with: .raw(Self.answer.replacingOccurrences(part, with: other)))
        let client = try stage.gateway.client()
        try client.send(handshake("/socket/a"))
        expectTemplate(try client.response(), status: 502)
    }

    @Test(.holds("HTTP-58")) func `a handshake is authenticated first`() throws {
        stage.upstream.answer("/guarded/a", with: Self.switching)
        let refused = try stage.gateway.client()
        try refused.send(handshake("/guarded/a"))
        try expectNoCredentials(try refused.response())
        #expect(stage.upstream.requests.isEmpty)
        let client = try stage.gateway.client()
        // HTTP-60: a bearer's handshake needs no Origin.
        try client.send(handshake("/guarded/a", fields: [stage.tokens.bearer(), "Origin: https://evil.test"]))
        #expect(try client.response().status == 101)
        let recorded = try #require(stage.upstream.onlyRequest(for: "/guarded/a"))
        #expect(recorded.fields.only("x-user") == "alice")
        #expect(!recorded.fields.contains("authorization"))
    }

    @Test(.holds("HTTP-60"), .refuses("HTTP-60")) func `a tunnel ends with its token`() throws {
        stage.upstream.answer("/guarded/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(handshake("/guarded/a", fields: [stage.tokens.bearer(["exp": moment(12)])]))
        #expect(try client.response().status == 101)
        try client.send(Self.frame)
        #expect(try client.bytes(Self.frame.count) == Self.frame)
        let last = try client.bytesToEnd()
        // RFC 6455 §5.5.1: a close frame with status 1008.
        #expect(last.count >= 4 && last[0] == 0x88 && Array(last[2..<4]) == [0x03, 0xF0], "\(last)")
        let connection = try #require(stage.upstream.requests.first?.connection)
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).contains(connection) })
    }

    @Test(.holds("HTTP-60")) func `a tunnel outlives another's token`() throws {
        stage.upstream.answer("/guarded/a", with: Self.switching)
        let client = try stage.gateway.client()
        try client.send(handshake("/guarded/a", fields: [stage.tokens.bearer(["exp": moment(600)])]))
        #expect(try client.response().status == 101)
        #expect(client.staysSilent())
        try client.send(Self.frame)
        #expect(try client.bytes(Self.frame.count) == Self.frame)
    }
}
