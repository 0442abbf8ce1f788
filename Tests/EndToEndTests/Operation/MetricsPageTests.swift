import TestSupport
import TestTraits
import Testing

/// Row ECO-56: what the metrics page shows of requests, upstreams and logins, and in which format.
@Suite(.serialized) struct `the metrics page` {
    private static let shared = Shared { try Stage(StagePlan()) }
    let stage: Stage

    init() throws { stage = try Self.shared.get() }

    private func page(accept: String?) throws -> WireResponse {
        let client = try RawClient(port: stage.gateway.adminPort)
        let line = accept.map { "Accept: \($0)\r\n" } ?? ""
        try client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\(line)\r\n")
        return try client.response()
    }

    /// The sum of all samples whose lines begin so and have all these labels.
    private func sum(_ name: String, _ labels: String...) throws -> Int {
        try stage.gateway.admin("/metrics").bodyText.split(separator: "\n").filter { line in
            line.hasPrefix(name + "{") && labels.allSatisfy { line.contains($0) }
        }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    @Test(
        .holds("ECO-56"),
        arguments: [
            "application/openmetrics-text", "text/plain;q=0.5, Application/OpenMetrics-Text;version=1.0.0",
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;"
                + "version=0.0.4;q=0.5,*/*;q=0.1",
        ])
    func `is OpenMetrics where a scraper asks for that`(accept: String) throws {
        let response = try page(accept: accept)
        let type = "application/openmetrics-text; version=1.0.0; charset=utf-8"
        #expect(response.fields.only("content-type") == type)
        #expect(response.bodyText.hasSuffix("\n# EOF\n"))
    }

    @Test(
        .refuses("ECO-56"),
        arguments: [
            nil, "*/*", "text/html", "application/openmetrics-text;q=0", "", ",;q=,/",
            "text/plain, application/openmetrics-text;q=0.9",
        ])
    func `is what everybody reads otherwise`(accept: String?) throws {
        let response = try page(accept: accept)
        #expect(response.fields.only("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(!response.bodyText.contains("# EOF"))
    }

    @Test(.holds("ECO-56"), .refuses("ECO-56"))
    func `names paths that lead nowhere by one name, however many there are`() throws {
        let client = try stage.gateway.client()
        let unknown = #"{route="(unknown)",code="4xx"}"#
        let counted = (stage.gateway.reading("portcullis_requests_total" + unknown) ?? 0) + 2
        for number in 0..<2 {
            try client.send(request("GET", "/first-\(number)"))
            #expect(try client.response().status == 404)
        }
        // The client has an answer before the worker counts its request.
        #expect(eventually { stage.gateway.reading("portcullis_requests_total" + unknown) == counted })
        let before = try stage.gateway.admin("/metrics").bodyText.split(separator: "\n").count
        for number in 0..<200 {
            try client.send(request("GET", "/\(number)/nowhere?\(number)"))
            #expect(try client.response().status == 404)
        }
        #expect(eventually { stage.gateway.reading("portcullis_requests_total" + unknown) == counted + 200 })
        #expect(stage.gateway.reading("portcullis_request_duration_seconds_count" + unknown) == counted + 200)
        #expect(try stage.gateway.admin("/metrics").bodyText.split(separator: "\n").count == before)
    }

    @Test(.holds("ECO-56")) func `counts what an upstream does, and what it does not do, by its name`() throws {
        #expect(try stage.exchange("GET", "/open/first").status == 200)
        let failed = try sum("portcullis_upstream_failures_total", #"cause="closed""#)
        let answered = try sum("portcullis_upstream_duration_seconds_count", #"code="4xx""#)
        stage.upstream.answer("/open/missing", with: .raw("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
        #expect(try stage.exchange("GET", "/open/missing").status == 404)
        stage.upstream.answer("/open/gone", with: WireScript(.close))
        #expect(try stage.exchange("GET", "/open/gone").status == 502)
        #expect(try sum("portcullis_upstream_failures_total", #"cause="closed""#) == failed + 1)
        #expect(try sum("portcullis_upstream_duration_seconds_count", #"code="4xx""#) == answered + 1)
        #expect(try sum("http_client_request_duration_seconds_count", "4xx") == answered + 1)
        let malformed = try sum("portcullis_upstream_failures_total", #"cause="malformed""#)
        stage.upstream.answer("/open/switch", with: .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"))
        #expect(try stage.exchange("GET", "/open/switch").status == 502)
        stage.upstream.answer("/open/nonsense", with: .rawThenClose("no response\r\n\r\n"))
        #expect(try stage.exchange("GET", "/open/nonsense").status == 502)
        #expect(try sum("portcullis_upstream_failures_total", #"cause="malformed""#) == malformed + 2)
        #expect(try sum("portcullis_upstream_up") == 1, "it is there, whatever it does")
        #expect(try sum("portcullis_upstream_connects_total") > 0)
        #expect(try sum("portcullis_upstream_connections") >= 0)
    }
}

/// Row ECO-56: what the metrics page shows of logins.
@Suite(.serialized) struct `the metrics page of logins` {
    @Test(.holds("ECO-56")) func `names their pages, counts why they are refused, and how many sessions live`() throws {
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"], client: ["session: { store: memory }"]))
        #expect(try stage.exchange("GET", "/.portcullis/callback/web?state=x&code=y").status == 400)
        _ = try stage.login()
        let page = try stage.gateway.admin("/metrics").bodyText
        #expect(page.contains(#"portcullis_requests_total{route="(login)",code="4xx"} 1"# + "\n"))
        #expect(page.contains(#"portcullis_requests_total{route="(login)",code="3xx"} "#))
        #expect(!page.contains(#"route="(none)""#), "every request of a login has a name")
        #expect(page.contains(#"portcullis_login_refusals_total{client="web",cause="login_"#))
        #expect(page.contains(#"portcullis_logins_total{client="web",outcome="refused"} 1"# + "\n"))
        #expect(page.contains(#"portcullis_sessions{client="web"} 1"# + "\n"))
    }
}
