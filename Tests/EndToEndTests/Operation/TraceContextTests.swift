import TestSupport
import TestTraits
import Testing

/// Rows ECO-50, ECO-51 and ECO-55: whose trace a request belongs to, and what upstreams are told of it.
@Suite(.serialized, .byEachProtocol) struct `the trace of a request` {
    private static let trusting = Shared { try TraceStage(trusts: true) }
    private static let strange = Shared { try TraceStage("ratio: 0%") }
    private static let without = Shared { try Stage() }
    private static let theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let usual = "00-\(theirs)-00f067aa0ba902b7-01"

    /// What an upstream is sent of a request with these fields: its traceparent cut at dashes, and all of its tracestate.
    private func forwarded(
        _ traces: TraceStage, _ fields: [String]
    ) throws -> (parent: [String], state: [String], id: String) {
        traces.reset()
        let recorded = try traces.stage.expectForwarded(request("GET", "/open/a", fields: fields), path: "/open/a")
        let parent = try #require(recorded.fields.only("traceparent"))
        return (
            parent.split(separator: "-").map(String.init), recorded.fields["tracestate"],
            try #require(recorded.fields.only("x-request-id"))
        )
    }

    @Test(.holds("ECO-50"), .holds("ECO-51"), arguments: ["01", "00"])
    func `is that of a trusted peer, and so is what is sampled`(flags: String) throws {
        let traces = try Self.trusting.get()
        let (parent, state, _) = try forwarded(
            traces, ["Traceparent: 00-\(Self.theirs)-00f067aa0ba902b7-\(flags)", "tracestate: a=1", "TraceState: b=2"])
        #expect(parent[0] == "00" && parent[1] == Self.theirs && parent[3] == flags)
        #expect(parent[2].utf8.count == 16 && parent[2] != "00f067aa0ba902b7")
        #expect(state == ["portcullis=\(parent[2]),a=1,b=2"])
    }

    @Test(
        .refuses("ECO-50"),
        arguments: [
            [usual, usual], [usual.uppercased()], ["ff-\(theirs)-00f067aa0ba902b7-01"],
            ["00-00000000000000000000000000000000-00f067aa0ba902b7-01"], ["00-\(theirs)-0000000000000000-01"],
            ["\(usual)0"], [""], ["\(usual), \(usual)"],
        ])
    func `is a new one where the field is none, or stands twice`(fields: [String]) throws {
        let (parent, state, id) = try forwarded(
            try Self.trusting.get(), fields.map { "traceparent: \($0)" } + ["tracestate: a=1"])
        #expect(parent[1] == id && parent[3] == "01")
        #expect(state == [])
    }

    @Test(.refuses("ECO-50"), arguments: ["A=1", "a=1,a=2", "a=1, b", "a=b=c"])
    func `goes on without a state that is malformed`(state: String) throws {
        let (parent, sent, _) = try forwarded(
            try Self.trusting.get(), ["traceparent: \(Self.usual)", "tracestate: \(state)"])
        #expect(parent[1] == Self.theirs)
        #expect(sent == [])
    }

    @Test(.refuses("ECO-50"), .holds("ECO-54"))
    func `is not a stranger's, who does not decide what is sampled`() throws {
        let traces = try Self.strange.get()
        let (parent, state, id) = try forwarded(traces, ["traceparent: \(Self.usual)", "tracestate: a=1"])
        #expect(parent[1] == id && parent[3] == "00")
        #expect(state == [])
        let client = try traces.stage.gateway.client()
        let one = request("GET", "/open/a", fields: ["traceparent: \(Self.usual)"])
        for _ in 0..<5 {
            try client.send(String(repeating: one, count: 100))
            for _ in 0..<100 { #expect(try client.response().status == 200) }
        }
        #expect(try traces.metric("portcullis_trace_spans_waiting") == 0)
        #expect(try traces.metric("portcullis_trace_spans_exported_total") == 0)
        #expect(traces.spans.isEmpty)
    }

    @Test(.byHTTP1(because: "HTTP/2 has no field Connection"), .holds("ECO-51"), .refuses("ECO-51"))
    func `cannot be taken away or doubled by a client`() throws {
        let fields = ["Connection: traceparent, tracestate", "traceparent: \(Self.usual)", "tracestate: a=1"]
        let (parent, state, _) = try forwarded(try Self.trusting.get(), fields)
        #expect(parent[1] == Self.theirs && state.count == 1)
    }

    @Test(.holds("ECO-55"), .refuses("ECO-55")) func `passes as it came where nobody wants to know`() throws {
        let stage = try Self.without.get()
        stage.reset()
        let lines = ["Traceparent: \(Self.usual.uppercased())", "traceparent: x", "tracestate: A=, ,"]
        let recorded = try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        // In HTTP/2 names have no upper case.
        let sent = WireProtocol.current == .http1 ? lines : lines.map { $0.replacingOccurrences("T", with: "t") }
        #expect(recorded.headText.contains(sent.joined(separator: "\r\n")))
        let plain = try stage.expectForwarded(request("GET", "/open/b"), path: "/open/b")
        #expect(!plain.fields.contains("traceparent") && !plain.fields.contains("tracestate"))
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/open/b" })
        #expect(line["trace_id"] == nil)
    }

    @Test(.holds("ECO-50")) func `is in both logs, and is the request's id where it began here`() throws {
        let traces = try Self.trusting.get()
        traces.reset()
        let began = try traces.stage.exchange("GET", "/orders/a")
        let id = try #require(began.fields.only("x-request-id"))
        #expect(try #require(traces.stage.gateway.accessLine { $0["request_id"] == id })["trace_id"] == id)
        #expect(try #require(traces.stage.gateway.operatorLine { $0["request_id"] == id })["trace_id"] == id)
        let went = try traces.stage.exchange("GET", "/orders/b", fields: ["traceparent: \(Self.usual)"])
        let other = try #require(went.fields.only("x-request-id"))
        let line = try #require(traces.stage.gateway.accessLine { $0["request_id"] == other })
        #expect(line["trace_id"] == Self.theirs)
    }
}
