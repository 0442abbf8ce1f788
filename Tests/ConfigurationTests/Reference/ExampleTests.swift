import Configuration
import Foundation
import Testing

@Suite struct `every example` {
    /// What is in the folder: a new example needs no word here.
    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: ProjectFile.root + "/config/examples")
        return (files ?? []).filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    @Test func `is one of many`() { #expect(Self.names.count >= 18) }

    @Test(arguments: names) func `loads without a warning of its own making`(name: String) throws {
        let text = try ProjectFile.text("config/examples/\(name).yaml")
        #expect(refusal(of: text, from: .everyFileIsThere) == "")
        #expect(try warnings(of: text, from: .everyFileIsThere) == "")
    }

    @Test(arguments: names) func `has all of its missing files told at once, when none is there`(name: String) throws {
        let text = try ProjectFile.text("config/examples/\(name).yaml")
        let found = refusal(of: text, from: .scripted(files: [:]))
        let paths = Set(text.matches(of: #/\/(?:run|etc)\/[\w.\/-]+\.\w+/#).map { String($0.output) })
        for path in paths { #expect(found.contains(path), "\(path) is not told of in\n\(found)") }
        // Nothing else is wrong with it, so that there is one problem for each: files that are named twice, twice.
        let problems = found.split(separator: "\n").filter { $0.hasPrefix("gateway.yaml:") }
        #expect(problems.count >= paths.count)
        for problem in problems { #expect(paths.contains { problem.contains($0) }, "\(problem)") }
    }

    @Test(arguments: names) func `is short and opens with what it shows`(name: String) throws {
        let lines = try ProjectFile.text("config/examples/\(name).yaml").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 41)
        #expect(lines.first?.hasPrefix("# ") == true)
    }
}
