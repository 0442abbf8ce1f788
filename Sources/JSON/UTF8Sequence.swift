/// Well-formed UTF-8, as Unicode's table 3-7 draws it: no overlong form, no surrogate, nothing above U+10FFFF.
enum UTF8Sequence {
    /// Bytes of the character at `position`, or 0 when none is spelt there before `end`.
    static func length(at position: Int, before end: Int, in bytes: Span<UInt8>) -> Int {
        let lead = bytes[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard position + length <= end, second.contains(bytes[position + 1]) else { return 0 }
        for offset in 2..<max(length, 2) where bytes[position + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
