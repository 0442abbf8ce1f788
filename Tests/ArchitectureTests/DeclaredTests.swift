/// A test as the sources declare it: where it stands, which rows it carries, and all that it says.
struct DeclaredTest {
    let file: String
    let suite: String
    let name: String
    let text: Substring
    let refuses: [String]
    let rows: [String]
}

/// The tests of the package, read from their sources.
enum DeclaredTests {
    static let all = SourceTree.tests.flatMap(read)

    /// Configurations in files, each of which is a case of one test: by their place in the folder, and by what their
    /// comments say of rows.
    static let golden = SourceTree.files(under: "Tests/ConfigurationTests/Golden", endings: ["txt"]).map { file in
        let rows = RequirementRows.comments(in: file.text)
        let place = file.path.split(separator: "/").suffix(2).joined(separator: "/").dropLast(".txt".count)
        return DeclaredTest(
            file: file.path, suite: "Golden", name: String(place), text: Substring(file.text),
            refuses: rows.filter { $0.side == "refuses" }.map(\.row), rows: rows.map(\.row))
    }

    /// The tests of one file in their order, each with the suite that it stands in.
    ///
    /// A test's text is all from the line of its attribute to that of the next test or suite.
    static func read(_ file: SourceFile) -> [DeclaredTest] {
        var reader = TestReader(file: file)
        for line in file.lines { reader.read(line) }
        reader.endTest(at: file.text.endIndex)
        return reader.tests
    }
}

private struct TestReader {
    let file: SourceFile
    var tests: [DeclaredTest] = []
    private var suite = ""
    /// The test whose text is being read: where it began, and its name once that is known.
    private var start: String.Index?
    private var name: String?
    private var isSuiteNext = false

    private var isTestNext: Bool { start != nil && name == nil }

    init(file: SourceFile) { self.file = file }

    mutating func read(_ line: Substring) {
        // Few lines declare anything; the others cost no regular expression.
        let mayDeclare = line.utf8.contains(UInt8(ascii: "@")) || line.hasPrefix("struct ")
        guard mayDeclare || isSuiteNext || isTestNext else { return }
        for match in line.matches(of: #/@Suite|@Test|struct (?<suite>`[^`]+`|\w+)|func (?<test>`[^`]+`|\w+)/#) {
            if match.0 == "@Suite" {
                endTest(at: line.startIndex)
                isSuiteNext = true
            } else if match.0 == "@Test" {
                endTest(at: line.startIndex)
                start = line.startIndex
            } else if let found = match.suite, isSuiteNext || line.hasPrefix("struct ") {
                endTest(at: line.startIndex)
                (suite, isSuiteNext) = (Self.unquoted(found), false)
            } else if let found = match.test, isTestNext {
                name = Self.unquoted(found)
            }
        }
    }

    mutating func endTest(at end: String.Index) {
        if let start, let name {
            let text = file.text[start..<end]
            let traits = RequirementRows.traits(in: String(text))
            let refuses = traits.filter { $0.side == "refuses" }.map(\.row)
            tests.append(
                DeclaredTest(
                    file: file.path, suite: suite, name: name, text: text, refuses: refuses, rows: traits.map(\.row)))
        }
        (start, name) = (nil, nil)
    }

    private static func unquoted(_ name: Substring) -> String { String(name.filter { $0 != "`" }) }
}
