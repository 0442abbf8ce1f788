/// What a scalar means under YAML 1.2's core schema: `yes`, `no`, `on` and `off` are texts there.
enum ScalarValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Any other number (a fraction, an exponent, another base, more digits than fit): no key takes one.
    case number
    case text

    init(_ text: String, isPlain: Bool) {
        guard isPlain else {
            self = .text
            return
        }
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true": self = .boolean(true)
        case "false": self = .boolean(false)
        case "True", "TRUE", "False", "FALSE": self = .number
        default: self = Self.number(text)
        }
    }

    /// A text as YAML, in quotation marks where without them it would be something else.
    static func written(_ text: String) -> String {
        let isPlain = ScalarValue(text, isPlain: true) == .text && text.first != " " && text.last != " "
        return isPlain ? text : "\"\(text)\""
    }

    private static func number(_ text: String) -> ScalarValue {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        if !digits.isEmpty, digits.utf8.allSatisfy(isDigit) {
            // A leading zero is octal to YAML 1.1 and decimal to 1.2: not one number to all readers.
            if digits.utf8.count > 1, digits.utf8.first == UInt8(ascii: "0") { return .number }
            return Int(text).map { .integer($0) } ?? .number
        }
        return looksLikeNumber(text) ? .number : .text
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, `0o…`, `0x…`, `.inf`, `.nan`.
    private static func looksLikeNumber(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let unsigned = String(decoding: rest, as: UTF8.self).lowercased()
        if [".inf", ".nan"].contains(unsigned) { return true }
        if unsigned.hasPrefix("0x") || unsigned.hasPrefix("0o") { return unsigned.utf8.count > 2 }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = rest.prefix(while: isDigit).count
            rest = rest.dropFirst(fraction)
        }
        guard !whole.isEmpty || fraction > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            return !rest.isEmpty && rest.allSatisfy(isDigit)
        }
        return rest.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension YAMLNode {
    /// What a message says was found; texts are quoted, cut and escaped so that they stay on one line.
    var found: String {
        switch content {
        case .sequence(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .mapping(let entries): entries.isEmpty ? "an empty mapping" : "a mapping"
        case .scalar(let text, let isPlain):
            switch ScalarValue(text, isPlain: isPlain) {
            case .null: "nothing"
            case .boolean(let flag): "\(flag)"
            // YAML 1.1 has them for booleans.
            case .number where ["true", "false"].contains(text.lowercased()): Quoted.text(text)
            case .integer, .number: "the number \(Quoted.bare(text))"
            case .text: Quoted.text(text)
            }
        }
    }
}

/// Text of the operator's file as messages repeat it.
enum Quoted {
    /// In quotation marks, at most 80 characters, nothing that could move a terminal's cursor.
    static func text(_ text: String) -> String { "\"\(bare(text))\"" }

    /// The same without the marks.
    static func bare(_ text: String) -> String { escaped(text, atMost: 80) }

    /// The path of a file, of which a part finds nothing: as long as a system lets it be.
    static func path(_ text: String) -> String { escaped(text, atMost: 4096) }

    private static func escaped(_ text: String, atMost limit: Int) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            shown += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return text.unicodeScalars.count > limit ? shown + "…" : shown
    }
}
