extension JSONValue {
    /// A string's characters; nil for anything else.
    public var string: String? {
        kind == .string ? String(decoding: slice, as: UTF8.self) : nil
    }

    /// A string's bytes, unescaped; nil for anything else.
    public var utf8: [UInt8]? {
        kind == .string ? [UInt8](slice) : nil
    }

    /// A string's bytes, unescaped, where they already are; nil for anything else.
    ///
    /// Costs no copy, and keeps the whole text alive.
    public var utf8Slice: ArraySlice<UInt8>? {
        kind == .string ? slice : nil
    }

    /// Bytes of a string; nil for anything else.
    public var utf8Count: Int? {
        kind == .string ? slice.count : nil
    }

    /// A number's letters as written, always printable ASCII; nil for anything else.
    public var numberText: String? {
        kind == .number ? String(decoding: slice, as: UTF8.self) : nil
    }

    /// A number that a double can hold; nil for anything else, `1e400` included.
    public var number: Double? {
        guard kind == .number else { return nil }
        if let integer = decimalInteger, integer.magnitude <= 1 << 53 { return Double(integer) }
        guard let number = Double(String(decoding: slice, as: UTF8.self)), number.isFinite else { return nil }
        return number
    }

    /// A number that is exactly an integer; nil for anything else.
    ///
    /// `1.0` and `1e3` count, as far as a double tells them from their neighbours (2^53).
    public var integer: Int64? {
        guard kind == .number else { return nil }
        if let integer = decimalInteger { return integer }
        guard let number, number.magnitude <= 9_007_199_254_740_992 else { return nil }
        return Int64(exactly: number)
    }

    /// A truth value; nil for anything else.
    public var bool: Bool? {
        kind == .bool ? tape.nodes[index].count == 1 : nil
    }

    /// Whether this is `null`.
    public var isNull: Bool { kind == .null }

    private var slice: ArraySlice<UInt8> {
        let node = tape.nodes[index]
        return tape.bytes[Int(node.start)..<Int(node.start) + Int(node.count)]
    }

    /// The integer written without fraction or exponent, when it fits.
    private var decimalInteger: Int64? {
        let digits = slice
        let isNegative = digits.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for digit in isNegative ? digits.dropFirst() : digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(Int64(digit - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        // Collected below zero, where one more value fits.
        guard !isNegative else { return value }
        return value == .min ? nil : -value
    }
}
