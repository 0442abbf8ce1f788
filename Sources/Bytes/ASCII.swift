/// Byte classes of the ASCII grammars that HTTP and OAuth are written in.
///
/// Sets are two 64-bit masks rather than tables: a table would be a lazily initialised global, and its
/// check would be paid for every byte of every header.
public enum ASCII {
    /// DIGIT of RFC 5234.
    @inlinable
    public static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    /// ALPHA of RFC 5234.
    @inlinable
    public static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26
    }

    /// The value of a hexadecimal digit in either case, or nil.
    @inlinable
    public static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// tchar of RFC 9110 §5.6.2: what field names, methods and schemes are made of.
    @inlinable
    public static func isToken(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe)
    }

    /// A byte of token68 (RFC 9110 §11.2) other than its trailing `=`.
    @inlinable
    public static func isToken68(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03ff_e800_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }

    /// unreserved of RFC 3986 §2.3.
    @inlinable
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03ff_6000_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }

    /// VCHAR of RFC 5234: a printing character, no space.
    @inlinable
    public static func isVisible(_ byte: UInt8) -> Bool {
        byte &- 0x21 < 0x5e
    }

    /// The lower-case form of an ASCII letter; every other byte unchanged.
    @inlinable
    public static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether both texts are equal when ASCII letters are compared without case.
    @inlinable
    public static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ text: String) -> Bool {
        equalsIgnoringCase(bytes, text.utf8Span.span)
    }

    /// Whether both byte sequences are equal when ASCII letters are compared without case.
    @inlinable
    public static func equalsIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        // Nearly always they are written alike.
        while index &+ 8 <= left.count, left.word(at: index) == right.word(at: index) { index &+= 8 }
        while index < left.count {
            guard lowercase(left[index]) == lowercase(right[index]) else { return false }
            index &+= 1
        }
        return true
    }

    /// Membership in a set of ASCII bytes given as bits 0–63 and 64–127.
    @inlinable
    public static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        let half = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && (half &>> UInt64(byte & 0x3f)) & 1 == 1
    }
}
