// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite struct `the life of a request` {
    static let order = ["Accept", "Parse", "Route", "Authenticate", "Authorize", "Rewrite", "Forward", "Log"]

    /// The cases of `enum Stage` in the order of `RequestPath.swift`.
    static func stages(in code: String) -> [String] {
        guard let start = code.range(of: "enum Stage") else { return [] }
        let body = code[start.upperBound...].prefix { $0 != "}" }
        return body.matches(of: #/\bcase\s+([\w ,]+)/#).flatMap { match in
            match.1.split { " ,".contains($0) }.map(String.init)
        }
    }

    /// The folders named in the text, each where it is named first.
    static func folders(in text: Substring) -> [String] {
        var found: [String] = []
        for word in text.split(whereSeparator: { !$0.isLetter }).map(String.init) {
            if order.contains(word), !found.contains(word) { found.append(word) }
        }
        return found
    }

    @Test func `has its stages in the code in the order that the folders promise`() throws {
        let path = try #require(SourceTree.file("Sources/Gateway/RequestPath.swift"), "RequestPath.swift is missing")
        #expect(Self.stages(in: path.code) == Self.order.map { $0.lowercased() })
    }

    @Test func `has a folder for each stage`() {
        #expect(Set(Self.order).isSubset(of: SourceTree.folders(in: "Sources/Gateway")))
    }

    @Test(arguments: ["README.md", "Sources/Gateway/Gateway.docc/LifeOfARequest.md"])
    func `is told in the same order`(document: String) throws {
        let text = try #require(SourceTree.file(document), "\(document) is missing").text
        let heading = try #require(
            text.range(of: "# Life of a request"), "\(document) has no heading \"Life of a request\"")
        let rest = text[heading.upperBound...]
        let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
        #expect(Self.folders(in: document == "README.md" ? rest[..<end] : rest) == Self.order)
    }

    @Test func `is read by this test as it stands`() {
        #expect(
            Self.stages(in: "enum Stage: CaseIterable {\n case a, b\n case c\n}\n enum Other { case d }") == [
                "a", "b", "c",
            ])
        #expect(Self.folders(in: "1 `Route/` 2 `Accept/`, then Route") == ["Route", "Accept"])
    }
}
