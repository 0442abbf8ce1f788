import Configuration
import Foundation
import Testing

/// What operators read for the mistakes that people make, each a file in `Golden`: the configuration, a line with
/// `--- says`, and what is printed, with `valid` or `not valid` at its end.
///
/// A new mistake is a new file. `PORTCULLIS_WRITE_GOLDEN=1 swift test --filter 'configuration with a mistake'` writes
/// what is printed now, and the difference is then read before it is committed.
@Suite struct `a configuration with a mistake` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    private static let separator = "--- says\n"

    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (files ?? []).filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
    }()

    @Test(arguments: names) func `says what was expected, what was found and what to do`(name: String) throws {
        let file = Self.folder.appending(path: name + ".txt")
        // Not as a text: that would take a byte order mark away.
        let content = try Data(contentsOf: file)
        let cut = try #require(content.range(of: Data(Self.separator.utf8)))
        let said = Self.said(of: Array(content[..<cut.lowerBound]))
        if ProcessInfo.processInfo.environment["PORTCULLIS_WRITE_GOLDEN"] != nil {
            try (content[..<cut.upperBound] + Data(said.utf8)).write(to: file)
        }
        #expect(said == String(decoding: try Data(contentsOf: file)[cut.upperBound...], as: UTF8.self))
    }

    @Test func `is one of many`() { #expect(Self.names.count >= 25) }

    private static func said(of text: [UInt8]) -> String {
        let sources = ConfigurationSources.scripted(
            files: Fixture.filesWithCertificates,
            environment: ["EMPTY": "", "LONG": String(repeating: "z", count: 4097)])
        do throws(ConfigurationRefusal) {
            let loaded = try Configuration.load(text: text, folder: ".", from: sources)
            return loaded.warnings.map { $0.text(file: "portcullis.yaml") + "\n" }.joined() + "valid\n"
        } catch {
            return error.text(file: "portcullis.yaml") + "\nnot valid\n"
        }
    }
}
