import Foundation
import Synchronization

/// A file of the package, by its path from the package's root.
struct SourceFile: Sendable, CustomStringConvertible {
    let path: String
    let text: String
    private let blanked = BlankedText()

    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    var name: String { String(path.split(separator: "/").last ?? "") }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// The text with comments and the insides of strings blanked out, line for line.
    var code: String { blanked.of(text) }
    var description: String { path }

    /// The target a file of `Sources` belongs to.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count >= 3 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    func isIn(_ folder: String) -> Bool { path == folder || path.hasPrefix(folder + "/") }
}

/// A text without comments and the insides of strings, made once for all tests that ask for it.
private final class BlankedText: Sendable {
    private let made = Mutex<String?>(nil)

    func of(_ text: String) -> String {
        made.withLock { known in
            if let known { return known }
            let code = SwiftCode.blanked(text)
            known = code
            return code
        }
    }
}

/// The package's own files, found from where this file was compiled.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let sources = files(under: "Sources", endings: ["swift"])
    static let tests = files(under: "Tests", endings: ["swift"])
    static let headers = files(under: "Sources", endings: ["h"])

    static func file(_ path: String) -> SourceFile? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { return nil }
        return SourceFile(path: path, text: text)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    static func files(under folder: String, endings: [String]) -> [SourceFile] {
        let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        var found: [SourceFile] = []
        while let path = paths?.nextObject() as? String {
            if path.contains(".build/") { continue }
            if endings.contains(where: { path.hasSuffix("." + $0) }), let file = file(folder + "/" + path) {
                found.append(file)
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// Names of the folders directly in `folder`.
    static func folders(in folder: String) -> Set<String> {
        let url = root.appending(path: folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return Set(
            names.filter { name in
                var isFolder: ObjCBool = false
                let exists = FileManager.default.fileExists(
                    atPath: url.appending(path: name).path, isDirectory: &isFolder)
                return exists && isFolder.boolValue
            })
    }
}

/// A reader of Swift that knows comments and strings, and nothing else.
enum SwiftCode {
    /// The text with every comment and every string's inside replaced by spaces; line feeds stay.
    static func blanked(_ text: String) -> String {
        var output: [UInt8] = []
        let bytes = Array(text.utf8)
        output.reserveCapacity(bytes.count)
        var index = 0
        func blank(upTo end: Int) {
            while index < end {
                output.append(bytes[index] == 0x0A ? 0x0A : 0x20)
                index += 1
            }
        }
        while index < bytes.count {
            // Nearly every byte begins nothing: tests of all files are built without optimisation.
            let byte = bytes[index]
            guard byte == 0x22 || byte == 0x23 || byte == 0x2F || byte == 0x60 else {
                output.append(bytes[index])
                index += 1
                continue
            }
            if starts(bytes, index, "//") {
                blank(upTo: bytes[index...].firstIndex(of: 0x0A) ?? bytes.count)
            } else if starts(bytes, index, "/*") {
                blank(upTo: endOfComment(bytes, index))
            } else if starts(bytes, index, "#/") {  // a regular expression
                var end = index + 2
                while end < bytes.count, !starts(bytes, end, "/#") { end += 1 }
                blank(upTo: min(end + 2, bytes.count))
            } else if bytes[index] == 0x60 {  // a raw identifier is a sentence: blank it as well
                let end = bytes[(index + 1)...].firstIndex(of: 0x60) ?? bytes.count - 1
                output.append(0x60)
                index += 1
                blank(upTo: end)
                output.append(0x60)
                index += 1
            } else if let end = endOfString(bytes, index) {
                output.append(0x22)
                index += 1
                blank(upTo: end - 1)
                output.append(0x22)
                index += 1
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func starts(_ bytes: [UInt8], _ index: Int, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    private static func endOfComment(_ bytes: [UInt8], _ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.count {
            if starts(bytes, index, "/*") {
                (depth, index) = (depth + 1, index + 2)
            } else if starts(bytes, index, "*/") {
                (depth, index) = (depth - 1, index + 2)
                if depth == 0 { return index }
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    /// The end of the string literal that begins at `start`, `nil` if none does.
    ///
    /// An interpolation's inside counts as the string's: strings within it end on the same line or are not followed.
    private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int? {
        var index = start
        while index < bytes.count, bytes[index] == 0x23 { index += 1 }
        guard index < bytes.count, bytes[index] == 0x22 else { return nil }
        let hashes = [UInt8](repeating: 0x23, count: index - start)
        // The text of a multi-line string begins on a line of its own: `#""""#` is another string with two quotes.
        let quotes: [UInt8] = starts(bytes, index, "\"\"\"\n") ? [0x22, 0x22, 0x22] : [0x22]
        let closing = quotes + hashes
        let escape: [UInt8] = [0x5C] + hashes
        index += quotes.count
        var parentheses = 0
        while index < bytes.count {
            if bytes[index...].starts(with: escape + [0x28]) {
                (parentheses, index) = (parentheses + 1, index + escape.count + 1)
            } else if parentheses > 0 {
                if bytes[index] == 0x28 { parentheses += 1 }
                if bytes[index] == 0x29 { parentheses -= 1 }
                if bytes[index] == 0x22, let end = endOfString(bytes, index) { index = end } else { index += 1 }
            } else if bytes[index...].starts(with: escape) {
                index += escape.count + 1
            } else if bytes[index...].starts(with: closing) {
                return index + closing.count
            } else {
                index += 1
            }
        }
        return bytes.count
    }
}
