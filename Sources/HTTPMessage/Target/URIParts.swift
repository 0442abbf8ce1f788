import Bytes

/// Where the parts of a URI are; exists only for a valid one.
struct URIParts {
    var scheme: Range<Int>
    var host: Range<Int>
    var port: UInt16?
    var path: Range<Int>
    var query: Range<Int>?
    var fragment: Range<Int>?

    init?(_ text: Span<UInt8>) {
        // Heads of messages are not read with this type; configuration and metadata are, and they are bounded too.
        guard text.count <= 1 << 16, let schemeEnd = Self.schemeEnd(text) else { return nil }
        scheme = 0..<schemeEnd
        let start = schemeEnd &+ 3
        guard start < text.count, text[schemeEnd &+ 1] == 0x2f, text[schemeEnd &+ 2] == 0x2f else { return nil }
        let authorityEnd = Self.firstIndex(in: text, from: start) { $0 == 0x2f || $0 == 0x3f || $0 == 0x23 }
        let authority = text.extracting(start..<authorityEnd)
        guard Authority.isValid(authority), let hostLength = Authority.hostLength(authority) else { return nil }
        let isLiteral = authority[0] == 0x5b
        host = isLiteral ? start &+ 1..<start &+ hostLength &- 1 : start..<start &+ hostLength
        port = hostLength < authority.count ? Self.port(authority.extracting((hostLength &+ 1)...)) : nil

        let pathEnd = Self.firstIndex(in: text, from: authorityEnd) { $0 == 0x3f || $0 == 0x23 }
        path = authorityEnd..<pathEnd
        guard Self.isSpelt(text.extracting(path)) else { return nil }
        var end = pathEnd
        if end < text.count, text[end] == 0x3f {
            let queryEnd = Self.firstIndex(in: text, from: end &+ 1) { $0 == 0x23 }
            query = end &+ 1..<queryEnd
            guard Self.isSpelt(text.extracting(end &+ 1..<queryEnd)) else { return nil }
            end = queryEnd
        }
        if end < text.count {
            fragment = end &+ 1..<text.count
            guard Self.isSpelt(text.extracting(end &+ 1..<text.count)) else { return nil }
        }
    }

    /// The index of the `:` behind a valid scheme.
    private static func schemeEnd(_ text: Span<UInt8>) -> Int? {
        guard text.count > 3, ASCII.isLetter(text[0]) else { return nil }
        var end = 1
        while end < text.count, text[end] != 0x3a {
            let byte = text[end]
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2b || byte == 0x2d || byte == 0x2e else {
                return nil
            }
            end &+= 1
        }
        return end &+ 3 < text.count ? end : nil
    }

    private static func firstIndex(in text: Span<UInt8>, from start: Int, where matches: (UInt8) -> Bool) -> Int {
        var index = start
        while index < text.count, !matches(text[index]) { index &+= 1 }
        return index
    }

    /// Digits are checked by `Authority`, which also bounds the value.
    private static func port(_ digits: Span<UInt8>) -> UInt16 {
        var port: UInt16 = 0
        for index in digits.indices { port = port &* 10 &+ UInt16(digits[index] &- 0x30) }
        return port
    }

    /// pchar, `/` and `?` (which a path has not, for it ends there); every escape complete.
    private static func isSpelt(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == 0x25 {
                guard PathReader.escape(in: text, at: index) != nil else { return false }
                index &+= 3
                continue
            }
            let isPathByte = ASCII.contains(byte, low: 0x2fff_ffd2_0000_0000, high: 0x47ff_fffe_87ff_ffff)
            guard isPathByte || byte == 0x3f else { return false }
            index &+= 1
        }
        return true
    }
}
