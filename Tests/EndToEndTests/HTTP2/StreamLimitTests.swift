import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows H2-07 and H2-64: how many streams a client of HTTP/2 may have open at once, as it was told.
@Suite struct `the number of streams that a client was told` {
    /// SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113 §6.5.2).
    private static let concurrentStreams: UInt16 = 3

    @Test(.holds("H2-07", "H2-64"), .refuses("H2-64"))
    func `holds as long as its connection, and a smaller one for those that come behind a reload`() throws {
        // Who connects there waits for an answer until the test is over.
        let silent = try Socket.listen()
        let route = "{ path: /silent/, upstream: \"http://127.0.0.1:\(silent.port)\", public: true }"
        var plan = StagePlan(routes: Stage.ordinaryRoutes + [route])
        let stage = try Stage(plan)
        let old = try FrameClient(port: stage.gateway.port)
        try old.get(1, "/open/a")
        #expect(try old.status(of: 1) == "200")
        #expect(old.settings.first?[Self.concurrentStreams] == 128)
        plan.settings += "\nlimits: { streams: 4 }"
        try stage.rewrite(plan)
        try stage.reload()
        let held = (1...20).map { UInt32($0 * 2 + 1) }
        for stream in held { try old.get(stream, "/silent/\(stream)") }
        try old.get(43, "/open/b")
        let frames = try old.frames { $0.stream == 43 && $0.ends }
        #expect(frames.allSatisfy { $0.type != Frame.reset }, "\(frames)")
        #expect(old.fields[43]?.first == ":status: 200")
        let new = try FrameClient(port: stage.gateway.port)
        try new.get(1, "/open/c")
        #expect(try new.status(of: 1) == "200")
        #expect(new.settings.first?[Self.concurrentStreams] == 4)
    }
}
