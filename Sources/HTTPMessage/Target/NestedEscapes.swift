import Bytes

/// Escapes that only come about by decoding others: `%25%2532e` decoded once is `%%32e`, twice `%2e`, three times `.`.
///
/// They are there only where an operator lets double encoding through. Whoever stands behind us decodes as often as it
/// does, and none of its readings may lead elsewhere.
enum NestedEscapes {
    /// A path that still has an escape after as many decodings is refused: nobody decodes so often, and each makes readings
    /// that have to be looked at, which is work that a client could ask for.
    static let maximumDecodings = 4
    /// The same for a path of more than `longPath` bytes: what the readings cost is bytes times decodings.
    static let maximumDecodingsOfLong = 2
    static let longPath = 4096

    /// The path decoded until no escape is left; throws why one of its readings on the way is refused.
    static func decoded(accepting path: Span<UInt8>) throws(PathRefusal) -> [UInt8] {
        var reading = LoosestReading.decoded(path)
        for _ in 1..<(path.count > longPath ? maximumDecodingsOfLong : maximumDecodings) {
            guard hasEscape(reading.span) else { return reading }
            reading = LoosestReading.decoded(reading.span)
            if let refusal = refusal(reading: reading.span) { throw refusal }
        }
        if hasEscape(reading.span) { throw .doubleEncoding }
        return reading
    }

    static func hasEscape(_ path: Span<UInt8>) -> Bool {
        var index = 0
        while true {
            index = path.firstIndex(of: 0x25, from: index, to: path.count)
            guard index < path.count else { return false }
            guard PathReader.escape(in: path, at: index) == nil else { return true }
            index &+= 1
        }
    }

    /// What no reading may have: NUL, control octets, and a segment that is `.` or `..`, whatever separates it.
    private static func refusal(reading: Span<UInt8>) -> PathRefusal? {
        // Of a segment's name, which ends at its first `;`.
        var (length, dots, inParameters) = (0, 0, false)
        for index in reading.indices {
            let byte = reading[index]
            if byte == 0x2f || byte == 0x5c {
                if length == dots, length == 1 || length == 2 { return .dotSegment }
                (length, dots, inParameters) = (0, 0, false)
                continue
            }
            if byte < 0x20 || byte == 0x7f { return byte == 0 ? .nul : .controlOctet }
            if byte == 0x3b { inParameters = true }
            if inParameters { continue }
            length &+= 1
            if byte == 0x2e { dots &+= 1 }
        }
        return length == dots && (length == 1 || length == 2) ? .dotSegment : nil
    }
}
