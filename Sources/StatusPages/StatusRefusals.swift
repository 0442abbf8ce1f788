import Telemetry

/// A cause of refusals over all routes.
struct StatusCause {
    var figures: CauseFigures
    /// The routes that it happened at, the most often first.
    var routes: [(name: String, count: UInt64)]
}

extension StatusReport {
    /// How long ago the last seconds began, as words.
    var span: String { "the last \(StatusWords.duration(recent.seconds))" }

    var recentCauses: [StatusCause] { StatusReport.causes(recent.figures) }

    private static func causes(_ figures: MetricsFigures) -> [StatusCause] {
        var causes: [String: StatusCause] = [:]
        for route in figures.routes {
            for refusal in route.refusals {
                causes[
                    refusal.cause,
                    default: StatusCause(
                        figures: CauseFigures(refusal.cause, blame: refusal.blame, count: 0), routes: [])
                ]
                .add(refusal.count, at: route.name)
            }
        }
        return causes.values.map(\.sorted).sorted {
            ($1.figures.count, $0.figures.cause) < ($0.figures.count, $1.figures.cause)
        }
    }

    /// Requests, refusals, errors and durations of the last seconds.
    var traffic: String {
        let routes = recent.figures.routes
        let requests = routes.reduce(0) { $0 &+ $1.requests }
        let refused = routes.reduce(0) { $0 &+ $1.refused }
        let errors = routes.reduce(0) { $0 &+ $1.serverErrors }
        var durations = DurationFigures()
        for route in routes { durations.add(route.durations) }
        var tiles = [
            tile("Requests", StatusWords.rate(requests, in: recent.seconds), "/s"),
            tile(
                "Refused", StatusWords.rate(refused, in: recent.seconds), "/s",
                "\(StatusWords.share(refused, of: requests)) of requests"),
            tile(
                "5xx answers", StatusWords.number(errors), "",
                errors == 0 ? "" : "\(StatusWords.share(errors, of: requests)) of requests",
                isBad: errors > 0),
            tile(
                "p50", StatusWords.bound(durations, thousandths: 500), "",
                "p99 \(StatusWords.bound(durations, thousandths: 990))"),
        ]
        if !total.logins.isEmpty {
            let starts = recent.figures.logins.reduce(0) { $0 &+ $1.starts }
            tiles.append(
                tile(
                    "Sessions", sessions.map { StatusWords.number(UInt64(max($0, 0))) } ?? "–", "",
                    "\(StatusWords.count(Int(clamping: starts), "login", "logins")) begun"))
        }
        return "<section id=\"traffic\"><h2>\(span.prefix(1).uppercased())\(span.dropFirst())</h2>"
            + "<dl>\(tiles.joined())</dl></section>"
    }

    /// Those that are known of; nil where all sessions are in cookies alone.
    private var sessions: Int? { serving.sessions.isEmpty ? nil : serving.sessions.reduce(0) { $0 + $1.count } }

    private func tile(_ name: String, _ value: String, _ unit: String, _ note: String = "", isBad: Bool = false)
        -> String
    {
        "<div\(isBad ? " class=\"bad\"" : "")><dt>\(name)</dt><dd><b>\(value)</b>\(unit)\(StatusTable.note(note))</dd></div>"
    }

    /// Who is refused now, and why; and what was refused before.
    var refusedSection: String {
        let recentCauses = recentCauses
        let most = recentCauses.first?.figures.count ?? 0
        let totals = StatusReport.causes(total)
        let counts = Dictionary(totals.map { ($0.figures.cause, $0.figures.count) }, uniquingKeysWith: { $1 })
        let names = Set(recentCauses.map(\.figures.cause))
        let now = StatusTable(
            caption: "Refusals of \(span) by cause",
            columns: [
                .init(title: "Cause", isName: true), .init(title: "Who must act"), .init(title: "Where"),
                .init(title: "Refused", isNumber: true), .init(title: "Since the start", isNumber: true),
            ],
            rows: recentCauses.map { cause in
                [
                    "\(StatusWords.cause(cause.figures.cause))\(bar(cause.figures, of: most))",
                    actor(cause.figures.blame), places(cause),
                    "<b>\(StatusWords.number(cause.figures.count))</b>",
                    StatusWords.number(counts[cause.figures.cause] ?? 0),
                ]
            }, more: "more causes")
        let before = StatusTable(
            caption: "Refusals before \(span) by cause",
            columns: [
                .init(title: "Cause", isName: true), .init(title: "Who must act"), .init(title: "Where"),
                .init(title: "Since the start", isNumber: true),
            ],
            rows: totals.filter { !names.contains($0.figures.cause) }.map { cause in
                [
                    StatusWords.cause(cause.figures.cause), actor(cause.figures.blame), places(cause),
                    StatusWords.number(cause.figures.count),
                ]
            }, shown: 0, more: names.isEmpty ? "seen since the start" : "more seen since the start")
        let none = recentCauses.isEmpty ? "<p class=\"calm\">Nobody was refused in \(span).</p>" : ""
        return StatusTable.section("refused", "Who is refused, and why", "", none + now.html + before.html)
    }

    private func actor(_ blame: String) -> String {
        blame == "client"
            ? StatusWords.actor(blame) : StatusTable.chip(StatusWords.actor(blame), "bad")
    }

    private func places(_ cause: StatusCause) -> String {
        let places = cause.routes.prefix(3).map { route in
            "\(StatusReport.routeName(route.name))"
                + (cause.routes.count > 1 ? " <small>\(StatusWords.number(route.count))</small>" : "")
        }
        let more = cause.routes.count > 3 ? [", and \(cause.routes.count - 3) more"] : []
        return "<span class=\"places\">" + places.joined(separator: ", ") + more.joined() + "</span>"
    }

    private func bar(_ figures: CauseFigures, of most: UInt64) -> String {
        guard most > 0 else { return "" }
        let width = max(1, Int(figures.count * 100 / most))
        return
            "<svg class=\"bar\(figures.blame == "client" ? "" : " bad")\" viewBox=\"0 0 100 3\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + "<rect width=\"\(width)\" height=\"3\"/></svg>"
    }

    /// A route's name; of requests without a route, what they have in common.
    static func routeName(_ name: String) -> String {
        let meaning: String
        switch name {
        case UnroutedRequests.none.label: meaning = "before a route was known"
        case UnroutedRequests.logins.label: meaning = "pages of logins"
        case UnroutedRequests.unknownPath.label: meaning = "paths without a route"
        case UnroutedRequests.published.label: meaning = "published documents"
        case _: return StatusWords.name(name)
        }
        return "<span title=\"\(name)\">\(meaning)</span>"
    }

    /// The requests that were refused last, where they are kept.
    var lastSection: String {
        let title = "The last refusals"
        guard let refusedRequests else {
            return StatusTable.section(
                "last", title, "",
                "<p class=\"calm\">They are not kept. Set <code>explain_buffer: 1000</code> in the configuration, and each "
                    + "is listed here with a link that says why. Whoever reaches this listener then sees paths and the "
                    + "claims of tokens.</p>")
        }
        guard !refusedRequests.isEmpty else {
            return StatusTable.section(
                "last", title, "", "<p class=\"calm\">None of the requests that are kept was refused.</p>")
        }
        let table = StatusTable(
            caption: "The last refusals, the newest first",
            columns: [
                .init(title: "Request", isName: true), .init(title: "Cause"), .init(title: "Status", isNumber: true),
                .init(title: "When"), .init(title: "Why"),
            ],
            rows: refusedRequests.map { request in
                [
                    "<code>\(StatusWords.name(request.method, limit: 16)) \(StatusWords.name(request.path))</code>",
                    StatusWords.cause(request.cause), "\(request.status)",
                    "\(StatusWords.timeOfDay(request.time)) \(StatusTable.note("\(StatusWords.duration(now - request.time)) ago"))",
                    "<a href=\"explain/\(StatusWords.name(request.id))\">explain</a>",
                ]
            }, shown: 5, more: "more")
        return StatusTable.section("last", title, "", table.html)
    }
}

extension StatusCause {
    fileprivate mutating func add(_ count: UInt64, at route: String) {
        figures.count &+= count
        routes.append((route, count))
    }

    fileprivate var sorted: StatusCause {
        var cause = self
        cause.routes.sort { ($1.count, $0.name) < ($0.count, $1.name) }
        return cause
    }
}
