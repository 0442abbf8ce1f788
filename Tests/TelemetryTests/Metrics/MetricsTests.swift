import Telemetry
import TestTraits
import Testing

private let labels = MetricsLabels(
    routes: ["orders", "a\"b\\c\nd"],
    causes: [RefusalLabel(cause: "token_expired", blame: "client"), RefusalLabel(cause: "keys", blame: "issuer")],
    algorithms: ["ES256", "RS256"], issuers: ["main", "other"], logins: ["shop", "web"])

private func registry(workers: Int = 2) -> MetricsRegistry {
    MetricsRegistry(workers: workers, labels: labels, version: "1.2.3", startTime: Timestamp(seconds: 1000))
}

/// The samples of a page: everything before the value, to the value.
private func samples(_ registry: MetricsRegistry, now: Int64 = 2000) -> [String: String] {
    let page = registry.page(
        now: Timestamp(seconds: now), process: ProcessReadings(residentBytes: 4096, openDescriptors: 7))
    var found: [String: String] = [:]
    for line in String(decoding: page, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
        guard let space = line.lastIndex(of: " ") else { continue }
        found[String(line[..<space])] = String(line[line.index(after: space)...])
    }
    return found
}

@Suite struct `metrics` {
    @Test(.holds("OPS-03")) func `requests are counted by route and class of status, summed over workers`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        registry.workers[1].countRequest(route: 0, status: 204, microseconds: 0)
        registry.workers[1].countRequest(route: 0, status: 401, microseconds: 0)
        registry.workers[1].countRequest(route: UnroutedRequests.none.slot, status: 404, microseconds: 0)
        let found = samples(registry)
        #expect(found[#"portcullis_requests_total{route="orders",code="2xx"}"#] == "2")
        #expect(found[#"portcullis_requests_total{route="orders",code="4xx"}"#] == "1")
        #expect(found[#"portcullis_requests_total{route="(none)",code="4xx"}"#] == "1")
        #expect(found.keys.count { $0.hasPrefix("portcullis_requests_total") } == 3)
    }

    @Test(
        .holds("OPS-03"),
        arguments: [(0, "other"), (99, "other"), (100, "1xx"), (599, "5xx"), (600, "other"), (65_535, "other")])
    func `any status has a class`(status: UInt16, name: String) {
        let registry = registry()
        registry.workers[0].countRequest(route: 1, status: status, microseconds: 0)
        let found = samples(registry)
        #expect(found[#"portcullis_requests_total{route="a\"b\\c\nd",code="\#(name)"}"#] == "1")
    }

    @Test(.holds("OPS-03", "H2-50")) func `dropped trailers are counted by message and reason`() {
        let registry = registry()
        registry.workers[0].countTrailers(.request, .forbidden, 2)
        registry.workers[0].countTrailers(.request, .notCarried, 0)
        registry.workers[1].setTrailers(.request, to: 3)
        registry.workers[1].setTrailers(.request, to: 5)
        registry.workers[1].countTrailers(.response, .route, 1)
        let found = samples(registry)
        func count(_ direction: String, _ reason: String) -> String? {
            found["portcullis_trailers_dropped_total{direction=\"\(direction)\",reason=\"\(reason)\"}"]
        }
        #expect(count("request", "forbidden") == "7", "those of frames among them")
        #expect(count("response", "route") == "1")
        #expect(count("request", "not_carried") == "0" && count("response", "forbidden") == "0")
        let all = found.keys.filter { $0.hasPrefix("portcullis_trailers_dropped_total") }
        #expect(all.count == 12)
    }

    @Test(.holds("OPS-03")) func `refusals are counted by route, cause and blame`() {
        let registry = registry()
        registry.workers[0].countRefusal(route: 0, cause: 0)
        registry.workers[0].countRefusal(route: UnroutedRequests.none.slot, cause: 1)
        registry.workers[1].countRefusal(route: 0, cause: 0)
        let found = samples(registry)
        #expect(found[#"portcullis_refusals_total{route="orders",cause="token_expired",blame="client"}"#] == "2")
        #expect(found[#"portcullis_refusals_total{route="(none)",cause="keys",blame="issuer"}"#] == "1")
    }

    @Test(arguments: [0, 100, 101, 1000, 1001, 10_000_000, 10_000_001, UInt64.max / 4] as [UInt64])
    func `a duration is in every bucket whose bound it does not pass`(microseconds: UInt64) throws {
        let registry = registry()
        registry.workers[1].observe(.auth, microseconds: microseconds)
        let found = samples(registry)
        let name = "portcullis_auth_duration_seconds"
        let buckets = found.filter { $0.key.hasPrefix(name + "_bucket") }
        #expect(buckets.count == 17)
        for (key, count) in buckets {
            let bound = try #require(key.split(separator: "\"").dropFirst().first)
            let seconds = bound == "+Inf" ? Double.infinity : try #require(Double(bound))
            #expect(count == (Double(microseconds) <= seconds * 1_000_000 ? "1" : "0"), "\(key)")
        }
        #expect(found[name + "_count"] == "1")
        #expect(!found.keys.contains { $0.hasPrefix("portcullis_request_duration_seconds") })
    }

    @Test(.holds("DPOP-15")) func `the set of used proofs is read at each scrape, once it is there`() {
        let registry = registry()
        let names = ["entries", "bytes", "inserts_total", "refusals_total", "used_ratio"]
            .map { "portcullis_dpop_replay_\($0)" }
        #expect(names.allSatisfy { samples(registry)[$0] == nil })
        registry.attach(replay: {
            ReplayReadings(entries: 1, bytes: 2, inserted: UInt64(Int64.max) + 1, refused: 4, capacity: 8)
        })
        #expect(names.map { samples(registry)[$0] } == ["1", "2", "9223372036854775808", "4", "0.125"])
        registry.attach(replay: { ReplayReadings(entries: 5, bytes: 6, inserted: 7, refused: 8, capacity: 5) })
        #expect(names.map { samples(registry)[$0] } == ["5", "6", "7", "8", "1"])
        // A set without any room has no share that could be divided by it.
        registry.attach(replay: { ReplayReadings(entries: 0, bytes: 0, inserted: 0, refused: 0, capacity: 0) })
        #expect(samples(registry)["portcullis_dpop_replay_used_ratio"] == "0")
    }

    @Test(.holds("DPOP-15", "INT-07")) func `what a worker counts of proofs and lookups is summed, under its own name`()
    {
        let registry = registry()
        registry.workers[0].count(.proofsVerified)
        registry.workers[1].count(.proofsVerified)
        registry.workers[1].count(.introspections)
        let found = samples(registry)
        #expect(found["portcullis_dpop_proofs_verified_total"] == "2")
        #expect(found["portcullis_introspections_total"] == "1")
    }

    @Test func `the sum of durations is in seconds`() {
        let registry = registry()
        registry.workers[0].observe(.auth, microseconds: 1_500_000)
        registry.workers[1].observe(.auth, microseconds: 1)
        #expect(samples(registry)["portcullis_auth_duration_seconds_sum"] == "1.500001")
    }

    @Test func `gauges move both ways and may be moved by different workers`() {
        let registry = registry()
        registry.workers[0].adjust(.clientConnections, by: 3)
        registry.workers[0].adjust(.clientConnections, by: -2)
        registry.workers[1].adjust(.clientConnections, by: 5)
        registry.workers[1].set(.tokenCacheBytes, to: 4000)
        registry.workers[1].adjust(.parkedRequests, by: -1)
        let found = samples(registry)
        #expect(found[#"portcullis_connections{side="client"}"#] == "6")
        #expect(found[#"portcullis_connections{side="upstream"}"#] == "0")
        #expect(found["portcullis_token_cache_bytes"] == "4000")
        #expect(found["portcullis_parked_requests"] == "-1")
    }

    @Test(.holds("OPS-03")) func `a worker's loop lag is its own`() {
        let registry = registry()
        registry.workers[1].set(.loopLag, to: 2500)
        let found = samples(registry)
        #expect(found[#"portcullis_loop_lag_seconds{worker="0"}"#] == "0")
        #expect(found[#"portcullis_loop_lag_seconds{worker="1"}"#] == "0.0025")
    }

    @Test(
        arguments: zip(
            WorkerCounter.allCases,
            [
                "portcullis_token_cache_hits_total", "portcullis_token_cache_misses_total",
                "portcullis_token_cache_evictions_total", "portcullis_stripped_fields_total",
                "portcullis_dpop_proofs_verified_total", "portcullis_introspections_total",
                "portcullis_session_cache_hits_total", "portcullis_session_cache_misses_total",
                "portcullis_session_cache_evictions_total",
            ]))
    func `each counter is its own family`(counter: WorkerCounter, name: String) {
        let registry = registry()
        registry.workers[0].count(counter)
        registry.workers[1].count(counter, by: 4)
        registry.workers[1].count(counter, by: -4)
        let found = samples(registry)
        #expect(found[name] == "5")
        #expect(found.count { $0.value == "5" } == 1)
    }

    @Test func `verifications are counted by algorithm`() {
        let registry = registry()
        registry.workers[0].countVerification(algorithm: 1)
        let found = samples(registry)
        #expect(found[#"portcullis_signature_verifications_total{algorithm="RS256"}"#] == "1")
        #expect(found[#"portcullis_signature_verifications_total{algorithm="ES256"}"#] == "0")
    }

    @Test(.holds("OPS-03")) func `an issuer shows readiness, the age of its keys and how refreshes ended`() {
        let registry = registry()
        registry.issuers.setReady(issuer: 1, true)
        registry.issuers.setKeysFetched(issuer: 1, at: 1940)
        for result in IssuerMetrics.Refresh.allCases { registry.issuers.countRefresh(issuer: 1, result) }
        registry.issuers.countRefresh(issuer: 1, .failed)
        let found = samples(registry, now: 2000)
        #expect(found[#"portcullis_issuer_ready{issuer="main"}"#] == "0")
        #expect(found[#"portcullis_issuer_ready{issuer="other"}"#] == "1")
        #expect(found[#"portcullis_issuer_keys_age_seconds{issuer="other"}"#] == "60")
        #expect(found[#"portcullis_issuer_keys_age_seconds{issuer="main"}"#] == nil)
        #expect(found[#"portcullis_issuer_refreshes_total{issuer="other",result="failed"}"#] == "2")
        #expect(found[#"portcullis_issuer_refreshes_total{issuer="other",result="limited"}"#] == "1")
        #expect(found[#"portcullis_issuer_refreshes_total{issuer="main",result="changed"}"#] == "0")
    }

    @Test(.holds("OPS-03")) func `a login client shows how logins and refreshes ended, and its logouts`() {
        let registry = registry()
        registry.logins.countSuccess(client: 1)
        registry.logins.countRefusal(client: 1, cause: 1)
        for outcome in LoginMetrics.Refresh.allCases { registry.logins.count(client: 1, outcome) }
        registry.logins.count(client: 1, .unavailable)
        registry.logins.countRefusal(client: 0, cause: 0)
        for _ in 0..<3 { registry.logins.countLogout(client: 0) }
        let found = samples(registry)
        #expect(found[#"portcullis_logins_total{client="web",outcome="succeeded"}"#] == "1")
        #expect(found[#"portcullis_logins_total{client="web",outcome="refused"}"#] == "1")
        #expect(found[#"portcullis_logins_total{client="shop",outcome="succeeded"}"#] == "0")
        #expect(found[#"portcullis_logins_total{client="shop",outcome="refused"}"#] == "1")
        #expect(found[#"portcullis_session_refreshes_total{client="web",outcome="refreshed"}"#] == "1")
        #expect(found[#"portcullis_session_refreshes_total{client="web",outcome="ended"}"#] == "1")
        #expect(found[#"portcullis_session_refreshes_total{client="web",outcome="unavailable"}"#] == "2")
        #expect(found[#"portcullis_session_refreshes_total{client="shop",outcome="ended"}"#] == "0")
        #expect(found[#"portcullis_logouts_total{client="shop"}"#] == "3")
        #expect(found[#"portcullis_logouts_total{client="web"}"#] == "0")
        let refusals = found.filter { $0.key.hasPrefix("portcullis_login_refusals_total") }
        #expect(
            refusals == [
                #"portcullis_login_refusals_total{client="shop",cause="token_expired",blame="client"}"#: "1",
                #"portcullis_login_refusals_total{client="web",cause="keys",blame="issuer"}"#: "1",
            ])
    }

    @Test(.holds("OPS-05")) func `sessions that are opened and logins under way are summed over the workers`() {
        let registry = registry()
        registry.workers[0].set(.sessionCacheEntries, to: 3)
        registry.workers[1].set(.sessionCacheEntries, to: 4)
        registry.workers[1].set(.sessionCacheBytes, to: 9000)
        registry.workers[0].set(.loginRequests, to: 2)
        registry.workers[0].set(.loginRequests, to: 1)
        let found = samples(registry)
        #expect(found["portcullis_session_cache_entries"] == "7")
        #expect(found["portcullis_session_cache_bytes"] == "9000")
        #expect(found["portcullis_login_requests"] == "1")
    }

    @Test(.holds("OPS-05")) func `dropped log lines are shown by log`() throws {
        let registry = registry()
        let sink = try LogSink(descriptor: -1)
        registry.attach(log: "access", sink)
        var line = LogLine()
        line.begin()
        line.end()
        sink.submit(&line)
        #expect(sink.stop(milliseconds: 10_000))
        #expect(samples(registry)[#"portcullis_log_dropped_total{log="access"}"#] == "1")
    }

    @Test(.holds("OPS-09")) func `a jump of the wall clock is shown`() {
        let registry = registry()
        #expect(samples(registry)["portcullis_clock_step_seconds"] == "0")
        registry.setClockStep(seconds: -3600)
        #expect(samples(registry)["portcullis_clock_step_seconds"] == "-3600")
    }

    @Test func `the process shows memory, descriptors, start and version`() {
        let found = samples(registry())
        #expect(found["process_resident_memory_bytes"] == "4096")
        #expect(found["process_open_fds"] == "7")
        #expect(found["process_start_time_seconds"] == "1000")
        #expect(found[#"portcullis_build_info{version="1.2.3"}"#] == "1")
    }

    @Test(.holds("ECO-56")) func `the process shows processor time, memory and how many descriptors it may have`() {
        var process = ProcessReadings()
        process.processorTime = 1_250_000
        process.virtualBytes = 8192
        process.descriptorLimit = 1024
        let page = String(decoding: registry().page(process: process), as: UTF8.self)
        for line in ["process_cpu_seconds_total 1.25", "process_virtual_memory_bytes 8192", "process_max_fds 1024"] {
            #expect(page.contains("\n\(line)\n"))
        }
    }

    @Test func `a process without procfs leaves what it cannot know out`() {
        let process = ProcessReadings()
        let page = String(decoding: registry().page(now: .now(), process: process), as: UTF8.self)
        #expect(!page.contains("\nprocess_resident_memory_bytes "))
        #expect(!page.contains("\nprocess_open_fds "))
        #expect(!page.contains("\nprocess_cpu_seconds_total "))
        #expect(!page.contains("\nprocess_max_fds "))
    }

    @Test func `the kernel's answers are read`() throws {
        let readings = ProcessReadings.now()
        let resident = try #require(readings.residentBytes)
        #expect(resident > 1_000_000)
        let descriptors = try #require(readings.openDescriptors)
        #expect(descriptors > 0 && descriptors < 100_000)
        #expect(try #require(readings.virtualBytes) > resident)
        #expect(try #require(readings.processorTime) > 0)
        #expect(readings.descriptorLimit ?? descriptors >= descriptors)
    }

    @Test func `every family has help and type once, before its samples`() {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        registry.workers[0].countRefusal(route: 0, cause: 0)
        let lines = String(decoding: registry.page(), as: UTF8.self).split(separator: "\n").map(String.init)
        var described: [String] = []
        var types: [String: String] = [:]
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix("# HELP ") {
                described.append(words[2])
            } else if line.hasPrefix("# TYPE ") {
                #expect(described.last == words[2])
                types[words[2]] = words[3]
            } else {
                let name = String(line.prefix { $0 != "{" && $0 != " " })
                let family = described.last ?? ""
                #expect(types[family] == "histogram" ? name.hasPrefix(family + "_") : name == family)
            }
        }
        #expect(described == MetricName.allCases.map(\.rawValue))
        for metric in MetricName.allCases {
            #expect(types[metric.rawValue] == metric.kind.rawValue)
            #expect((metric.kind == .counter) == metric.rawValue.hasSuffix("_total"))
        }
    }

    @Test func `a scrape beside a counting worker sees numbers that only grow, up to all that was counted`() async {
        let registry = registry(workers: 1)
        let worker = registry.workers[0]
        let rounds = 200_000
        let counting = Task.detached {
            for _ in 0..<rounds { worker.count(.tokenCacheHits) }
        }
        var last = 0
        for _ in 0..<50 {
            let seen = samples(registry)["portcullis_token_cache_hits_total"].flatMap { Int($0) } ?? -1
            #expect(seen >= last)
            last = seen
        }
        await counting.value
        #expect(samples(registry)["portcullis_token_cache_hits_total"] == String(rounds))
    }
}

@Suite struct `the watch on the wall clock` {
    @Test(
        .holds("OPS-09"), .refuses("OPS-09"),
        arguments: [(3600, 3600), (-3600, -3600), (60, 60), (-60, -60)] as [(Int64, Int64)])
    func `tells of a jump of a minute or more`(jump: Int64, expected: Int64) {
        var watch = ClockStepWatch()
        #expect(watch.observe(wall: Timestamp(seconds: 1000), monotonicMilliseconds: 5000) == nil)
        #expect(watch.observe(wall: Timestamp(seconds: 1001), monotonicMilliseconds: 6000) == nil)
        #expect(watch.observe(wall: Timestamp(seconds: 1002 + jump), monotonicMilliseconds: 7000) == expected)
        // The new time is the time from now on.
        #expect(watch.observe(wall: Timestamp(seconds: 1003 + jump), monotonicMilliseconds: 8000) == nil)
    }

    @Test(.holds("OPS-09"), arguments: [59, -59, 1, 0] as [Int64])
    func `keeps quiet about less`(jump: Int64) {
        var watch = ClockStepWatch()
        #expect(watch.observe(wall: Timestamp(seconds: 1000), monotonicMilliseconds: 5000) == nil)
        #expect(watch.observe(wall: Timestamp(seconds: 1001 + jump), monotonicMilliseconds: 6000) == nil)
    }

    @Test(.holds("OPS-09")) func `a slow correction is followed and is no jump`() {
        var watch = ClockStepWatch()
        for second in 0..<1000 as Range<Int64> {
            let wall = Timestamp(seconds: second + second / 10)
            #expect(watch.observe(wall: wall, monotonicMilliseconds: second * 1000) == nil)
        }
    }

    @Test(.refuses("OPS-09")) func `clocks at the ends of their range do not trap`() {
        var watch = ClockStepWatch()
        _ = watch.observe(wall: Timestamp(seconds: .max), monotonicMilliseconds: .min)
        _ = watch.observe(wall: Timestamp(seconds: .min), monotonicMilliseconds: .max)
    }
}
