import Bytes

/// A path as a server would read it that took every liberty at once: escapes decoded until none is left, overlong UTF-8
/// taken for what it stands for, `\` for `/`, path parameters cut off, runs of `/` merged.
///
/// For routes that let ambiguous characters through. Each server takes some of these liberties, and each separator found
/// only cuts segments further: where this reading leads to the same route, all milder ones do (T-05 … T-08). Three things they
/// see too differently for one reading, how much a path parameter is, where an authority begins and where the path ends:
/// `others` has those.
public enum LoosestReading {
    /// The path as it is to servers that see more in a `;`, in slashes at the beginning or in an escaped `?` or `#` than the
    /// loosest reading does; each is to be read loosely in turn.
    ///
    /// Where `;` is let through, some servers cut before they decode, as far as the next `/` (Tomcat): `/admin;%2Fx` is
    /// `/admin`. Others cut all that follows the first `;`, as it is or decoded. What begins with two slashes once it
    /// is decoded or cut has an authority to servers that resolve it as a reference: `/%2Fx/admin` is `/admin`. So is
    /// `/admin%3Fx` to those that decode before they look for the query.
    public static func others(of path: Span<UInt8>, cuttingParameters: Bool) -> [[UInt8]] {
        var others: [[UInt8]] = []
        var known = [wholly(decoding: path)]
        _ = allOthers(of: path, isWhole: true, cuttingParameters: cuttingParameters) { reading, _ in
            let decoded = wholly(decoding: reading.span)
            if !known.contains(decoded) {
                known.append(decoded)
                others.append(reading)
            }
            return true
        }
        return others
    }

    /// Whether the path itself and all others satisfy a condition, each with all its escapes decoded, for `append(decoded:)`.
    ///
    /// None is told twice: most differ by a decoding alone, and what each of them costs a client could ask for. For the same
    /// reason the beginning of a path may be given in its place, which is then not whole. Each reading of the path is one that
    /// is told as whole, or begins with one that is not, but for the last `unsettled` bytes of that. Meant for a path that
    /// `PathPolicy` let through: another may be decoded more often than `unsettled` provides for.
    public static func all(
        of path: Span<UInt8>, isWhole: Bool = true, cuttingParameters: Bool,
        satisfy condition: (_ decoded: [UInt8], _ isWhole: Bool) -> Bool
    ) -> Bool {
        var known = [Told(decoded: wholly(decoding: path), isWhole: isWhole)]
        guard condition(known[0].decoded, isWhole) else { return false }
        // What no decoding brings to light is at none on the way.
        guard hasOthers(known[0].decoded, cuttingParameters: cuttingParameters) else { return true }
        return allOthers(of: path, isWhole: isWhole, cuttingParameters: cuttingParameters) { reading, isWhole in
            let told = Told(decoded: wholly(decoding: reading.span), isWhole: isWhole)
            if known.contains(where: { $0.isWhole == isWhole && $0.decoded == told.decoded }) { return true }
            known.append(told)
            return condition(told.decoded, isWhole)
        }
    }

    private struct Told {
        let decoded: [UInt8]
        let isWhole: Bool
    }

    /// Bytes at the end of a reading of a path's beginning that the rest of the path may change.
    ///
    /// What follows may complete an escape, of two bytes at each decoding that there is (`NestedEscapes`); a character, of
    /// three; and each of these bytes may stand for two letters.
    public static let unsettled = 2 * (2 * (NestedEscapes.maximumDecodings + 1) + 3)

    private static func hasOthers(_ decoded: [UInt8], cuttingParameters: Bool) -> Bool {
        let span = decoded.span
        if behindAuthority(decoded.span.extracting(first: 2)) != nil { return true }
        if cuttingParameters, span.firstIndex(of: 0x3b, from: 0, to: span.count) < span.count { return true }
        return firstEnd(in: span) < span.count
    }

    /// The place of the first `?` or `#`, or the end.
    private static func firstEnd(in path: Span<UInt8>) -> Int {
        let query = path.firstIndex(of: 0x3f, from: 0, to: path.count)
        return path.firstIndex(of: 0x23, from: 0, to: query)
    }

    private static func allOthers(
        of path: Span<UInt8>, isWhole: Bool, cuttingParameters: Bool,
        _ tell: (_ reading: [UInt8], _ isWhole: Bool) -> Bool
    ) -> Bool {
        var whole = [UInt8](copying: path)
        // Cut at each decoding; nil as long as there was nothing to cut.
        var cut: [UInt8]?
        var decodings = 0
        while true {
            if let rest = pathBehindAuthority(whole), !tell(rest, isWhole) { return false }
            // What is cut there has its end, whatever follows.
            let settled = isWhole ? whole.count : whole.count &- unsettled
            let end = firstEnd(in: whole.span)
            if end < whole.count, !tell(Array(whole[..<end]), end < settled) { return false }
            let first = whole.span.firstIndex(of: 0x3b, from: 0, to: whole.count)
            if cuttingParameters, first < whole.count {
                guard tell(Array(whole[..<first]), first < settled) else { return false }
                // Not cut before this decoding, or at each.
                let late = withoutParameters(whole.span)
                cut = cut.map { withoutParameters($0.span) } ?? late
                for reading in cut == late ? [late] : [late, cut ?? late] {
                    guard tell(reading, isWhole) else { return false }
                    if let rest = pathBehindAuthority(reading), !tell(rest, isWhole) { return false }
                }
            }
            guard decodings <= NestedEscapes.maximumDecodings else { return true }
            // What is no escape will be none: every further reading is one of those that were told.
            guard NestedEscapes.hasEscape(whole.span) else { return true }
            whole = decoded(whole.span)
            cut = cut.map { decoded($0.span) }
            decodings += 1
        }
    }

    /// What stands behind the authority of a path that is a reference to another one (RFC 3986 §4.2), with slashes of
    /// either kind and any number of them, and may be empty; nil when the path has no authority to anybody.
    ///
    /// `//x/admin` is the path `/admin` of `x` to Node's URL, Python's urljoin and Java's URI; so is `/\x/admin` to the first.
    public static func behindAuthority(_ path: Span<UInt8>) -> Range<Int>? {
        guard path.count >= 2, isSeparator(path[0]), isSeparator(path[1]) else { return nil }
        var start = 2
        while start < path.count, isSeparator(path[start]) { start += 1 }
        while start < path.count, !isSeparator(path[start]) { start += 1 }
        return start..<path.count
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2f || byte == 0x5c }

    private static func pathBehindAuthority(_ path: [UInt8]) -> [UInt8]? {
        behindAuthority(path.span).map { $0.isEmpty ? [0x2f] : Array(path[$0]) }
    }

    /// Each `;` and what follows cut off as far as the next `/`.
    private static func withoutParameters(_ path: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: path.count) { output in
            var isParameter = false
            for index in path.indices {
                let byte = path[index]
                if byte == 0x3b { isParameter = true }
                if byte == 0x2f { isParameter = false }
                if !isParameter { output.append(byte) }
            }
        }
    }

    /// Appends that reading of `path`; never forwarded, only matched.
    public static func append(_ path: Span<UInt8>, to output: inout [UInt8]) {
        append(decoded: wholly(decoding: path).span, to: &output)
    }

    /// The same of a path in which no escape is left; ends early where no more than `limit` bytes of it are asked for.
    public static func append(decoded path: Span<UInt8>, upTo limit: Int = .max, to output: inout [UInt8]) {
        var isParameter = false
        var last: UInt8 = output.last ?? 0
        let room = limit &- min(output.count, limit)
        // As in `append(copying:)`: empty arrays share their storage.
        guard min(path.count, room) > 0 else { return }
        output.append(addingCapacity: min(path.count, room)) { output in
            var index = 0
            while index < path.count, output.count < room {
                var character = path[index]
                index &+= 1
                if beginsOverlongForm(character), let (byte, length) = overlongForm(in: path, at: index &- 1) {
                    character = byte
                    index &+= length &- 1
                }
                switch character {
                case 0x2f, 0x5c:
                    isParameter = false
                    if last == 0x2f { continue }
                    character = 0x2f
                case 0x3b:
                    isParameter = true
                    continue
                default:
                    if isParameter { continue }
                }
                output.append(character)
                last = character
            }
        }
    }

    /// Whether a path in which no escape is left has a character of ASCII in more bytes than it needs, which some decoders
    /// take for it.
    ///
    /// `%25c0%25ae` is `.` to whoever decodes twice and then reads UTF-8 loosely, and such bytes stay together in all
    /// decodings that follow.
    static func hasOverlongForm(decoded bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where beginsOverlongForm(bytes[index]) && overlongForm(in: bytes, at: index) != nil {
            return true
        }
        return false
    }

    /// The path decoded until no escape is left, in one pass.
    ///
    /// Two escapes never share a byte, so that it makes no difference in which order they are decoded: one that comes about by
    /// the decoding of its last byte is decoded there and then.
    static func wholly(decoding path: Span<UInt8>) -> [UInt8] {
        let plain = path.firstIndex(of: 0x25, from: 0, to: path.count)
        guard plain < path.count else { return [UInt8](copying: path) }
        var output = [UInt8](copying: path)
        var bytes = output.mutableSpan
        let count = decodeWholly(&bytes, from: plain)
        output.removeSubrange(count...)
        return output
    }

    /// Decodes in place; returns how many bytes are left.
    private static func decodeWholly(_ bytes: inout MutableSpan<UInt8>, from plain: Int) -> Int {
        var count = plain
        // Bytes behind the last `%` that is left: with two of them it may be an escape.
        var behind = 3
        var index = plain
        while index < bytes.count {
            var byte = bytes[index]
            index &+= 1
            if byte == 0x25, index &+ 1 < bytes.count, let high = ASCII.hexValue(bytes[index]),
                let low = ASCII.hexValue(bytes[index &+ 1])
            {
                byte = high &<< 4 | low
                index &+= 2
            }
            bytes[count] = byte
            count &+= 1
            behind = byte == 0x25 ? 0 : behind &+ 1
            while behind == 2, let high = ASCII.hexValue(bytes[count &- 2]),
                let low = ASCII.hexValue(bytes[count &- 1])
            {
                count &-= 2
                bytes[count &- 1] = high &<< 4 | low
                behind = bytesBehindPercent(bytes.span, count)
            }
        }
        return count
    }

    /// How many of the first `count` bytes stand behind the last `%` among them; 3 for more than two.
    private static func bytesBehindPercent(_ bytes: Span<UInt8>, _ count: Int) -> Int {
        for behind in 0..<min(3, count) where bytes[count &- 1 &- behind] == 0x25 { return behind }
        return 3
    }

    /// The path with each escape as the byte it stands for.
    static func decoded(_ path: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: path.count) { output in
            var index = 0
            var plain = 0
            while index < path.count {
                // A long run is copied as one, for which a short one would be too short.
                if plain == 8 {
                    let end = path.firstIndex(of: 0x25, from: index, to: path.count)
                    for place in index..<end { output.append(path[place]) }
                    (index, plain) = (end, 0)
                    continue
                }
                var byte = path[index]
                index &+= 1
                plain &+= 1
                if byte == 0x25 {
                    plain = 0
                    if let escaped = PathReader.escape(in: path, at: index &- 1) {
                        byte = escaped
                        index &+= 2
                    }
                }
                output.append(byte)
            }
        }
    }

    @inline(__always)
    private static func beginsOverlongForm(_ byte: UInt8) -> Bool {
        byte >= 0xc0 && (byte <= 0xc1 || byte == 0xe0 || byte == 0xf0)
    }

    /// `C0 AF`, `E0 80 AF` and `F0 80 80 AF` are `/` to some, and so on (RFC 3629 §10).
    private static func overlongForm(in bytes: Span<UInt8>, at index: Int) -> (byte: UInt8, length: Int)? {
        let length: Int
        switch bytes[index] {
        case 0xc0, 0xc1: length = 2
        case 0xe0: length = 3
        case 0xf0: length = 4
        default: return nil
        }
        guard index &+ length <= bytes.count else { return nil }
        var value = length == 2 ? UInt32(bytes[index] & 1) : 0
        for place in (index &+ 1)..<(index &+ length) {
            guard bytes[place] & 0xc0 == 0x80 else { return nil }
            value = value << 6 | UInt32(bytes[place] & 0x3f)
        }
        return value < 0x80 ? (UInt8(value), length) : nil
    }
}
