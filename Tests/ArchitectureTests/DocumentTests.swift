// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite struct `the documents` {
    static let decisions = SourceTree.files(under: "Sources/Gateway/Gateway.docc/Decisions", endings: ["md"])

    @Test func `number their decisions without a hole`() {
        let numbers = Self.decisions.map { $0.name.prefix(4) }
        #expect(numbers.count >= 7)
        #expect(numbers == (1...numbers.count).map { "000\($0)".suffix(4) })
    }

    @Test func `tell of each decision its context, choice, cost and what would change it, on one page`() {
        for decision in Self.decisions {
            let headings = decision.lines.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
            #expect(headings == ["Context", "Choice", "Cost", "What would change it"], "\(decision)")
            #expect(decision.lines.count <= 70, "\(decision) is longer than a page")
        }
    }

    @Test func `name only files and folders that exist`() {
        let documents = SourceTree.files(under: "Sources/Gateway/Gateway.docc", endings: ["md"])
        #expect(documents.count >= 13)
        let path = #/`((?:Sources|Tests|config|deploy|\.ci)/[^`*<…]*[^`*<…\/])\/?`/#
        for document in documents {
            for match in document.text.matches(of: path) {
                let named = String(match.1)
                #expect(SourceTree.exists(named), "\(document) names \(named)")
            }
        }
    }

    @Test func `learn from at least fifteen outages of others`() throws {
        let text = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/LearnedFromCVEs.md")).text
        let rows = text.split(separator: "\n").filter {
            $0.hasPrefix("| ") && $0.contains("-20") || $0.contains("GHSA-")
        }
        #expect(rows.count >= 15)
        for row in rows {
            #expect(row.contains(RequirementRows.row), "no guard: \(row)")
        }
    }

    @Test func `keep the changelog in the words an operator looks for`() throws {
        let text = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/Changelog.md")).text
        let entries = text.split(separator: "\n").filter { $0.hasPrefix("- ") }
        #expect(!entries.isEmpty)
        for entry in entries {
            let word = entry.dropFirst(2).prefix { $0.isLetter }
            #expect(["breaking", "added", "changed", "fixed", "security"].contains(String(word)), "\(entry)")
        }
    }

    @Test func `of the workplace stay in the workplace`() {
        let files =
            SourceTree.sources + SourceTree.tests + SourceTree.headers
            + SourceTree.files(under: "Sources", endings: ["md", "yaml"])
        for file in files where !file.path.hasSuffix("DocumentTests.swift") {
            for word in ["/work/", "/tmp/w/", "../shared"] { #expect(!file.text.contains(word), "\(word) in \(file)") }
        }
    }
}
