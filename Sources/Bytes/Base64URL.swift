// SPDX-License-Identifier: Apache-2.0

/// Base64url without padding, read strictly (RFC 7515 §2, RFC 4648 §5).
public enum Base64URL {
    /// Decodes `text`, or nil when it is not the one canonical spelling of some bytes.
    ///
    /// Padding, whitespace, `+`, `/`, an impossible length and unused bits that are not zero are refused: a token
    /// with two spellings would escape whatever remembers it by its spelling.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let remainder = text.count & 3
        guard remainder != 1 else { return nil }
        let whole = text.count &- remainder
        var bytes = [UInt8](repeating: 0, count: whole / 4 * 3 + (remainder == 0 ? 0 : remainder - 1))
        var output = 0
        var bad: UInt8 = 0
        var input = 0
        while input < whole {
            let a = value(text[input]), b = value(text[input &+ 1])
            let c = value(text[input &+ 2]), d = value(text[input &+ 3])
            bad |= a | b | c | d
            bytes[output] = a << 2 | b >> 4
            bytes[output &+ 1] = b << 4 | c >> 2
            bytes[output &+ 2] = c << 6 | d
            input &+= 4
            output &+= 3
        }
        if remainder >= 2 {
            let a = value(text[whole]), b = value(text[whole &+ 1])
            bad |= a | b
            bytes[output] = a << 2 | b >> 4
            if remainder == 2 {
                guard b & 0x0F == 0 else { return nil }
            } else {
                let c = value(text[whole &+ 2])
                bad |= c
                guard c & 0x03 == 0 else { return nil }
                bytes[output &+ 1] = b << 4 | c >> 2
            }
        }
        return bad & 0x80 == 0 ? bytes : nil
    }

    /// The one canonical spelling of `bytes`.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let a = bytes[index]
            let b = left > 1 ? bytes[index + 1] : 0
            let c = left > 2 ? bytes[index + 2] : 0
            text.append(letter(a >> 2))
            text.append(letter((a & 3) << 4 | b >> 4))
            if left > 1 { text.append(letter((b & 15) << 2 | c >> 6)) }
            if left > 2 { text.append(letter(c & 63)) }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    @inline(__always)
    private static func value(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter &- 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter &- 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter &+ 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: 0x80
        }
    }

    private static func letter(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: value + 65
        case 26..<52: value + 71
        case 52..<62: value - 4
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }
}
