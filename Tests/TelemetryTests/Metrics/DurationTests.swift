import Telemetry
import TestTraits
import Testing

private let labels = MetricsLabels(
    routes: ["orders", "(login)"], causes: [RefusalLabel(cause: "late", blame: "client")], algorithms: [], issuers: [],
    logins: ["shop"], upstreams: ["app:80", "other:80"])

private func registry(workers: Int = 2) -> MetricsRegistry {
    MetricsRegistry(workers: workers, labels: labels, version: "1", startTime: Timestamp(seconds: 1000))
}

private func page(_ registry: MetricsRegistry, _ format: ExpositionFormat = .prometheusText) -> [String] {
    let bytes = registry.page(format, now: Timestamp(seconds: 2000), process: ProcessReadings())
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}

/// The samples of one family: everything behind its name to the value.
private func samples(_ lines: [String], of family: String) -> [String: String] {
    var found: [String: String] = [:]
    for line in lines where line.hasPrefix(family) && !line.hasPrefix("#") {
        let rest = line.dropFirst(family.count)
        guard let space = rest.lastIndex(of: " ") else { continue }
        found[String(rest[..<space])] = String(rest[rest.index(after: space)...])
    }
    return found
}

@Suite struct `durations` {
    @Test(.holds("ECO-56")) func `of requests are counted by route and class of status, summed over workers`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 700)
        registry.workers[1].countRequest(route: 0, status: 204, microseconds: 2_000_000)
        registry.workers[1].countRequest(route: 0, status: 503, microseconds: 80_000)
        registry.workers[1].countRequest(route: 0, status: 0, microseconds: 1)
        let lines = page(registry)
        let own = samples(lines, of: "portcullis_request_duration_seconds")
        #expect(own[#"_count{route="orders",code="2xx"}"#] == "2")
        #expect(own[#"_sum{route="orders",code="2xx"}"#] == "2.0007")
        #expect(own[#"_bucket{route="orders",code="2xx",le="0.0005"}"#] == "0")
        #expect(own[#"_bucket{route="orders",code="2xx",le="0.001"}"#] == "1")
        #expect(own[#"_bucket{route="orders",code="2xx",le="2.5"}"#] == "2")
        #expect(own[#"_bucket{route="orders",code="5xx",le="0.05"}"#] == "0")
        #expect(own[#"_bucket{route="orders",code="5xx",le="0.1"}"#] == "1")
        #expect(own[#"_count{route="orders",code="other"}"#] == "1")
        #expect(own.count == 3 * 19, "what never counted has no series")
        let requests = samples(lines, of: "portcullis_requests_total")
        #expect(requests[#"{route="orders",code="2xx"}"#] == "2")
        #expect(requests.count == 3)
    }

    @Test(.holds("ECO-56"), .refuses("ECO-56")) func `lead to a trace in OpenMetrics, and there alone`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 60_000)
        registry.workers[1].countRequest(route: 0, status: 200, microseconds: 20_000_000)
        registry.workers[1].countRequest(route: 0, status: 404, microseconds: 1)
        registry.workers[0].noteExemplar(of: 0xab << 120 | 1, route: 0, status: 200, microseconds: 60_000)
        let exemplar = " # {trace_id=\"ab" + String(repeating: "0", count: 29) + "1\"} 0.06"
        let own = "portcullis_request_duration_seconds_bucket{route=\"orders\",code=\"2xx\",le="
        let lines = page(registry, .openMetrics)
        #expect(lines.filter { $0.contains("trace_id") }.count == 2, "one for each family")
        #expect(lines.contains(own + "\"0.1\"} 1" + exemplar))
        #expect(lines.contains { $0.hasPrefix("http_server_") && $0.contains("le=\"0.075\"} 1" + exemplar) })
        #expect(!page(registry).contains { $0.contains("trace_id") })
        // Slower than all bounds, of another worker, and the last one is shown.
        registry.workers[1].noteExemplar(of: 2, route: 0, status: 200, microseconds: 20_000_000)
        #expect(page(registry, .openMetrics).filter { $0.contains("le=\"+Inf\"} 2 # {trace_id=") }.count == 2)
    }

    @Test(.holds("ECO-56")) func `have the names and the bounds of the conventions too`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 60_000)
        registry.workers[0].countRequest(route: 0, status: 0, microseconds: 60_000)
        registry.workers[0].upstreams["app:80"].counters.countResponse(status: 404, microseconds: 700_000, at: 1)
        let lines = page(registry)
        let server = samples(lines, of: "http_server_request_duration_seconds")
        let bounds = "0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 +Inf".split(separator: " ")
        for bound in bounds {
            let isAbove = bound == "+Inf" || Double(bound).map { $0 > 0.06 } == true
            let key = #"_bucket{http_route="orders",http_response_status_code="2xx",le="\#(bound)"}"#
            #expect(server[key] == (isAbove ? "1" : "0"), "\(bound)")
        }
        #expect(server[#"_sum{http_route="orders"}"#] == "0.06", "a client that left has no status")
        #expect(server.count == 2 * 17)
        let client = samples(lines, of: "http_client_request_duration_seconds")
        let labels = #"server_address="app:80",http_response_status_code="4xx""#
        #expect(client["_bucket{\(labels),le=\"0.5\"}"] == "0")
        #expect(client["_bucket{\(labels),le=\"0.75\"}"] == "1")
        #expect(client["_count{\(labels)}"] == "1")
    }

    @Test(.holds("ECO-56"))
    func `of requests without a route are told apart by why they have none, whatever routes are called`() {
        let registry = registry()
        for (index, row) in UnroutedRequests.allCases.enumerated() {
            for _ in 0...index { registry.workers[0].countRequest(route: row.slot, status: 200, microseconds: 1) }
            registry.workers[0].countRefusal(route: row.slot, cause: 0)
        }
        registry.workers[0].countRequest(route: 1, status: 200, microseconds: 1)
        let lines = page(registry)
        let requests = samples(lines, of: "portcullis_requests_total")
        #expect(
            requests == [
                #"{route="(none)",code="2xx"}"#: "1", #"{route="(login)",code="2xx"}"#: "2",
                #"{route="(unknown)",code="2xx"}"#: "3", #"{route="(published)",code="2xx"}"#: "4",
                #"{route="route (login)",code="2xx"}"#: "1",
            ])
        #expect(samples(lines, of: "portcullis_refusals_total").count == 4)
    }

    @Test(.holds("ECO-56")) func `of upstreams stand beside their failures, and the last try says whether one is up`() {
        let registry = registry()
        let counters = registry.workers.map { $0.upstreams["app:80"].counters }
        func up() -> String? { samples(page(registry), of: "portcullis_upstream_up")[#"{upstream="app:80"}"#] }
        #expect(up() == nil, "nobody has tried")
        counters[0].count(.unreachable, at: 10)
        #expect(up() == "0")
        counters[1].countConnect(at: 20)
        counters[1].adjustConnections(by: 1)
        #expect(up() == "1", "another worker reached it later")
        counters[0].count(.connectTimedOut, at: 30)
        #expect(up() == "0")
        counters[1].countResponse(status: 200, microseconds: 5, at: 40)
        #expect(up() == "1", "a connection that was there before still carries responses")
        for failure in [.closed, .brokeOff, .malformed, .timedOut, .addressFailed] as [UpstreamFailure] {
            counters[0].count(failure, at: 50)
            #expect(up() == "1", "\(failure): somebody is there")
        }
        counters[0].count(.unreachable, at: 60)
        let lines = page(registry)
        let failures = samples(lines, of: "portcullis_upstream_failures_total")
        #expect(failures[#"{upstream="app:80",cause="unreachable"}"#] == "2")
        #expect(failures[#"{upstream="app:80",cause="broke_off"}"#] == "1")
        #expect(failures[#"{upstream="other:80",cause="closed"}"#] == "0")
        #expect(failures.count == 2 * UpstreamFailure.allCases.count)
        #expect(samples(lines, of: "portcullis_upstream_connects_total")[#"{upstream="app:80"}"#] == "1")
        #expect(samples(lines, of: "portcullis_upstream_connections")[#"{upstream="app:80"}"#] == "1")
    }

}

@Suite struct `what is looked at for each page` {
    @Test(.holds("ECO-56")) func `is left out where nobody knows it`() {
        let registry = registry()
        #expect(!page(registry).contains { $0.hasPrefix("portcullis_sessions") })
        registry.attach(serving: {
            var readings = ServingReadings()
            readings.sessions = [(client: "shop", count: 3)]
            readings.certificates = [ServingReadings.Certificate(.listener, file: "/etc/a.pem", notAfter: 4000)]
            return readings
        })
        let lines = page(registry)
        #expect(lines.contains(#"portcullis_sessions{client="shop"} 3"#))
        let expiry = #"portcullis_certificate_expiry_timestamp_seconds{use="listener",file="/etc/a.pem"} 4000"#
        #expect(lines.contains(expiry))
    }
}

@Suite struct `OpenMetrics` {
    @Test(.holds("ECO-56")) func `has counters without their ending, bounds as decimals, and an end`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 1)
        let lines = page(registry, .openMetrics)
        #expect(lines.contains("# TYPE portcullis_requests counter"))
        #expect(lines.contains(#"portcullis_requests_total{route="orders",code="2xx"} 1"#))
        #expect(lines.contains("# TYPE process_cpu_seconds counter"))
        #expect(lines.contains(#"portcullis_auth_duration_seconds_bucket{le="1.0"} 0"#))
        #expect(lines.contains(#"portcullis_auth_duration_seconds_bucket{le="2.5"} 0"#))
        #expect(!lines.contains { $0.contains("le=\"1\"") || $0.contains("le=\"10\"") })
        #expect(lines.last == "# EOF" && lines.count { $0 == "# EOF" } == 1)
    }

    @Test(.refuses("ECO-56")) func `is nothing that a reader of the other format gets`() {
        let lines = page(registry())
        #expect(!lines.contains { $0.hasPrefix("# EOF") })
        #expect(lines.contains("# TYPE portcullis_requests_total counter"))
        #expect(lines.contains(#"portcullis_auth_duration_seconds_bucket{le="1"} 0"#))
    }

    @Test(.holds("ECO-56")) func `has the same numbers as the other format`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 3000)
        func values(_ format: ExpositionFormat) -> [String] {
            page(registry, format).filter { !$0.hasPrefix("#") }.map {
                $0.replacing(/le="(\d+)"/) { "le=\"\($0.output.1).0\"" }
            }
        }
        #expect(values(.openMetrics) == values(.prometheusText))
    }
}
