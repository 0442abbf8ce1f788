extension RequirementTable {
    /// Rows of what operators see of the gateway, and of what they are given to look at it with.
    static let observability: [Requirement] = [
        Requirement(
            id: "ECO-50", source: "W3C Trace Context §3",
            promise: """
                The gateway continues the trace of a trusted peer's request if it has one valid traceparent. Anything else \
                begins a new trace, and nobody else decides what is sampled.
                """),
        Requirement(
            id: "ECO-51", source: "W3C Trace Context §3.2",
            promise: """
                An upstream gets one traceparent, whose parent is the gateway's client span. Authorization servers get \
                one for what they are asked for a request, whose parent is the span of the wait, if trace_outbound \
                says so, and none otherwise.
                """),
        Requirement(
            id: "ECO-52", source: "OpenTelemetry semantic conventions for HTTP spans",
            promise: """
                Spans have the names and attributes of the conventions. No span has a query, a token, a cookie or a \
                subject.
                """),
        Requirement(
            id: "ECO-53", source: "OpenTelemetry Protocol 1.x",
            promise: """
                The gateway exports spans in batches, over a bounded queue that no request waits for. It counts what it \
                drops.
                """),
        Requirement(
            id: "ECO-54", source: "OpenTelemetry consistent probability sampling",
            promise: """
                The gateway samples by the trace's id, so that a ratio is the part of all traces that it says. Errors are \
                kept at a bounded rate where the operator wants them.
                """),
        Requirement(
            id: "ECO-55", source: "policy of this gateway",
            promise: """
                Without tracing the gateway allocates nothing for it, and passes the fields of traces on as they came.
                """),
        Requirement(
            id: "ECO-56", source: "OpenMetrics 1.0; OpenTelemetry semantic conventions for HTTP metrics",
            promise: """
                The gateway shows durations, upstreams, certificates, sessions and logins on its metrics page, in \
                OpenMetrics where a scraper asks for it. No request adds a series.
                """),
        Requirement(
            id: "ECO-57", source: "policy of this gateway",
            promise: """
                The audit log has who signed in and out, why sessions ended, what valid identities were refused, and what the \
                operator changed, by a schema that is published. It holds no secret, and nobody without an identity can fill \
                it.
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
            id: "ECO-62", source: "policy of this gateway",
            promise: """
                Every log and every page of a refusal names the request and its decision alike, and the gateway explains a \
                remembered request by any of these names.
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
