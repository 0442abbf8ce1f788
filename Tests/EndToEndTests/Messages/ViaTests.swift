import TestSupport
import TestTraits
import Testing

/// Rows HTTP-50 and HTTP-51: what upstreams are told of this gateway, and what comes back to it.
@Suite(.serialized, .byEachProtocol) struct `Via` {
    private static let shared = Shared { try Stage(StagePlan(settings: "via: tg1")) }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(
        .byHTTP1(because: "each request of HTTP/2 is of that version: `RealClientTests` reads it"), .holds("HTTP-50"),
        arguments: ["1.0", "1.1"])
    func `tells the version that the request came in`(version: String) throws {
        let recorded = try stage.expectForwarded(
            "GET /open/a HTTP/\(version)\r\nHost: gateway.test\r\n\r\n", path: "/open/a")
        #expect(recorded.fields["via"] == ["\(version) tg1"])
        #expect(recorded.version == "HTTP/1.1")
    }

    /// The version of requests as Via says it.
    private var own: String { WireProtocol.current == .http1 ? "1.1" : "2.0" }

    @Test(.holds("HTTP-50")) func `stands behind what others wrote, which is left as it is`() throws {
        let lines = ["Via: 1.0 fred,, HTTP/1.1 p.example.net (a, b)", "X-Other: 1", "via: 2 tg10"]
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        #expect(recorded.fields["via"] == ["1.0 fred,, HTTP/1.1 p.example.net (a, b)", "2 tg10", "\(own) tg1"])
    }

    @Test(.refuses("HTTP-50")) func `cannot be removed by a client`() throws {
        try stage.expectRefused(request("GET", "/open/a", fields: ["Connection: Via"]))
    }

    @Test(.holds("HTTP-50")) func `goes out with a request that has a token, once`() throws {
        let recorded = try stage.expectForwarded(
            request("GET", "/orders/a", fields: [stage.tokens.bearer()]), path: "/orders/a")
        #expect(recorded.fields["via"] == ["\(own) tg1"])
    }

    @Test(.holds("HTTP-50"), .refuses("HTTP-50")) func `is not added to responses, and an upstream's own passes`()
        throws
    {
        stage.upstream.answer("/open/a", with: .answer(200, fields: ["Via: 1.1 tg1"]))
        #expect(try stage.exchange("GET", "/open/a").fields["via"] == ["1.1 tg1"])
        #expect(try stage.exchange("GET", "/open/b").fields["via"] == [])
    }

    @Test(
        .refuses("H2-32", "HTTP-51"),
        arguments: [
            "Via: 1.1 tg1", "Via: 1.0 fred, 1.1 TG1", "Via: HTTP/1.1 tg1 (it is me)", "Via: 1.1 tg1, 1.1 fred",
            "Via: 1.1 fred\r\nvia:  2\ttg1", "Via: ,, 1.1 tg1,",
        ])
    func `a request that was here before goes no further`(lines: String) throws {
        for path in ["/open/a", "/orders/a", "/nowhere"] {
            let answer = try stage.exchange("GET", path, fields: [lines])
            expectTemplate(answer, status: 508)
            #expect(answer.fields["www-authenticate"] == [])
        }
        try stage.expectNothingForwarded()
        let line = try #require(stage.gateway.operatorLine { $0["cause"] == "loop_detected" })
        #expect(line["check"] == "HTTP-51")
    }

    @Test(
        .holds("HTTP-51"),
        arguments: ["Via: 1.1 tg10", "Via: tg1", "Via: 1.1 fred (tg1)", "X-Via: 1.1 tg1", "Via: 1.1 tg1.example"])
    func `a request of another proxy is served`(line: String) throws {
        try stage.expectForwarded(request("GET", "/open/a", fields: [line]), path: "/open/a")
    }

    @Test(.holds("HTTP-51")) func `a gateway whose upstream is itself stops at the second turn`() throws {
        let front = try Stage(StagePlan(routes: ["{ path: /, upstream: $UPSTREAM, public: true }"]))
        // What arrives is sent to the gateway again, as a balancer in between would.
        let (port, answers) = (front.gateway.port, Watched<[Int]>([]))
        front.upstream.answerAll(
            with: WireScript(
                .reply { request in
                    guard let client = try? RawClient(port: port), (try? client.send(request.rawHead)) != nil,
                        let answer = try? client.response()
                    else { return [] }
                    answers.withLock { $0.append(answer.status) }
                    return answer.raw
                }))
        #expect(try front.exchange("GET", "/a").status == 508)
        #expect(answers.now == [508])
        #expect(front.upstream.requests.count == 1)
        let via = try #require(front.upstream.requests[0].fields.only("via"))
        #expect(via.wholeMatch(of: /(1\.1|2\.0) portcullis-[0-9a-f]{8}/) != nil, "\(via)")
    }
}
