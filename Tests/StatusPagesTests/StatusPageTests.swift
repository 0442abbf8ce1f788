import Bytes
import Crypto
import Foundation
import StatusPages
import Telemetry
import TestTraits
import Testing

@Suite struct `the status page` {
    private static let reports: [(String, StatusReport)] = [
        ("fine", Reports.fine()), ("trouble", Reports.trouble()), ("many", Reports.many()),
    ]
    private static let folder = ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_PAGES"]

    private func text(_ report: StatusReport) -> String { String(decoding: StatusPage.bytes(report), as: UTF8.self) }

    /// What stands between the first tags of this element.
    private func content(of element: String, in page: String) throws -> String {
        let start = try #require(page.range(of: "<\(element)>"))
        let end = try #require(page.range(of: "</\(element)>"))
        return String(page[start.upperBound..<end.lowerBound])
    }

    /// The page without its style and its script, a line for each element that begins a block.
    private func golden(_ report: StatusReport) throws -> String {
        var page = text(report)
        for element in ["style", "script"] {
            page = page.replacingOccurrences(of: try content(of: element, in: page), with: "…")
        }
        for element in ["<section", "<h2", "<table", "<thead", "<tbody", "<tr", "<td", "<li", "<div", "<details"] {
            page = page.replacingOccurrences(of: element, with: "\n\(element)")
        }
        return page
    }

    /// Every tag with its attributes, in order.
    private func tags(_ page: String) -> [Substring] { page.matches(of: #/<[^>]*>/#).map(\.0) }

    @Test(.holds("ECO-63"), arguments: ["fine", "trouble"])
    func `is what it was, byte for byte, of the same report`(name: String) throws {
        let page = try golden(try #require(Self.reports.first { $0.0 == name }).1)
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).html")
        if ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_GOLDEN"] != nil {
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page)
    }

    @Test(.enabled(if: folder != nil)) func `is written where the tests with a browser look at it`() throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder)).appending(path: "status")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, report) in Self.reports {
            try Data(StatusPage.bytes(report)).write(to: folder.appending(path: "\(name).html"))
        }
    }

    /// A report whose every word from a configuration or a client is `word`, where it has a place for one.
    private func report(of word: String, longer: (String) -> String = { $0 }) -> StatusReport {
        let name = longer(word)
        let registry = Reports.registry(["\(name)a", "\(name)b"], upstreams: ["\(name)u"], logins: ["\(name)l"])
        registry.workers[0].countRequest(route: 0, status: 502, microseconds: 1)
        registry.workers[0].countRefusal(route: 0, cause: 2)
        registry.workers[0].countRequest(route: 1, status: 401, microseconds: 1)
        registry.workers[0].countRefusal(route: 1, cause: 0)
        registry.workers[0].upstreams["\(name)u"].counters.count(.unreachable, at: 1)
        registry.logins.countRefusal(client: 0, cause: 4)
        var report = Reports.report(registry)
        report.site = name
        report.version = name
        report.configuration.file = name
        report.configuration.digest = name
        report.configuration.fault = (name, 2)
        report.configuration.restartNeeded = [name, name]
        report.serving.certificates = [.init(.listener, file: name, notAfter: 0)]
        var issuer = StatusReport.Issuer(name, url: name)
        issuer.state = .withoutKeys
        issuer.lastError = name
        report.issuers = [issuer]
        var request = StatusReport.RefusedRequest(
            id: String(repeating: "0", count: 32), time: 0, cause: name, status: 401)
        request.method = name
        request.path = "/\(name)"
        report.refusedRequests = [request]
        return report
    }

    @Test(
        .refuses("ECO-63"),
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg onload=alert(1)>", "--><b>", "]]>",
            "</style><script>x</script>", "<a href=javascript:alert(1)>", "&lt;script&gt;", "&#60;b&#62;", "</table>",
            "\r\nContent-Type: text/html\r\n\r\n<b>", "\u{0}<b>", "\u{202E}<b>txt.exe", "\u{2028}<b>", "<!--",
            "<![CDATA[<b>",
            "\u{1F469}\u{200D}<b>", "<", ">", "\"", "`<b>`", "${<b>}",
        ])
    func `has no tag and no attribute more, whatever it was given`(word: String) throws {
        let (page, harmless) = (text(report(of: word)), text(report(of: "x")))
        #expect(tags(page) == tags(harmless))
        #expect(tags(page).count > 150)
        // A control character, or one that turns text around, is none any more.
        let shown = page.unicodeScalars.filter {
            [.control, .format, .lineSeparator].contains($0.properties.generalCategory) && $0 != "\n"
        }
        #expect(shown.isEmpty)
    }

    @Test(.refuses("ECO-63")) func `loads nothing, sends nothing, and leads nowhere but to pages of the listener`() {
        for (_, report) in Self.reports {
            let page = text(report)
            for match in page.matches(of: #/\s(href|src|action|formaction|srcset|data)="([^"]*)"/#) {
                #expect(
                    match.2.isEmpty || match.2.hasPrefix("#") || ["metrics", "readyz"].contains(match.2)
                        || match.2.wholeMatch(of: #/explain\/[0-9a-f]{32}/#) != nil
                        || match.2.hasPrefix("data:image/svg+xml,"), "\(match.0)")
            }
            for word in ["<form", "<input", "<iframe", "<object", "<button", " style=", " onclick", "@import", "url("] {
                #expect(!page.contains(word), "\(word)")
            }
            #expect(page.matches(of: #/<script/#).count == 1)
        }
    }

    @Test(.holds("ECO-63")) func `has a policy that names its style and its script by their hashes`() throws {
        for (_, report) in Self.reports {
            for element in ["style", "script"] {
                let part = try content(of: element, in: text(report))
                let hash = Base64.encode(SHA256.hash(part.utf8Span.span).bytes.span)
                #expect(StatusPage.contentSecurityPolicy.contains("\(element)-src 'sha256-\(hash)'"))
            }
        }
        #expect(StatusPage.contentSecurityPolicy.hasPrefix("default-src 'none'; "))
    }

    @Test(.refuses("ECO-63")) func `is of bounded size, with thousands of routes of endless names`() {
        let name = String(repeating: "\"&", count: 5000)
        let page = StatusPage.bytes(Reports.many(3000) { "\(name)\($0)" })
        #expect(page.count < 1_500_000, "\(page.count)")
        #expect(String(decoding: page, as: UTF8.self).contains("more have no room here"))
        #expect(StatusPage.bytes(Reports.many(200)).count < 120_000)
    }

    @Test(.holds("ECO-63")) func `folds away what is well behind what is not`() throws {
        let page = text(Reports.many())
        let routes = try #require(page.split(separator: "<section id=\"routes\">").last)
        let shown = routes.split(separator: "<details>")
        #expect(shown[0].matches(of: #/<tr><th scope="row">/#).count == 12)
        #expect(shown[0].split(separator: "<tr><th scope=\"row\">")[1].hasPrefix("/services/team-15/api-150/</th>"))
        #expect(shown[1].hasPrefix("<summary>188 more routes</summary>"))
    }

    @Test(.refuses("ECO-63")) func `shows no request where none are kept, and says how they would be`() {
        var report = Reports.trouble()
        report.refusedRequests = nil
        let page = text(report)
        #expect(page.contains("explain_buffer: 1000") && !page.contains("/api/orders/") && !page.contains("explain/0"))
        report.refusedRequests = []
        #expect(text(report).contains("None of the requests that are kept was refused"))
    }

    private func heading(_ report: StatusReport) throws -> String { try content(of: "h1", in: text(report)) }

    @Test(.holds("ECO-63")) func `is calm where clients alone are at fault, and says so of everything else`() throws {
        let registry = Reports.registry(["a"], upstreams: ["u"])
        for _ in 0..<10_000 { registry.workers[0].countRefusal(route: 0, cause: 0) }
        var report = Reports.report(registry)
        #expect(try heading(report) == "It serves, and nothing is wrong")
        report.isDraining = true
        #expect(try heading(report) == "It is ending, and serves what is under way")
        report.isDraining = false
        registry.workers[0].countRefusal(route: 0, cause: 3)
        #expect(try heading(Reports.report(registry)) == "1 thing is wrong")
        var changes: [(inout StatusReport) -> Void] = []
        changes.append { $0.configuration.fault = ("x", 1) }
        changes.append { $0.configuration.restartNeeded = ["admin"] }
        changes.append { $0.process.openDescriptors = 60_000 }
        changes.append {
            $0.replay = ReplayReadings(entries: 81, bytes: 0, inserted: 0, refused: 0, capacity: 100)
        }
        changes.append { $0.recent.figures.droppedLogLines = 1 }
        changes.append { $0.issuers = [StatusReport.Issuer("a", url: "b")] }
        changes.append { $0.serving.certificates = [.init(.client, file: "a", notAfter: Reports.now + 9 * 86_400)] }
        for change in changes {
            var changed = report
            change(&changed)
            #expect(try heading(changed) == "It serves, and 1 thing wants a look")
        }
    }

    @Test(
        .holds("ECO-63"),
        arguments: [
            (-1, "expired", "bad"), (3600, "60 min left, renew now", "bad"),
            (172_799, "47 h 59 min left, renew now", "bad"),
            (172_800, "2 days left, renew", "warn"), (14 * 86_400 - 1, "13 days left, renew", "warn"),
            (14 * 86_400, "14 days left", "good"),
        ])
    func `tells of a certificate's days by colour and by word`(seconds: Int, words: String, kind: String) {
        var report = Reports.fine()
        report.serving.certificates = [.init(.listener, file: "a", notAfter: Reports.now + Int64(seconds))]
        #expect(text(report).contains("<span class=\"chip \(kind)\">\(words)</span>"))
    }
}
