import Foundation
import Testing

@Suite struct `the life of a request` {
    static let order = ["Accept", "Parse", "Route", "Authenticate", "Authorize", "Rewrite", "Forward", "Log"]

    /// What the judgement does of the stages, in this order, and the folder that each is in.
    static let steps = [
        ("route", "Route"), ("permitMethod", "Route"), ("authenticate", "Authenticate"), ("authorize", "Authorize"),
        ("countIdentity", "Limit"), ("exchangeToken", "Authenticate"), ("forward", "Judge"), ("spend", "Authenticate"),
    ]

    /// Those of the names that `judge` calls, in the order in which it does.
    static func calls(of names: [String], in code: String) -> [String] {
        body(of: code).matches(of: #/(\w+)\(/#).map { String($0.1) }.filter { names.contains($0) }
    }

    /// What `judge` does, but for what becomes of a refusal.
    private static func body(of code: String) -> String {
        guard let start = code.range(of: "func judge(") else { return "" }
        return String(code[start.upperBound...]).components(separatedBy: "} catch").first ?? ""
    }

    /// The folders named in the text, each where it is named first.
    static func folders(in text: Substring) -> [String] {
        var found: [String] = []
        for word in text.split(whereSeparator: { !$0.isLetter }).map(String.init) {
            if order.contains(word), !found.contains(word) { found.append(word) }
        }
        return found
    }

    private func judge() throws -> String {
        try #require(SourceTree.file("Sources/Access/Judge/Judge.swift"), "Judge.swift is missing").code
    }

    @Test func `has its stages in the judgement in the order that the folders promise`() throws {
        let steps = Self.calls(of: Self.steps.map(\.0), in: try judge())
        // A browser's own question goes on without the stages that ask who makes it.
        #expect(steps == ["route", "countIdentity", "forward"] + Self.steps.map(\.0).dropFirst())
        let stages = Self.steps.prefix(4).map(\.1)
        #expect(stages == stages.sorted { Self.order.firstIndex(of: $0) ?? 0 < Self.order.firstIndex(of: $1) ?? 0 })
    }

    @Test func `is remembered by stages that come in the order in which explanations tell them`() throws {
        let reached = Self.body(of: try judge()).matches(of: #/findings\.reached = \.(\w+)/#).map { String($0.1) }
        let code = try #require(SourceTree.file("Sources/Access/Judge/Findings.swift")).code
        let cases = code.components(separatedBy: "enum Stage").dropFirst().first?.prefix { $0 != "}" } ?? ""
        let stages = cases.matches(of: #/case ([\w, ]+)/#).flatMap { $0.1.split(separator: ", ").map(String.init) }
        #expect(reached == stages && reached.count > 10)
    }

    @Test(arguments: steps)
    func `has each stage's step in the stage's folder`(name: String, folder: String) {
        // What needs no worker is in the judgement's own target, in a folder of the same name.
        let folders = ["Sources/Gateway/\(folder)/", "Sources/Access/\(folder)/"]
        let files = SourceTree.sources.filter { file in folders.contains { file.path.hasPrefix($0) } }
        #expect(files.contains { $0.code.contains("func \(name)(") }, "\(name) is not in \(folder)")
    }

    @Test func `has a folder for each stage`() {
        let folders = SourceTree.folders(in: "Sources/Gateway").union(SourceTree.folders(in: "Sources/Access"))
        #expect(Set(Self.order).isSubset(of: folders))
    }

    @Test(arguments: ["Overview.md", "LifeOfARequest.md"])
    func `is told in the same order`(document: String) throws {
        let file = SourceTree.file("Sources/Gateway/Gateway.docc/" + document)
        let text = try #require(file, "\(document) is missing").text
        let heading = try #require(
            text.range(of: "# Life of a request"), "\(document) has no heading \"Life of a request\"")
        let rest = text[heading.upperBound...]
        let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
        #expect(Self.folders(in: document == "Overview.md" ? rest[..<end] : rest) == Self.order)
    }

    @Test func `is read by this test as it stands`() {
        let code = "func b() { }\n func judge() {\n do {\n try b(x)\n if a() { c(b()) }\n } catch { a() }\n} a()"
        #expect(Self.calls(of: ["a", "b"], in: code) == ["b", "a", "b"])
        #expect(Self.folders(in: "1 `Route/` 2 `Accept/`, then Route") == ["Route", "Accept"])
    }
}
