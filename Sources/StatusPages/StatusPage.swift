import Bytes
import Crypto
import Pages

/// The status page: a report as HTML that any browser shows, and that keeps itself new where scripts run.
///
/// A function of the report alone. Nothing in it is from elsewhere, nothing in it changes anything, and every word of a
/// configuration or a client is escaped. Its size is bounded, however many routes there are and whatever they are called.
package enum StatusPage {
    /// Lets in the page's own style and script, and lets the script ask the page's own origin; nothing else.
    package static let contentSecurityPolicy =
        "default-src 'none'; style-src \(source(of: style)); script-src \(source(of: script)); connect-src 'self'; "
        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The page in UTF-8.
    package static func bytes(_ report: StatusReport) -> [UInt8] { Array(html(report).utf8) }

    private static func source(of text: String) -> String {
        let utf8 = text.utf8Span
        return "'sha256-" + Base64.encode(SHA256.hash(utf8.span).bytes.span) + "'"
    }

    private static func html(_ report: StatusReport) -> String {
        let verdict = StatusVerdict(report)
        let site = StatusWords.name(report.site)
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(verdict.title)\(site.isEmpty ? "" : " · \(site)")</title>\
            <meta name="viewport" content="width=device-width, initial-scale=1">\
            <meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">\
            <link rel="icon" href="\(verdict.icon)"><style>\(style)</style></head>
            <body><header><p class="name"><b>Portcullis</b> <span>\(site)</span></p>\
            <p class="live"><span id="live">As of \(StatusWords.time(report.now))</span> <a href="">Look again</a></p></header>
            <main>
            \(verdict.section)
            \(report.traffic)
            \(report.refusedSection)
            \(report.lastSection)
            \(report.routesSection)
            \(report.issuersSection)
            \(report.upstreamsSection)
            \(report.certificatesSection)
            \(report.loginsSection)
            \(report.processSection)
            </main>
            <footer><p>The numbers in <a href="metrics">metrics</a> are the same ones; \
            <a href="readyz">readyz</a> is what load balancers ask. This page changes nothing.</p></footer>
            <script>\(script)</script></body></html>

            """
    }
}

/// What is the matter, in one sentence and a list.
struct StatusVerdict {
    private let report: StatusReport
    private let problems: [StatusProblem]

    /// Problems that are listed; of more the number is told.
    private static let limit = 12

    init(_ report: StatusReport) {
        self.report = report
        problems = report.problems
    }

    private var weight: String {
        if problems.contains(where: { $0.weight == .bad }) { return "bad" }
        return problems.isEmpty && !report.isDraining ? "good" : "warn"
    }

    private var bad: Int { problems.count { $0.weight == .bad } }

    /// For the window's title, where a number beside other windows tells most.
    var title: String {
        if report.isDraining { return "Draining" }
        return problems.isEmpty ? "Fine" : "(\(problems.count)) \(weight == "bad" ? "Trouble" : "Look")"
    }

    private var heading: String {
        if report.isDraining { return "It is ending, and serves what is under way" }
        if bad > 0 { return StatusWords.count(bad, "thing is wrong", "things are wrong") }
        if problems.isEmpty { return "It serves, and nothing is wrong" }
        return "It serves, and \(StatusWords.count(problems.count, "thing wants", "things want")) a look"
    }

    var section: String {
        var items = problems.prefix(Self.limit).map { problem in
            "<li><span class=\"chip \(problem.weight == .bad ? "bad\">wrong" : "warn\">look")</span> "
                + "<span>\(problem.text). <a href=\"#\(problem.section)\">Where</a></span></li>"
        }
        if problems.count > Self.limit { items.append("<li>and \(problems.count - Self.limit) more</li>") }
        let list = items.isEmpty ? "" : "<ul>\(items.joined())</ul>"
        let facts =
            "Up for \(StatusWords.duration(report.now - report.startedAt)), version \(StatusWords.name(report.version)), "
            + "by configuration \(report.configuration.number) of \(StatusWords.time(report.configuration.appliedAt))"
        return
            "<section id=\"verdict\" class=\"\(weight)\"><h1>\(heading)</h1><p class=\"facts\">\(facts)</p>\(list)</section>"
    }

    /// A dot in the colour of the verdict, for the window's tab.
    var icon: String {
        let colour = ["bad": "%23c62828", "warn": "%23d98200", "good": "%232e8b57"][weight] ?? ""
        return "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
            + "%3Ccircle cx='8' cy='8' r='7' fill='\(colour)'/%3E%3C/svg%3E"
    }
}
