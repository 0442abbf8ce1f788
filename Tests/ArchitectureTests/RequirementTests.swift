import Testing

/// The requirement rows of what is built, each of which has a positive and a negative test.
enum RequirementRows {
    static let all: [String] =
        ids("HTTP", [1...73, 75...76]) + ids("JOSE", [1...34])
        + ids("RS", [1...25]) + ids("MD", [1...8, 20...25, 30...31]) + ids("OPS", [1...10])
        + ids("DPOP", [1...27, 40...45]) + ids("MTLS", [1...8]) + ids("INT", [1...10]) + ids("STEP", [1...4])
        + ids("RAR", [1...1]) + ids("TX", [1...4]) + ids("MCP", [1...6]) + ids("CA", [1...18])
        + ids("JAR", [1...10, 20...25]) + ids("PAR", [1...7]) + ids("CF", [1...12, 20...34]) + ids("OIDC", [1...17])
        + ids("SC", [1...15]) + ids("RF", [1...8]) + ids("RV", [1...2]) + ids("LO", [1...12])

    /// A row's name, wherever it stands.
    static var row: Regex<Substring> {
        #/\b(?:HTTP|JOSE|RS|MD|OPS|DPOP|MTLS|INT|STEP|RAR|TX|MCP|CA|JAR|PAR|CF|OIDC|SC|RF|RV|LO)-\d\d\b/#
    }

    private static func ids(_ prefix: String, _ ranges: [ClosedRange<Int>]) -> [String] {
        ranges.joined().map { "\(prefix)-\($0 < 10 ? "0" : "")\($0)" }
    }

    /// How many tests carry each row: rows stand at the beginning of a test's name.
    static func counts() -> [String: Int] {
        var counts: [String: Int] = [:]
        for file in SourceTree.tests {
            for match in file.text.matches(of: #/(?:func `|@Test\(\s*")([^`"]+)[`"]/#) {
                for id in leadingRows(match.1) { counts[id, default: 0] += 1 }
            }
        }
        return counts
    }

    /// `HTTP-24, HTTP-25 and HTTP-26 …` begins with three.
    static func leadingRows(_ name: Substring) -> [String] {
        var found: [String] = []
        for word in name.split(whereSeparator: { " ,:".contains($0) }) {
            if word.wholeMatch(of: row) != nil {
                found.append(String(word))
            } else if word != "and" || found.isEmpty {
                break
            }
        }
        return found
    }

    static func uncovered() -> Set<String> {
        let counts = counts()
        return Set(all.filter { counts[$0, default: 0] < 2 })
    }
}

@Suite struct `the requirement rows` {
    @Test func `have two tests each, but for those that are known to have fewer`() {
        let counts = RequirementRows.counts()
        let missing = RequirementRows.uncovered().subtracting(KnownGaps.rowsWithoutTwoTests).sorted()
        #expect(missing == [], "\(missing.map { "\($0): \(counts[$0, default: 0])" }.joined(separator: ", "))")
    }

    @Test func `are covered: the list of gaps holds no row that has its tests by now`() {
        #expect(KnownGaps.rowsWithoutTwoTests.subtracting(RequirementRows.uncovered()).sorted() == [])
    }

    @Test func `are counted by this test as they stand`() {
        #expect(RequirementRows.all.count == 348)
        #expect(
            RequirementRows.leadingRows("HTTP-24, HTTP-25 and HTTP-26 is refused") == ["HTTP-24", "HTTP-25", "HTTP-26"])
        #expect(RequirementRows.leadingRows("is refused by HTTP-24") == [])
        #expect(RequirementRows.leadingRows("and HTTP-24") == [])
    }

    @Test(arguments: ["ThreatModel.md", "LearnedFromCVEs.md"])
    func `named in a document are carried by a test`(document: String) throws {
        let text = try #require(SourceTree.file("Sources/Gateway/Gateway.docc/" + document)).text
        let named = Set(text.matches(of: RequirementRows.row).map { String($0.0) })
        let counts = RequirementRows.counts()
        #expect(named.count >= 20)
        #expect(named.subtracting(RequirementRows.all).sorted() == [], "not a row of what is built")
        let untested = named.filter { counts[$0, default: 0] == 0 }
        #expect(untested.subtracting(KnownGaps.rowsWithoutTwoTests).sorted() == [])
    }
}
