import Requirements
import Testing

/// The rows of the table that tests carry: of each there is a test that shows that it holds and one that shows that it
/// refuses.
enum RequirementRows {
    static let all = RequirementTable.families.filter(\.isTested).flatMap { $0.rows.map(\.id) }

    /// A row's name, wherever it stands.
    static var row: Regex<Substring> {
        #/\b(?:HTTP|H2|JOSE|RS|MD|OPS|DPOP|MTLS|INT|STEP|RAR|TX|MCP|CA|JAR|PAR|CF|OIDC|SC|RF|RV|LO|ECO|SH)-\d\d\b/#
    }

    /// How many tests show that a row holds, and how many that it refuses: as the traits of the tests say, and the
    /// comments of configurations that a test reads from files, and of tests that `deploy/test` runs in Python.
    struct Counts {
        var holds: [String: Int] = [:]
        var refuses: [String: Int] = [:]

        mutating func add(_ row: String, _ side: Substring) {
            if side == "holds" { holds[row, default: 0] += 1 } else { refuses[row, default: 0] += 1 }
        }
    }

    static let counts: Counts = {
        var counts = Counts()
        for file in SourceTree.tests {
            for (side, row) in traits(in: file.text) { counts.add(row, side) }
        }
        for file in SourceTree.files(under: "Tests/ConfigurationTests/Golden", endings: ["txt"]) {
            for (side, row) in comments(in: file.text) { counts.add(row, side) }
        }
        for file in SourceTree.files(under: "Tests", endings: ["py"]) {
            for (side, row) in functions(in: file.text) { counts.add(row, side) }
        }
        return counts
    }()

    /// The rows that the traits of a text name, each with the side that it is named for.
    static func traits(in text: String) -> [(side: Substring, row: String)] {
        text.matches(of: #/\.(holds|refuses)\(((?:\s*"[A-Z][A-Z0-9]*-\d+",?)+)\s*\)/#).flatMap { trait in
            trait.2.matches(of: #/"([^"]+)"/#).map { (trait.1, String($0.1)) }
        }
    }

    /// The rows that the comments of a configuration name, whose test reads it from a file.
    static func comments(in text: String) -> [(side: Substring, row: String)] {
        text.split(separator: "\n").compactMap {
            $0.wholeMatch(of: #/# (holds|refuses) ([A-Z][A-Z0-9]*-\d\d(?:, [A-Z][A-Z0-9]*-\d\d)*)/#)
        }
        .flatMap { comment in comment.2.split(separator: ", ").map { (comment.1, String($0)) } }
    }

    /// The rows that comments of a Python file name, each right above a function; anywhere else they stand for no test.
    static func functions(in text: String) -> [(side: Substring, row: String)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        return lines.indices.filter { lines[$0].hasPrefix("def ") }.flatMap { function in
            lines[..<function].reversed().prefix { $0.hasPrefix("#") }.flatMap { comments(in: String($0)) }
        }
    }

    /// The rows that no test holds, or none refuses.
    static func uncovered(_ counts: [String: Int]) -> Set<String> {
        Set(all.filter { counts[$0, default: 0] == 0 })
    }
}

@Suite struct `the requirement rows` {
    let counts = RequirementRows.counts

    @Test func `have a test each that shows that they hold`() {
        let missing = RequirementRows.uncovered(counts.holds).subtracting(KnownGaps.rowsThatOnlyRefuse)
        #expect(missing.sorted() == [])
    }

    @Test func `have a test each that shows that they refuse`() {
        let missing = RequirementRows.uncovered(counts.refuses).subtracting(KnownGaps.rowsThatOnlyHold)
        #expect(missing.sorted() == [])
    }

    @Test func `are covered: the lists of gaps hold no row that has its tests by now`() {
        #expect(KnownGaps.rowsThatOnlyRefuse.subtracting(RequirementRows.uncovered(counts.holds)).sorted() == [])
        #expect(KnownGaps.rowsThatOnlyHold.subtracting(RequirementRows.uncovered(counts.refuses)).sorted() == [])
    }

    @Test func `stand in traits, and at the beginning of no test's name`() {
        for file in SourceTree.tests {
            let names = file.text.matches(of: #/(?:func `|@Test\(\s*")([^`"]+)[`"]/#).map { String($0.1) }
            #expect(names.filter { $0.starts(with: RequirementRows.row) || $0.hasPrefix("BASE-") } == [], "\(file)")
        }
    }

    @Test func `are counted by this test as they stand`() {
        #expect(RequirementRows.all.count >= 349, "a row that the gateway keeps is not taken away")
        #expect(RequirementRows.all.allSatisfy { $0.wholeMatch(of: RequirementRows.row) != nil })
        let text = "@Test(.HOLDS(\"RS-01\"), .REFUSES(\n\"RS-02\", \"RS-03\")) func `one`() {}"
            .replacing("HOLDS", with: "holds").replacing("REFUSES", with: "refuses")
        let found = RequirementRows.traits(in: text).map { "\($0.side) \($0.row)" }
        #expect(found == ["holds RS-01", "refuses RS-02", "refuses RS-03"])
        let golden = "# refuses CA-04, CA-05\n# holds LO-01\nx: 1  # holds LO-02\n--- says\n# of LO-03\n"
        let kept = RequirementRows.comments(in: golden).map { "\($0.side) \($0.row)" }
        #expect(kept == ["refuses CA-04", "refuses CA-05", "holds LO-01"])
        let script = "# holds LO-01\n\n# holds LO-02\n# refuses LO-03\ndef test_one():\n    # holds LO-04\n    pass\n"
        let named = RequirementRows.functions(in: script).map { "\($0.side) \($0.row)" }
        #expect(named == ["refuses LO-03", "holds LO-02"])
        #expect(counts.holds.values.reduce(0, +) > 500)
        #expect(counts.refuses.values.reduce(0, +) > 500)
    }

    @Test(arguments: ["ThreatModel.md", "LearnedFromCVEs.md"])
    func `named in a document are carried by a test`(document: String) throws {
        let text = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/" + document)).text
        let named = Set(text.matches(of: RequirementRows.row).map { String($0.0) })
        #expect(named.count >= 20)
        #expect(named.subtracting(RequirementRows.all).sorted() == [], "not a row of what is built")
        let untested = named.filter { counts.holds[$0] == nil && counts.refuses[$0] == nil }
        #expect(untested.sorted() == [])
    }
}
