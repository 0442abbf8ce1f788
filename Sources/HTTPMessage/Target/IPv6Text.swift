import Bytes

/// The text form of an IPv6 address (RFC 3986 §3.2.2, IPv6address).
enum IPv6Text {
    /// Whether the text is an IPv6 address without brackets and zone.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 2, text.count <= 45 else { return false }
        var groups = 0
        var hasGap = false
        var index = 0
        if text[0] == 0x3a {
            guard text[1] == 0x3a else { return false }
            hasGap = true
            index = 2
        }
        while index < text.count {
            var digits = 0
            while index &+ digits < text.count, ASCII.hexValue(text[index &+ digits]) != nil { digits &+= 1 }
            guard digits > 0 else { return false }
            let end = index &+ digits
            if end < text.count, text[end] == 0x2e {
                guard isIPv4(text.extracting(index...)) else { return false }
                groups &+= 2
                break
            }
            guard digits <= 4 else { return false }
            groups &+= 1
            index = end
            guard index < text.count else { break }
            guard text[index] == 0x3a, index &+ 1 < text.count else { return false }
            index &+= 1
            if text[index] == 0x3a {
                guard !hasGap else { return false }
                hasGap = true
                index &+= 1
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// Whether the text is an IPv4 address in its usual form.
    static func isIPv4(_ text: Span<UInt8>) -> Bool {
        var parts = 0
        var index = 0
        while index < text.count {
            var value = 0
            let start = index
            while index < text.count, ASCII.isDigit(text[index]), index &- start < 3 {
                value = value &* 10 &+ Int(text[index] &- 0x30)
                index &+= 1
            }
            guard index > start, value <= 255, index &- start == 1 || text[start] != 0x30 else { return false }
            parts &+= 1
            guard index < text.count else { break }
            guard text[index] == 0x2e, index &+ 1 < text.count else { return false }
            index &+= 1
        }
        return parts == 4
    }
}
