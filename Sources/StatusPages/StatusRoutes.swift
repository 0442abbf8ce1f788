import Telemetry

extension StatusReport {
    /// Every route with what it served and refused, those first that somebody should look at.
    var routesSection: String {
        let rows = zip(recent.figures.routes, total.routes).filter { _, total in
            // Requests without a route are a row once there were any.
            total.requests > 0 || !StatusReport.isUnrouted(total.name)
        }.sorted { StatusReport.comesFirst($0.0, $1.0) }
        let busy = rows.prefix { $0.0.requests > 0 }.count
        let table = StatusTable(
            caption: "Routes, in \(span)",
            columns: [
                .init(title: "Route", isName: true), .init(title: "Requests/s", isNumber: true),
                .init(title: "Refused", isNumber: true), .init(title: "5xx", isNumber: true),
                .init(title: "p50", isNumber: true), .init(title: "p99", isNumber: true),
                .init(title: "Since the start", isNumber: true),
            ],
            rows: rows.map { row($0, $1.requests) },
            shown: rows.count <= StatusTable.shownLimit ? rows.count : min(max(busy, 3), StatusTable.shownLimit),
            more: "more routes")
        return StatusTable.section(
            "routes", "Routes",
            "In \(span). p50 and p99 are bounds of histogram buckets: estimates that are never too small.", table.html)
    }

    private func row(_ route: RouteFigures, _ total: UInt64) -> [String] {
        return [
            StatusReport.routeName(route.name), StatusWords.rate(route.requests, in: recent.seconds),
            StatusTable.counts(route.refusals),
            route.serverErrors == 0 ? "0" : StatusTable.chip(StatusWords.number(route.serverErrors), "bad"),
            StatusWords.bound(route.durations, thousandths: 500), StatusWords.bound(route.durations, thousandths: 990),
            StatusWords.number(total),
        ]
    }

    private static func isUnrouted(_ name: String) -> Bool { UnroutedRequests.allCases.contains { $0.label == name } }

    /// Errors before refusals, refusals before work, and work before idleness.
    private static func comesFirst(_ first: RouteFigures, _ second: RouteFigures) -> Bool {
        (second.serverErrors, second.refused, second.requests, first.name)
            < (first.serverErrors, first.refused, first.requests, second.name)
    }

    /// Who answers behind the routes, those first that cannot be reached.
    var upstreamsSection: String {
        guard !total.upstreams.isEmpty else { return "" }
        let recentFailures = Dictionary(
            recent.figures.upstreams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        func failures(_ each: UpstreamFigures) -> UInt64 { recentFailures[each.name]?.failures.total ?? 0 }
        let rows = total.upstreams.sorted {
            ($1.isUp == false ? 1 : 0, failures($1), $0.name) < ($0.isUp == false ? 1 : 0, failures($0), $1.name)
        }
        let table = StatusTable(
            caption: "Upstreams, in \(span)",
            columns: [
                .init(title: "Upstream", isName: true), .init(title: "State"),
                .init(title: "Connections", isNumber: true),
                .init(title: "Failures", isNumber: true), .init(title: "p50", isNumber: true),
                .init(title: "p99", isNumber: true), .init(title: "Failures since the start", isNumber: true),
            ],
            rows: rows.map { each in
                let recent = recentFailures[each.name] ?? UpstreamFigures(each.name)
                return [
                    StatusWords.name(each.name), StatusReport.state(each), "\(each.connections)",
                    StatusTable.counts(recent.failures), StatusWords.bound(recent.durations, thousandths: 500),
                    StatusWords.bound(recent.durations, thousandths: 990), StatusTable.counts(each.failures),
                ]
            }, more: "more upstreams")
        return StatusTable.section("upstreams", "Upstreams", "", table.html)
    }

    private static func state(_ upstream: UpstreamFigures) -> String {
        switch upstream.isUp {
        case true?: StatusTable.chip("up", "good")
        case false?: StatusTable.chip("down", "bad")
        case nil: StatusTable.chip("not asked yet", "calm")
        }
    }
}
