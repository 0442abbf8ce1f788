/// Reads a configuration of nginx into its directives.
enum NginxReader {
    static func directives(_ file: ForeignFile) throws(ImportRefusal) -> [Directive] {
        var text = ForeignText(file)
        var stack = DirectiveStack(text.place)
        var words: [String] = []
        var start = text.place
        while true {
            text.take(while: ForeignText.isSpace)
            if words.isEmpty { start = text.place }
            guard !text.isAtEnd else { break }
            switch text.next {
            case UInt8(ascii: "#"): text.skipLine()
            case UInt8(ascii: ";"):
                text.advance()
                if let name = words.first {
                    try stack.add(Directive(name: name, arguments: Array(words.dropFirst()), place: start))
                }
                words = []
            case UInt8(ascii: "{"):
                guard let name = words.first else { throw unexpected(start, "{ without a name before it") }
                text.advance()
                try stack.begin(
                    Directive(name: name, arguments: Array(words.dropFirst()), place: start, isBlock: true))
                words = []
                if name.hasSuffix("_by_lua_block") {
                    try skipCode(&text, from: start)
                    try stack.end()
                }
            case UInt8(ascii: "}"):
                guard words.isEmpty else { throw unexpected(start, "a directive without ; at its end") }
                guard stack.depth > 0 else { throw unexpected(start, "} that closes nothing") }
                text.advance()
                try stack.end()
            default:
                guard words.count < 4096 else { throw unexpected(start, "a directive of more than 4096 words") }
                words.append(try word(&text))
            }
        }
        guard words.isEmpty else { throw unexpected(start, "a directive without ; at its end") }
        guard stack.depth == 0 else {
            throw unexpected(stack.current.place, "a block of \(stack.current.name) that no } closes")
        }
        return stack.top
    }

    private static func word(_ text: inout ForeignText) throws(ImportRefusal) -> String {
        let place = text.place
        if text.next == UInt8(ascii: "\"") || text.next == UInt8(ascii: "'") {
            // A backslash stays before what is no quotation mark: it belongs to an expression.
            guard let value = text.quoted(spansLines: true, unescape: { "\"'\\".utf8.contains($0) ? $0 : nil }) else {
                throw unexpected(place, "a quotation mark that nothing closes")
            }
            return value
        }
        var word = ""
        while true {
            word += text.take { !ForeignText.isSpace($0) && !";{}\\$".utf8.contains($0) }
            if text.next == UInt8(ascii: "\\") {
                word.unicodeScalars.append(UnicodeScalar(text.advance()))
                if !text.isAtEnd { word += text.take(first: 1) }
            } else if text.next == UInt8(ascii: "$") {
                word.unicodeScalars.append(UnicodeScalar(text.advance()))
                // Braces of a variable open no block.
                if text.next == UInt8(ascii: "{") {
                    word += text.take { $0 != UInt8(ascii: "}") && !ForeignText.isSpace($0) }
                    if text.next == UInt8(ascii: "}") { word.unicodeScalars.append(UnicodeScalar(text.advance())) }
                }
            } else {
                return word
            }
        }
    }

    /// Passes code of another language up to its last brace; what is in its texts and comments counts too, as nginx has it
    /// not, so that odd code is refused rather than read wrong.
    private static func skipCode(_ text: inout ForeignText, from start: ForeignPlace) throws(ImportRefusal) {
        var depth = 1
        while !text.isAtEnd {
            let byte = text.advance()
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return }
        }
        throw unexpected(start, "a block of Lua that no } closes")
    }

    private static func unexpected(_ place: ForeignPlace, _ found: String) -> ImportRefusal {
        ImportRefusal(
            place, expected: "a configuration of nginx", found: found,
            remedy: "check it with  nginx -t , or give what  nginx -T  prints")
    }
}
