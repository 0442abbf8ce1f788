import Bytes

/// The value of `grpc-timeout`: 1 to 8 digits and a unit.
public enum GRPCTimeout {
    /// The time in microseconds, less than one of them counting as one; nil when the value is none (H2-88).
    ///
    /// At most 11,415 years, which `99999999H` is: whoever uses it takes the shorter of this and a bound of its own.
    public static func microseconds(_ value: Span<UInt8>) -> UInt64? {
        guard value.count >= 2, value.count <= 9 else { return nil }
        var number: UInt64 = 0
        for index in 0..<(value.count - 1) {
            guard ASCII.isDigit(value[index]) else { return nil }
            number = number * 10 + UInt64(value[index] - 0x30)
        }
        switch value[value.count - 1] {
        case UInt8(ascii: "H"): return number * 3_600_000_000
        case UInt8(ascii: "M"): return number * 60_000_000
        case UInt8(ascii: "S"): return number * 1_000_000
        case UInt8(ascii: "m"): return number * 1000
        case UInt8(ascii: "u"): return number
        case UInt8(ascii: "n"): return (number + 999) / 1000
        default: return nil
        }
    }
}
