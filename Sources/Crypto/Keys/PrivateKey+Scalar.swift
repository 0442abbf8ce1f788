extension PrivateKey {
    /// The P-256 key of 32 secret bytes: the same bytes are the same key, so that a key need not be kept where the
    /// secret is it was derived from.
    ///
    /// The bytes, read big-endian as s, become s mod (n-1) + 1: every input gives a key, and no two inputs of which one
    /// is not at least n-1 give the same. Takes the same time for all of them.
    ///
    /// - Throws: `.keyTypeNotAccepted` unless there are 32 bytes.
    public static func p256(scalar: Secret) throws(SigningRefusal) -> PrivateKey {
        guard scalar.count == 32 else { throw .keyTypeNotAccepted }
        let bytes = scalar.reveal()
        var number = P256Scalar(bytes.span).bytes
        defer { SecretBytes.overwrite(&number) }
        let (key, point) = try EVPPrivateKey.p256(scalar: number.span)
        // The point was made of the number just now: there is no pair to check.
        return PrivateKey(
            checked: key, .ellipticCurve(.p256, x: Array(point[1..<33]), y: Array(point[33..<65])))
    }
}

/// A number from 1 to n-1, n being the order of P-256 (SEC 2 §2.4.2); computed without a branch on it.
struct P256Scalar {
    /// n-1, least significant word first.
    private static let limit: InlineArray<4, UInt64> = [
        0xF3B9_CAC2_FC63_2550, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0000,
    ]

    private let words: InlineArray<4, UInt64>

    /// `bytes` mod (n-1) + 1; `bytes` are 32, and 2^256 is less than twice n-1.
    init(_ bytes: Span<UInt8>) {
        var number = InlineArray<4, UInt64>(repeating: 0)
        for index in 0..<32 {
            let word = 3 - index / 8
            number[word] = number[word] << 8 | UInt64(bytes[index])
        }
        var reduced = InlineArray<4, UInt64>(repeating: 0)
        var borrow: UInt64 = 0
        for word in 0..<4 {
            let (one, first) = number[word].subtractingReportingOverflow(Self.limit[word])
            let (two, second) = one.subtractingReportingOverflow(borrow)
            reduced[word] = two
            borrow = (first ? 1 : 0) | (second ? 1 : 0)
        }
        // All ones when the number was below n-1 and stays as it is.
        let keeps = 0 &- borrow
        var carry: UInt64 = 1
        for word in 0..<4 {
            let chosen = number[word] & keeps | reduced[word] & ~keeps
            let (sum, overflows) = chosen.addingReportingOverflow(carry)
            number[word] = sum
            carry = overflows ? 1 : 0
        }
        words = number
    }

    /// Big-endian, 32 of them.
    var bytes: [UInt8] {
        (0..<32).map { index in UInt8(truncatingIfNeeded: words[3 - index / 8] >> UInt64(56 - index % 8 * 8)) }
    }
}
