import Bytes

/// The `traceparent` field: the trace that a request belongs to, and the span that sent it (W3C Trace Context §3.2).
///
/// Whether it is to be believed is for the caller to know: any client can send one. Nothing is allocated.
public struct TraceParent: Sendable, Equatable {
    /// The trace: sixteen bytes, the first of them in the highest bits; not zero.
    public var traceID: UInt128
    /// The span of the sender, not zero.
    public var spanID: UInt64
    /// The sender may have recorded it.
    public var isSampled: Bool

    /// Bytes of a field of version 00.
    private static var length: Int { 55 }

    /// A field with these parts.
    @inlinable
    public init(traceID: UInt128, spanID: UInt64, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// What a field's value says; nil where it is none, and a new trace begins.
    ///
    /// Version 00 has 55 bytes, its digits are in lower case, and neither id is zero. Of a later version the same parts are
    /// read where they stand in version 00, as its §3.2.4 wants, if nothing or a dash is behind them; version ff is none.
    public init?(_ value: Span<UInt8>) {
        guard value.count >= Self.length, let version = Self.number(value, 0..<2), version != 0xff,
            value[2] == Self.dash, value[35] == Self.dash, value[52] == Self.dash
        else { return nil }
        guard value.count == Self.length || version != 0 && value[Self.length] == Self.dash else { return nil }
        guard let high = Self.number(value, 3..<19), let low = Self.number(value, 19..<35),
            let spanID = Self.number(value, 36..<52), let flags = Self.number(value, 53..<55)
        else { return nil }
        self.init(traceID: UInt128(high) << 64 | UInt128(low), spanID: spanID, isSampled: flags & 1 == 1)
        guard traceID != 0, spanID != 0 else { return nil }
    }

    /// The field's value, in version 00.
    ///
    /// Of the flags `sampled` alone is said: the others mean nothing in that version, and are zero then.
    public var text: InlineArray<55, UInt8> {
        var text = InlineArray<55, UInt8>(repeating: Self.dash)
        Self.put(0, 0..<2, &text)
        Self.put(UInt64(truncatingIfNeeded: traceID >> 64), 3..<19, &text)
        Self.put(UInt64(truncatingIfNeeded: traceID), 19..<35, &text)
        Self.put(spanID, 36..<52, &text)
        Self.put(isSampled ? 1 : 0, 53..<55, &text)
        return text
    }

    private static var dash: UInt8 { UInt8(ascii: "-") }

    /// Hexadecimal digits in lower case, at most 16 of them.
    private static func number(_ value: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            let byte = value[index]
            guard !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte), let digit = ASCII.hexValue(byte) else {
                return nil
            }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    private static func put(_ number: UInt64, _ range: Range<Int>, _ text: inout InlineArray<55, UInt8>) {
        var rest = number
        for index in range.reversed() {
            let digit = UInt8(truncatingIfNeeded: rest) & 15
            text[index] = digit < 10 ? digit &+ 0x30 : digit &+ 0x57
            rest >>= 4
        }
    }
}
