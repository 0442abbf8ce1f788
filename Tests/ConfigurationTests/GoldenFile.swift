import Configuration
import Foundation

/// What the program says of one configuration, kept in a file of `Golden`.
///
/// The configuration comes first, then a line with `--- says`, and what is printed, with `valid` or `not valid` at its
/// end. After a line with `--- and` comes another such pair. The names of folder and file make a sentence. A comment `# refuses CA-04`, or `# holds CA-04`, names the rows of the
/// requirements that the file shows, as a test's trait does.
struct GoldenFile {
    /// One configuration, and what is said of it.
    struct Example {
        var text: [UInt8]
        var said: [UInt8]
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    /// Each file by its folder and its own name, in order.
    static let names: [String] = {
        let paths = FileManager.default.enumerator(atPath: folder.path)
        return (paths?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".txt") }
            .map { String($0.dropLast(4)) }.sorted()
    }()

    var examples: [Example] = []

    init(_ text: String) { self.init(Array(text.utf8)) }

    init(named name: String) throws {
        // Not as a text: that would take a byte order mark away.
        self.init(Array(try Data(contentsOf: Self.place(name))))
    }

    private init(_ bytes: [UInt8]) {
        for example in Self.parts(of: bytes, at: "--- and\n") {
            let parts = Self.parts(of: example, at: "--- says\n")
            examples.append(Example(text: parts[0], said: parts.count == 2 ? parts[1] : []))
        }
    }

    /// Writes what is said now, so that the difference can be read.
    func write(named name: String) throws {
        let examples = examples.map { $0.text + Array("--- says\n".utf8) + Self.said(of: $0.text) }
        try Data(examples.joined(separator: Array("--- and\n".utf8))).write(to: Self.place(name))
    }

    /// What is said now where it is not what the file tells.
    var differences: [String] {
        examples.compactMap { example in
            let said = Self.said(of: example.text)
            return said == example.said ? nil : String(decoding: said, as: UTF8.self)
        }
    }

    /// What the operator reads: all problems, or the warnings of a configuration that loads.
    static func said(of text: [UInt8]) -> [UInt8] {
        let sources = ConfigurationSources.scripted(
            files: Fixture.filesWithCertificates,
            environment: [
                "EMPTY": "", "LONG": String(repeating: "z", count: 4097), "ORIGIN": "https://shop.example.com",
                "PORT": "8443", "KEY": "correct-horse-battery-staple", "LINES": "a\nb: c", "TWICE": "${ORIGIN}",
                "FLOW": "x, y: { z: [1] } # no comment",
            ])
        let said: String
        do throws(ConfigurationRefusal) {
            let loaded = try Configuration.load(text: text, folder: ".", from: sources)
            said = loaded.warnings.map { $0.text(file: "portcullis.yaml") + "\n" }.joined() + "valid\n"
        } catch {
            said = error.text(file: "portcullis.yaml") + "\nnot valid\n"
        }
        return Array(said.utf8)
    }

    private static func place(_ name: String) -> URL { folder.appending(path: name + ".txt") }

    private static func parts(of bytes: [UInt8], at separator: String) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map({
            Array($0) + [0x0A]
        }) {
            if line == Array(separator.utf8) { parts.append([]) } else { parts[parts.count - 1] += line }
        }
        // What follows the last line end is no line.
        if parts[parts.count - 1].last == 0x0A { parts[parts.count - 1].removeLast() }
        return parts
    }
}
