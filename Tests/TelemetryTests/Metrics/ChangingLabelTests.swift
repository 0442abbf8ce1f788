import Synchronization
import Telemetry
import TestTraits
import Testing

private func labels(
    _ routes: [String], issuers: [String] = [], logins: [String] = [], upstreams: [String] = []
) -> MetricsLabels {
    MetricsLabels(
        routes: routes,
        causes: [RefusalLabel(cause: "late", blame: "client"), RefusalLabel(cause: "odd", blame: "us")],
        algorithms: ["ES256"], issuers: issuers, logins: logins, upstreams: upstreams)
}

private func registry(_ labels: MetricsLabels, workers: Int = 2) -> MetricsRegistry {
    MetricsRegistry(workers: workers, labels: labels, version: "1", startTime: Timestamp(seconds: 1000))
}

/// The samples of a page: everything before the value, to the value.
private func samples(_ registry: MetricsRegistry) -> [String: String] {
    let page = registry.page(
        now: Timestamp(seconds: 2000), process: ProcessReadings(residentBytes: nil, openDescriptors: nil))
    var found: [String: String] = [:]
    for line in String(decoding: page, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
        guard let space = line.lastIndex(of: " ") else { continue }
        found[String(line[..<space])] = String(line[line.index(after: space)...])
    }
    return found
}

/// Tells one thread that another is done.
private final class End: Sendable {
    let isReached = Atomic(false)
}

extension MetricsRegistry {
    /// What a worker does between two events.
    fileprivate func move(_ index: Int, to slots: MetricsSlots) {
        let next = slots.workers[index]
        next.takeOver(from: workers[index])
        workerUses(next, worker: index)
    }

    fileprivate func moveAll(to slots: MetricsSlots) {
        for index in slots.workers.indices { move(index, to: slots) }
    }

    fileprivate func requests(_ route: String) -> String? {
        samples(self)["portcullis_requests_total{route=\"\(route)\",code=\"2xx\"}"]
    }
}

@Suite struct `metrics whose labels change` {
    @Test(.holds("OPS-07")) func `routes that stay keep their slots and numbers, wherever they stand now`() {
        let registry = registry(labels(["a", "b"]))
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        registry.workers[1].countRequest(route: 1, status: 200, microseconds: 0)
        registry.workers[1].countRefusal(route: 1, cause: 1)
        registry.workers[1].countRequest(route: UnroutedRequests.none.slot, status: 200, microseconds: 0)
        registry.workers[0].observe(.auth, microseconds: 7)
        registry.workers[0].adjust(.clientConnections, by: 3)
        registry.workers[0].countVerification(algorithm: 0)
        let before = samples(registry)
        let slots = registry.extend(labels(["c", "b", "a"]), keeping: [labels(["a", "b"])])
        #expect(slots.routes == [2, 1, 0])
        #expect(samples(registry) == before)
        registry.move(0, to: slots)
        #expect(samples(registry) == before)
        registry.move(1, to: slots)
        #expect(samples(registry) == before)
        registry.workers[0].countRequest(route: slots.routes[0], status: 200, microseconds: 0)
        registry.workers[1].countRequest(route: slots.routes[2], status: 200, microseconds: 0)
        #expect(registry.requests("c") == "1")
        #expect(registry.requests("a") == "2")
        #expect(registry.requests("b") == "1")
        #expect(samples(registry)[#"portcullis_refusals_total{route="b",cause="odd",blame="us"}"#] == "1")
    }

    @Test(.holds("OPS-07")) func `what a worker counts before its turn is neither lost nor doubled`() {
        let registry = registry(labels(["a"]))
        let slots = registry.extend(labels(["a", "b"]), keeping: [labels(["a"])])
        registry.move(0, to: slots)
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        registry.workers[1].countRequest(route: 0, status: 200, microseconds: 0)
        #expect(registry.requests("a") == "2")
        registry.move(1, to: slots)
        registry.workers[1].countRequest(route: 0, status: 200, microseconds: 0)
        #expect(registry.requests("a") == "3")
    }

    @Test func `a slot is not given away while requests of its configuration are alive`() {
        let registry = registry(labels(["a", "b"]))
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        let second = registry.extend(labels(["b", "c"]), keeping: [labels(["a", "b"])])
        #expect(second.routes == [1, 2])
        registry.moveAll(to: second)
        // A request of the first configuration ends.
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        #expect(registry.requests("a") == "2")
    }

    @Test func `a slot that nobody needs is given to the next name, whose numbers begin at zero`() {
        let registry = registry(labels(["a", "b"]))
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        registry.workers[0].countRefusal(route: 0, cause: 0)
        let slots = registry.extend(labels(["b", "c", "d"]))
        #expect(slots.routes == [1, 0, 2])
        #expect(registry.requests("a") == nil)
        #expect(registry.requests("c") == nil, "a new name shows the numbers of the one before")
        registry.moveAll(to: slots)
        #expect(registry.requests("c") == nil)
        #expect(!samples(registry).keys.contains { $0.contains("cause=\"late\"") })
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        #expect(registry.requests("c") == "1")
    }

    @Test func `a worker that follows two reloads at once takes no numbers of another name over`() {
        let registry = registry(labels(["a"]), workers: 1)
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0)
        _ = registry.extend(labels(["b"]))
        let slots = registry.extend(labels(["b", "a"]))
        #expect(slots.routes == [0, 1])
        registry.moveAll(to: slots)
        #expect(registry.requests("b") == nil)
        #expect(registry.requests("a") == nil, "a name that came back counts from zero")
    }

    @Test func `no more slots are held than names are alive`() {
        let registry = registry(labels((0..<10).map { "old \($0)" }), workers: 1)
        for round in 0..<50 {
            let slots = registry.extend(labels(["\(round)", "x\(round)"]))
            #expect(slots.routes.allSatisfy { $0 < 10 })
            registry.moveAll(to: slots)
        }
        #expect(registry.extend(labels(["y", "z"])).routes.sorted() == [0, 1])
    }

    @Test(.holds("OPS-07")) func `a reload without routes, and one with routes again, lose nothing else`() {
        let registry = registry(labels(["a"]), workers: 1)
        registry.workers[0].countRequest(route: UnroutedRequests.none.slot, status: 200, microseconds: 0)
        registry.moveAll(to: registry.extend(labels([])))
        registry.workers[0].countRequest(route: UnroutedRequests.none.slot, status: 200, microseconds: 0)
        registry.moveAll(to: registry.extend(labels(["a"])))
        #expect(registry.requests("(none)") == "2")
    }

    @Test(.holds("OPS-07")) func `issuers and clients keep their numbers by name, and who counted before is heard`() {
        let registry = registry(labels([], issuers: ["main", "old"], logins: ["shop", "gone"]))
        let (issuers, logins) = (registry.issuers, registry.logins)
        issuers.setReady(issuer: 0, true)
        issuers.countRefresh(issuer: 1, .failed)
        logins.countLogout(client: 0)
        _ = registry.extend(labels([], issuers: ["new", "main"], logins: ["shop"]))
        // A login of the configuration before ends.
        logins.countLogout(client: 0)
        logins.countLogout(client: 1)
        registry.logins.countLogout(client: 0)
        registry.issuers.countRefresh(issuer: 1, .changed)
        let found = samples(registry)
        #expect(found[#"portcullis_issuer_ready{issuer="main"}"#] == "1")
        #expect(found[#"portcullis_issuer_ready{issuer="new"}"#] == "0")
        #expect(found[#"portcullis_issuer_ready{issuer="old"}"#] == nil)
        #expect(found[#"portcullis_issuer_refreshes_total{issuer="main",result="changed"}"#] == "1")
        #expect(found[#"portcullis_issuer_refreshes_total{issuer="new",result="failed"}"#] == "0")
        #expect(found[#"portcullis_logouts_total{client="shop"}"#] == "3")
        #expect(found[#"portcullis_logouts_total{client="gone"}"#] == nil)
    }

    @Test(.holds("OPS-07", "ECO-56")) func `an upstream that stays keeps its numbers, and one that is gone shows none`()
    {
        let registry = registry(labels(["a"], upstreams: ["app:80", "old:80"]))
        let banks = registry.workers.map { $0.upstreams["app:80"] }
        let old = registry.workers[0].upstreams["old:80"]
        banks[0].counters.adjustConnections(by: 2)
        banks[1].counters.count(.timedOut, at: 5)
        old.counters.adjustConnections(by: 1)
        registry.moveAll(to: registry.extend(labels(["a"], upstreams: ["new:80", "app:80"])))
        // A connection that was there before is closed by whoever had it.
        banks[0].counters.adjustConnections(by: -1)
        old.counters.adjustConnections(by: -1)
        registry.workers[1].upstreams["app:80"].counters.count(.timedOut, at: 6)
        let found = samples(registry)
        #expect(found[#"portcullis_upstream_connections{upstream="app:80"}"#] == "1")
        #expect(found[#"portcullis_upstream_failures_total{upstream="app:80",cause="timed_out"}"#] == "2")
        #expect(found[#"portcullis_upstream_connections{upstream="new:80"}"#] == "0")
        #expect(!found.keys.contains { $0.contains("old:80") })
    }

    @Test(.refuses("OPS-07")) func `scrapes never see a number go down while a worker moves again and again`() async {
        let registry = registry(labels(["a"]), workers: 1)
        let end = End()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<200 {
                    for _ in 0..<50 { registry.workers[0].countRequest(route: 0, status: 200, microseconds: 0) }
                    registry.moveAll(to: registry.extend(labels(["a", "b\(round)"]), keeping: [labels(["a"])]))
                }
                end.isReached.store(true, ordering: .releasing)
            }
            group.addTask {
                var last = 0
                while !end.isReached.load(ordering: .acquiring) {
                    let count = Int(registry.requests("a") ?? "0") ?? -1
                    if count < last { Issue.record("\(count) after \(last)") }
                    last = count
                    // With a single thread, the worker would never move.
                    await Task.yield()
                }
            }
        }
        #expect(registry.requests("a") == "10000")
    }

    @Test(.holds("OPS-07")) func `reloads are counted, and whether the last one was applied is shown`() {
        let registry = registry(labels([]))
        func shown() -> [String?] {
            let found = samples(registry)
            return [
                found[#"portcullis_config_reloads_total{result="applied"}"#],
                found[#"portcullis_config_reloads_total{result="refused"}"#],
                found["portcullis_config_last_reload_successful"], found["portcullis_config_applied_timestamp_seconds"],
            ]
        }
        #expect(shown() == ["0", "0", "1", "1000"])
        registry.countReload(applied: false, at: Timestamp(seconds: 1100))
        #expect(shown() == ["0", "1", "0", "1000"])
        registry.countReload(applied: true, at: Timestamp(seconds: 1200))
        #expect(shown() == ["1", "1", "1", "1200"])
        // Renewed files, by a text that the file no longer has.
        registry.countReload(applied: true, isOfFile: false, at: Timestamp(seconds: 1300))
        #expect(shown() == ["2", "1", "0", "1300"])
    }

    @Test(.holds("OPS-05")) func `dropped lines of a log are counted on when it goes elsewhere`() throws {
        let registry = registry(labels([]))
        for _ in 0..<2 {
            let sink = try LogSink(descriptor: -1)
            registry.attach(log: "access", sink)
            registry.attach(log: "access", sink)
            var line = LogLine()
            line.begin()
            line.end()
            sink.submit(&line)
            #expect(sink.stop(milliseconds: 60_000))
        }
        #expect(samples(registry)[#"portcullis_log_dropped_total{log="access"}"#] == "2")
    }
}
