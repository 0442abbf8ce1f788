extension JSONParser {
    /// Tells most different names apart; equal names always agree.
    static func hash(_ bytes: Span<UInt8>) -> UInt32 {
        var hash = seed
        for index in bytes.indices { hash = mix(hash, bytes[index]) }
        return hash
    }

    /// Different in each process: names that all hash alike cannot be prepared in advance.
    private static let seed = UInt32.random(in: .min ... .max)

    @inline(__always)
    private static func mix(_ hash: UInt32, _ byte: UInt8) -> UInt32 {
        (hash ^ UInt32(byte)) &* 16_777_619
    }

    mutating func parseString() throws(JSONRefusal) {
        let start = position + 1
        let (place, hash) = try Self.endOfPlain(in: bytes.span.extracting(first: end), from: start)
        position = place
        guard bytes[place] == UInt8(ascii: "\"") else { return try parseEscapedString(from: start) }
        position += 1
        append(.string, start: start, count: place - start, hash: hash)
    }

    /// Where a string has its first quotation mark or backslash, and the hash of what stands before it.
    private static func endOfPlain(
        in text: Span<UInt8>, from start: Int
    ) throws(JSONRefusal) -> (place: Int, hash: UInt32) {
        var place = start
        var hash = seed
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return (place, hash) }
            guard byte >= 0x20 else { throw .controlCharacter }
            // Nearly all of nearly every string is ASCII.
            guard byte >= 0x80 else {
                hash = mix(hash, byte)
                place &+= 1
                continue
            }
            let length = UTF8Sequence.length(at: place, before: text.count, in: text)
            guard length > 0 else { throw .invalidUTF8 }
            for offset in 0..<length { hash = mix(hash, text[place + offset]) }
            place += length
        }
        throw .unexpectedEnd
    }

    /// Decodes a string with escapes behind the text, where names and values can point at it like any other.
    private mutating func parseEscapedString(from textStart: Int) throws(JSONRefusal) {
        let start = bytes.count
        bytes.append(contentsOf: bytes[textStart..<position])
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                let hash = Self.hash(bytes.span.extracting(start..<bytes.count))
                append(.string, start: start, count: bytes.count - start, hash: hash)
                return
            }
            if byte == UInt8(ascii: "\\") {
                position += 1
                try parseEscape()
                continue
            }
            guard byte >= 0x20 else { throw .controlCharacter }
            let length = byte < 0x80 ? 1 : UTF8Sequence.length(at: position, before: end, in: bytes.span)
            guard length > 0 else { throw .invalidUTF8 }
            for offset in 0..<length { bytes.append(bytes[position + offset]) }
            position += length
        }
        throw .unexpectedEnd
    }

    private mutating func parseEscape() throws(JSONRefusal) {
        let letter = try peek()
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): try parseUnicodeEscape()
        default: throw .invalidEscape
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONRefusal) {
        var code = try parseFourHexDigits()
        if code >= 0xDC00, code <= 0xDFFF { throw .loneSurrogate }
        if code >= 0xD800, code <= 0xDBFF {
            guard position + 1 < end, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
            else { throw .loneSurrogate }
            position += 2
            let low = try parseFourHexDigits()
            guard low >= 0xDC00, low <= 0xDFFF else { throw .loneSurrogate }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .loneSurrogate }
        bytes.append(contentsOf: scalar.utf8)
    }

    private mutating func parseFourHexDigits() throws(JSONRefusal) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            let digit = try peek()
            position += 1
            switch digit {
            case 0x30...0x39: code = code << 4 | UInt32(digit - 0x30)
            case 0x41...0x46: code = code << 4 | UInt32(digit - 0x37)
            case 0x61...0x66: code = code << 4 | UInt32(digit - 0x57)
            default: throw .invalidEscape
            }
        }
        return code
    }
}
