/// base64url without padding (RFC 7515 §2), in exactly one spelling per value.
public enum Base64URL {
    /// The decoded bytes, or nil for anything that an encoder would not have written.
    ///
    /// Refused: `=`, `+`, `/`, whitespace, a length of 1 modulo 4, and unused low bits that are not zero — a token
    /// with two spellings would have two cache entries and two replay identities (JOSE-02).
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let remainder = text.count & 3
        guard remainder != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 &* 3 &+ 2)
        var index = 0
        while index &+ 4 <= text.count {
            let first = value(text[index])
            let second = value(text[index &+ 1])
            let third = value(text[index &+ 2])
            let fourth = value(text[index &+ 3])
            guard first | second | third | fourth < 64 else { return nil }
            output.append(first &<< 2 | second &>> 4)
            output.append(second &<< 4 | third &>> 2)
            output.append(third &<< 6 | fourth)
            index &+= 4
        }
        guard remainder != 0 else { return output }
        let first = value(text[index])
        let second = value(text[index &+ 1])
        let third = remainder == 3 ? value(text[index &+ 2]) : 0
        guard first | second | third < 64 else { return nil }
        output.append(first &<< 2 | second &>> 4)
        guard remainder == 3 else { return second & 15 == 0 ? output : nil }
        output.append(second &<< 4 | third &>> 2)
        return third & 3 == 0 ? output : nil
    }

    /// The bytes in base64url without padding.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var output: [UInt8] = []
        append(bytes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the bytes in base64url without padding.
    public static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        // Nothing added to an empty array would be written all the same: to the storage that all empty arrays share.
        guard !bytes.isEmpty else { return }
        output.append(addingCapacity: bytes.count / 3 &* 4 &+ 4) { output in
            var index = 0
            while index &+ 3 <= bytes.count {
                let group =
                    UInt32(bytes[index]) << 16 | UInt32(bytes[index &+ 1]) << 8 | UInt32(bytes[index &+ 2])
                output.append(character(group &>> 18))
                output.append(character((group &>> 12) & 63))
                output.append(character((group &>> 6) & 63))
                output.append(character(group & 63))
                index &+= 3
            }
            let left = bytes.count &- index
            guard left > 0 else { return }
            let group = UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index &+ 1]) << 8 : 0)
            output.append(character(group &>> 18))
            output.append(character((group &>> 12) & 63))
            if left > 1 { output.append(character((group &>> 6) & 63)) }
        }
    }

    /// The six bits of a character; 0xFF for one outside the alphabet.
    @inline(__always)
    private static func value(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x41...0x5a: byte &- 0x41
        case 0x61...0x7a: byte &- 0x47
        case 0x30...0x39: byte &+ 4
        case 0x2d: 62
        case 0x5f: 63
        default: 0xff
        }
    }

    @inline(__always)
    private static func character(_ bits: UInt32) -> UInt8 {
        let six = UInt8(truncatingIfNeeded: bits)
        switch six {
        case 0..<26: return six &+ 0x41
        case 26..<52: return six &+ 0x47
        case 52..<62: return six &- 4
        case 62: return 0x2d
        default: return 0x5f
        }
    }
}
