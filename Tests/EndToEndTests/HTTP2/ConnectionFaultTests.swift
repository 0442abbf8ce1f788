import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Row H2-35: whose fault the end of a connection was, and what is none.
@Suite(.serialized) struct `a connection of HTTP/2 that ends for a fault` {
    /// What a client does, and what that is called.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: UInt32
        let cause: String
        let reason: String

        init(_ name: String, _ bytes: [UInt8], _ code: UInt32, _ cause: String, _ reason: String) {
            testDescription = name
            (self.bytes, self.code, self.cause, self.reason) = (bytes, code, cause, reason)
        }
    }

    private static let pieces = (0..<9).flatMap { _ in FrameClient.frame(9, stream: 3) }
    private static let head = Array(FrameClient.request(3, "/open/a").dropFirst(9))

    /// Pings are sent and read by so many, for an answer behind many that nobody has read may not arrive.
    private static let pingsAtOnce = 100

    static let faults = [
        Fault("DATA on no stream", FrameClient.frame(Frame.data, [1]), 1, "fault", "h2_protocol"),
        Fault(
            "an earlier number", FrameClient.request(9, "/open/a") + FrameClient.request(7, "/open/a"), 1, "fault",
            "h2_protocol"),
        Fault("a window of 2^31", FrameClient.frame(4, [0, 4, 0x80, 0, 0, 0]), 3, "fault", "h2_protocol"),
        Fault(
            "a section that cannot be decoded", FrameClient.frame(Frame.headers, flags: 5, stream: 3, [0xff, 0x40]), 9,
            "fault", "h2_protocol"),
        Fault("a promise", FrameClient.frame(5, flags: 4, stream: 1, [0, 0, 0, 2]), 1, "fault", "h2_protocol"),
        Fault(
            "a section in crumbs", FrameClient.frame(Frame.headers, flags: 1, stream: 3, head) + pieces, 11, "calm",
            "h2_section_too_large"),
        Fault(
            "pings", (0..<pingsAtOnce).flatMap { _ in FrameClient.frame(Frame.ping, [UInt8](repeating: 1, count: 8)) },
            11,
            "calm", "h2_cheap_frames"),
        Fault(
            "paths with a fragment", (1..<300).flatMap { FrameClient.request(UInt32($0 * 2 + 1), "/open/a#b") }, 11,
            "calm",
            "h2_resets"),
    ]

    /// Heads of which no request is made: the library resets their streams by itself, or the gateway answers them.
    static let heads: [[(String, String)]] = [
        [("X-Upper", "b")], [("connection", "close")], [("upgrade", "x")], [(":path", "/late")],
        [("content-length", "1"), ("content-length", "2")],
    ]

    @Test(.holds("H2-35"), .refuses("H2-35"), arguments: heads.indices)
    func `is not what a head does that no request can have, and the operator reads of it`(index: Int) throws {
        let stage = try Stage()
        let client = try FrameClient(port: stage.gateway.port)
        try client.client.send(FrameClient.request(1, "/open/a", Self.heads[index]))
        #expect(try client.status(of: 1) != "200")
        try client.get(3, "/open/a")
        #expect(try client.status(of: 3) == "200")
        let line = try #require(
            stage.gateway.operatorLine {
                $0["event"] == "stream_malformed" || $0["cause"] == "malformed_message"
            })
        if line["event"] == "stream_malformed" {
            #expect(line["stream"] == "1" && line["client"] == "127.0.0.1", "\(line.raw)")
        }
    }

    @Test(.holds("H2-35"), .refuses("H2-35"), arguments: heads.indices)
    func `is not what many malformed heads do, of which the log has so many lines and no more`(index: Int) throws {
        let stage = try Stage()
        let client = try FrameClient(port: stage.gateway.port)
        let began = ContinuousClock.now
        // More than are told at once, and fewer than a client may have reset.
        for number in UInt32(0)..<100 {
            try client.client.send(FrameClient.request(number * 2 + 1, "/open/a", Self.heads[index]))
        }
        try client.get(201, "/open/last")
        #expect(try client.status(of: 201) == "200")
        func lines() -> Int {
            stage.gateway.operatorLog.count {
                $0["event"] == "stream_malformed" || $0["cause"] == "malformed_message"
            }
        }
        #expect(eventually { lines() >= 50 })
        #expect(stage.gateway.accessLine { $0["path"] == "/open/last" } != nil)
        let most = 50 + 2 * Int((ContinuousClock.now - began).components.seconds + 1)
        #expect(lines() <= most)
    }

    @Test(.holds("H2-35"), arguments: faults) func `is counted by whose fault it was, and told`(fault: Fault) throws {
        let stage = try Stage()
        let client = try FrameClient(port: stage.gateway.port)
        try client.get(1, "/open/a")
        #expect(try client.status(of: 1) == "200")
        var last: Frame
        repeat {
            try client.client.send(fault.bytes)
            var answers = 0
            last = try #require(
                try client.frames { frame in
                    if frame.type == Frame.ping { answers += 1 }
                    return frame.type == Frame.goAway && frame.code != 0 || answers == Self.pingsAtOnce
                }.last)
        } while last.type == Frame.ping
        #expect(last.type == Frame.goAway && last.code == fault.code)
        let line = stage.gateway.operatorLine { $0["event"] == "streams_ended" }
        #expect(line?["reason"] == fault.reason)
        func count(_ cause: String) -> Int? {
            stage.gateway.reading(#"portcullis_http2_goaways_total{cause="\#(cause)"}"#)
        }
        #expect(eventually { count(fault.cause) == 1 })
        for cause in ["fault", "calm", "settings_timeout", "internal"] {
            #expect(count(cause) == (cause == fault.cause ? 1 : 0), "\(cause)")
        }
        let calm = stage.gateway.reading(#"portcullis_http2_calms_total{cause="\#(fault.reason)"}"#)
        #expect(fault.cause == "calm" ? calm == 1 : calm == nil)
    }

    @Test(.refuses("H2-35")) func `is not what ends for no fault, or a stream alone`() throws {
        let stage = try Stage()
        let client = try FrameClient(port: stage.gateway.port)
        // Malformed is a request, and not its connection.
        try client.client.send(FrameClient.request(1, "/open/a", [("connection", "close")]))
        _ = try client.frames { $0.stream == 1 && $0.type == Frame.reset }
        try client.get(3, "/open/a")
        #expect(try client.status(of: 3) == "200")
        try client.client.send(FrameClient.frame(Frame.goAway, FrameClient.bytes(0) + FrameClient.bytes(0)))
        _ = try client.framesToEnd()
        for cause in ["fault", "calm", "settings_timeout", "internal"] {
            #expect(stage.gateway.reading(#"portcullis_http2_goaways_total{cause="\#(cause)"}"#) == 0, "\(cause)")
        }
        #expect(!stage.gateway.operatorLog.contains { $0["event"] == "streams_ended" })
    }
}
