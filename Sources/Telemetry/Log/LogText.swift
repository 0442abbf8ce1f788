// SPDX-License-Identifier: Apache-2.0

/// Writes foreign bytes as the inside of a JSON string that no reader can be tricked with.
///
/// Log injection (OPS-02): a value may hold a line break that forges a second line, an escape sequence that rewrites
/// the operator's terminal, or a mark that reverses the text behind it. So `"` and `\` are escaped, and every C0
/// control, DEL, C1 control, line or paragraph separator, bidirectional control, and every byte that is not part of
/// well-formed UTF-8 leaves as `\u00XX` or `\uXXXX`. The rest of UTF-8 is written as it is.
extension LineBuffer {
    /// At most `limit` bytes of `text`, escaped; what was left out is told as `[+N bytes]`.
    mutating func put(escaped text: Span<UInt8>, limit: Int) {
        let end = text.count <= limit ? text.count : Self.boundary(in: text, atOrBefore: max(limit, 0))
        var clean = 0
        var index = 0
        while index < end {
            let byte = text[index]
            if byte >= 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C {
                index &+= 1
                continue
            }
            let length = byte < 0x80 ? 0 : Self.harmlessSequence(in: text, at: index, end: end)
            if length > 0 {
                index &+= length
                continue
            }
            if clean < index { put(text.extracting(clean..<index)) }
            index &+= putEscape(for: text, at: index, end: end)
            clean = index
        }
        if clean < end { put(text.extracting(clean..<end)) }
        if end < text.count {
            put("[+")
            put(decimal: UInt64(text.count - end))
            put(" bytes]")
        }
    }

    /// Escapes what begins at `index`; returns how many bytes of the text that was.
    private mutating func putEscape(for text: Span<UInt8>, at index: Int, end: Int) -> Int {
        let byte = text[index]
        if byte == 0x22 || byte == 0x5C {
            put(0x5C)
            put(byte)
            return 1
        }
        put("\\u")
        if let (scalar, length) = Self.sequence(in: text, at: index, end: end) {
            put(hexadecimal: UInt64(scalar), digits: 4)
            return length
        }
        put(hexadecimal: UInt64(byte), digits: 4)
        return 1
    }

    /// The length of the well-formed sequence at `index` when its character may be shown as it is, else 0.
    private static func harmlessSequence(in text: Span<UInt8>, at index: Int, end: Int) -> Int {
        guard let (scalar, length) = sequence(in: text, at: index, end: end) else { return 0 }
        switch scalar {
        case 0x80...0x9F: return 0  // C1: 0x9B is an escape sequence's beginning on an 8-bit terminal
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: return 0
        default: return length
        }
    }

    /// The scalar at `index` if a well-formed UTF-8 sequence of two or more bytes is there (RFC 3629 §4).
    private static func sequence(in text: Span<UInt8>, at index: Int, end: Int) -> (scalar: UInt32, length: Int)? {
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
    private static func boundary(in text: Span<UInt8>, atOrBefore limit: Int) -> Int {
        var index = limit
        while index > 0, index > limit - 4, text[index] & 0xC0 == 0x80 { index -= 1 }
        // Four continuation bytes in a row are no sequence: nothing is torn then.
        return text[index] & 0xC0 == 0x80 ? limit : index
    }
}
