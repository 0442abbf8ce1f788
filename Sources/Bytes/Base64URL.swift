/// base64url without padding (RFC 7515 §2), in exactly one spelling per value.
public enum Base64URL {
    /// The decoded bytes, or nil for anything that an encoder would not have written.
    ///
    /// Refused: `=`, `+`, `/`, whitespace, a length of 1 modulo 4, and unused low bits that are not zero — a token
    /// with two spellings would have two cache entries and two replay identities (JOSE-02).
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count & 3 != 1 else { return nil }
        var isDecoded = false
        // Two more than are needed: eight characters are written as a word.
        let output = [UInt8](capacity: text.count / 4 &* 3 &+ 4) { output in
            isDecoded = decode(text, into: &output)
        }
        return isDecoded ? output : nil
    }

    private static func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        var index = 0
        while index &+ 8 <= text.count {
            guard let bits = Base64Word.bits(text.word(at: index)) else { return false }
            output.append(first: 6, of: bits.bigEndian &>> 16)
            index &+= 8
        }
        while index &+ 4 <= text.count {
            let first = value(text[index])
            let second = value(text[index &+ 1])
            let third = value(text[index &+ 2])
            let fourth = value(text[index &+ 3])
            guard first | second | third | fourth < 64 else { return false }
            output.append(first &<< 2 | second &>> 4)
            output.append(second &<< 4 | third &>> 2)
            output.append(third &<< 6 | fourth)
            index &+= 4
        }
        let remainder = text.count & 3
        guard remainder != 0 else { return true }
        let first = value(text[index])
        let second = value(text[index &+ 1])
        let third = remainder == 3 ? value(text[index &+ 2]) : 0
        guard first | second | third < 64 else { return false }
        output.append(first &<< 2 | second &>> 4)
        guard remainder == 3 else { return second & 15 == 0 }
        output.append(second &<< 4 | third &>> 2)
        return third & 3 == 0
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
            while index &+ 8 <= bytes.count {
                output.append(first: 8, of: Base64Word.characters(bytes.word(at: index).bigEndian &>> 16))
                index &+= 6
            }
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

/// Eight characters of base64url in one word, the lowest byte the first.
private enum Base64Word {
    /// The 48 bits that eight characters stand for; nil when one of them is outside the alphabet.
    @inline(__always)
    static func bits(_ characters: UInt64) -> UInt64? {
        let (isUpper, isLower) = (atLeast(0x41, characters, below: 0x5B), atLeast(0x61, characters, below: 0x7B))
        let isDigit = atLeast(0x30, characters, below: 0x3A)
        let (isDash, isUnderscore) = (atLeast(0x2D, characters, below: 0x2E), atLeast(0x5F, characters, below: 0x60))
        guard isUpper | isLower | isDigit | isDash | isUnderscore == ones, characters & ByteWord.tops == 0 else {
            return nil
        }
        // No byte becomes larger than 255 or less than 0, so none has a part in its neighbour.
        let sixes =
            characters &+ isDigit &* 4 &+ isDash &* 17 &- isUpper &* 65 &- isLower &* 71 &- isUnderscore &* 32
        // The first is the highest: two by two they move together.
        let pairs = sixes.byteSwapped
        let twelves = pairs & 0x003F_003F_003F_003F | pairs &>> 2 & 0x0FC0_0FC0_0FC0_0FC0
        let halves = twelves & 0x0000_0FFF_0000_0FFF | twelves &>> 4 & 0x00FF_F000_00FF_F000
        return halves & 0x0000_0000_00FF_FFFF | halves &>> 8 & 0x0000_FFFF_FF00_0000
    }

    /// The eight characters of 48 bits.
    @inline(__always)
    static func characters(_ bits: UInt64) -> UInt64 {
        // The highest is the first: half by half they move apart.
        let halves = bits & 0x0000_0000_00FF_FFFF | (bits & 0x0000_FFFF_FF00_0000) &<< 8
        let twelves = halves & 0x0000_0FFF_0000_0FFF | (halves & 0x00FF_F000_00FF_F000) &<< 4
        let pairs = twelves & 0x003F_003F_003F_003F | (twelves & 0x0FC0_0FC0_0FC0_0FC0) &<< 2
        let sixes = pairs.byteSwapped
        // Each from its neighbour in the alphabet: `A`, from 26 on `a`, from 52 on `0`, then `-` and `_`.
        let more = sixes &+ ones &* 65 &+ atLeast(26, sixes) &* 6 &+ atLeast(63, sixes) &* 49
        return more &- atLeast(52, sixes) &* 75 &- atLeast(62, sixes) &* 13
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// A one in each byte whose lower seven bits are at least `bound`.
    @inline(__always)
    private static func atLeast(_ bound: UInt64, _ word: UInt64) -> UInt64 {
        (((word & ~ByteWord.tops) &+ ones &* (128 &- bound)) & ByteWord.tops) &>> 7
    }

    /// The same of those that are less than another bound besides.
    @inline(__always)
    private static func atLeast(_ bound: UInt64, _ word: UInt64, below end: UInt64) -> UInt64 {
        atLeast(bound, word) & ~atLeast(end, word)
    }
}
