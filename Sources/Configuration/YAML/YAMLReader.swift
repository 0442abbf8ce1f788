import CYAML

/// Reads one YAML document into nodes, refusing what a configuration has no use for.
///
/// Anchors and aliases (a few hundred bytes could stand for gigabytes), tags, a second document and deep nesting are
/// refused. Wraps libyaml's event interface (`yaml_parser_parse`), so that nothing is built before it is checked.
package struct YAMLReader: ~Copyable {
    static let maximumDepth = 32

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Characters of the text, which is what libyaml counts in.
    private let length: Int
    private var event = yaml_event_t()
    /// The brackets that are open, outermost first.
    private var brackets: [(sign: String, position: Position)] = []

    /// The byte order mark that some editors put before UTF-8 (RFC 3629 §6): it says nothing, and is no part of the text.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The root of the only document in `text`.
    package static func read(_ text: [UInt8]) throws(YAMLRefusal) -> YAMLNode {
        if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
            throw YAMLRefusal(cause: .utf16, position: Position(line: 1, column: 1))
        }
        let text = text.starts(with: mark) ? Array(text[mark.count...]) : text
        guard !text.isEmpty else { throw YAMLRefusal(cause: .empty, position: Position(line: 1, column: 1)) }
        var result: Result<YAMLNode, YAMLRefusal> = .failure(
            YAMLRefusal(cause: .empty, position: Position(line: 1, column: 1)))
        text.withUnsafeBufferPointer { bytes in
            // libyaml keeps the pointer, not a copy: the reader must not outlive this closure.
            guard let reader = YAMLReader(bytes) else { return }
            result = reader.document()
        }
        return try result.get()
    }

    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        // The parser keeps a pointer to itself, so it lives at one address for all of its life.
        self.bytes = bytes
        length = Self.characters(in: bytes)
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        var last = event
        yaml_event_delete(&last)
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    private consuming func document() -> Result<YAMLNode, YAMLRefusal> {
        do throws(YAMLRefusal) {
            try advance()
            try advance()
            guard event.type == YAML_DOCUMENT_START_EVENT else { throw refusal(.empty) }
            try advance()
            let root = try node(depth: 0)
            try advance()
            try advance()
            guard event.type == YAML_STREAM_END_EVENT else { throw refusal(.secondDocument) }
            return .success(root)
        } catch {
            return .failure(error)
        }
    }

    /// Replaces the current event by the next one.
    private mutating func advance() throws(YAMLRefusal) {
        yaml_event_delete(&event)
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxRefusal() }
    }

    /// The node that begins with the current event, which is its last one afterwards.
    private mutating func node(depth: Int) throws(YAMLRefusal) -> YAMLNode {
        guard depth < Self.maximumDepth else { throw refusal(.tooDeep) }
        let position = self.position
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try refuseProperties(anchor: scalar.anchor, tag: scalar.tag)
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let content = YAMLNode.Content.scalar(
                String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            return YAMLNode(position: position, content: content)
        case YAML_SEQUENCE_START_EVENT:
            try refuseProperties(anchor: event.data.sequence_start.anchor, tag: event.data.sequence_start.tag)
            let isFlow = event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
            if isFlow { brackets.append(("[", position)) }
            let elements = try elements(depth: depth + 1)
            if isFlow { brackets.removeLast() }
            return YAMLNode(position: position, content: .sequence(elements))
        case YAML_MAPPING_START_EVENT:
            try refuseProperties(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag)
            // [a: b] has a mapping without brackets of its own.
            let isFlow =
                event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                && event.end_mark.index > event.start_mark.index
            if isFlow { brackets.append(("{", position)) }
            let entries = try entries(depth: depth + 1)
            if isFlow { brackets.removeLast() }
            return YAMLNode(position: position, content: .mapping(entries))
        case YAML_ALIAS_EVENT:
            throw refusal(.anchorOrAlias)
        default:
            // An event of libyaml that begins no node: only a parser at odds with its own grammar gets here.
            throw refusal(.syntax("found no value"))
        }
    }

    private mutating func elements(depth: Int) throws(YAMLRefusal) -> [YAMLNode] {
        var elements: [YAMLNode] = []
        try advance()
        while event.type != YAML_SEQUENCE_END_EVENT {
            elements.append(try node(depth: depth))
            try advance()
        }
        return elements
    }

    private mutating func entries(depth: Int) throws(YAMLRefusal) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        try advance()
        while event.type != YAML_MAPPING_END_EVENT {
            let key = try node(depth: depth)
            guard case .scalar(let name, _) = key.content else {
                throw YAMLRefusal(cause: .keyNotText, position: key.position)
            }
            try advance()
            entries.append(YAMLNode.Entry(key: name, keyPosition: key.position, value: try node(depth: depth)))
            try advance()
        }
        return entries
    }

    private func refuseProperties(
        anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?
    ) throws(YAMLRefusal) {
        if anchor != nil { throw refusal(.anchorOrAlias) }
        if tag != nil { throw refusal(.tag) }
    }

    private var position: Position { position(of: event.start_mark) }

    /// Where a mark of libyaml is, which takes the end of a text without a last line break for one more line.
    private func position(of mark: yaml_mark_t) -> Position {
        guard mark.line > 0, mark.column == 0, let last = bytes.last, !Self.isLineBreak(last), isEnd(mark) else {
            return Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
        }
        let start = bytes.lastIndex(where: Self.isLineBreak).map { $0 + 1 } ?? 0
        return Position(line: Int(mark.line), column: Self.characters(in: bytes[start...]) + 1)
    }

    /// Whether nothing is behind a mark; asked at the beginnings of lines, so it must not count the text each time.
    private func isEnd(_ mark: yaml_mark_t) -> Bool { Int(mark.index) >= length }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Bytes of UTF-8 that begin a character.
    private static func characters(in text: some Sequence<UInt8>) -> Int {
        text.reduce(0) { $1 & 0xc0 == 0x80 ? $0 : $0 + 1 }
    }

    private func refusal(_ cause: YAMLRefusal.Cause) -> YAMLRefusal {
        YAMLRefusal(cause: cause, position: position)
    }

    private func syntaxRefusal() -> YAMLRefusal {
        // `problem` and `context` are static C strings of libyaml.
        let words = parser.pointee.problem.map { String(cString: $0) } ?? "could not be read"
        if parser.pointee.error == YAML_READER_ERROR {
            let isEncoding = words.contains("UTF-8") || words.contains("Unicode")
            let offset = parser.pointee.problem_offset
            let byte = offset < bytes.count ? bytes[offset] : 0
            return YAMLRefusal(
                cause: isEncoding ? .notUTF8(byte) : .syntax(words), position: position(ofByte: offset))
        }
        let position = position(of: parser.pointee.problem_mark)
        let line = line(position.line)
        let text = String(decoding: line, as: UTF8.self)
        if let odd = oddSpace(before: position) { return odd }
        if line.dropFirst(position.column - 1).first == UInt8(ascii: "\t") {
            return YAMLRefusal(cause: .tab, position: position)
        }
        if TemplateText.variable(in: text) != nil { return YAMLRefusal(cause: .variable, position: position) }
        if let context = parser.pointee.context, String(cString: context) == "while scanning a quoted scalar" {
            return YAMLRefusal(cause: .openQuote, position: self.position(of: parser.pointee.context_mark))
        }
        if words.hasPrefix("found character that cannot start"),
            let sign = text.unicodeScalars.dropFirst(position.column - 1).first
        {
            return YAMLRefusal(cause: .signAtStart(Quoted.bare(String(sign))), position: position)
        }
        if let open = brackets.last {
            return YAMLRefusal(
                cause: .openBracket(open.sign, at: open.position, words: words), position: position)
        }
        return YAMLRefusal(cause: .syntax(words), position: position)
    }

    /// A character that looks like a space where only a space counts, on this line or on the one before it: in the
    /// indentation, or behind a sign of YAML's.
    private func oddSpace(before position: Position) -> YAMLRefusal? {
        for number in [position.line - 1, position.line] where number > 0 {
            var last: Unicode.Scalar = " "
            for (column, scalar) in String(decoding: line(number), as: UTF8.self).unicodeScalars.enumerated() {
                if scalar == "#", last == " " { break }
                if " -:,[{".unicodeScalars.contains(last), let name = Self.oddSpaces[scalar] {
                    return YAMLRefusal(cause: .oddSpace(name), position: Position(line: number, column: column + 1))
                }
                last = scalar
            }
        }
        return nil
    }

    /// What word processors and web pages put in the place of a space.
    private static let oddSpaces: [Unicode.Scalar: String] = [
        "\u{A0}": "a no-break space (U+00A0)", "\u{202F}": "a narrow no-break space (U+202F)",
        "\u{2007}": "a figure space (U+2007)", "\u{3000}": "an ideographic space (U+3000)",
        "\u{200B}": "a zero width space (U+200B)", "\u{2003}": "an em space (U+2003)",
        "\u{2002}": "an en space (U+2002)", "\u{2009}": "a thin space (U+2009)",
    ]

    /// The bytes of a line, counted from 1, without its end.
    private func line(_ number: Int) -> UnsafeBufferPointer<UInt8>.SubSequence {
        var rest = bytes[...]
        for _ in 1..<max(1, number) {
            guard let end = rest.firstIndex(where: Self.isLineBreak) else { return rest.prefix(0) }
            rest = rest[(end + 1)...]
        }
        return rest.prefix { !Self.isLineBreak($0) }
    }

    /// Where a byte stands; wrong encoding is told by its offset alone.
    private func position(ofByte offset: Int) -> Position {
        let before = bytes.prefix(offset)
        let line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Position(line: line, column: before.count - start + 1)
    }
}

/// The version of the libyaml in use, as it names itself (`yaml_get_version_string`).
package enum YAMLLibrary {
    /// For example `0.2.5`.
    package static var version: String { String(cString: yaml_get_version_string()) }
}
