import Foundation
import Testing

@Suite struct `the documents` {
    /// What a stranger opens first, and what GitHub shows.
    static let openedFirst = ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]
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
        let articles = SourceTree.files(under: "Sources/Gateway/Gateway.docc", endings: ["md"])
        let documents = articles + Self.openedFirst.compactMap(SourceTree.file)
        #expect(articles.count >= 13)
        #expect(documents.count == articles.count + Self.openedFirst.count)
        let path = #/`((?:Sources|Tests|config|deploy|\.ci)/[^`*<…]*[^`*<…\/])\/?`/#
        for document in documents {
            for match in document.text.matches(of: path) {
                let named = String(match.1)
                #expect(SourceTree.exists(named), "\(document) names \(named)")
            }
        }
    }

    @Test(arguments: openedFirst)
    func `that are opened first lead to files and folders that exist`(document: String) throws {
        let text = try #require(SourceTree.file(document), "\(document) is missing").text
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        let links = text.matches(of: #/\]\(([^)#:]+)[)#]/#).map { String($0.1) }
        #expect(!links.isEmpty)
        for link in links {
            let path = folder.isEmpty ? link : folder + "/" + link
            #expect(SourceTree.exists(path), "\(document) leads to \(path)")
        }
    }

    @Test func `begin with a README of at most 150 lines, whose configuration the catalogue shows as well`() throws {
        let readme = try #require(SourceTree.file("README.md"), "README.md is missing")
        #expect(readme.lines.count <= 151)
        let parts = readme.text.components(separatedBy: "```")
        let example = try #require(parts.first { $0.hasPrefix("yaml\n") }, "the README shows no configuration")
        let article = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/Configuration.md"))
        #expect(article.text.contains("```\(example)```"))
    }

    @Test func `of the catalogue are each named on its first page, or on that of decisions`() throws {
        let catalogue = "Sources/Gateway/Gateway.docc"
        let overview = try #require(SourceTree.file(catalogue + "/Overview.md"), "Overview.md is missing").text
        let index = try #require(SourceTree.file(catalogue + "/Decisions.md"), "Decisions.md is missing").text
        for article in SourceTree.files(under: catalogue, endings: ["md"]) where article.name != "Overview.md" {
            let listing = article.path.contains("/Decisions/") ? index : overview
            #expect(listing.contains("\n- <doc:\(article.name.dropLast(3))>"), "\(article)")
        }
    }

    @Test func `of the catalogue lead to each other by links that docc checks`() {
        for article in SourceTree.files(under: "Sources/Gateway/Gateway.docc", endings: ["md"]) {
            let links = article.text.matches(of: #/\]\(([^):]*\.md)[)#]/#).map { String($0.1) }
            #expect(links.isEmpty, "docc does not look at links to files: \(article)")
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
