import Bytes

/// Which of some languages a reader wants (RFC 9110 §12.5.4, RFC 4647 §3.4).
///
/// Reads hostile bytes: at most so many of them and so many ranges count, and nothing is allocated.
package enum AcceptLanguage {
    /// Bytes of the field, and ranges in it, that are looked at.
    static let maximumBytes = 1024
    static let maximumRanges = 32

    /// The place of the best one among `tags`; when the field names none of them, the first that it does not refuse.
    ///
    /// A range is good for a tag that it is the beginning of, or that is the beginning of it, word by word: `de-AT` finds
    /// `de`, `pt` finds `pt-BR`, and the more words they share the better. `*` is good for the first one that no other
    /// range names (RFC 9110 §12.5.4), and a range of weight 0 refuses what begins with it.
    package static func choose(_ field: Span<UInt8>, among tags: [PageLanguageTag]) -> Int {
        var best = (place: 0, quality: 0, range: 0, shared: 0)
        var rest = (quality: 0, range: 0)
        var isRestRefused = false
        var (named, refused) = (Places(), Places())
        var ranges = 0
        var start = 0
        let end = min(field.count, maximumBytes)
        while start < end, ranges < maximumRanges {
            var stop = start
            while stop < end, field[stop] != UInt8(ascii: ",") { stop += 1 }
            // A range that was cut at the bound says something else than it did.
            if stop == end, field.count > end { break }
            let range = field.extracting(start..<stop)
            start = stop + 1
            ranges += 1
            let (length, quality) = read(range)
            guard quality >= 0 else { continue }
            if isAny(range, length) {
                if quality > rest.quality { rest = (quality, ranges) }
                if quality == 0 { isRestRefused = true }
                continue
            }
            for place in tags.indices {
                let (shared, isBeginning) = share(range, length, tags[place].bytes)
                guard shared >= 0 else { continue }
                if quality > 0 || isBeginning { named.insert(place) }
                guard quality > 0 else {
                    if isBeginning { refused.insert(place) }
                    continue
                }
                // Of two that are wanted alike the first one; of two that one range is good for the nearer one.
                if quality > best.quality || best.range == ranges && shared > best.shared {
                    best = (place, quality, ranges, shared)
                }
            }
        }
        // Of two that are wanted alike the first one here, too.
        let isRestBetter = rest.quality > best.quality || rest.quality == best.quality && rest.range < best.range
        if isRestBetter, let other = tags.indices.first(where: { !named.contains($0) }) { return other }
        if best.quality > 0 { return best.place }
        return tags.indices.first { !refused.contains($0) && (named.contains($0) || !isRestRefused) } ?? 0
    }

    /// Some places in a list of languages, as far as they are among the first 64.
    private struct Places {
        private var bits: UInt64 = 0

        mutating func insert(_ place: Int) { if place < 64 { bits |= 1 << UInt64(place) } }
        func contains(_ place: Int) -> Bool { place < 64 && bits & 1 << UInt64(place) != 0 }
    }

    /// Whether a range is `*`.
    private static func isAny(_ member: Span<UInt8>, _ end: Int) -> Bool {
        var stars = 0
        for index in 0..<end where !isSpace(member[index]) {
            guard member[index] == UInt8(ascii: "*"), stars == 0 else { return false }
            stars += 1
        }
        return stars == 1
    }

    /// How many bytes of the member are the range behind its white space, and its weight in thousandths; 0 when it is
    /// not wanted, and less where that is malformed.
    private static func read(_ member: Span<UInt8>) -> (end: Int, quality: Int) {
        var end = 0
        while end < member.count, member[end] != UInt8(ascii: ";") { end += 1 }
        let rangeEnd = end
        guard end < member.count else { return (rangeEnd, 1000) }
        var place = end + 1
        while place < member.count, isSpace(member[place]) { place += 1 }
        guard place + 2 < member.count, member[place] | 0x20 == UInt8(ascii: "q"),
            member[place + 1] == UInt8(ascii: "=")
        else { return (rangeEnd, -1) }
        place += 2
        var quality = 0
        switch member[place] {
        case UInt8(ascii: "0"): quality = 0
        case UInt8(ascii: "1"): quality = 1000
        default: return (rangeEnd, -1)
        }
        place += 1
        if place < member.count, member[place] == UInt8(ascii: ".") {
            place += 1
            var unit = 100
            while place < member.count, member[place] >= 0x30, member[place] <= 0x39 {
                quality += Int(member[place] - 0x30) * unit
                unit /= 10
                place += 1
            }
        }
        while place < member.count, isSpace(member[place]) { place += 1 }
        return (rangeEnd, place == member.count && quality <= 1000 ? quality : -1)
    }

    /// How many words a range and a tag have in common, -1 where neither is the beginning of the other; and whether the
    /// range is the beginning of the tag, or all of it.
    private static func share(
        _ member: Span<UInt8>, _ end: Int, _ tag: [UInt8]
    ) -> (words: Int, isBeginning: Bool) {
        var start = 0
        var end = end
        while start < end, isSpace(member[start]) { start += 1 }
        while end > start, isSpace(member[end - 1]) { end -= 1 }
        guard end > start else { return (-1, false) }
        var words = 0
        var index = 0
        while index < end - start, index < tag.count {
            guard ASCII.lowercase(member[start + index]) == ASCII.lowercase(tag[index]) else { return (-1, false) }
            if tag[index] == UInt8(ascii: "-") { words += 1 }
            index += 1
        }
        // Both end here, or one ends where the other has a hyphen.
        if index < tag.count { return (tag[index] == UInt8(ascii: "-") ? words + 1 : -1, true) }
        if index < end - start { return (member[start + index] == UInt8(ascii: "-") ? words + 1 : -1, false) }
        return (words + 2, true)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39: true
        default: isLetter(byte)
        }
    }
}

/// A language's tag as bytes, so that choosing one makes none.
package struct PageLanguageTag: Sendable {
    let bytes: [UInt8]

    package init(_ tag: String) { bytes = Array(tag.utf8) }
}
