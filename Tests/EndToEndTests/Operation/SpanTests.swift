import TestSupport
import TestTraits
import Testing

/// Rows ECO-52 to ECO-54: the spans of requests, and their way to the collector.
@Suite(.serialized) struct `the spans of a request` {
    private static let shared = Shared {
        var plan = StagePlan.lookups()
        plan.routes += ["{ path: /seldom/, name: seldom, upstream: $UPSTREAM, public: true, trace_ratio: 0% }"]
        return try TraceStage(plan: plan)
    }
    let traces: TraceStage
    var stage: Stage { traces.stage }

    init() throws {
        traces = try Self.shared.get()
        traces.reset()
        stage.issuer.introspect(introspected())
    }

    private func spans(of response: WireResponse, count: Int) throws -> [Span] {
        traces.spans(ofRequest: try traces.id(of: response), count: count)
    }

    /// A golden span of each kind: these attributes, and no others.
    @Test(.holds("ECO-51"), .holds("ECO-52")) func `are those of the conventions`() throws {
        let token = opaqueToken()
        let response = try stage.exchange(
            "GET", "/orders/a%20b?card=4111", fields: ["Authorization: Bearer \(token)", "Cookie: sweet=1234567"])
        #expect(response.status == 200)
        let id = try traces.id(of: response)
        let spans = try spans(of: response, count: 3)
        #expect(spans.map(\.name).sorted() == ["GET", "GET orders", "introspect"])
        let server = try #require(spans.first { $0.kind == 2 })
        #expect(
            server.attributes == [
                "http.request.method": "GET", "url.scheme": "http", "url.path": "/orders/a%20b",
                "server.address": "gateway.test", "server.port": "80", "http.route": "orders",
                "http.response.status_code": "200", "network.protocol.version": "1.1", "client.address": "127.0.0.1",
                "portcullis.decision": "allow", "portcullis.issuer": stage.issuer.url,
                "portcullis.client_id": "client-1", "portcullis.request_id": id,
            ])
        #expect(server.parent == nil && server.link == nil && !server.isError && server.trace == id)
        let client = try #require(spans.first { $0.kind == 3 })
        #expect(
            client.attributes == [
                "http.request.method": "GET", "url.scheme": "http", "server.address": "127.0.0.1",
                "server.port": "\(stage.upstream.port)", "http.response.status_code": "200",
                "network.protocol.version": "1.1",
            ])
        let forwarded = try #require(stage.upstream.onlyRequest(for: "/orders/a%20b"))
        #expect(forwarded.fields.only("traceparent") == "00-\(id)-\(client.id)-01")
        let wait = try #require(spans.first { $0.kind == 1 })
        for inner in [client, wait] {
            #expect(inner.parent == server.id && server.start <= inner.start && inner.end <= server.end)
        }
        #expect(wait.end > wait.start)
        let sent = text(traces.collector.allBytes)
        for secret in [token, "4111", "sweet", "1234567", "alice", "p%/ü", "Basic "] { #expect(!sent.contains(secret)) }
    }

    @Test(.holds("ECO-52"), .refuses("ECO-52")) func `tell what went wrong`() throws {
        let refused = try spans(of: try stage.exchange("PURGE", "/orders/a"), count: 1)
        #expect(refused.map(\.name) == ["HTTP orders"])
        let span = try #require(refused.first)
        #expect(span.attributes["http.request.method"] == "_OTHER")
        #expect(span.attributes["http.request.method_original"] == "PURGE")
        #expect(span.attributes["portcullis.decision"] == "deny" && span.attributes["portcullis.cause"] != nil)
        #expect(!span.isError && span.attributes["error.type"] == nil)
        let unknown = try #require(try spans(of: try stage.exchange("GET", "/nowhere"), count: 1).first)
        #expect(unknown.name == "GET" && unknown.attributes["http.route"] == nil)
        stage.upstream.answer("/open/a", with: .answer(503))
        let failed = try spans(of: try stage.exchange("GET", "/open/a"), count: 2)
        #expect(failed.allSatisfy { $0.isError && $0.attributes["error.type"] == "503" } && failed.count == 2)
        stage.upstream.answer("/open/a", with: WireScript(.close))
        let broken = try spans(of: try stage.exchange("POST", "/open/a", body: "x"), count: 2)
        #expect(broken.allSatisfy { $0.isError } && broken.count == 2)
        #expect(broken.first { $0.kind == 3 }?.attributes["http.response.status_code"] == nil)
    }

    @Test(.holds("ECO-50")) func `of a stranger's trace have a link to it`() throws {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
        let spans = try spans(of: try stage.exchange("GET", "/open/a", fields: ["traceparent: \(parent)"]), count: 2)
        let server = try #require(spans.first { $0.kind == 2 })
        #expect(server.link == "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7")
        #expect(server.parent == nil && server.trace != "4bf92f3577b34da6a3ce929d0e0e4736")
    }

    @Test(.holds("ECO-54")) func `are as many as the route wants`() throws {
        let seldom = try stage.expectForwarded(request("GET", "/seldom/a"), path: "/seldom/a")
        #expect(seldom.fields.only("traceparent")?.hasSuffix("-00") == true)
        _ = try spans(of: try stage.exchange("GET", "/open/a"), count: 2)
        #expect(!traces.spans.contains { $0.attributes["http.route"] == "seldom" })
    }

    @Test(.holds("ECO-54")) func `of errors are kept where the operator wants them, and are not all there are`() throws
    {
        let traces = try TraceStage("ratio: 0%, errors: all")
        let client = try traces.stage.gateway.client()
        let count = 300
        try client.send(String(repeating: request("GET", "/nowhere"), count: count))
        for _ in 0..<count { #expect(try client.response().status == 404) }
        #expect(try traces.stage.exchange("GET", "/open/a").status == 200)
        traces.collector.waits { TraceStage.spans(in: $0).count >= 100 }
        // A hundred at once, and ten a second.
        let spans = traces.spans
        #expect((100..<count).contains(spans.count))
        #expect(spans.allSatisfy { $0.attributes["portcullis.cause"] == "route_unknown" })
    }

    @Test(.holds("ECO-53")) func `reach the collector before the gateway ends`() throws {
        let traces = try TraceStage()
        let response = try traces.stage.exchange("GET", "/open/a")
        let id = try traces.id(of: response)
        traces.stage.gateway.terminate()
        #expect(traces.stage.gateway.process.waitForEnd() == .exited(0))
        #expect(traces.spans.count { $0.trace == id } == 2)
        #expect(traces.collector.requests.map(\.target) == ["/v1/traces"])
        let fields = try #require(traces.collector.requests.first).fields
        #expect(fields.only("content-type") == "application/json" && !fields.contains("content-encoding"))
    }

    @Test(.holds("ECO-53")) func `reach the collector in gzip where the operator wants that`() throws {
        let traces = try TraceStage("ratio: 100%, compression: gzip")
        let client = try traces.stage.gateway.client()
        let count = 300
        try client.send(String(repeating: request("GET", "/nowhere"), count: count))
        for _ in 0..<count { #expect(try client.response().status == 404) }
        traces.stage.gateway.terminate()
        #expect(traces.stage.gateway.process.waitForEnd() == .exited(0))
        #expect(traces.spans.count { $0.name == "GET" } == count)
        for sent in traces.collector.requests {
            #expect(sent.fields.only("content-encoding") == "gzip")
            #expect(sent.fields.only("content-type") == "application/json")
            let content = try #require(gunzip(sent.body))
            #expect(sent.body.count * 8 < content.count)
        }
    }
}

/// Row ECO-53: a collector that does not do what it should.
@Suite struct `a collector` {
    @Test(.refuses("ECO-53")) func `that hangs costs spans, and no request anything`() throws {
        let traces = try TraceStage()
        let gate = Gate()
        defer { gate.open() }
        traces.collector.answerAll(with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
        let client = try traces.stage.gateway.client()
        let one = request("GET", "/nowhere")
        for _ in 0..<100 {
            try client.send(String(repeating: one, count: 100))
            for _ in 0..<100 { #expect(try client.response().status == 404) }
        }
        #expect(try eventually { try traces.metric("portcullis_trace_spans_dropped_total{reason=\"queue_full\"}") > 0 })
        #expect(try traces.metric("portcullis_trace_spans_waiting") <= 8192)
        #expect(try traces.stage.exchange("GET", "/open/a").status == 200)
        gate.open()
        #expect(try eventually { try traces.metric("portcullis_trace_spans_exported_total") > 8000 })
    }

    @Test(.holds("ECO-53"), .refuses("ECO-53")) func `that has no time is asked again when it says`() throws {
        let traces = try TraceStage()
        let gate = Gate()
        defer { gate.open() }
        let later = "HTTP/1.1 429 Later\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
        traces.collector.answerAll(with: WireScript(.wait(gate), .text(later)))
        let id = try traces.id(of: try traces.stage.exchange("GET", "/open/a"))
        #expect(traces.collector.waits { $0.requests.count { $0.isComplete } == 1 })
        traces.collector.answerAll(with: .answer(200, "{}"))
        // Before it is told to come later, however late this machine is.
        let before = ContinuousClock.now
        gate.open()
        #expect(traces.collector.waits { $0.requests.count { $0.isComplete } == 2 })
        #expect(ContinuousClock.now - before > .milliseconds(800))
        #expect(traces.spans.count { $0.trace == id } == 4)
        #expect(try eventually { try traces.metric("portcullis_trace_spans_exported_total") == 2 })
    }

    @Test(
        .refuses("ECO-53"),
        arguments: [
            "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 307 No\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"partialSuccess\":{\"rejectedSpans\":\"2\"}}",
        ])
    func `that refuses is not asked again, and the operator is told, without the key`(answer: String) throws {
        var plan = StagePlan()
        plan.files = ["collector.key": "the-collectors-key"]
        let traces = try TraceStage("ratio: 100%, headers: { Api-Key: { file: $FOLDER/collector.key } }", plan: plan)
        traces.collector.answerAll(with: .raw(answer))
        _ = try traces.stage.exchange("GET", "/open/a")
        #expect(try eventually { try traces.metric("portcullis_trace_spans_dropped_total{reason=\"refused\"}") == 2 })
        let line = try #require(traces.stage.gateway.operatorLine { $0["event"] == "trace_export_failed" })
        #expect(line["url"] == traces.collector.url + "/v1/traces" && line["count"] == "2")
        #expect(traces.collector.requests.count == 1)
        #expect(traces.collector.requests.first?.fields.only("api-key") == "the-collectors-key")
        #expect(!traces.stage.gateway.allLogText.contains("the-collectors-key"))
    }

    @Test(.refuses("ECO-53"), arguments: [("none", 400), ("gzip", 415), ("gzip", 400), ("gzip", 413)])
    func `that may not read gzip is told of with the key to change`(compression: String, status: Int) throws {
        let traces = try TraceStage("ratio: 100%, compression: \(compression)")
        traces.collector.answerAll(with: .answer(status))
        _ = try traces.stage.exchange("GET", "/open/a")
        let line = try #require(traces.stage.gateway.operatorLine { $0["event"] == "trace_export_failed" })
        #expect(line["reason"] == "\(status)")
        let isCoding = compression == "gzip" && status != 413
        #expect(line["setting"] == (isCoding ? "tracing.compression" : nil))
        #expect(line["detail"]?.contains("compression: none") == (isCoding ? true : nil))
        #expect(traces.collector.requests.count == 1)
    }

    @Test(.refuses("ECO-53")) func `that floods is not listened to`() throws {
        let traces = try TraceStage()
        traces.collector.answerAll(
            with: WireScript(.text("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"), .pattern(1 << 30)))
        _ = try traces.stage.exchange("GET", "/open/a")
        #expect(try eventually { try traces.metric("portcullis_trace_spans_dropped_total{reason=\"refused\"}") == 2 })
        #expect(try traces.stage.exchange("GET", "/open/a").status == 200)
    }
}
