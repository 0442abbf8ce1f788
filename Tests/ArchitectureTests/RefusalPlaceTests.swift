import Foundation
import Testing

/// Where a refusal may be spoken of: modules of protocols return causes, and Refusals says what each comes to.
@Suite struct `a cause of a refusal` {
    /// Floors 1 to 3, which know nothing of the product.
    static let libraries: Set<String> = [
        "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "ProxyProtocol", "OAuth", "EventLoop",
        "Transport", "Fetch",
    ]

    /// The requirement rows that a text's strings name; comments may name them.
    static func rowsInStrings(of text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.flatMap { line in
            line.matches(of: #/"([^"]*)"/#).flatMap { string in
                string.1.matches(of: RequirementRows.row).map { String($0.output) }
            }
        }
    }

    @Test func `brings no requirement with it from the libraries below`() {
        for file in SourceTree.sources where file.target.map(Self.libraries.contains) == true {
            #expect(Self.rowsInStrings(of: file.text) == [], "\(file)")
        }
    }

    @Test func `is looked for in strings, and not in comments`() {
        let row = "RS" + "-13"
        #expect(Self.rowsInStrings(of: "case .a: \"\(row)\"\n    /// \"\(row)\"\nlet b = \"SHA-256\"") == [row])
    }

    /// The four places of a cause that lack it.
    static func missing(_ cause: String) -> [String] {
        let places = [
            ("its case in \(tableFile)", causes.contains(cause)), ("its row in \(tableFile)", words[cause] != nil),
            ("its word in LogWords.md", words[cause].map(catalogue.contains) ?? false),
            ("its line in \(goldenFile)", golden.contains(cause)),
        ]
        return places.filter { !$0.1 }.map(\.0)
    }

    static let tableFile = "Sources/Refusals/Refusal.swift"
    static let goldenFile = "Tests/AccessTests/RefusalTests.swift"

    /// The cases of the table, as the table has them.
    static let causes: [String] = {
        guard let text = SourceTree.file(tableFile)?.text, let end = text.range(of: "enum Blame") else { return [] }
        return text[..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("    case ") }.flatMap {
            $0.dropFirst(9).split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
    }()

    /// The word in each row of the table.
    static let words: [String: String] = {
        let rows = (SourceTree.file(tableFile)?.text ?? "").matches(
            of: #/case \.(\w+):\s+\(\d{3}, [^)]*"([a-z_]+)"\)/#)
        return Dictionary(rows.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { first, _ in first })
    }()

    static let catalogue = CatalogueWord.documented(in: "LogWords.md", below: "Causes of refusals")

    /// The causes at the beginnings of lines of the golden table.
    static let golden = Set(
        (SourceTree.file(goldenFile)?.text ?? "").matches(of: #/\n    (\w+) \d{3} /#).map { String($0.1) })

    @Test func `is in four places, and whoever forgets one is told which`() {
        #expect(Self.causes.count > 100, "the reader of the table found next to nothing: it is broken")
        for cause in Self.causes { #expect(Self.missing(cause) == [], "\(cause)") }
        #expect(Self.missing("noSuchCause").count == 4, "a cause that is nowhere lacks all of them")
    }

    @Test func `is in no other list of all causes`() {
        // Such a list makes a fifth place, which nobody who adds a cause would know of.
        let listing = (SourceTree.sources + SourceTree.tests).filter { file in
            let words = file.text.utf8.split { !(0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0) }
            return Set(words.map { String($0) }).intersection(Self.causes).count > Self.causes.count / 2
        }
        #expect(Set(listing.map(\.path)).subtracting(KnownGaps.listsOfCauses) == [Self.tableFile, Self.goldenFile])
        #expect(KnownGaps.listsOfCauses.subtracting(listing.map(\.path)) == [])
    }
}
