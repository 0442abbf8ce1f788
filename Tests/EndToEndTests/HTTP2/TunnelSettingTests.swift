import TestSupport
import TestTraits
import Testing

/// Row H2-06: where a client of HTTP/2 is told that it may open WebSockets, by SETTINGS_ENABLE_CONNECT_PROTOCOL.
@Suite struct `the setting that announces WebSockets` {
    /// SETTINGS_ENABLE_CONNECT_PROTOCOL (RFC 8441 §9.1).
    private static let connectProtocol: UInt16 = 8
    private static let socket = "{ path: /socket/, upstream: $UPSTREAM, public: true, websocket: true }"
    private static let withoutSocket = "{ path: /socket/, upstream: $UPSTREAM, public: true }"

    /// What the first frame of the server says of it, read with an answer behind it; nil where it says nothing.
    private func told(_ client: FrameClient, _ host: String = "gateway.test") throws -> UInt32? {
        let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/open/a"), (":authority", host)]
        try client.client.send(FrameClient.section(1, fields, ends: true))
        let status = try client.status(of: 1)
        #expect(status == "200" || status == "308", "\(String(describing: status))")
        return try #require(client.settings.first)[Self.connectProtocol]
    }

    @Test(.holds("H2-06"), .refuses("H2-06"))
    func `is sent at the listeners that lead to a route with WebSockets, and at no other`() throws {
        let upstream = try RecordingUpstream()
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              - { name: web, address: "127.0.0.1:0", public_url: "http://gateway.test", http2: true }
              - { name: api, address: "127.0.0.1:0", public_url: "http://gateway.test", http2: true }
              - name: plain
                address: 127.0.0.1:0
                public_url: https://gateway.test
                redirect_to_https: true
            admin: { address: "127.0.0.1:0" }
            hosts: [{ host: socket.test, listeners: [web, plain] }]
            routes:
              - { path: /open/, upstream: "\(upstream.url)", public: true }
              - { host: socket.test, path: /socket/, upstream: "\(upstream.url)", public: true, websocket: true }
            log: { level: debug, operator: stderr, access: stdout }

            """, listeners: 3)
        let announced = try gateway.ports.map { try told(FrameClient(port: $0)) }
        #expect(announced == [1, nil, nil], "\(gateway.diagnosis)")
        // Where it was not said, an extended CONNECT is malformed (H2-37).
        for port in gateway.ports.dropFirst() {
            let client = try FrameClient(port: port)
            try client.openSocket(1, "/socket/a")
            let status = try client.status(of: 1)
            #expect(status == nil || status == "400", "\(String(describing: status))")
        }
        #expect(upstream.requests.map(\.path) == ["/open/a", "/open/a"])
    }

    @Test(.holds("H2-06"), .refuses("H2-06", "H2-37"))
    func `is never taken back on a connection, and is not said to new ones behind a reload`() throws {
        let stage = try Stage(routes: [Stage.ordinaryRoutes[0], Self.socket])
        stage.upstream.answer("/socket/a", with: .switching)
        let old = try FrameClient(port: stage.gateway.port)
        #expect(try told(old) == 1)
        try old.openSocket(3, "/socket/a")
        try old.frames { $0.stream == 3 && $0.type == FrameClient.Frame.headers }
        #expect(old.fields[3]?.first == ":status: 200")
        try stage.rewrite(StagePlan(routes: [Stage.ordinaryRoutes[0], Self.withoutSocket]))
        try stage.reload()
        // The tunnel that is open goes on, a new one is refused, and the rest is served.
        let message: [UInt8] = [0x82, 2, 7, 8]
        try old.client.send(FrameClient.frame(FrameClient.Frame.data, stream: 3, message))
        #expect(try old.frames { $0.type == FrameClient.Frame.data }.last?.payload == message)
        try old.openSocket(5, "/socket/a")
        #expect(try old.status(of: 5) == "405")
        try old.get(7, "/open/a")
        #expect(try old.status(of: 7) == "200")
        #expect(old.settings.count == 1, "the setting may not change, and nothing else did: \(old.settings)")
        #expect(try told(FrameClient(port: stage.gateway.port)) == nil)
        // It may be said again, to those who come then.
        try stage.rewrite(StagePlan(routes: [Stage.ordinaryRoutes[0], Self.socket]))
        try stage.reload(times: 2)
        #expect(try told(FrameClient(port: stage.gateway.port)) == 1)
        try old.openSocket(9, "/socket/a")
        try old.frames { $0.stream == 9 && $0.type == FrameClient.Frame.headers }
        #expect(old.fields[9]?.first == ":status: 200")
        #expect(old.settings.count == 1)
    }
}
