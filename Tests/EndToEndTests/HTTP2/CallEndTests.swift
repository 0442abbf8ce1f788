import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Row H2-93: what ends calls of gRPC that are open.
@Suite(.serialized) struct `an open call of gRPC` {
    private static let shared = Shared { try CallStage(servers: 6) }
    let calls: CallStage

    init() throws { calls = try Self.shared.get() }

    private func bearer(seconds: Int) -> (String, String) {
        ("authorization", "Bearer " + calls.stage.tokens.token(["exp": moment(seconds)]))
    }

    @Test(.refuses("H2-93"), arguments: [false, true])
    func `ends with its token, whether it was answered or not, and others stay`(isAnswered: Bool) throws {
        let one = try Conversation(calls)
        let began = ContinuousClock.now
        let ending = try one.call(one.path("token"), [bearer(seconds: 4)], messages: ["a"], ends: false)
        let endingThere = try one.arrival()
        let staying = try one.call(one.path("token"), [bearer(seconds: 3600)], messages: ["a"], ends: false)
        let stayingThere = try one.arrival()
        if isAnswered { try one.answer(endingThere, ["b"]) }
        let result = try #require(try one.result(of: ending))
        #expect(result.status == "16" && result["grpc-message"] != nil && result.isOneSection != isAnswered)
        #expect(result.content == (isAnswered ? Conversation.message("b") : []))
        #expect(ContinuousClock.now - began > .seconds(2))
        let reset = try one.peer().frames { $0.type == Frame.reset }.last
        #expect(reset?.stream == endingThere && reset?.code == 8)
        try one.answer(stayingThere, ["c"])
        try one.finish(stayingThere)
        #expect(try one.result(of: staying)?.content == Conversation.message("c"))
    }

    @Test(.holds("H2-93")) func `outlives its token where the route says so`() throws {
        let one = try Conversation(calls)
        let other = try one.call(one.path("token"), [bearer(seconds: 4)], messages: ["a"], ends: false)
        let otherThere = try one.arrival()
        let stream = try one.call(one.path("keep"), [bearer(seconds: 4)], messages: ["a"], ends: false)
        let there = try one.arrival()
        // The route that does not say so tells when the time is over.
        #expect(try one.result(of: other)?.status == "16")
        #expect(try one.peer().frames { $0.type == Frame.reset }.last?.stream == otherThere)
        try one.say("b", on: stream)
        let said = try one.peer().frames { $0.stream == there && $0.type == Frame.data }.last?.payload
        #expect(said == Conversation.message("b"))
        try one.answer(there, ["c"])
        try one.finish(there)
        #expect(try one.result(of: stream)?.content == Conversation.message("c"))
        let late = try #require(try one.result(of: try one.call(one.path("keep"), [bearer(seconds: -1)])))
        #expect(late.status == "16")
    }

    @Test(.refuses("H2-93"), arguments: [false, true])
    func `ends with its session, and those of others stay`(isAnswered: Bool) throws {
        let server = try FrameServer()
        let stage = try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: web }",
                "{ path: /user.S/, upstream: \(server.upstream), login: web, grpc: true }",
            ]))
        let client = try FrameClient(port: stage.gateway.port)
        let browsers = try (0..<2).map { _ in try stage.login() }
        for (index, browser) in browsers.enumerated() {
            let fields = [
                ("content-type", "application/grpc"), ("te", "trailers"), ("cookie", browser.text),
                ("origin", "https://gateway.test"), ("sec-fetch-site", "same-origin"),
            ]
            try client.client.send(
                FrameClient.request(UInt32(index * 2 + 1), "/user.S/Any", method: "POST", fields, ends: false))
        }
        let peer = try server.connection()
        let arrived = try (0..<2).map { _ in
            try #require(try peer.frames { $0.type == Frame.headers }.last).stream
        }
        let head = [(":status", "200"), ("content-type", "application/grpc")]
        if isAnswered {
            for stream in arrived { try peer.client.send(FrameClient.section(stream, head, ends: false)) }
            for _ in arrived { try client.frames { $0.type == Frame.headers } }
        }
        let left = try stage.exchange(
            "POST", "/.portcullis/logout/web", browser: browsers[0], fields: ownPage)
        #expect((200..<400).contains(left.status), "\(left.headText)")
        let last = try #require(try client.frames { $0.ends || $0.type == Frame.reset }.last)
        #expect(last.stream == 1 && last.ends, "\(last)")
        let result = CallResult(fields: client.fields[1] ?? [], content: [], isOneSection: !isAnswered)
        #expect(result.status == "16", "\(result.fields)")
        let reset = try #require(try peer.frames { $0.type == Frame.reset }.last)
        let stays = try #require(arrived.first { $0 != reset.stream })
        if !isAnswered { try peer.client.send(FrameClient.section(stays, head, ends: false)) }
        try peer.client.send(FrameClient.section(stays, [("grpc-status", "0")], ends: true))
        #expect(try client.frames { $0.ends }.last?.stream == 3)
        client.client.close()
    }
}
