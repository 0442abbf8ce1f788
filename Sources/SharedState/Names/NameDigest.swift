import Bytes
import Crypto

/// The 128 bits that a name ends with: by them sessions and markers are known here, and told apart in the log.
struct NameDigest: Hashable, Sendable {
    private let low: UInt64
    private let high: UInt64

    /// Of a session, by its name's digest.
    init(_ digest: SHA256Digest) {
        let (low, high) = digest.longPrefix
        self.low = low.littleEndian
        self.high = high.littleEndian
    }

    /// Of sixteen bytes or more, the first of them.
    init(prefix bytes: [UInt8]) {
        low = bytes.span.word(at: 0)
        high = bytes.span.word(at: 8)
    }

    /// Of the end of a name; nil for what is none.
    init?(suffix: [UInt8]) {
        guard suffix.count == StoreName.suffixLength, let bytes = Base64URL.decode(suffix.span), bytes.count == 16
        else { return nil }
        self.init(prefix: bytes)
    }

    /// Appends the end of the name that it is of.
    func append(to bytes: inout [UInt8]) {
        var half = InlineArray<16, UInt8>(repeating: 0)
        for index in 0..<8 {
            half[index] = UInt8(truncatingIfNeeded: low &>> UInt64(index &* 8))
            half[index &+ 8] = UInt8(truncatingIfNeeded: high &>> UInt64(index &* 8))
        }
        Base64URL.append(half.span, to: &bytes)
    }

    /// Any bits of a digest are as good as random.
    func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// One of 64 parts.
    var shard: Int { Int(truncatingIfNeeded: high & 63) }
}
