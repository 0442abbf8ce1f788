extension Span where Element == UInt8 {
    /// The eight bytes at `offset` as a number whose lowest byte comes first; 0 when there are fewer.
    ///
    /// Written so that the optimiser proves the eight bounds checks from one comparison and makes a single load.
    @inlinable @inline(__always)
    public func word(at offset: Int) -> UInt64 {
        let window = extracting(offset...).extracting(first: 8)
        guard window.count == 8 else { return 0 }
        let low =
            UInt64(window[0]) | UInt64(window[1]) << 8 | UInt64(window[2]) << 16 | UInt64(window[3]) << 24
        let high =
            UInt64(window[4]) << 32 | UInt64(window[5]) << 40 | UInt64(window[6]) << 48 | UInt64(window[7]) << 56
        return low | high
    }

    /// The four bytes at `offset` as a number whose lowest byte comes first; 0 when there are fewer.
    @inlinable @inline(__always)
    public func halfWord(at offset: Int) -> UInt32 {
        let window = extracting(offset...).extracting(first: 4)
        guard window.count == 4 else { return 0 }
        return UInt32(window[0]) | UInt32(window[1]) << 8 | UInt32(window[2]) << 16 | UInt32(window[3]) << 24
    }
}

/// Eight bytes looked at in one step, the lowest byte first.
public enum ByteWord {
    /// The same byte eight times.
    @inlinable @inline(__always)
    public static func repeating(_ byte: UInt8) -> UInt64 {
        0x0101_0101_0101_0101 &* UInt64(byte)
    }

    /// The top bit of every byte.
    public static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Marks bytes that are zero with their top bit.
    ///
    /// The lowest mark is exact; a byte 0x01 above a zero byte may be marked too.
    @inlinable @inline(__always)
    public static func zeros(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Marks, exactly, the bytes that are ASCII letters or `-` with their top bit.
    @inlinable @inline(__always)
    public static func lettersAndDashes(_ word: UInt64) -> UInt64 {
        let folded = (word | 0x2020_2020_2020_2020) & 0x7f7f_7f7f_7f7f_7f7f
        let fromA = folded &+ 0x1f1f_1f1f_1f1f_1f1f
        let pastZ = folded &+ 0x0505_0505_0505_0505
        let difference = (word ^ 0x2d2d_2d2d_2d2d_2d2d) & 0x7f7f_7f7f_7f7f_7f7f
        let isDash = ~(difference &+ 0x7f7f_7f7f_7f7f_7f7f)
        return ((fromA & ~pastZ) | isDash) & ~word & 0x8080_8080_8080_8080
    }

    /// Marks, exactly, the bytes of token68 (RFC 9110 §11.2) that tokens are made of, with their top bit.
    ///
    /// Those are letters, digits, and `-`, `.`, `/`, `_`; `+` and `~`, which base64url has not, are left unmarked.
    @inlinable @inline(__always)
    public static func commonToken68(_ word: UInt64) -> UInt64 {
        let low = word & 0x7f7f_7f7f_7f7f_7f7f
        // `-` `.` `/` and the digits are neighbours: 0x2D … 0x39.
        let fromDash = low &+ 0x5353_5353_5353_5353
        let past9 = low &+ 0x4646_4646_4646_4646
        let isUnderscore = ~((low ^ 0x5f5f_5f5f_5f5f_5f5f) &+ 0x7f7f_7f7f_7f7f_7f7f)
        return ((fromDash & ~past9) | isUnderscore) & ~word & 0x8080_8080_8080_8080 | lettersAndDashes(word)
    }

    /// The index of the lowest byte that is marked; 8 when none is.
    @inlinable @inline(__always)
    public static func firstMark(_ marks: UInt64) -> Int {
        marks.trailingZeroBitCount &>> 3
    }
}
