import Testing

/// An attack of a list in `Tests/Conformance`, and where it is shown to be refused.
struct ListedAttack: CustomStringConvertible {
    let list: String
    let name: String
    let suite: String
    let test: String
    /// What the test's text holds that makes it this attack; empty where the test is about nothing else.
    let part: String

    var description: String { "\(list): \(name)" }

    /// The tests of this name.
    var declared: [DeclaredTest] { AttackLists.tests["\(suite)/\(test)"] ?? [] }

    /// The rows of a table with these four columns.
    static func read(_ file: SourceFile) -> [ListedAttack] {
        let rows = file.lines.drop { $0 != "|---|---|---|---|" }.dropFirst()
        return rows.map { row in
            let cells = row.split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 4, cells[0].hasPrefix("| "), cells[3].hasSuffix("|") else {
                return ListedAttack(list: file.path, name: String(row), suite: "", test: "", part: "")
            }
            let part = cells[3].dropLast().filter { $0 != "`" }.trimmingPrefix(" ")
            return ListedAttack(
                list: file.path, name: String(cells[0].dropFirst(2)), suite: cells[1], test: cells[2],
                part: String(part.reversed().drop { $0 == " " }.reversed()))
        }
    }
}

/// The lists, and the tests that they may name.
enum AttackLists {
    static let files = SourceTree.files(under: "Tests/Conformance", endings: ["md"]).filter {
        $0.name != "README.md" && $0.name != "Mutants.md"
    }
    static let attacks = files.flatMap { file in
        ListedAttack.read(SourceFile(path: file.path, text: file.text.trimmingEnd))
    }
    static let tests = Dictionary(grouping: DeclaredTests.all + DeclaredTests.golden) { "\($0.suite)/\($0.name)" }
    /// Attacks that Swift tests show; the others are cases at the socket and tests in a browser.
    static let inSwift = attacks.filter { $0.suite != "Desync" && $0.suite != "browser" }

    /// The rows that the threat model and the lessons of others name, as far as a test refuses something by them.
    static let threats: Set<String> = {
        let documents = ["ThreatModel.md", "LearnedFromCVEs.md"].compactMap {
            SourceTree.file("Sources/Gateway/Gateway.docc/" + $0)?.text
        }
        let named = documents.flatMap { $0.matches(of: RequirementRows.row).map { String($0.0) } }
        return Set(named).intersection((DeclaredTests.all + DeclaredTests.golden).flatMap(\.refuses))
    }()

    /// Suites that refuse something by a row of the threat model, and that nobody attacks.
    static let noAttacks: [String: String] = [
        "servers of an upstream": "how often a line about servers that are down is written",
        "a gateway that stood still": "what waited while the process was stopped",
        "a reload that moves listeners": "how many descriptors a configuration may count on",
        "a request that waits during a reload": "the operator's own reload, which its requests outlive",
    ]
}

@Suite struct `the lists of attacks` {
    @Test func `name each attack of a class once, and many of them`() {
        #expect(AttackLists.files.count >= 30, "found next to nothing: the reader is broken")
        #expect(AttackLists.attacks.count >= 500)
        for (list, attacks) in Dictionary(grouping: AttackLists.attacks, by: \.list) {
            #expect(Set(attacks.map(\.name)).count == attacks.count, "\(list)")
            #expect(attacks.count >= 5, "\(list)")
        }
    }

    @Test func `lead from each attack to a test that shows its refusal`() {
        for attack in AttackLists.inSwift {
            #expect(!attack.declared.isEmpty, "\(attack): no test \"\(attack.suite)\" \"\(attack.test)\"")
            #expect(attack.declared.allSatisfy { !$0.refuses.isEmpty }, "\(attack): its test refuses no row")
        }
    }

    @Test func `name what of a test makes it this attack, where it tries several`() {
        for attack in AttackLists.inSwift where !attack.part.isEmpty {
            #expect(attack.declared.contains { $0.text.contains(attack.part) }, "\(attack): no \(attack.part)")
        }
        #expect(AttackLists.inSwift.count { !$0.part.isEmpty } >= 10)
    }

    @Test func `lead to cases at the socket and to tests in a browser that exist`() throws {
        let cases = SourceTree.files(under: "Tests/Desync/Cases", endings: ["case"]).map { $0.name.dropLast(5) }
        let listed = AttackLists.attacks.filter { $0.suite == "Desync" }.map(\.test)
        #expect(Set(cases.map(String.init)) == Set(listed), "each case is an attack, and each such attack a case")
        let inBrowser = AttackLists.attacks.filter { $0.suite == "browser" }
        #expect(inBrowser.count >= 4)
        for attack in inBrowser {
            let place = attack.test.split(separator: ": ").map(String.init)
            let file = try #require(place.count == 2 ? SourceTree.file("Tests/Browser/" + place[0]) : nil, "\(attack)")
            #expect(file.text.contains("def test_\(place[1])("), "\(attack)")
        }
    }

    @Test func `show each row of the threat model`() {
        let shown = Set(AttackLists.inSwift.flatMap { $0.declared.flatMap(\.rows) })
        #expect(AttackLists.threats.count >= 200, "found next to nothing: the reader is broken")
        #expect(AttackLists.threats.subtracting(shown).sorted() == [])
    }

    @Test func `leave out no suite in which the gateway refuses an attack`() {
        let targets = ["Tests/EndToEndTests/", "Tests/HTTP1Tests/", "Tests/ReplayTests/"]
        let refusing = DeclaredTests.all.filter { test in
            targets.contains { test.file.hasPrefix($0) } && !AttackLists.threats.isDisjoint(with: test.refuses)
        }
        let suites = Set(refusing.map(\.suite))
        #expect(suites.count >= 80, "found next to nothing: the reader is broken")
        let unlisted = suites.subtracting(AttackLists.inSwift.map(\.suite))
        #expect(unlisted.subtracting(AttackLists.noAttacks.keys).sorted() == [])
        #expect(Set(AttackLists.noAttacks.keys).subtracting(unlisted).sorted() == [], "an exception that nothing needs")
    }

    @Test func `are all on the first page of their folder`() throws {
        let page = try #require(SourceTree.file("Tests/Conformance/README.md")).text
        for file in AttackLists.files {
            let place = file.path.dropFirst("Tests/Conformance/".count)
            let aim = try #require(file.lines.dropFirst(2).first, "\(file) says what its attacker gains")
            #expect(page.contains("](\(place)) | \(aim) |"), "\(file)")
        }
    }
}

@Suite struct `the reader of declared tests` {
    private static let text = #"""
        @Suite(.serialized) struct `one thing` {
            struct Given {}
            @Test(.HOLDS("RS-01")) func `is good`() {}

            @Test(
                .REFUSES("RS-02", "RS-03"),
                arguments: ["a", "b"])
            func `is bad`(text: String) { try text.func() }
        }

        struct OtherTests {
            @Test(.HOLDS("RS-04"), .REFUSES("RS-04")) func plain() {}
        }
        """#

    @Test func `finds each with its suite, its rows and its text`() {
        let text = Self.text.replacing("HOLDS", with: "holds").replacing("REFUSES", with: "refuses")
        let tests = DeclaredTests.read(SourceFile(path: "A.swift", text: text))
        #expect(
            tests.map { "\($0.suite): \($0.name)" } == ["one thing: is good", "one thing: is bad", "OtherTests: plain"])
        #expect(tests.map(\.refuses) == [[], ["RS-02", "RS-03"], ["RS-04"]])
        #expect(tests.map(\.rows) == [["RS-01"], ["RS-02", "RS-03"], ["RS-04", "RS-04"]])
        #expect(tests.map { $0.text.contains("\"b\"") } == [false, true, false])
        #expect(DeclaredTests.all.count > 3000, "found next to nothing: it is broken")
    }
}

extension String {
    /// Without the line ends behind the last row of a table.
    fileprivate var trimmingEnd: String {
        var text = self
        while text.hasSuffix("\n") { text.removeLast() }
        return text
    }
}
