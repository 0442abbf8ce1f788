/// An ECDSA signature in the DER form that the library reads, on the stack.
///
///     R‖S   ──▶   30 len  02 len R  02 len S      (RFC 3279 §2.2.3)
struct ECDSASignature {
    /// Long enough for P-521: 3 + 2 × (2 + 67).
    private(set) var der = InlineArray<144, UInt8>(repeating: 0)
    private(set) var count = 0

    /// Nil unless `signature` is two numbers of `fieldLength` bytes, neither of them zero (JOSE-08).
    ///
    /// That both are below the curve's order is checked by the library when it verifies.
    init?(_ signature: Span<UInt8>, fieldLength: Int) {
        guard signature.count == 2 * fieldLength, fieldLength <= 66 else { return nil }
        let r = Self.firstSignificant(signature, 0..<fieldLength)
        let s = Self.firstSignificant(signature, fieldLength..<2 * fieldLength)
        // CVE-2022-21449: a verifier that skips this accepts R = S = 0 for every message.
        guard r < fieldLength, s < 2 * fieldLength else { return nil }
        let content =
            Self.integerLength(signature, r..<fieldLength) + Self.integerLength(signature, s..<2 * fieldLength)
        append(0x30)
        if content >= 0x80 { append(0x81) }
        append(UInt8(content))
        appendInteger(signature, r..<fieldLength)
        appendInteger(signature, s..<2 * fieldLength)
    }

    private static func firstSignificant(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] == 0 { index += 1 }
        return index
    }

    /// Tag, length and digits; a zero goes in front of a digit that would read as negative.
    private static func integerLength(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> Int {
        2 + digits.count + (bytes[digits.lowerBound] >= 0x80 ? 1 : 0)
    }

    private mutating func append(_ byte: UInt8) {
        der[count] = byte
        count += 1
    }

    private mutating func appendInteger(_ bytes: Span<UInt8>, _ digits: Range<Int>) {
        append(0x02)
        let isHigh = bytes[digits.lowerBound] >= 0x80
        append(UInt8(digits.count + (isHigh ? 1 : 0)))
        if isHigh { append(0) }
        for index in digits { append(bytes[index]) }
    }
}
