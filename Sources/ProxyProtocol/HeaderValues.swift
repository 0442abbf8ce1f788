/// The values behind the addresses of a block: a type, a length, and as many bytes.
///
/// They identify nobody: neither a host's name nor the name in a certificate, which a sender may tell of, is a proof of
/// anything. Three types are held to their form, so that a broken header is seen as such; the others are passed over.
enum HeaderValues {
    private static let authority: UInt8 = 0x02
    private static let checksum: UInt8 = 0x03
    private static let tls: UInt8 = 0x20

    /// Refuses values that end elsewhere than the header, that are not of their type, or that there are two of, and a
    /// checksum of other bytes.
    static func check(_ header: Span<UInt8>, from start: Int) throws(ProxyHeaderRefusal) {
        var position = start
        var (hasAuthority, hasTLS) = (false, false)
        var sum: Range<Int>?
        while position < header.count {
            let type = header[position]
            let value = try value(in: header, at: position, before: header.count)
            switch type {
            case authority:
                guard !hasAuthority else { throw .valueRepeated }
                hasAuthority = true
                guard isName(header.extracting(value)) else { throw .valueMalformed }
            case checksum:
                guard sum == nil else { throw .valueRepeated }
                guard value.count == 4 else { throw .valueMalformed }
                sum = value
            case tls:
                guard !hasTLS else { throw .valueRepeated }
                hasTLS = true
                try checkTLS(header, value)
            default: break
            }
            position = value.upperBound
        }
        guard let sum else { return }
        var said: UInt32 = 0
        for index in sum { said = said << 8 | UInt32(header[index]) }
        guard CRC32C.of(header, withZeros: sum) == said else { throw .checksumWrong }
    }

    /// Five bytes about the sender's TLS, and values of their own.
    private static func checkTLS(_ header: Span<UInt8>, _ bounds: Range<Int>) throws(ProxyHeaderRefusal) {
        guard bounds.count >= 5 else { throw .valueMalformed }
        var position = bounds.lowerBound + 5
        while position < bounds.upperBound {
            position = try value(in: header, at: position, before: bounds.upperBound).upperBound
        }
    }

    /// Where the value is whose type stands at `position`.
    private static func value(
        in header: Span<UInt8>, at position: Int, before end: Int
    ) throws(ProxyHeaderRefusal) -> Range<Int> {
        guard end - position >= 3 else { throw .valueCut }
        let start = position + 3
        let length = Int(header[position + 1]) << 8 | Int(header[position + 2])
        guard length <= end - start else { throw .valueCut }
        return start..<start + length
    }

    /// A name as long as one can be, without blanks and control octets.
    private static func isName(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 255 else { return false }
        for index in text.indices where text[index] <= 0x20 || text[index] == 0x7F { return false }
        return true
    }
}

/// The checksum of RFC 3720 appendix B.4, by which a sender may protect a header.
enum CRC32C {
    /// Of the bytes, with those of one range taken for zeros.
    static func of(_ bytes: Span<UInt8>, withZeros zeros: Range<Int>) -> UInt32 {
        var sum = UInt32.max
        for index in bytes.indices {
            sum ^= zeros.contains(index) ? 0 : UInt32(bytes[index])
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0x82F6_3B78) }
        }
        return ~sum
    }
}
