import Bytes

/// Addresses as a sender writes them into a line.
enum AddressText {
    /// Four numbers in decimal, without leading zeros.
    static func ipv4(_ text: Span<UInt8>) -> UInt32? {
        var bits: UInt32 = 0
        var parts = 0
        var index = 0
        while index < text.count {
            var value: UInt32 = 0
            let start = index
            while index < text.count, ASCII.isDigit(text[index]), index - start < 3 {
                value = value * 10 + UInt32(text[index] - 0x30)
                index += 1
            }
            guard index > start, value <= 255, index - start == 1 || text[start] != 0x30, parts < 4 else { return nil }
            bits = bits << 8 | value
            parts += 1
            guard index < text.count else { break }
            guard text[index] == UInt8(ascii: "."), index + 1 < text.count else { return nil }
            index += 1
        }
        return parts == 4 ? bits : nil
    }

    /// Groups of hexadecimal digits with one `::` at most, and perhaps an IPv4 address in place of the last two.
    static func ipv6(_ text: Span<UInt8>) -> UInt128? {
        let colon = UInt8(ascii: ":")
        guard text.count >= 2, text.count <= 45 else { return nil }
        var bits: UInt128 = 0
        var groups = 0
        // Groups before the `::`.
        var ahead: Int?
        var index = 0
        if text[0] == colon {
            guard text[1] == colon else { return nil }
            ahead = 0
            index = 2
        }
        while index < text.count {
            let end = hexEnd(in: text, from: index)
            if end < text.count, text[end] == UInt8(ascii: ".") {
                guard let four = ipv4(text.extracting(index..<text.count)) else { return nil }
                bits = bits << 32 | UInt128(four)
                groups += 2
                break
            }
            guard end > index, end - index <= 4, groups < 8 else { return nil }
            var group: UInt128 = 0
            while index < end {
                group = group << 4 | UInt128(ASCII.hexValue(text[index]) ?? 0)
                index += 1
            }
            bits = bits << 16 | group
            groups += 1
            guard index < text.count else { break }
            guard text[index] == colon, index + 1 < text.count else { return nil }
            index += 1
            guard text[index] == colon else { continue }
            guard ahead == nil else { return nil }
            ahead = groups
            index += 1
        }
        guard let ahead else { return groups == 8 ? bits : nil }
        guard groups < 8 else { return nil }
        // What was read lies at the end; that before the gap belongs at the beginning.
        let behind = (groups - ahead) * 16
        let first = (bits >> behind) << (128 - ahead * 16)
        let last = bits & ((1 << behind) - 1)
        return first | last
    }

    private static func hexEnd(in text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, ASCII.hexValue(text[end]) != nil { end += 1 }
        return end
    }
}
