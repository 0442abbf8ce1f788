import Telemetry

extension StatusReport {
    /// Authorization servers and how old their keys are, those without keys first.
    var issuersSection: String {
        guard !issuers.isEmpty else { return "" }
        func weight(_ issuer: Issuer) -> Int {
            switch issuer.state {
            case .withoutKeys: 3
            case .stale: 2
            case .waiting: 1
            case .ready: 0
            }
        }
        let rows = issuers.sorted { (weight($1), $0.name) < (weight($0), $1.name) }
        let table = StatusTable(
            caption: "Issuers and their keys",
            columns: [
                .init(title: "Issuer", isName: true), .init(title: "State"), .init(title: "Keys", isNumber: true),
                .init(title: "Read"), .init(title: "Last error"),
            ],
            rows: rows.map { issuer in
                [
                    "\(StatusWords.name(issuer.name))\(StatusTable.note(StatusWords.name(issuer.url)))",
                    StatusReport.state(issuer), "\(issuer.keyCount)",
                    issuer.fetchedAt.map { "\(StatusWords.duration(now - $0)) ago" } ?? "never",
                    issuer.lastError.map { error in
                        StatusWords.cause(error)
                            + StatusTable.note(StatusWords.count(issuer.failures, "attempt", "attempts") + " failed")
                    } ?? "none",
                ]
            }, more: "more issuers")
        return StatusTable.section("issuers", "Issuers", "", table.html)
    }

    private static func state(_ issuer: Issuer) -> String {
        switch issuer.state {
        case .ready: StatusTable.chip("ready", "good")
        case .stale: StatusTable.chip("stale", "warn")
        case .waiting: StatusTable.chip("waiting", "warn")
        case .withoutKeys: StatusTable.chip("no keys", "bad")
        }
    }

    /// Certificates that the gateway shows, those first that end first.
    var certificatesSection: String {
        guard !serving.certificates.isEmpty else { return "" }
        let rows = serving.certificates.sorted { ($0.notAfter, $0.file) < ($1.notAfter, $1.file) }
        let table = StatusTable(
            caption: "Certificates that the gateway shows",
            columns: [
                .init(title: "Certificate", isName: true), .init(title: "Shown to"), .init(title: "State"),
                .init(title: "Good until"),
            ],
            rows: rows.map { certificate in
                [
                    StatusWords.name(certificate.file), StatusReport.audience(certificate.use), state(certificate),
                    StatusWords.time(certificate.notAfter),
                ]
            }, more: "more certificates")
        return StatusTable.section("certificates", "Certificates", "", table.html)
    }

    private func state(_ certificate: ServingReadings.Certificate) -> String {
        let days = daysLeft(certificate)
        if days < 0 { return StatusTable.chip("expired", "bad") }
        let words = (days < 2 ? StatusWords.duration(certificate.notAfter - now) : "\(days) days") + " left"
        if days < StatusProblem.certificateBad { return StatusTable.chip(words + ", renew now", "bad") }
        if days < StatusProblem.certificateWarning { return StatusTable.chip(words + ", renew", "warn") }
        return StatusTable.chip(words, "good")
    }

    private static func audience(_ use: ServingReadings.Certificate.Use) -> String {
        switch use {
        case .listener: "clients"
        case .upstream: "an upstream"
        case .client: "an authorization server"
        }
    }

    /// Logins by client, and the sessions that are alive.
    var loginsSection: String {
        guard !total.logins.isEmpty else { return "" }
        let alive = Dictionary(serving.sessions.map { ($0.client, $0.count) }, uniquingKeysWith: { $1 })
        let recentLogins = Dictionary(
            recent.figures.logins.map { ($0.client, $0) }, uniquingKeysWith: { first, _ in first })
        let rows = total.logins.sorted { first, second in
            let counts = [first, second].map { recentLogins[$0.client]?.refusals.total ?? 0 }
            return (counts[1], first.client) < (counts[0], second.client)
        }
        let table = StatusTable(
            caption: "Logins since the start, and sessions",
            columns: [
                .init(title: "Client", isName: true), .init(title: "Sessions", isNumber: true),
                .init(title: "Begun", isNumber: true), .init(title: "Succeeded", isNumber: true),
                .init(title: "Refused", isNumber: true), .init(title: "Logouts", isNumber: true),
                .init(title: "Refused lately", isNumber: true),
            ],
            rows: rows.map { login in
                [
                    StatusWords.name(login.client),
                    alive[login.client].map { StatusWords.number(UInt64(max($0, 0))) } ?? "in cookies",
                    StatusWords.number(login.starts), StatusWords.number(login.succeeded),
                    StatusTable.counts(login.refusals), StatusWords.number(login.logouts),
                    StatusTable.counts(recentLogins[login.client]?.refusals ?? []),
                ]
            }, more: "more clients")
        return StatusTable.section(
            "logins", "Logins and sessions", "Since the start; refused lately is \(span).", table.html)
    }

    /// The process: since when, which version, and by which configuration.
    var processSection: String {
        var facts = [
            fact("Up for", StatusWords.duration(now - startedAt), "since \(StatusWords.time(startedAt))"),
            fact("Version", StatusWords.name(version), ""),
            fact(
                "Configuration", "number \(configuration.number)",
                "in force since \(StatusWords.time(configuration.appliedAt))"),
            fact("Last reload", lastReload, configuration.reloadedAt.map { StatusWords.time($0) } ?? ""),
            fact("Workers", "\(configuration.workers)", ""),
            fact(
                "Connections", "\(total.clientConnections) from clients", "\(total.upstreamConnections) to upstreams"),
            fact(
                "Handshakes refused", StatusWords.number(total.handshakeFailures),
                "\(StatusWords.number(recent.figures.handshakeFailures)) in \(span)"),
        ]
        if let file = configuration.file {
            let digest = configuration.digest.map { "SHA-256 \(StatusWords.cause($0))" } ?? ""
            facts.insert(
                fact("File", "<code>\(StatusWords.name(file, limit: 300))</code>", digest, isWide: true), at: 3)
        }
        if let bytes = process.residentBytes {
            let open = process.openDescriptors.map { "\($0)" + (process.descriptorLimit.map { " of \($0)" } ?? "") }
            facts.append(fact("Memory", StatusWords.bytes(bytes), open.map { "\($0) descriptors" } ?? ""))
        }
        return StatusTable.section("process", "Process and configuration", "", "<dl>\(facts.joined())</dl>")
    }

    private var lastReload: String {
        guard let fault = configuration.fault else {
            return configuration.reloadedAt == nil ? "none since the start" : StatusTable.chip("applied", "good")
        }
        return StatusTable.chip("refused", "warn") + " " + StatusWords.count(fault.count, "problem", "problems")
    }

    private func fact(_ name: String, _ value: String, _ note: String, isWide: Bool = false) -> String {
        "<div\(isWide ? " class=\"wide\"" : "")><dt>\(name)</dt><dd>\(value)\(StatusTable.note(note))</dd></div>"
    }
}
