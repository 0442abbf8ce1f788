import Foundation
import TestSupport
import TestTraits
import Testing

/// Rows HTTP-36, HTTP-40 and HTTP-60 against peers that are slow, or early, on purpose.
@Suite(.serialized, .byEachProtocol) struct `slow and early peers` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    """
                    { path: /guarded/, upstream: $UPSTREAM, websocket: true, token: { issuers: [main], \
                    audience: "\(TokenForge.audience)" } }
                    """
                ], issuer: "discovery: openid, leeway: 0s"))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        stage.upstream.closeConnections()
    }

    @Test(.byHTTP1(because: "HTTP/2 bounds the streams of a connection"), .holds("HTTP-36"))
    func `requests sent while answers wait for a slow client are all answered`() throws {
        let size = 60_000
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        // In one piece: the gateway is done with each upstream before the client has taken the answer.
        stage.upstream.answerAll(with: .raw(head + String(repeating: "x", count: size)))
        let client = try stage.gateway.client(receiveBuffer: 4096)
        let count = 200
        for _ in 0..<count {
            try client.send(request("GET", "/open/a"))
            dawdle(for: .milliseconds(5))
        }
        client.finishSending()
        for number in 0..<count { #expect(try client.response().body.count == size, "answer \(number)") }
        #expect(client.isClosedByPeer())
    }

    /// Over TCP the surplus may arrive after the look at the pooled connection, which nobody can tell apart: what a Unix
    /// socket took is there at once.
    @Test(.byHTTP1(because: "no request of HTTP/2 is behind another one"), .refuses("HTTP-40"))
    func `what lies behind a response that ends where a read ends is nobody's`() throws {
        let folder = try TemporaryFolder.make(for: "surplus")
        defer { TemporaryFolder.remove(folder) }
        let upstream = try RecordingUpstream(unixPath: "\(folder)/app.sock")
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "http://gateway.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, public: true, upstream: "unix:\(folder)/app.sock" }]

            """)
        let line = "HTTP/1.1 200 OK\r\nContent-Length: "
        let size = 65_536 - line.utf8.count - "65000\r\n\r\n".utf8.count
        let whole = line + "\(size)\r\n\r\n" + String(repeating: "x", count: size)
        #expect(whole.utf8.count == 65_536)
        let surplus = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
        for number in 1...5 {
            let (stands, isSent) = (Gate(), Gate())
            upstream.answer("/open/a", with: WireScript(.wait(stands), .text(whole + surplus), .open(isSent)))
            let client = try gateway.client()
            try client.send(request("GET", "/open/a") + request("GET", "/open/b"))
            #expect(upstream.waits { $0.requests.count == 2 * number - 1 })
            // It finds all of it at once, and with it the next request of the same client.
            gateway.process.signal(SIGSTOP)
            stands.open()
            #expect(isSent.wait())
            gateway.process.signal(SIGCONT)
            #expect(try client.response().body.count == size)
            let next = try client.response()
            #expect(next.bodyText.contains("\"/open/b\""), "\(next.bodyText)")
            #expect(upstream.requests.count == 2 * number)
        }
    }

    @Test(
        .byHTTP1(because: "what answers here knows the client's key, and in HTTP/2 the gateway's is another one"),
        .holds("HTTP-60"), .refuses("HTTP-60"))
    func `a tunnel ends with its token although the client is slow to read`() throws {
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        stage.upstream.answer("/guarded/a", with: WireScript(.text(answer), .pattern(1 << 30)))
        let client = try stage.gateway.client(receiveBuffer: 4096)
        let fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", stage.tokens.bearer(["exp": moment(12)]),
        ]
        try client.send(request("GET", "/guarded/a", fields: fields))
        #expect(try client.response().status == 101)
        let limit = Date(timeIntervalSinceNow: 180)
        // As slow as a reader can be without seeming gone.
        while Date() < limit, (try? client.bytes(4096)) != nil { dawdle(for: .milliseconds(5)) }
        #expect(Date() < limit, "the token ended after 12 s")
    }
}
