import Configuration

/// Bytes of a foreign configuration, read front to back with their place.
struct ForeignText {
    let file: String
    private let bytes: [UInt8]
    private(set) var index = 0
    private var line = 1
    private var column = 1

    init(_ file: ForeignFile) {
        self.file = file.name
        bytes = file.bytes
        // The mark that some editors put first is no part of any name.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    var place: ForeignPlace { ForeignPlace(file: file, position: Position(line: line, column: column)) }
    var isAtEnd: Bool { index >= bytes.count }
    /// The next byte; zero at the end, which no configuration has.
    var next: UInt8 { index < bytes.count ? bytes[index] : 0 }
    var afterNext: UInt8 { index + 1 < bytes.count ? bytes[index + 1] : 0 }

    /// One byte on, which is returned.
    @discardableResult
    mutating func advance() -> UInt8 {
        guard index < bytes.count else { return 0 }
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
        return byte
    }

    /// Passes what satisfies the condition, and returns it.
    @discardableResult
    mutating func take(while condition: (UInt8) -> Bool) -> String {
        let start = index
        while index < bytes.count, condition(bytes[index]) { advance() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Passes a character of so many bytes at most, whole ones.
    mutating func take(first count: Int) -> String {
        let start = index
        for _ in 0..<count where !isAtEnd { advance() }
        while next & 0xC0 == 0x80 { advance() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    mutating func skipLine() { take { $0 != UInt8(ascii: "\n") } }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0A }

    /// What stands between the quotation mark here and its like; nil where nothing closes it.
    ///
    /// `unescape` says what a byte behind a backslash stands for; nil keeps the backslash.
    mutating func quoted(spansLines: Bool, unescape: (UInt8) -> UInt8?) -> String? {
        let mark = advance()
        var text: [UInt8] = []
        while !isAtEnd {
            let byte = advance()
            if byte == mark { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\n"), !spansLines { return nil }
            if byte == UInt8(ascii: "\\"), !isAtEnd {
                if let meant = unescape(next) {
                    text.append(meant)
                    advance()
                    continue
                }
            }
            text.append(byte)
        }
        return nil
    }
}
