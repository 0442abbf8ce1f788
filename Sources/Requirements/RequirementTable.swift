/// Every row that the repository names: what an id in a log line, a test or a comment means is said here alone.
package enum RequirementTable {
    /// The families, in the order of a request's way, then of a login's.
    package static let families: [RequirementFamily] = [
        RequirementFamily(prefix: "HTTP", title: "HTTP/1.1 messages", isTested: true, rows: http),
        RequirementFamily(prefix: "H2", title: "HTTP/2 connections and gRPC", isTested: true, rows: http2),
        RequirementFamily(prefix: "JOSE", title: "signed and encrypted tokens", isTested: true, rows: tokens),
        RequirementFamily(prefix: "RS", title: "access tokens", isTested: true, rows: accessTokens),
        RequirementFamily(prefix: "MTLS", title: "tokens bound to certificates", isTested: true, rows: certificates),
        RequirementFamily(prefix: "INT", title: "introspection", isTested: true, rows: introspection),
        RequirementFamily(prefix: "STEP", title: "step-up", isTested: true, rows: stepUp),
        RequirementFamily(prefix: "RAR", title: "authorization details", isTested: true, rows: authorizationDetails),
        RequirementFamily(prefix: "TX", title: "token exchange", isTested: true, rows: tokenExchange),
        RequirementFamily(
            prefix: "MCP", title: "Model Context Protocol servers", isTested: true, rows: modelContextProtocol),
        RequirementFamily(prefix: "DPOP", title: "proofs of possession", isTested: true, rows: proofs),
        RequirementFamily(prefix: "CA", title: "client authentication", isTested: true, rows: clientAuthentication),
        RequirementFamily(prefix: "JAR", title: "request objects", isTested: true, rows: requestObjects),
        RequirementFamily(prefix: "PAR", title: "pushed requests", isTested: true, rows: pushedRequests),
        RequirementFamily(prefix: "CF", title: "the authorization code flow", isTested: true, rows: codeFlow),
        RequirementFamily(prefix: "RF", title: "refreshes", isTested: true, rows: refreshes),
        RequirementFamily(prefix: "RV", title: "revocation", isTested: true, rows: revocation),
        RequirementFamily(prefix: "OIDC", title: "ID tokens and userinfo", isTested: true, rows: openID),
        RequirementFamily(prefix: "SC", title: "sessions and cookies", isTested: true, rows: sessions),
        RequirementFamily(prefix: "LO", title: "logouts", isTested: true, rows: logouts),
        RequirementFamily(prefix: "MD", title: "metadata and keys", isTested: true, rows: metadata),
        RequirementFamily(prefix: "OPS", title: "operation", isTested: true, rows: operation),
        RequirementFamily(
            prefix: "ECO", title: "pages for people, and what surrounds the gateway", isTested: true,
            rows: (images + observability + kubernetes + surroundings).sorted { $0.id < $1.id }),
        RequirementFamily(
            prefix: "SH", title: "shared state", isTested: true,
            rows: (sharedState + ownState).sorted { $0.id < $1.id }),
        RequirementFamily(
            prefix: "D", title: "decisions where the standards leave room", isTested: false, rows: decisions),
        RequirementFamily(prefix: "T", title: "threats", isTested: false, rows: threats),
        RequirementFamily(prefix: "E", title: "answers to refused requests", isTested: false, rows: answers),
        RequirementFamily(
            prefix: "BASE", title: "what a test shows before it shows more", isTested: false, rows: baselines),
    ]

    /// The rows of HTTP, which are too many for one file.
    private static let http: [Requirement] = messages + forwarding

    /// The same of HTTP/2.
    private static let http2: [Requirement] = clientStreams + upstreamStreams

    /// The row of an id, and its family; nil where no row is called so.
    package static func find(_ id: String) -> (row: Requirement, family: RequirementFamily)? {
        for family in families {
            if let row = family.rows.first(where: { $0.id == id }) { return (row, family) }
        }
        return nil
    }
}
