import StatusPages
import Telemetry

/// Reports for the tests, with numbers that were counted as a worker counts them.
enum Reports {
    static let now: Int64 = 1_764_040_327

    static let causes = [
        RefusalLabel(cause: "token_expired", blame: "client"),
        RefusalLabel(cause: "credentials_missing", blame: "client"),
        RefusalLabel(cause: "upstream_unreachable", blame: "upstream"),
        RefusalLabel(cause: "issuer_keys_unavailable", blame: "issuer"),
        RefusalLabel(cause: "login_access_denied", blame: "client"),
        RefusalLabel(cause: "route_unknown", blame: "client"),
    ]

    static func registry(
        _ routes: [String], upstreams: [String] = [], logins: [String] = [], issuers: [String] = []
    ) -> MetricsRegistry {
        MetricsRegistry(
            workers: 1,
            labels: MetricsLabels(
                routes: routes, causes: causes, algorithms: [], issuers: issuers, logins: logins, upstreams: upstreams),
            version: "0.1.0", startTime: Timestamp(seconds: now - 90_000))
    }

    static func report(_ registry: MetricsRegistry, since earlier: MetricsFigures? = nil) -> StatusReport {
        var report = StatusReport(now: now, startedAt: now - 90_000, version: "0.1.0")
        report.site = "https://shop.example.com"
        report.configuration.file = "/etc/portcullis/portcullis.yaml"
        report.configuration.digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        report.configuration.appliedAt = now - 90_000
        report.configuration.workers = 2
        report.total = registry.figures
        report.recent = (earlier.map { report.total.since($0) } ?? report.total, 60)
        report.process.residentBytes = 25 << 20
        report.process.openDescriptors = 61
        report.process.descriptorLimit = 65536
        return report
    }

    private static func count(
        _ registry: MetricsRegistry, _ route: Int, _ status: UInt16, _ times: Int, taking: UInt64 = 4000
    ) {
        for time in 0..<times {
            let isSlow = time % 50 == 49
            registry.workers[0].countRequest(route: route, status: status, microseconds: isSlow ? taking * 20 : taking)
        }
    }

    private static func refuse(_ registry: MetricsRegistry, _ route: Int, _ status: UInt16, cause: Int, _ times: Int) {
        count(registry, route, status, times, taking: 90)
        for _ in 0..<times { registry.workers[0].countRefusal(route: route, cause: cause) }
    }

    /// A gateway of a shop on a good day.
    static func fine() -> StatusReport {
        let registry = registry(
            ["orders", "cart", "assets"], upstreams: ["http://10.0.0.5:8080", "http://10.0.0.6:8080"], logins: ["web"],
            issuers: ["main"])
        for route in 0..<3 { count(registry, route, 200, 5000, taking: 3000) }
        let before = registry.figures
        count(registry, 0, 200, 900, taking: 8000)
        count(registry, 2, 200, 3000, taking: 700)
        for name in ["http://10.0.0.5:8080", "http://10.0.0.6:8080"] {
            let counters = registry.workers[0].upstreams[name].counters
            counters.countConnect(at: 5)
            counters.adjustConnections(by: 4)
            for _ in 0..<100 { counters.countResponse(status: 200, microseconds: 2000, at: 6) }
        }
        registry.logins.countStart(client: 0)
        registry.logins.countSuccess(client: 0)
        var report = report(registry, since: before)
        var issuer = StatusReport.Issuer("main", url: "https://id.example.com")
        issuer.state = .ready
        issuer.keyCount = 3
        issuer.fetchedAt = now - 240
        report.issuers = [issuer]
        report.serving.certificates = [.init(.listener, file: "/etc/portcullis/tls.crt", notAfter: now + 61 * 86_400)]
        report.serving.sessions = [(client: "web", count: 1284)]
        return report
    }

    /// The same gateway on a bad one: an upstream is down, an issuer has no keys, a certificate ends.
    static func trouble() -> StatusReport {
        let registry = registry(
            ["orders", "cart", "assets", "partners"],
            upstreams: ["http://10.0.0.5:8080", "http://10.0.0.6:8080", "http://10.0.0.7:8080"],
            logins: ["web", "staff"],
            issuers: ["main", "partners"])
        for route in 0..<4 { count(registry, route, 200, 5000, taking: 3000) }
        refuse(registry, UnroutedRequests.unknownPath.slot, 404, cause: 5, 40)
        let before = registry.figures
        count(registry, 0, 200, 900, taking: 8000)
        count(registry, 2, 200, 3000, taking: 700)
        refuse(registry, 0, 401, cause: 0, 212)
        refuse(registry, 1, 401, cause: 0, 31)
        refuse(registry, 0, 401, cause: 1, 18)
        refuse(registry, 1, 502, cause: 2, 88)
        refuse(registry, 3, 503, cause: 3, 9)
        let (up, down) = (
            registry.workers[0].upstreams["http://10.0.0.5:8080"].counters,
            registry.workers[0].upstreams["http://10.0.0.6:8080"].counters
        )
        up.countConnect(at: 5)
        up.adjustConnections(by: 7)
        for _ in 0..<100 { up.countResponse(status: 200, microseconds: 2000, at: 6) }
        for _ in 0..<88 { down.count(.unreachable, at: 9) }
        down.count(.timedOut, at: 9)
        for _ in 0..<30 { registry.logins.countStart(client: 0) }
        for _ in 0..<21 { registry.logins.countSuccess(client: 0) }
        for _ in 0..<4 { registry.logins.countRefusal(client: 0, cause: 4) }
        var report = report(registry, since: before)
        var ready = StatusReport.Issuer("main", url: "https://id.example.com")
        ready.state = .ready
        ready.keyCount = 3
        ready.fetchedAt = now - 240
        var broken = StatusReport.Issuer("partners", url: "https://login.partners.example/realms/b2b")
        broken.state = .withoutKeys
        broken.lastError = "connect_failed"
        broken.failures = 7
        report.issuers = [ready, broken]
        report.serving.certificates = [
            .init(.listener, file: "/etc/portcullis/tls.crt", notAfter: now + 61 * 86_400),
            .init(.listener, file: "/etc/portcullis/partners.crt", notAfter: now + 86_000),
            .init(.upstream, file: "/etc/portcullis/client.crt", notAfter: now + 9 * 86_400),
        ]
        report.serving.sessions = [(client: "web", count: 1284)]
        report.configuration.number = 4
        report.configuration.fault = (
            "portcullis.yaml:23:13: routes[2].token.audience: expected a text, found a list", 2
        )
        report.configuration.reloadedAt = now - 600
        report.refusedRequests = (0..<11).map { index in
            var request = StatusReport.RefusedRequest(
                id: "0123456789abcdef0123456789abcde\(String(index, radix: 16))", time: now - Int64(index * 7),
                cause: index % 3 == 0 ? "upstream_unreachable" : "token_expired", status: index % 3 == 0 ? 502 : 401)
            request.method = index % 2 == 0 ? "GET" : "POST"
            request.path = "/api/orders/\(7000 + index)"
            return request
        }
        return report
    }

    /// As many routes as somebody has.
    static func many(_ count: Int = 200, named name: (Int) -> String = { "/services/team-\($0 / 10)/api-\($0)/" })
        -> StatusReport
    {
        let registry = registry((0..<count).map(name), upstreams: (0..<40).map { "http://10.0.1.\($0):8080" })
        for route in 0..<count { self.count(registry, route, 200, 1 + route % 40) }
        let before = registry.figures
        for route in 0..<count where route % 3 == 0 { self.count(registry, route, 200, 1 + route) }
        for route in 0..<count where route % 29 == 0 { refuse(registry, route, 401, cause: 0, 1 + route / 20) }
        if count > 150 { refuse(registry, 150, 502, cause: 2, 12) }
        return report(registry, since: before)
    }
}
