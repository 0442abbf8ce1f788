/// The words of one simple command as a POSIX shell, and bash with `$'…'`, would split them (POSIX.1 XCU §2.2).
///
/// Nothing is run, and nothing is looked up: what a shell would replace by something else, or would take for a second
/// command, is refused, for the request would be another one than the operator sees.
struct ShellWords {
    /// Why a text is not the words of one command.
    struct Refusal: Error, Equatable {
        let words: String
    }

    /// More than any browser writes.
    static let limit = 4096

    private let text: [UInt8]
    private var place = 0
    private var words: [[UInt8]] = []
    private var word: [UInt8] = []
    /// Between words nothing has begun; an empty pair of quotation marks is a word too.
    private var hasWord = false

    /// The words of `text`, which is no longer than whoever read it allows.
    static func split(_ text: [UInt8]) throws(Refusal) -> [[UInt8]] {
        var reader = ShellWords(text: text)
        try reader.read()
        return reader.words
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func read() throws(Refusal) {
        while place < text.count {
            let byte = text[place]
            place += 1
            switch byte {
            case 0x20, 0x09: try endWord()
            case 0x0A, 0x0D:
                try endWord()
                try expectNothingMore()
            case UInt8(ascii: "'"): try readUpTo(UInt8(ascii: "'"))
            case UInt8(ascii: "\""): try readDoubleQuoted()
            case UInt8(ascii: "\\"): escape()
            case UInt8(ascii: "$"):
                guard place < text.count, text[place] == UInt8(ascii: "'") else { throw Self.variable }
                place += 1
                try readANSI()
            case UInt8(ascii: "`"): throw Self.variable
            case UInt8(ascii: "#") where !hasWord:
                while place < text.count, text[place] != 0x0A { place += 1 }
            case UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "("), UInt8(ascii: ")"):
                throw Refusal(
                    words:
                        "\(Character(Unicode.Scalar(byte))) outside of quotation marks means something else to a shell: "
                        + "put the URL between ' and ', and leave out what stands behind the request")
            case 0: throw Refusal(words: "a NUL is in the text")
            default: append(byte)
            }
        }
        try endWord()
    }

    private static let variable = Refusal(
        words: "$ and ` stand for something that only your shell knows: paste the request with its values")

    /// In place: a copy for each byte would cost the square of a word's length.
    private mutating func append(_ byte: UInt8) { append(CollectionOfOne(byte)) }

    private mutating func append(_ bytes: some Sequence<UInt8>) {
        word.append(contentsOf: bytes)
        hasWord = true
    }

    private mutating func endWord() throws(Refusal) {
        guard hasWord else { return }
        guard words.count < Self.limit else { throw Refusal(words: "the command has more than \(Self.limit) words") }
        words.append(word)
        word = []
        hasWord = false
    }

    /// A line's end that no backslash stands before ends the command.
    private mutating func expectNothingMore() throws(Refusal) {
        while place < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[place]) { place += 1 }
        guard words.isEmpty || place == text.count else {
            throw Refusal(words: "a second command follows: paste one request, with \\ at the ends of its lines")
        }
    }

    /// A backslash outside of quotation marks.
    private mutating func escape() {
        guard place < text.count else { return append(UInt8(ascii: "\\")) }
        // A line goes on in the next one; editors on Windows put CR before its end.
        if text[place] == 0x0D, place + 1 < text.count, text[place + 1] == 0x0A { place += 1 }
        if text[place] != 0x0A { append(text[place]) }
        place += 1
    }

    private mutating func readUpTo(_ end: UInt8) throws(Refusal) {
        let start = place
        while place < text.count, text[place] != end { place += 1 }
        guard place < text.count else { throw Self.open }
        append(text[start..<place])
        place += 1
    }

    private static let open = Refusal(words: "a quotation mark is not closed: paste the whole request")

    private mutating func readDoubleQuoted() throws(Refusal) {
        var inside: [UInt8] = []
        while place < text.count {
            let byte = text[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                append(inside)
                return
            case UInt8(ascii: "$"), UInt8(ascii: "`"): throw Self.variable
            case UInt8(ascii: "\\"):
                guard place < text.count else { throw Self.open }
                let next = text[place]
                place += 1
                if next == 0x0A { continue }
                // Before anything else a backslash is one.
                if !"$`\"\\".utf8.contains(next) { inside.append(byte) }
                inside.append(next)
            default: inside.append(byte)
            }
        }
        throw Self.open
    }

    /// `$'…'`, where escapes are those of C.
    private mutating func readANSI() throws(Refusal) {
        var inside: [UInt8] = []
        while place < text.count {
            let byte = text[place]
            place += 1
            switch byte {
            case UInt8(ascii: "'"):
                append(inside)
                return
            case UInt8(ascii: "\\"):
                guard place < text.count else { throw Self.open }
                let next = text[place]
                place += 1
                try readEscape(next, into: &inside)
            default: inside.append(byte)
            }
        }
        throw Self.open
    }

    private mutating func readEscape(_ letter: UInt8, into inside: inout [UInt8]) throws(Refusal) {
        switch letter {
        case UInt8(ascii: "n"): inside.append(0x0A)
        case UInt8(ascii: "r"): inside.append(0x0D)
        case UInt8(ascii: "t"): inside.append(0x09)
        case UInt8(ascii: "x"): try append(code: readHexadecimal(2), asByte: true, to: &inside)
        case UInt8(ascii: "u"): try append(code: readHexadecimal(4), asByte: false, to: &inside)
        case UInt8(ascii: "U"): try append(code: readHexadecimal(8), asByte: false, to: &inside)
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "?"): inside.append(letter)
        default:
            throw Refusal(words: "an escape in $'…' is not one of \\n \\r \\t \\xHH \\uHHHH \\UHHHHHHHH \\' \\\" \\\\")
        }
    }

    private func append(code: UInt32?, asByte: Bool, to inside: inout [UInt8]) throws(Refusal) {
        guard let code, code > 0, let scalar = Unicode.Scalar(code) else {
            throw Refusal(words: "an escape in $'…' names no character")
        }
        if asByte { inside.append(UInt8(truncatingIfNeeded: code)) } else { inside += Array(String(scalar).utf8) }
    }

    /// At least one digit and at most so many.
    private mutating func readHexadecimal(_ most: Int) -> UInt32? {
        var value: UInt32?
        for _ in 0..<most {
            guard place < text.count, let digit = Character(Unicode.Scalar(text[place])).hexDigitValue else { break }
            value = (value ?? 0) << 4 | UInt32(digit)
            place += 1
        }
        return value
    }
}
