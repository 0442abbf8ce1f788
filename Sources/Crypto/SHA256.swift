import Bytes

/// A SHA-256 digest held in four words: no allocation, and no early end when two are compared.
public struct SHA256Digest: Sendable, Hashable {
    /// The digest's bytes in order, as the machine loads them.
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    /// A digest received from elsewhere; nil unless it is 32 bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: InlineArray<4, UInt64> = [0, 0, 0, 0]
        for word in 0..<4 {
            var value: UInt64 = 0
            for byte in (0..<8).reversed() { value = value << 8 | UInt64(bytes[word * 8 + byte]) }
            words[word] = UInt64(littleEndian: value)
        }
        self.init(words: (words[0], words[1], words[2], words[3]))
    }

    /// A digest spelt as 43 characters of base64url, such as a thumbprint; nil for anything else.
    public init?(base64URL text: Span<UInt8>) {
        guard text.count == 43, let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes.span)
    }

    /// Compares every bit whatever the first ones say (JOSE-30).
    public static func == (one: SHA256Digest, other: SHA256Digest) -> Bool {
        let difference =
            (one.words.0 ^ other.words.0) | (one.words.1 ^ other.words.1)
            | (one.words.2 ^ other.words.2) | (one.words.3 ^ other.words.3)
        return difference == 0
    }

    /// Feeds one word: any 64 bits of a digest are as good as random.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }

    /// The first 64 bits, for choosing a shard or a slot.
    public var prefix: UInt64 { words.0 }

    /// The first 128 bits, for a table that keeps no more of a digest than tells two apart.
    public var longPrefix: (UInt64, UInt64) { (words.0, words.1) }

    /// The 64 bits behind those, for a name that is not to lead to one that those are.
    public var afterLongPrefix: UInt64 { words.2 }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word.littleEndian >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// The 43 characters of base64url that RFC 7638 and RFC 9449 write.
    public var base64URL: String {
        let bytes = bytes
        return Base64URL.encode(bytes.span)
    }
}

/// SHA-256 in one call, without allocation.
public enum SHA256 {
    /// The digest of `bytes`.
    public static func hash(_ bytes: Span<UInt8>) -> SHA256Digest {
        OpenSSLDigest.sha256(bytes)
    }
}
