import Bytes

/// A field name of 2 to 33 bytes folded to lower case and laid out as words, ready to be compared.
///
/// Folding sets bit 5 of every byte. Among the bytes a token may have, that maps only letters onto letters; a control
/// octet would become `-` or a digit, so a name with one is made to match nothing.
struct FieldName {
    let count: Int
    private(set) var first: UInt64 = 0
    private(set) var second: UInt64 = 0
    private(set) var third: UInt64 = 0
    private(set) var fourth: UInt64 = 0

    @inline(__always)
    init(_ name: Span<UInt8>) {
        count = name.count
        switch name.count {
        case 2, 3:
            first = UInt64(name[0]) | UInt64(name[1]) << 8
            if name.count == 3 { first |= UInt64(name[2]) << 16 }
            fold(&first, unused: 8 &- name.count)
        case 4...7:
            first = UInt64(name.halfWord(at: 0))
            first |= UInt64(name.halfWord(at: name.count &- 4)) &<< UInt64((name.count &- 4) &* 8)
            fold(&first, unused: 8 &- name.count)
        case 8...16:
            first = name.word(at: 0)
            fold(&first, unused: 0)
            second = Self.tail(of: name, after: 8)
            fold(&second, unused: 16 &- name.count)
        default:
            first = name.word(at: 0)
            fold(&first, unused: 0)
            second = name.word(at: 8)
            fold(&second, unused: 0)
            third = name.count >= 24 ? name.word(at: 16) : Self.tail(of: name, after: 16)
            fold(&third, unused: max(0, 24 &- name.count))
            fourth = name.count > 24 ? Self.tail(of: name, after: 24) : 0
            fold(&fourth, unused: min(8, 32 &- name.count))
        }
    }

    /// The bytes from `start` to the end, in the low bytes of a word; there are at most eight, and eight before them.
    @inline(__always)
    private static func tail(of name: Span<UInt8>, after start: Int) -> UInt64 {
        let unused = start &+ 8 &- name.count
        return unused == 8 ? 0 : name.word(at: name.count &- 8) &>> UInt64(unused &* 8)
    }

    @inline(__always)
    private func fold(_ word: inout UInt64, unused: Int) {
        guard unused < 8 else { return }
        let used = UInt64.max &>> UInt64(unused &* 8)
        let bytes = word
        word = (bytes | 0x2020_2020_2020_2020) & used
        // Bits 5 and 6 are both clear in control octets only.
        let printable = (bytes | bytes &<< 1) & 0x4040_4040_4040_4040 & used
        if printable != 0x4040_4040_4040_4040 & used { word = .max }
    }
}
