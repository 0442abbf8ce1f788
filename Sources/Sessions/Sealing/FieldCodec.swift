import Bytes

/// What is sealed does not follow its format: made by another version, or by nobody.
struct Malformed: Error {}

/// Writes fields one after another: numbers in as few bytes as they need, everything else behind its length.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func number(_ value: UInt64) {
        var left = value
        while left >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: left))
    }

    /// A time, or the distance between two: small ones are short on either side of zero.
    mutating func time(_ value: Int64) {
        number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func block(_ value: [UInt8]) {
        number(UInt64(value.count))
        bytes += value
    }

    mutating func text(_ value: String) {
        number(UInt64(value.utf8.count))
        bytes += Array(value.utf8)
    }

    mutating func texts(_ values: [String]) {
        number(UInt64(values.count))
        for value in values { text(value) }
    }

    /// A token: a JWT's segments are kept decoded, which takes a quarter less.
    mutating func token(_ value: [UInt8]) {
        guard let segments = FieldWriter.segments(value) else {
            byte(0)
            block(value)
            return
        }
        byte(UInt8(segments.count))
        for segment in segments { block(segment) }
    }

    /// The decoded segments of a text in base64url and dots; nil for any other, and for more than a JWE has.
    private static func segments(_ value: [UInt8]) -> [[UInt8]]? {
        var segments: [[UInt8]] = []
        for part in value.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false) {
            // One spelling for one value: what decodes is encoded to the same text.
            guard segments.count < 5, let decoded = Base64URL.decode(Array(part).span) else { return nil }
            segments.append(decoded)
        }
        return segments
    }
}

/// Reads what `FieldWriter` wrote; anything else throws, and nothing traps.
struct FieldReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(Malformed) -> UInt8 {
        guard position < bytes.count else { throw Malformed() }
        position += 1
        return bytes[position - 1]
    }

    mutating func number() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let next = try byte()
            let bits = UInt64(next & 0x7f)
            // The tenth byte has room for one bit.
            guard shift < 63 || bits <= 1 else { throw Malformed() }
            value |= bits << shift
            if next < 0x80 { return value }
        }
        throw Malformed()
    }

    mutating func time() throws(Malformed) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func block() throws(Malformed) -> [UInt8] {
        let place = try place()
        return [UInt8](copying: bytes.span.extracting(place))
    }

    mutating func text() throws(Malformed) -> String {
        let place = try place()
        guard let text = try? UTF8Span(validating: bytes.span.extracting(place)) else { throw Malformed() }
        return String(copying: text)
    }

    /// Where the next block's bytes are.
    private mutating func place() throws(Malformed) -> Range<Int> {
        let count = try number()
        // Compared before it is used: a length near 2^64 is not added to anything.
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        let start = position
        position += Int(count)
        return start..<position
    }

    mutating func texts() throws(Malformed) -> [String] {
        let count = try number()
        // Each takes a byte at least, so no more memory is asked for than the bytes could fill.
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        var texts: [String] = []
        for _ in 0..<Int(count) { texts.append(try text()) }
        return texts
    }

    mutating func token() throws(Malformed) -> [UInt8] {
        let segments = try byte()
        guard segments > 0 else { return try block() }
        guard segments <= 5 else { throw Malformed() }
        // Looked through once before, for how long it becomes.
        var ahead = self
        var length = 0
        for _ in 0..<segments { length += try ahead.place().count / 3 * 4 + 4 }
        var token: [UInt8] = []
        token.reserveCapacity(length)
        for index in 0..<segments {
            if index > 0 { token.append(UInt8(ascii: ".")) }
            let place = try place()
            Base64URL.append(bytes.span.extracting(place), to: &token)
        }
        return token
    }
}
