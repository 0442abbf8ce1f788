/// A file of sentences: `key: sentence`, one a line; blank lines and lines that begin with `#` say nothing.
///
/// Reads operators' bytes: whatever they are, it takes time and memory in proportion to them, and says everything that
/// is wrong with its place.
package struct PageText: Sendable {
    package struct Sentence: Sendable, Equatable {
        package var key: String
        package var text: String
        package var line: Int
    }

    package struct Fault: Sendable, Equatable {
        package var line: Int
        package var column: Int
        package var expected: String
        package var found: String
    }

    package private(set) var sentences: [Sentence] = []
    package private(set) var faults: [Fault] = []

    /// Larger files are no texts of pages.
    package static let maximumBytes = 128 << 10
    static let maximumSentenceBytes = 600
    private static let maximumKeyBytes = 64
    private static let maximumFaults = 100

    /// Reads a file; of more than `maximumBytes` nothing but the beginning.
    package init(_ bytes: [UInt8]) {
        var bytes = bytes.prefix(PageText.maximumBytes)
        // Some editors begin a file with a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        var known: [String: Int] = [:]
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard faults.count < PageText.maximumFaults else { return }
            guard let sentence = read(line.last == 0x0D ? line.dropLast() : line, number) else { continue }
            if let first = known[sentence.key] {
                fault(number, 1, "each key once", "\(sentence.key) again, which is on line \(first)")
                continue
            }
            known[sentence.key] = number
            sentences.append(sentence)
        }
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) -> Sentence? {
        let content = PageText.trimmed(line)
        guard let first = content.first, first != UInt8(ascii: "#") else { return nil }
        let column = content.startIndex - line.startIndex + 1
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else {
            fault(number, column, "a key, a colon and a sentence", "a line without a colon")
            return nil
        }
        let key = PageText.trimmed(content[..<colon])
        guard (1...PageText.maximumKeyBytes).contains(key.count), key.allSatisfy(PageText.isKeyCharacter) else {
            fault(number, column, "a key of lower-case letters, digits, . and _", "something else before the colon")
            return nil
        }
        let text = PageText.trimmed(content[(colon + 1)...])
        let place = text.startIndex - line.startIndex + 1
        guard !text.isEmpty else {
            fault(number, place, "a sentence behind the colon", "none")
            return nil
        }
        guard text.count <= PageText.maximumSentenceBytes else {
            fault(number, place, "a sentence of at most \(PageText.maximumSentenceBytes) bytes", "\(text.count)")
            return nil
        }
        guard let string = String(validating: text, as: UTF8.self),
            string.unicodeScalars.allSatisfy(PageText.isPrintable)
        else {
            fault(number, place, "text in UTF-8 without control characters", "something else")
            return nil
        }
        return Sentence(key: String(decoding: key, as: UTF8.self), text: string, line: number)
    }

    private mutating func fault(_ line: Int, _ column: Int, _ expected: String, _ found: String) {
        faults.append(Fault(line: line, column: column, expected: expected, found: found))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.endIndex
        let end = bytes[start...].lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? start
        return bytes[start..<end]
    }

    private static func isKeyCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Neither a control character nor one that turns the order of what follows around.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }
}
