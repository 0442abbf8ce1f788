import Foundation
import Testing

/// A word of a catalogue in the code: the case's name and what is written.
struct CatalogueWord: Hashable, CustomStringConvertible {
    let name: String
    let written: String
    var description: String { written }

    /// The cases of an enum of words; a case without a raw value is written as it is named.
    static func words(ofEnum type: String, in file: String) -> [CatalogueWord] {
        guard let text = SourceTree.file(file)?.text, let start = text.range(of: "enum \(type)") else { return [] }
        var found: [CatalogueWord] = []
        for line in text[start.upperBound...].split(separator: "\n") {
            if line == "}" { break }
            guard let match = line.wholeMatch(of: #/\s+case (\w+)(?: = "([^"]+)")?\s*(?://.*)?/#) else { continue }
            found.append(CatalogueWord(name: String(match.1), written: String(match.2 ?? match.1)))
        }
        return found
    }

    /// The words in the first cells of the table rows below a heading, one or several in each.
    static func documented(in document: String, below heading: String) -> [String] {
        guard let text = SourceTree.file("Sources/Gateway/Gateway.docc/" + document)?.text,
            let start = text.range(of: "\n## \(heading)\n")
        else { return [] }
        let rest = text[start.upperBound...]
        let section = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
        return section.matches(of: #/\n\| (`[^|]+`) \|/#).flatMap { row in
            row.1.matches(of: #/`([^`]+)`/#).map { String($0.1) }
        }
    }

    /// The words of every `var word: String` in a file: what each case of its enums is called in a log.
    static func reasons(in file: SourceFile) -> [String] {
        file.text.components(separatedBy: "var word: String {").dropFirst().flatMap { rest in
            let body = rest.components(separatedBy: "\n    }\n")[0]
            return body.matches(of: #/case [^"]+: "([^"]+)"/#).map { String($0.1) }
        }
    }
}

@Suite struct `the catalogues` {
    static let log = "Sources/Telemetry/Log/"
    static let metrics = "Sources/Telemetry/Metrics/"

    @Test(arguments: [
        ("LogEvent", log + "LogEvent.swift", "LogWords.md", "Events of the operator log"),
        ("LogFieldName", log + "LogField.swift", "LogWords.md", "Members of the operator log"),
        ("MetricName", metrics + "MetricName.swift", "Metrics.md", "Every metric"),
    ])
    func `explain every word the code has and no other`(type: String, file: String, document: String, heading: String) {
        let words = CatalogueWord.words(ofEnum: type, in: file).map(\.written)
        let documented = CatalogueWord.documented(in: document, below: heading)
        #expect(words.count >= 20, "the reader of \(type) found next to nothing: it is broken")
        #expect(documented.count == Set(documented).count)
        #expect(Set(words).subtracting(documented).isEmpty, "not in \(document)")
        #expect(Set(documented).subtracting(words).isEmpty, "in \(document) only")
    }

    @Test func `explain every cause of a refusal and no other`() throws {
        let table = try #require(SourceTree.file("Sources/Refusals/Refusal.swift"), "Refusal.swift is missing")
        let row = #/case \.\w+:\s+\(\d{3}, [^)]*"([a-z_]+)"\)/#
        let words = table.text.matches(of: row).map { String($0.1) }
        let documented = CatalogueWord.documented(in: "LogWords.md", below: "Causes of refusals")
        #expect(words.count >= 20, "the reader of the table found next to nothing: it is broken")
        #expect(Set(words).subtracting(documented).isEmpty, "not in LogWords.md")
        #expect(Set(documented).subtracting(words).isEmpty, "in LogWords.md only")
    }

    @Test func `explain every reason of issuers and no other`() {
        var words: [String] = []
        for file in SourceTree.sources where file.isIn("Sources/Issuers") || file.isIn("Sources/OAuth") {
            words += CatalogueWord.reasons(in: file)
        }
        let documented = CatalogueWord.documented(in: "LogWords.md", below: "Reasons of issuers")
        #expect(words.count >= 50, "the reader of the reasons found next to nothing: it is broken")
        #expect(documented.count == Set(documented).count)
        #expect(Set(words).subtracting(documented).sorted() == [], "not in LogWords.md")
        #expect(Set(documented).subtracting(words).sorted() == [], "in LogWords.md only")
    }

    @Test func `have a word for each case that an issuer is refused by`() {
        for file in SourceTree.sources where file.isIn("Sources/Issuers") || file.isIn("Sources/OAuth") {
            let bodies = file.text.components(separatedBy: "var word: String {").dropFirst()
            for body in bodies.map({ $0.components(separatedBy: "\n    }\n")[0] }) {
                // A `default` would give a new case the word of others.
                #expect(!body.contains("default"), "\(file)")
                #expect(!body.contains("\\("), "a word is no sentence: \(file)")
            }
        }
    }

    @Test func `explain every reason of revocations and no other`() {
        var words: Set<String> = []
        for file in SourceTree.sources where file.isIn("Sources/Login/Revocation") {
            for line in file.lines where line.contains("reason: ") || line.contains("\"queue_") {
                words.formUnion(line.matches(of: #/"(\w+)"/#).map { String($0.1) })
            }
        }
        let documented = Set(CatalogueWord.documented(in: "LogWords.md", below: "Reasons of revocations"))
        #expect(words.count >= 8, "the reader of the reasons found next to nothing: it is broken")
        #expect(words.subtracting(documented).sorted() == [], "not in LogWords.md")
        #expect(documented.subtracting(words).sorted() == [], "in LogWords.md only")
    }

    @Test func `name every reason of a handshake that failed, and no other, beside its metric`() throws {
        let file = try #require(SourceTree.file(Self.metrics + "MetricsLayout.swift"))
        let start = try #require(file.text.range(of: "enum HandshakeReason"))
        let body = file.text[start.upperBound...].components(separatedBy: "\n\n")[0]
        let words = body.matches(of: #/\n +case (\w+)(?: = "([^"]+)")?/#).map { String($0.2 ?? $0.1) }
        let metrics = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/Metrics.md")).text
        let row = try #require(metrics.split(separator: "\n").first { $0.contains("handshake_failures_total") })
        let documented = row.matches(of: #/`(\w+)`/#).map { String($0.1) }
            .filter { !$0.hasPrefix("portcullis_") && $0 != "reason" }
        #expect(words.count >= 8)
        #expect(Set(words) == Set(documented))
    }

    /// What the labels of an enum are, in a file of the metrics.
    private static func labels(of type: String, in file: String) -> Set<String> {
        guard let text = SourceTree.file(metrics + file)?.text, let start = text.range(of: "enum \(type)") else {
            return []
        }
        let rest = text[start.upperBound...]
        let body = rest[..<(rest.range(of: "\n}\n")?.lowerBound ?? rest.endIndex)]
        return Set(body.matches(of: #/case \.\w+: "([^"]+)"/#).map { String($0.1) })
    }

    @Test func `name every failure of an upstream, and no other, beside its metric`() throws {
        let metrics = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/Metrics.md")).text
        let row = try #require(metrics.split(separator: "\n").first { $0.hasPrefix("| `portcullis_upstream_failures") })
        let documented = row.matches(of: #/`(\w+)`/#).map { String($0.1) }
            .filter { !$0.hasPrefix("portcullis_") && $0 != "upstream" && $0 != "cause" }
        #expect(documented.count >= 8)
        #expect(Self.labels(of: "UpstreamFailure", in: "UpstreamMetrics.swift") == Set(documented))
    }

    @Test func `explain every name of requests without a route and no other`() {
        let documented = CatalogueWord.documented(in: "Metrics.md", below: "Requests without a route")
        #expect(documented.count == 4)
        #expect(Self.labels(of: "UnroutedRequests", in: "MetricsLayout.swift") == Set(documented))
    }

    @Test func `explain every member of the access log and no other`() {
        let member = #/\.member\(\s*"(\w+)"/#
        var words: Set<String> = []
        for file in SourceTree.sources where file.isIn("Sources/Gateway") {
            words.formUnion(file.text.matches(of: member).map { String($0.1) })
        }
        if !words.isEmpty { words.insert("time") }
        let documented = Set(CatalogueWord.documented(in: "LogWords.md", below: "Members of the access log"))
        #expect(words.subtracting(documented).isEmpty, "not in LogWords.md")
        #expect(documented.subtracting(words).isEmpty, "in LogWords.md only")
    }

    /// Words that the code has but nothing says.
    static func unused() -> Set<String> {
        let catalogues = [
            ("LogEvent", log + "LogEvent.swift"), ("LogFieldName", log + "LogField.swift"),
            ("WorkerCounter", metrics + "MetricsLayout.swift"), ("WorkerGauge", metrics + "MetricsLayout.swift"),
            ("WorkerHistogram", metrics + "MetricsLayout.swift"), ("Refresh", metrics + "IssuerMetrics.swift"),
        ]
        let users = SourceTree.sources.filter { !$0.isIn("Sources/Telemetry") && $0.text.contains("import Telemetry") }
        let said = Set(users.flatMap { $0.code.matches(of: #/\.(\w+)/#).map { String($0.1) } })
        var unused: Set<String> = []
        for (type, file) in catalogues {
            for word in CatalogueWord.words(ofEnum: type, in: file) where !said.contains(word.name) {
                unused.insert("\(type).\(word.name)")
            }
        }
        return unused
    }

    @Test func `hold no word that nothing says, but those that are known to wait for their code`() {
        #expect(Self.unused().subtracting(KnownGaps.unusedWords).sorted() == [])
    }

    @Test func `are said: the list of words that wait holds no word that is said by now`() {
        #expect(KnownGaps.unusedWords.subtracting(Self.unused()).sorted() == [])
    }
}
