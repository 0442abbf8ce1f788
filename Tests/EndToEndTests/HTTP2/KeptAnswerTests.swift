import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows H2-10 and H2-17: what a stream was answered may wait to be sent, and no reset of the gateway's own comes before it.
@Suite(.serialized) struct `an answer over HTTP/2 that waits to be sent` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                routes: Stage.ordinaryRoutes + [
                    """
                    { path: /guarded/, upstream: $UPSTREAM, websocket: true, token: { issuers: [main], \
                    audience: "\(TokenForge.audience)" } }
                    """
                ]))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let size = 256 << 20
    private static let window: UInt32 = 0x7fff_0000

    /// A client that reads nothing, to which the gateway can write no more of the download that is stream 1.
    private func fullClient() throws -> FrameClient {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n"
        stage.upstream.answer("/open/download", with: WireScript(.text(head), .pattern(Self.size)))
        let client = try FrameClient(port: stage.gateway.port, window: Self.window, receiveBuffer: 4096)
        try client.client.send(FrameClient.window(0, Self.window))
        try client.get(1, "/open/download")
        #expect(stage.upstream.waits { $0.sentCount > 0 })
        _ = settled { stage.upstream.now.sentCount }
        // The first segment that comes behind that has the kernel make the gateway's buffer larger, and those that follow do not.
        for _ in 0..<3 {
            try client.client.send(FrameClient.frame(Frame.ping, [UInt8](repeating: 0, count: 8)))
            _ = settled { stage.upstream.now.sentCount }
        }
        #expect(stage.upstream.now.sentCount < Self.size)
        return client
    }

    /// What comes of stream 3, up to its reset, and what the connection is good for behind it.
    private func expectAnswered(
        _ status: String, _ client: FrameClient, at location: SourceLocation = #_sourceLocation
    ) throws {
        let frames = try client.frames { $0.stream == 3 && $0.type == Frame.reset }.filter { $0.stream == 3 }
        #expect(frames.map(\.type) == [Frame.headers, Frame.reset], "\(frames)", sourceLocation: location)
        #expect(frames.first?.ends == true, "it has no content", sourceLocation: location)
        #expect(frames.last?.code == 0, "NO_ERROR", sourceLocation: location)
        #expect(client.values(":status", of: 3) == [status], sourceLocation: location)
        try client.client.send(FrameClient.reset(1))
        try client.get(5, "/open/a")
        #expect(try client.status(of: 5) == "200", sourceLocation: location)
        #expect(client.lastStreams.isEmpty, sourceLocation: location)
        client.client.close()
    }

    @Test(.holds("H2-10", "H2-17"))
    func `for a full socket comes before the reset of the upload that it refuses`() throws {
        let client = try fullClient()
        try client.client.send(
            FrameClient.request(3, "/orders/upload", method: "POST", ends: false)
                + FrameClient.frame(Frame.data, stream: 3, [UInt8](repeating: 97, count: 1000)))
        #expect(stage.gateway.accessLine { $0["path"] == "/orders/upload" }?["status"] == "401")
        try expectAnswered("401", client)
    }

    /// The second that a client has to end its side is a tunnel's (H2-40), and none was opened.
    @Test(.holds("H2-10", "H2-17", "H2-40"))
    func `for a full socket comes before the reset of the WebSocket that it refuses, however late`() throws {
        let client = try fullClient()
        try client.openSocket(3, "/guarded/a")
        #expect(stage.gateway.accessLine { $0["path"] == "/guarded/a" }?["status"] == "401")
        dawdle(for: .seconds(2))
        try expectAnswered("401", client)
    }
}
