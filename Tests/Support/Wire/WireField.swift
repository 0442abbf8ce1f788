/// One field line as it stood on the wire.
package struct WireField: Sendable, Equatable, CustomStringConvertible {
    package let name: String
    package let value: String
    /// The line's bytes without its CRLF.
    package let line: [UInt8]

    package var description: String { "\(name): \(value)" }
}

/// Field lines in the order received, duplicates kept.
package struct WireFields: Sendable {
    package private(set) var all: [WireField] = []

    /// Values of every line whose name equals `name`, whatever its case.
    package subscript(_ name: String) -> [String] {
        all.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether a line has this name, whatever its case.
    package func contains(_ name: String) -> Bool { !self[name].isEmpty }

    /// The value of the only line with this name; nil when there is none or there are several.
    package func only(_ name: String) -> String? {
        let values = self[name]
        return values.count == 1 ? values[0] : nil
    }

    /// Reads the lines of a head after its first; refuses what a strict reader would (RFC 9112 §5).
    package init(lines: [[UInt8]]) throws {
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
                throw WireFailure.malformed("a field line without a name: \(text(line))")
            }
            let name = line[..<colon]
            guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.separators.contains($0) }) else {
                throw WireFailure.malformed("a field name that is no token: \(text(line))")
            }
            guard !line.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
                throw WireFailure.malformed("a field value with CR, LF or NUL: \(text(line))")
            }
            var value = line[(colon + 1)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
            all.append(WireField(name: text(Array(name)), value: text(Array(value)), line: line))
        }
    }

    private static let separators = Set(#"(),/:;<=>?@[\]{}""#.utf8)
}

/// The bytes as text; each byte that is no part of UTF-8 becomes U+FFFD.
package func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A head cut at CRLF: the start line and the field lines; nil while the empty line is missing.
package func headLines(of bytes: [UInt8]) -> (lines: [[UInt8]], length: Int)? {
    guard let end = firstIndex(of: [0x0D, 0x0A, 0x0D, 0x0A], in: bytes) else { return nil }
    var lines: [[UInt8]] = []
    var start = 0
    var position = 0
    while position < end + 2 {
        if bytes[position] == 0x0D, bytes[position + 1] == 0x0A {
            lines.append(Array(bytes[start..<position]))
            start = position + 2
            position += 1
        }
        position += 1
    }
    return (lines, end + 4)
}

/// Where `pattern` first occurs in `bytes`.
package func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
    let last = bytes.count - pattern.count
    var position = 0
    while position <= last {
        if bytes[position] == first, bytes[position..<(position + pattern.count)].elementsEqual(pattern) {
            return position
        }
        position += 1
    }
    return nil
}
