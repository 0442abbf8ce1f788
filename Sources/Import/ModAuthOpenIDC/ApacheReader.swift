/// Reads a configuration of Apache into its directives, whose names are in lower case.
enum ApacheReader {
    static func directives(_ file: ForeignFile) throws(ImportRefusal) -> [Directive] {
        var text = ForeignText(file)
        var stack = DirectiveStack(text.place)
        while true {
            text.take(while: ForeignText.isSpace)
            guard !text.isAtEnd else { break }
            let place = text.place
            if text.next == UInt8(ascii: "#") {
                text.skipLine()
            } else if text.next == UInt8(ascii: "<"), text.afterNext == UInt8(ascii: "/") {
                text.advance()
                text.advance()
                let name = text.take { $0 != UInt8(ascii: ">") && !ForeignText.isSpace($0) }
                text.skipLine()
                guard stack.depth > 0, stack.current.name == name.lowercased() else {
                    throw unexpected(place, "</\(name)> that closes nothing here")
                }
                try stack.end()
            } else {
                let opens = text.next == UInt8(ascii: "<")
                if opens { text.advance() }
                let name = text.take { !ForeignText.isSpace($0) && $0 != UInt8(ascii: ">") }
                let arguments = try arguments(&text, endingWith: opens ? UInt8(ascii: ">") : 0, of: place)
                guard !name.isEmpty else { throw unexpected(place, "a section without a name") }
                var directive = Directive(name: name.lowercased(), arguments: arguments, place: place)
                directive.spelling = name
                directive.isBlock = opens
                if opens { try stack.begin(directive) } else { try stack.add(directive) }
            }
        }
        guard stack.depth == 0 else {
            throw unexpected(stack.current.place, "a section <\(stack.current.name)> that nothing closes")
        }
        return stack.top
    }

    /// The words up to the end of the line, or up to `>`; a backslash at its end goes on with the next line.
    private static func arguments(
        _ text: inout ForeignText, endingWith end: UInt8, of start: ForeignPlace
    ) throws(ImportRefusal) -> [String] {
        var words: [String] = []
        while true {
            text.take(while: ForeignText.isBlank)
            if text.isAtEnd || text.next == UInt8(ascii: "\n") {
                guard end == 0 else { throw unexpected(start, "a section without >") }
                return words
            }
            if text.next == UInt8(ascii: "\\"),
                text.afterNext == UInt8(ascii: "\n") || text.afterNext == UInt8(ascii: "\r")
            {
                text.advance()
                text.take(while: ForeignText.isSpace)
                continue
            }
            if end != 0, text.next == end {
                text.skipLine()
                return words
            }
            guard words.count < 4096 else { throw unexpected(start, "a directive of more than 4096 words") }
            if text.next == UInt8(ascii: "\"") || text.next == UInt8(ascii: "'") {
                let place = text.place
                guard let word = text.quoted(spansLines: true, unescape: { "\"'\\".utf8.contains($0) ? $0 : nil })
                else {
                    throw unexpected(place, "a quotation mark that nothing closes")
                }
                words.append(word)
            } else {
                let word = text.take { !ForeignText.isSpace($0) && (end == 0 || $0 != end) }
                words.append(word)
            }
        }
    }

    private static func unexpected(_ place: ForeignPlace, _ found: String) -> ImportRefusal {
        ImportRefusal(
            place, expected: "a configuration of Apache", found: found, remedy: "check it with  apachectl configtest")
    }
}
