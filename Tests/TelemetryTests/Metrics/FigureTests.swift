import TestTraits
import Testing

@testable import Telemetry

@Suite struct `figures of the last minute` {
    private func registry(_ routes: [String] = ["a", "b"]) -> MetricsRegistry {
        MetricsRegistry(
            workers: 2,
            labels: MetricsLabels(
                routes: routes, causes: [RefusalLabel(cause: "late", blame: "client")], algorithms: [], issuers: [],
                logins: ["web"], upstreams: ["u"]),
            version: "1", startTime: Timestamp(seconds: 1000))
    }

    private func route(_ figures: MetricsFigures, _ name: String) throws -> RouteFigures {
        try #require(figures.routes.first { $0.name == name })
    }

    @Test(.holds("ECO-63")) func `are what was counted between two looks, by all workers`() throws {
        let registry = registry()
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 90)
        registry.workers[1].countRefusal(route: 0, cause: 0)
        registry.logins.countStart(client: 0)
        let before = registry.figures
        registry.workers[0].countRequest(route: 0, status: 503, microseconds: 90)
        registry.workers[1].countRequest(route: 0, status: 200, microseconds: 90)
        registry.workers[1].countRefusal(route: 0, cause: 0)
        registry.workers[1].countRefusal(route: 0, cause: 0)
        registry.workers[0].upstreams["u"].counters.count(.closed, at: 1)
        let recent = registry.figures.since(before)
        let first = try route(recent, "a")
        #expect((first.requests, first.serverErrors, first.refused) == (2, 1, 2))
        #expect(first.refusals == [CauseFigures("late", blame: "client", count: 2)])
        #expect(try route(recent, "b").requests == 0)
        #expect(recent.logins[0].starts == 0)
        #expect(recent.upstreams[0].failures == [CauseFigures("closed", count: 1)])
    }

    /// The figures of a page, as if each stood where another page's did.
    private func renamed(_ figures: MetricsFigures, as others: MetricsFigures) -> MetricsFigures {
        var figures = figures
        for index in figures.routes.indices { figures.routes[index].place = others.routes[index].place }
        return figures
    }

    @Test(.refuses("ECO-63")) func `never run backwards where a name begins anew`() throws {
        let registry = registry()
        for _ in 0..<5 {
            registry.workers[0].countRequest(route: 1, status: 503, microseconds: 90)
            registry.workers[0].countRefusal(route: 1, cause: 0)
        }
        let before = registry.figures
        for routes in [["a"], ["a", "b"]] {
            let slots = registry.extend(
                MetricsLabels(routes: routes, causes: [], algorithms: [], issuers: [], logins: []))
            for index in slots.workers.indices {
                slots.workers[index].takeOver(from: registry.workers[index])
                registry.workerUses(slots.workers[index], worker: index)
            }
        }
        registry.workers[0].countRequest(route: 1, status: 503, microseconds: 90)
        registry.workers[0].countRefusal(route: 1, cause: 0)
        // As if it still were the name of before, too.
        for figures in [registry.figures, renamed(registry.figures, as: before)] {
            let second = try route(figures.since(before), "b")
            #expect((second.requests, second.serverErrors, second.refused) == (1, 1, 1))
        }
    }

    @Test(
        .holds("ECO-63"),
        arguments: [
            (500, DurationFigures.Bound.atMost(100)), (980, .atMost(100)), (981, .atMost(75_000)),
            (990, .atMost(75_000)),
            (991, .above(10_000_000)), (1000, .above(10_000_000)),
        ])
    func `have bounds below which no duration is that counts`(share: Int, bound: DurationFigures.Bound) throws {
        let registry = registry()
        for _ in 0..<98 { registry.workers[0].countRequest(route: 0, status: 200, microseconds: 99) }
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 60_000)
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 60_000_000)
        #expect(try route(registry.figures, "a").durations.bound(ofThousandths: UInt64(share)) == bound)
        #expect(try route(registry.figures, "b").durations.bound(ofThousandths: 500) == nil)
    }

    @Test(.holds("ECO-63")) func `are of a minute, once there was one`() {
        let registry = registry()
        var history = FigureHistory()
        let second: UInt64 = 1_000_000
        #expect(history.recent(registry.figures, at: 5) == nil)
        for time in 0...300 where history.wantsLook(at: UInt64(time) * second) {
            history.keep(registry.figures, at: UInt64(time) * second)
            #expect(time % 10 == 0)
        }
        #expect(history.recent(registry.figures, at: 300 * second)?.seconds == 60)
        #expect(history.recent(registry.figures, at: 309 * second)?.seconds == 69)
        registry.workers[0].countRequest(route: 0, status: 200, microseconds: 99)
        let recent = history.recent(registry.figures, at: 309 * second)?.figures
        #expect(recent?.routes.last { $0.requests == 1 }?.name == "a")
    }
}
