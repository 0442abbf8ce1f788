import TestSupport
import TestTraits
import Testing

/// Row H2-88: calls of gRPC whose `grpc-timeout` is over while the gateway waits for somebody.
@Suite(.serialized) struct `a call of gRPC that waits` {
    private static let token = "token: { issuers: [main], audience: \"\(TokenForge.audience)\" }"

    /// A gateway before one server of gRPC, and its client.
    private final class Calls {
        let stage: Stage
        let server: FrameServer
        let client: FrameClient
        private var last: UInt32 = 0

        init(_ plan: StagePlan) throws {
            let server = try FrameServer()
            var plan = plan
            plan.routes = [
                "{ path: /guarded.S/, upstream: \(server.upstream), grpc: true, \(token) }",
                "{ path: /open.S/, upstream: \(server.upstream), grpc: true, public: true }",
            ]
            self.server = server
            stage = try Stage(plan)
            client = try FrameClient(port: stage.gateway.port)
        }

        deinit { client.client.close() }

        /// Begins a call with this deadline; its stream.
        func call(_ path: String, _ timeout: String?, _ more: [(String, String)] = []) throws -> UInt32 {
            last += last == 0 ? 1 : 2
            let fields = [("content-type", "application/grpc"), ("te", "trailers")] + more
            let time = timeout.map { [("grpc-timeout", $0)] } ?? []
            try client.client.send(
                FrameClient.request(last, path, method: "POST", fields + time, ends: false)
                    + FrameClient.frame(0, flags: 1, stream: last, Conversation.message("a")))
            return last
        }

        /// How a call ends for its client.
        func result(of stream: UInt32) throws -> CallResult {
            let last = try client.frames { $0.stream == stream && ($0.ends || $0.type == FrameClient.Frame.reset) }.last
            #expect(last?.ends == true, "\(String(describing: last))")
            return CallResult(fields: client.fields[stream] ?? [], content: [], isOneSection: true)
        }

        /// The call ends by its deadline, and not before, with nothing but the status.
        func expectOver(
            _ stream: UInt32, after time: Duration, since began: ContinuousClock.Instant,
            at location: SourceLocation = #_sourceLocation
        ) throws {
            let result = try result(of: stream)
            #expect(result.status == "4" && result[":status"] == "200", "\(result.fields)", sourceLocation: location)
            #expect(result["content-type"] == "application/grpc", sourceLocation: location)
            #expect(ContinuousClock.now - began >= time, sourceLocation: location)
        }

        /// One call is answered by the server, and is the only one that reached this connection of it since.
        func expectServed(
            _ stream: UInt32, by peer: FrameClient, at location: SourceLocation = #_sourceLocation
        ) throws {
            let there = try peer.frames { $0.type == FrameClient.Frame.headers }.last?.stream ?? 0
            let head = [(":status", "200"), ("content-type", "application/grpc")]
            try peer.client.send(
                FrameClient.section(there, head, ends: false)
                    + FrameClient.section(there, [("grpc-status", "0")], ends: true))
            #expect(try result(of: stream).status == "0", sourceLocation: location)
        }

        func expectTold(_ words: String, at location: SourceLocation = #_sourceLocation) {
            let line = stage.gateway.operatorLine { $0["cause"] == "grpc_timeout_exceeded" }
            let isRight = line?["check"] == "H2-88" && line?["found"] == words
            #expect(isRight, "\(line?.raw ?? "")", sourceLocation: location)
        }
    }

    @Test(.holds("H2-88"), .refuses("H2-88"))
    func `for an issuer's keys is over with its deadline, and none that has time left`() throws {
        let gate = Gate()
        defer { gate.open() }
        let calls = try Calls(
            StagePlan(
                settings: "timeouts: { key_wait: 60s }", milestone: .listening,
                prepare: {
                    $0.answer(
                        ScriptedIssuer.openIDPath,
                        with: WireScript(.wait(gate), .text(Stage.document($0.metadata()))))
                }))
        let bearer = [("authorization", "Bearer " + calls.stage.tokens.token())]
        let began = ContinuousClock.now
        let patient = try calls.call("/guarded.S/Any", "1H", bearer)
        let malformed = try calls.call("/guarded.S/Any", "1x", bearer)
        let hasty = try calls.call("/guarded.S/Any", "500m", bearer)
        try calls.expectOver(hasty, after: .milliseconds(490), since: began)
        calls.expectTold("a wait for an issuer's keys")
        #expect(eventually { calls.stage.gateway.reading("portcullis_parked_requests") == 2 })
        gate.open()
        // What is no time is told to whoever may ask.
        #expect(try calls.result(of: malformed).status == "3")
        let peer = try calls.server.connection()
        try calls.expectServed(patient, by: peer)
        #expect(calls.server.connectionCount == 0)
    }

    @Test(.holds("H2-88"), .refuses("H2-88"))
    func `for an answer about its token is over with its deadline, and is answered 4`() throws {
        let calls = try Calls(.lookups())
        let gate = Gate()
        defer { gate.open() }
        calls.stage.introspect(behind: gate)
        let bearer = [("authorization", "Bearer " + opaqueToken())]
        let began = ContinuousClock.now
        let hasty = try calls.call("/guarded.S/Any", "400000u", bearer)
        try calls.expectOver(hasty, after: .milliseconds(390), since: began)
        calls.expectTold("a wait for introspection")
        gate.open()
        calls.stage.issuer.introspect(introspected())
        // The answer is nobody's; whoever asks next is served.
        let next = try calls.call("/guarded.S/Any", "1M", bearer)
        try calls.expectServed(next, by: try calls.server.connection())
        #expect(eventually { calls.stage.gateway.reading("portcullis_parked_requests") == 0 })
    }

    @Test(.holds("H2-88"), .refuses("H2-88"))
    func `has at its server what its wait has left it, and no more`() throws {
        let calls = try Calls(.lookups())
        let gate = Gate()
        defer { gate.open() }
        calls.stage.introspect(behind: gate)
        let began = ContinuousClock.now
        let stream = try calls.call("/guarded.S/Any", "3S", [("authorization", "Bearer " + opaqueToken())])
        dawdle(for: .seconds(2))
        gate.open()
        let peer = try calls.server.connection()
        let there = try peer.frames { $0.type == FrameClient.Frame.headers }.last?.stream
        try calls.expectOver(stream, after: .seconds(3), since: began)
        #expect(ContinuousClock.now - began < .seconds(5), "its time began anew at its server")
        let reset = try peer.frames { $0.type == FrameClient.Frame.reset }.last
        #expect(reset?.stream == there && reset?.code == 8)
    }

    @Test(.holds("H2-88"), .refuses("H2-88"))
    func `for a stream at its server is over with its deadline, and never reaches that`() throws {
        let calls = try Calls(StagePlan(settings: "timeouts: { upstream_connect: 60s }"))
        // Two connections there are to a server, and each has room for one call.
        var open: [(peer: FrameClient, stream: UInt32)] = []
        for _ in 0..<2 {
            let stream = try calls.call("/open.S/Any", nil)
            let peer = try calls.server.connection(streams: 1)
            let there = try #require(try peer.frames { $0.type == FrameClient.Frame.headers }.last).stream
            let head = [(":status", "200"), ("content-type", "application/grpc")]
            try peer.client.send(FrameClient.section(there, head, ends: false))
            // What came before that has been read too: how many there may be.
            try calls.client.frames { $0.type == FrameClient.Frame.headers && $0.stream == stream }
            open.append((peer, there))
        }
        let began = ContinuousClock.now
        let hasty = try calls.call("/open.S/Any", "500m")
        try calls.expectOver(hasty, after: .milliseconds(490), since: began)
        let waiting = try calls.call("/open.S/Any", "1M")
        let (peer, there) = open[0]
        try peer.client.send(FrameClient.section(there, [("grpc-status", "0")], ends: true))
        try calls.expectServed(waiting, by: peer)
        let arrived = peer.fields.keys.count
        #expect(arrived == 2, "the call that was over reached the server too")
    }
}
