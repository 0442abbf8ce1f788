import TestSupport
import TestTraits
import Testing

/// Row H2-50: what becomes of fields behind a body that do not pass: metrics count them, by message and reason.
@Suite(.serialized) struct `trailers that are dropped` {
    private static let shared = Shared { try CallStage(servers: 3) }
    let calls: CallStage
    private var stage: Stage { calls.stage }

    init() throws { calls = try Self.shared.get() }

    private func series(_ direction: String, _ reason: String) -> String {
        "portcullis_trailers_dropped_total{direction=\"\(direction)\",reason=\"\(reason)\"}"
    }

    private static let kinds = ["request", "response"].flatMap { direction in
        ["forbidden", "reserved", "route", "not_enabled", "not_carried", "too_large"].map { (direction, $0) }
    }

    /// All numbers, as they are now.
    private func counts() -> [Int?] { Self.kinds.map { stage.gateway.reading(series($0.0, $0.1)) } }

    /// So many of these kinds are counted while something is done, and none of the others.
    private func expectCounted(
        _ expected: [String: Int], at location: SourceLocation = #_sourceLocation, while body: () throws -> Void
    ) rethrows {
        let before = counts()
        try body()
        let wanted = zip(Self.kinds, before).map { kind, count in
            count.map { $0 + (expected["\(kind.0) \(kind.1)"] ?? 0) }
        }
        let isRight = eventually { counts() == wanted } && counts() == wanted
        #expect(isRight, "\(counts()), expected \(wanted)", sourceLocation: location)
    }

    private func serve(_ one: Conversation, _ stream: UInt32, trailers: [(String, String)] = []) throws -> UInt32 {
        let there = try one.arrival()
        // To its end, which may be a section of its own.
        try one.peer().frames { $0.stream == there && $0.ends }
        try one.answer(there)
        try one.finish(there, "0", trailers)
        #expect(try one.result(of: stream)?.status == "0")
        return there
    }

    private static let sent = [
        ("x-passes", "1"), ("authorization", "Bearer evil"), ("x-forwarded-for", "10.0.0.1"), ("x_user_id", "admin"),
    ]

    @Test(.holds("H2-50"), .refuses("H2-50"))
    func `behind a request are counted where the route passes others, and where it passes none`() throws {
        let one = try Conversation(calls)
        // Both by their names; one that only the gateway sets; one that the route sets itself.
        let fields = Self.sent + [("x-sum", "theirs")]
        try expectCounted(["request forbidden": 2, "request reserved": 1, "request route": 1]) {
            let stream = try one.call(one.path("fields"), messages: ["a"], ends: false)
            try one.client.client.send(FrameClient.section(stream, fields, ends: true))
            let there = try serve(one, stream)
            #expect(try one.peer().fields[there]?.contains("x-passes: 1") == true)
        }
        try expectCounted(["request forbidden": 2, "request not_enabled": 3]) {
            let stream = try one.call(one.path("plain"), messages: ["a"], ends: false)
            try one.client.client.send(FrameClient.section(stream, fields, ends: true))
            let there = try serve(one, stream)
            #expect(try one.peer().fields[there]?.contains { $0.hasPrefix("x-passes") } == false)
        }
    }

    @Test(.holds("H2-50"), .refuses("H2-50"))
    func `behind an answer are counted, whatever its client speaks`() throws {
        let one = try Conversation(calls)
        let fields = [("set-cookie", "a=b"), ("x-user-id", "admin"), ("x-down", "1"), ("x-other", "2")]
        try expectCounted(["response forbidden": 1, "response reserved": 1, "response route": 1]) {
            let stream = try one.call(one.path("fields"), messages: ["a"])
            _ = try serve(one, stream, trailers: fields)
            #expect(one.client.values("x-other", of: stream) == ["2"])
            #expect(one.client.fields[stream]?.contains { $0.contains("a=b") || $0.contains("admin") } == false)
        }
        // A client of HTTP/1.1 that says nothing of them gets none: grpc-status is one of these four.
        try expectCounted(["response forbidden": 1, "response not_carried": 4]) {
            let client = try RawClient(port: stage.gateway.port, speaking: .http1)
            try client.send(request("POST", one.path("plain"), body: "x"))
            let there = try one.arrival()
            try one.answer(there, ["b"])
            try one.finish(there, "0", fields)
            let answer = try client.response()
            #expect(answer.status == 200 && answer.ending == .lastChunk, "\(answer.headText)")
            #expect(!text(answer.raw).contains("grpc-status"))
        }
    }

    @Test(.holds("H2-50"), .refuses("H2-50"))
    func `behind chunks of HTTP 1 are counted in both directions`() throws {
        let chunks = "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\nSet-Cookie: a=b\r\n\r\n"
        stage.upstream.answer("/old.S/a", with: .raw("HTTP/1.1 200 OK\r\n" + chunks))
        try expectCounted(["request not_carried": 2, "response not_carried": 2]) {
            let client = try RawClient(port: stage.gateway.port, speaking: .http1)
            try client.send("POST /old.S/a HTTP/1.1\r\nHost: gateway.test\r\n" + chunks)
            #expect(try client.response().bodyText == "a")
        }
        // To a client of HTTP/2 the first of them passes.
        try expectCounted(["response forbidden": 1]) {
            let client = try FrameClient(port: stage.gateway.port)
            try client.get(1, "/old.S/a")
            #expect(try client.status(of: 1) == "200")
            #expect(client.fields[1]?.last == "x-sum: 1")
        }
    }
}
