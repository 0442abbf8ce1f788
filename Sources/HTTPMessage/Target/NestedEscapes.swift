// SPDX-License-Identifier: Apache-2.0
import Bytes

/// Escapes that only come about by decoding others: `%25%2532e` decoded once is `%%32e`, twice `%2e`, three times `.`.
///
/// They are there only where an operator lets double encoding through. Whoever stands behind us decodes as often as it
/// does, and none of its readings may lead elsewhere.
enum NestedEscapes {
    /// A path that still has an escape after as many decodings is refused: nobody decodes so often, and each makes readings
    /// that have to be looked at, which is work that a client could ask for.
    static let maximumDecodings = 4

    /// Why a reading of `path` is refused that is found by decoding it, or nil.
    static func refusal(of path: Span<UInt8>) -> PathRefusal? {
        guard var reading = decoded(path) else { return nil }
        for _ in 1..<maximumDecodings {
            guard let next = decoded(reading.span) else { return nil }
            if let refusal = refusal(reading: next.span) { return refusal }
            reading = next
        }
        return decoded(reading.span) == nil ? nil : .doubleEncoding
    }

    /// The path with each escape as the byte it stands for; nil when it has none.
    private static func decoded(_ path: Span<UInt8>) -> [UInt8]? {
        let output = LoosestReading.decoded(path)
        return output.count < path.count ? output : nil
    }

    /// What no reading may have: NUL, control octets, and a segment that is `.` or `..`, whatever separates it.
    private static func refusal(reading: Span<UInt8>) -> PathRefusal? {
        var start = 0
        while start <= reading.count {
            var end = start
            // A segment's name ends at its first `;`.
            var nameEnd: Int?
            while end < reading.count, reading[end] != 0x2f, reading[end] != 0x5c {
                if reading[end] == 0 { return .nul }
                if reading[end] < 0x20 || reading[end] == 0x7f { return .controlOctet }
                if reading[end] == 0x3b, nameEnd == nil { nameEnd = end }
                end &+= 1
            }
            let name = reading.extracting(start..<(nameEnd ?? end))
            if name.count == 1 || name.count == 2, name[0] == 0x2e, name[name.count &- 1] == 0x2e { return .dotSegment }
            start = end &+ 1
        }
        return nil
    }
}
