import Requirements
import Testing

@Suite struct `the table of requirements` {
    static let rows = RequirementTable.families.flatMap(\.rows)
    static let ids = Set(rows.map(\.id))

    /// The ids in a text: a family of the table, a hyphen, and a number; in some families a word in capitals.
    static func named(in text: String) -> Set<String> {
        var found: Set<String> = []
        let bytes = Array(text.utf8)
        let hyphen = UInt8(ascii: "-")
        for index in bytes.indices where bytes[index] == hyphen {
            var start = index
            while start > 0, isPart(bytes[start - 1]) { start -= 1 }
            // Behind another hyphen stands no family: `X-HTTP-11` is a word of its own.
            guard start < index, start == 0 || bytes[start - 1] != hyphen else { continue }
            let prefix = String(decoding: bytes[start..<index], as: UTF8.self)
            guard prefixes.contains(prefix) else { continue }
            let rest = bytes[(index + 1)...].prefix { isPart($0) || $0 == hyphen }
            let isNumber = !rest.isEmpty && rest.allSatisfy(isDigit)
            let isWord = !rest.isEmpty && rest.allSatisfy { isDigit($0) || isCapital($0) || $0 == hyphen }
            if isNumber || isWord && ["E", "BASE"].contains(prefix) {
                found.insert(prefix + "-" + String(decoding: rest, as: UTF8.self))
            }
        }
        return found
    }

    private static let prefixes = Set(RequirementTable.families.map(\.prefix))

    private static func isPart(_ byte: UInt8) -> Bool {
        isDigit(byte) || isCapital(byte) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    /// Every text of the repository in which a reader may come upon an id.
    static let texts: [SourceFile] =
        SourceTree.files(under: "Sources", endings: ["swift", "h", "md", "modulemap"])
        + SourceTree.files(under: "Tests", endings: ["swift", "md", "py", "case", "txt"])
        + SourceTree.files(under: "config", endings: ["yaml", "md"])
        + SourceTree.files(under: "deploy", endings: ["yaml", "md", "service"])
        + ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md", ".ci/run"].compactMap(SourceTree.file)

    @Test func `defines every id that the repository names`() {
        var count = 0
        for file in Self.texts where !file.isIn("Sources/Requirements") {
            let named = Self.named(in: file.text)
            count += named.count
            #expect(named.subtracting(Self.ids).sorted() == [], "\(file)")
        }
        #expect(count > 1500, "the reader of ids found next to nothing: it is broken")
    }

    @Test func `defines every id that a trait or a check is given, of whatever family`() {
        var count = 0
        for file in SourceTree.tests {
            let traits = RequirementRows.traits(in: file.text).map { $0.row }
            count += traits.count
            // The reader of traits has an example of its own, with rows that there are.
            #expect(Set(traits).subtracting(Self.ids).sorted() == [], "\(file)")
        }
        for file in SourceTree.sources where file.text.contains("check: \"") {
            let checks = file.text.matches(of: #/\bcheck: "([^"]*)"/#).map { String($0.1) }
            count += checks.count
            #expect(Set(checks).subtracting(Self.ids).sorted() == [], "\(file)")
        }
        let refusals = SourceTree.file("Sources/Refusals/Refusal.swift")?.text ?? ""
        let checks = refusals.matches(of: #/\(\d{3}, \.\w+, \.\w+, \.\w+, "([^"]+)", "\w+"\)/#).map { String($0.1) }
        #expect(checks.count >= 100, "the reader of refusals found next to nothing: it is broken")
        #expect(Set(checks).subtracting(Self.ids).sorted() == [])
        #expect(count > 1000, "the reader of traits and checks found next to nothing: it is broken")
    }

    @Test func `defines each id once, and says of each what it promises and where that comes from`() {
        #expect(Self.rows.count == Self.ids.count)
        #expect(RequirementTable.families.count == Set(RequirementTable.families.map(\.prefix)).count)
        for family in RequirementTable.families {
            #expect(!family.rows.isEmpty, "\(family.prefix)")
            for row in family.rows {
                #expect(Self.named(in: row.id) == [row.id], "\(row.id) is not read as an id")
                #expect(row.id.hasPrefix(family.prefix + "-"), "\(row.id) stands in another family")
                #expect(row.promise.hasSuffix(".") && row.promise.first?.isUppercase == true, "\(row.id)")
                #expect(row.promise.split(separator: " ").count >= 6, "\(row.id) is no sentence")
                #expect(!row.promise.contains("\n") && !row.promise.contains("|"), "\(row.id)")
                #expect(!row.source.isEmpty && !row.source.contains("|"), "\(row.id)")
            }
        }
    }

    @Test func `finds a row by its id alone`() {
        let found = RequirementTable.find("RS-13")
        #expect(found?.row.source.contains("RFC 9068") == true)
        #expect(found?.family.prefix == "RS")
        for id in ["", "RS", "RS-", "rs-13", "XX-99"] { #expect(RequirementTable.find(id)?.row.id == nil, "\(id)") }
    }

    @Test func `stands in the catalogue as it is here`() throws {
        let article = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/Requirements.md")).text
        let heading = try #require(article.firstRange(of: "\n## The rows\n"))
        let shown = article[heading.upperBound...].split(separator: "\n").map(String.init)
        let expected = RequirementTable.families.flatMap { (family) -> [String] in
            ["### \(family.prefix): \(family.title)", "| id | promise | source |", "|---|---|---|"]
                + family.rows.map { "| \($0.id) | \($0.promise) | \($0.source) |" }
        }
        for line in Set(expected).symmetricDifference(shown).sorted() {
            Issue.record("run Tests/ArchitectureTests/write_requirements.py: \(line)")
        }
        #expect(shown == expected, "the rows stand in another order")
    }

    @Test func `is read by a reader that tells ids from words`() {
        let text =
            "RS-13's, T-05 … T-09; HTTP-1x, X-HTTP-11, OIDC-BCL-2.4, HTTP-version (E-CB) `BASE-LOGIN` UTF-8 CF-01/02"
        #expect(Self.named(in: text) == ["RS-13", "T-05", "T-09", "E-CB", "BASE-LOGIN", "CF-01"])
    }
}
