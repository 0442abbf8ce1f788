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
    /// The same for a path of more than `longPath` bytes: what the readings cost is bytes times decodings.
    static let maximumDecodingsOfLong = 2
    static let longPath = 4096

    /// Why a reading of `path` is refused that is found by decoding it, or nil.
    static func refusal(of path: Span<UInt8>) -> PathRefusal? {
        guard var reading = decoded(path) else { return nil }
        for _ in 1..<(path.count > longPath ? maximumDecodingsOfLong : maximumDecodings) {
            guard let next = decoded(reading.span) else { return nil }
            if let refusal = refusal(reading: next.span) { return refusal }
            reading = next
        }
        return hasEscape(reading.span) ? .doubleEncoding : nil
    }

    /// The path with each escape as the byte it stands for; nil when it has none.
    private static func decoded(_ path: Span<UInt8>) -> [UInt8]? {
        hasEscape(path) ? LoosestReading.decoded(path) : nil
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
