extension RequirementTable {
    /// Rows of what operators see of the gateway, and of what they are given to look at it with.
    static let observability: [Requirement] = [
        Requirement(
            id: "ECO-56", source: "OpenMetrics 1.0; OpenTelemetry semantic conventions for HTTP metrics",
            promise: """
                The gateway shows durations, upstreams, certificates, sessions and logins on its metrics page, in \
                OpenMetrics where a scraper asks for it. No request adds a series.
                """),
        Requirement(
            id: "ECO-59", source: "policy of this gateway",
            promise: """
                Every expression of the dashboard is one that Prometheus reads, and names only metrics and labels that \
                the gateway's page has.
                """),
        Requirement(
            id: "ECO-60", source: "policy of this gateway",
            promise: """
                Each of the alerts has a section of the catalogue that says what to do, a case in which it fires, and \
                one in which it does not.
                """),
        Requirement(
            id: "ECO-61", source: "Site Reliability Workbook, chapter 5",
            promise: """
                The rules of the service level count neither the clients' own mistakes nor the time of upstreams, and \
                warn by how fast the error budget burns.
                """),
        Requirement(
            id: "ECO-63", source: "policy of this gateway",
            promise: """
                The status page shows what is wrong, who is refused and why. It changes nothing, loads nothing from \
                elsewhere, is of bounded size, escapes every word that it was given, and shows no token, claim, user, \
                cookie or query.
                """),
    ]
}
