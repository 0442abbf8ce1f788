import TestSupport
import TestTraits
import Testing

/// Rows INT-06 and HTTP-60: what a token is worth of which nothing is remembered.
@Suite(.serialized, .byEachProtocol) struct `a token that is asked about for every request` {
    private static func plan() -> StagePlan {
        var plan = StagePlan()
        plan.issuer = "discovery: openid, introspection: { client: asker, cache: 0s, timeout: 30s }"
        plan.files = ["asker.secret": "secret\n"]
        let token = "token: { issuers: [main], audience: \"\(TokenForge.audience)\" }"
        plan.routes = [
            "{ path: /orders/, upstream: $UPSTREAM, \(token) }",
            "{ path: /socket/, upstream: $UPSTREAM, websocket: true, \(token) }",
            """
            { path: /asserted/, upstream: $UPSTREAM, \(token), \
            upstream_credential: { assertion: { audience: orders } } }
            """,
        ]
        plan.settings = """
            clients:
              asker: { issuer: main, id: asker, authentication: { method: client_secret_basic, \
            secret: { file: $FOLDER/asker.secret } } }
            """
        plan.prepare = { issuer in
            issuer.introspect(
                """
                {"active":true,"aud":"\(TokenForge.audience)","sub":"alice","client_id":"client-1","exp":\(moment(300))}
                """)
        }
        return plan
    }
    private static let shared = Shared { try Stage(plan()) }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.holds("INT-06")) func `is asserted to the upstream also where nothing of it is remembered`() throws {
        for _ in 0..<2 {
            let response = try stage.exchange("GET", "/asserted/a", fields: ["Authorization: Bearer opaque"])
            #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        }
    }

    @Test(.byHTTP1(because: "over HTTP/2 a tunnel is a stream, which has tests of its own"), .holds("HTTP-60"))
    func `keeps its tunnel for as long as it lives, not for as long as it is remembered`() throws {
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        stage.upstream.answer("/socket/a", with: WireScript(.text(answer), .tunnel))
        let client = try stage.gateway.client()
        try client.send(
            request(
                "GET", "/socket/a",
                fields: [
                    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Authorization: Bearer opaque",
                ]))
        #expect(try client.response().status == 101)
        let frame: [UInt8] = [0x81, 0x85, 1, 2, 3, 4] + zip("hello".utf8, [1, 2, 3, 4, 1]).map { $0 ^ $1 }
        for _ in 0..<2 {
            try client.send(frame)
            #expect(try client.bytes(frame.count) == frame)
            // A timer turn of the gateway passes between the two.
            #expect(try stage.exchange("GET", "/orders/a", fields: ["Authorization: Bearer opaque"]).status == 200)
        }
        client.close()
    }
}
