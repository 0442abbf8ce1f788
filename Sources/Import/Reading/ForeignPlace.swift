import Configuration

/// Where something stands in a foreign configuration.
struct ForeignPlace: Sendable, Equatable {
    var file: String
    /// Of an argument of a command line its number, as the line.
    var position: Position

    /// `oauth2-proxy.cfg:12:1`.
    var text: String { "\(Printable.ascii(file)):\(position.line):\(position.column)" }
}

/// A foreign configuration as it was given: what it is called, and its bytes.
package struct ForeignFile: Sendable {
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Itself, unless it has a byte that no configuration has.
    func text() throws(ImportRefusal) -> ForeignFile {
        guard let index = bytes.firstIndex(of: 0) else { return self }
        let before = bytes[..<index]
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        throw ImportRefusal(
            ForeignPlace(
                file: name,
                position: Position(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: index - start + 1)),
            expected: "a text", found: "a byte of zero", remedy: "save it as UTF-8")
    }
}

/// Why a foreign configuration could not be read; nothing is made of half of one.
package struct ImportRefusal: Error, Sendable, Equatable {
    /// At most this many are told.
    private static let most = 100

    private var lines: [String] = []

    init() {}

    init(_ place: ForeignPlace, expected: String, found: String, remedy: String) {
        add(place, expected: expected, found: found, remedy: remedy)
    }

    var isEmpty: Bool { lines.isEmpty }

    mutating func add(_ place: ForeignPlace, expected: String, found: String, remedy: String) {
        guard lines.count < Self.most else { return }
        let problem = Problem(
            severity: .error, position: place.position, path: "", expected: Printable.ascii(expected),
            found: Printable.ascii(found), remedy: Printable.ascii(remedy))
        lines.append(problem.text(file: Printable.ascii(place.file)))
    }

    /// Those of another one too.
    mutating func add(_ other: ImportRefusal) { lines += other.lines.prefix(Self.most - lines.count) }

    /// What is printed: a line and an indented remedy each, with file, line and column.
    package var text: String { lines.joined(separator: "\n") }
}

/// Text of others, as it may stand in a comment or a message of ours.
enum Printable {
    /// Printable ASCII on one line, shortened; every other character is a question mark.
    static func ascii(_ text: String, limit: Int = 200) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard shown.count < limit else { return String(shown) + "..." }
            // Of our own messages.
            if scalar == "…" {
                shown.append(contentsOf: "...".unicodeScalars)
            } else {
                shown.append(scalar.value >= 0x20 && scalar.value < 0x7F ? scalar : "?")
            }
        }
        return String(shown)
    }
}
