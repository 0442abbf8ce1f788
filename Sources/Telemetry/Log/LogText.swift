/// Writes foreign bytes as the inside of a JSON string that no reader can be tricked with.
///
/// Log injection (OPS-02): a value may hold a line break that forges a second line, an escape sequence that rewrites
/// the operator's terminal, or a mark that reverses the text behind it. So `"` and `\` are escaped, and every C0
/// control, DEL, C1 control, line or paragraph separator, bidirectional control, and every byte that is not part of
/// well-formed UTF-8 leaves as `\u00XX` or `\uXXXX`. The rest of UTF-8 is written as it is.
extension LineCursor {
    /// What escaping `count` bytes, at most `limit` of them, can come to: six for each, and the mark of a cut.
    static func bound(escaping count: Int, limit: Int) -> Int {
        6 * min(count, max(limit, 0)) + 9 + digits
    }

    /// At most `limit` bytes of `text`, escaped; what was left out is told as `[+N bytes]`.
    mutating func put(escaped text: UnsafeBufferPointer<UInt8>, limit: Int) {
        let end = text.count <= limit ? text.count : Self.boundary(in: text, atOrBefore: max(limit, 0))
        var index = 0
        while index < end {
            let clean = Self.cleanEnd(of: text, from: index, to: end)
            if index < clean { put(UnsafeBufferPointer(rebasing: text[index..<clean])) }
            index = clean
            if index < end { index &+= putMarked(text, at: index, end: end) }
        }
        if end < text.count {
            put("[+")
            put(decimal: UInt64(text.count &- end))
            put(" bytes]")
        }
    }

    /// The end of the printable ASCII from `start` on, without quote and backslash; eight bytes at a time.
    @inline(__always)
    private static func cleanEnd(of text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawBufferPointer(text)
        var index = start
        while index &+ 8 <= end {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The top bit of a byte is set below where it is under 0x20, equals one of the three, or is not ASCII.
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let delete = word ^ (ones &* 0x7F)
            let low = (word &- ones &* 0x20) & ~word
            let equal = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (delete &- ones) & ~delete
            if (low | equal | word) & tops != 0 { break }
            index &+= 8
        }
        while index < end, isClean(text[index]) { index &+= 1 }
        return index
    }

    @inline(__always)
    private static func isClean(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
    }

    /// Writes what stands at `index`, which is no clean ASCII; returns how many bytes of the text that was.
    private mutating func putMarked(_ text: UnsafeBufferPointer<UInt8>, at index: Int, end: Int) -> Int {
        let byte = text[index]
        if byte == 0x22 || byte == 0x5C {
            put(0x5C)
            put(byte)
            return 1
        }
        guard byte >= 0x80, let (scalar, length) = Self.sequence(in: text, at: index, end: end) else {
            put("\\u")
            put(hexadecimal: UInt64(byte), digits: 4)
            return 1
        }
        if Self.isHarmless(scalar) {
            put(UnsafeBufferPointer(rebasing: text[index..<index + length]))
        } else {
            put("\\u")
            put(hexadecimal: UInt64(scalar), digits: 4)
        }
        return length
    }

    /// Whether a character beyond ASCII may be shown as it is; those that may not are all within four digits.
    private static func isHarmless(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x80...0x9F: false  // C1: 0x9B is an escape sequence's beginning on an 8-bit terminal
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    /// The scalar at `index` if a well-formed UTF-8 sequence of two or more bytes is there (RFC 3629 §4).
    private static func sequence(
        in text: UnsafeBufferPointer<UInt8>, at index: Int, end: Int
    ) -> (scalar: UInt32, length: Int)? {
        let first = text[index]
        let length: Int
        var scalar: UInt32
        let least: UInt32
        switch first {
        case 0xC2...0xDF: (length, scalar, least) = (2, UInt32(first & 0x1F), 0x80)
        case 0xE0...0xEF: (length, scalar, least) = (3, UInt32(first & 0x0F), 0x800)
        case 0xF0...0xF4: (length, scalar, least) = (4, UInt32(first & 0x07), 0x1_0000)
        default: return nil
        }
        guard index + length <= end else { return nil }
        for offset in 1..<length {
            let next = text[index + offset]
            guard next & 0xC0 == 0x80 else { return nil }
            scalar = scalar << 6 | UInt32(next & 0x3F)
        }
        // Overlong forms, surrogates and numbers beyond Unicode are not UTF-8.
        guard scalar >= least, scalar <= 0x10_FFFF, !(0xD800...0xDFFF).contains(scalar) else { return nil }
        return (scalar, length)
    }

    /// The largest index up to `limit` that does not stand inside a UTF-8 sequence.
    private static func boundary(in text: UnsafeBufferPointer<UInt8>, atOrBefore limit: Int) -> Int {
        var index = limit
        while index > 0, index > limit - 4, text[index] & 0xC0 == 0x80 { index -= 1 }
        // Four continuation bytes in a row are no sequence: nothing is torn then.
        return text[index] & 0xC0 == 0x80 ? limit : index
    }
}
