// SPDX-License-Identifier: Apache-2.0
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
        var whole: [UInt8] = []
        for index in path.indices { whole.append(path[index]) }
        var cut = whole
        var readings: [[UInt8]] = []
        var decodings = 0
        while true {
            if let rest = pathBehindAuthority(whole) { readings.append(rest) }
            if let end = whole.firstIndex(where: { $0 == 0x3f || $0 == 0x23 }) { readings.append(Array(whole[..<end])) }
            if cuttingParameters, let first = whole.firstIndex(of: 0x3b) {
                readings.append(Array(whole[..<first]))
                // Not cut before this decoding, or at each.
                let late = withoutParameters(whole)
                cut = withoutParameters(cut)
                for reading in cut == late ? [cut] : [late, cut] {
                    readings.append(reading)
                    if let rest = pathBehindAuthority(reading) { readings.append(rest) }
                }
            }
            guard whole.contains(0x25), decodings <= NestedEscapes.maximumDecodings else { return readings }
            (whole, cut) = (decoded(whole.span), decoded(cut.span))
            decodings += 1
        }
    }

    /// What stands behind the authority of a path that is a reference to another one (RFC 3986 §4.2), with slashes of
    /// either kind and any number of them, and may be empty; nil when the path has no authority to anybody.
    ///
    /// `//x/admin` is the path `/admin` of `x` to Node's URL, Python's urljoin and Java's URI; so is `/\x/admin` to the first.
    public static func behindAuthority<Path: Collection<UInt8>>(_ path: Path) -> Path.SubSequence? {
        guard path.prefix(2).count(where: isSeparator) == 2 else { return nil }
        return path.drop(while: isSeparator).drop { !isSeparator($0) }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2f || byte == 0x5c }

    private static func pathBehindAuthority(_ path: [UInt8]) -> [UInt8]? {
        behindAuthority(path).map { $0.isEmpty ? [0x2f] : Array($0) }
    }

    /// Each `;` and what follows cut off as far as the next `/`.
    private static func withoutParameters(_ path: [UInt8]) -> [UInt8] {
        var isParameter = false
        return path.filter { byte in
            if byte == 0x2f { isParameter = false }
            if byte == 0x3b { isParameter = true }
            return !isParameter
        }
    }

    /// Appends that reading of `path`; never forwarded, only matched.
    public static func append(_ path: Span<UInt8>, to output: inout [UInt8]) {
        var bytes = decoded(path)
        // As many as a path may need that was let through.
        for _ in 0..<NestedEscapes.maximumDecodings where bytes.contains(0x25) { bytes = decoded(bytes.span) }
        var isParameter = false
        var last = output.last
        output.reserveCapacity(output.count + bytes.count)
        for byte in withoutOverlongForms(bytes) {
            let character = byte == 0x5c ? 0x2f : byte
            if character == 0x2f { isParameter = false }
            if character == 0x3b { isParameter = true }
            if isParameter || (character == 0x2f && last == 0x2f) { continue }
            output.append(character)
            last = character
        }
    }

    /// Whether the path has a character of ASCII in more bytes than it needs, which some decoders take for it.
    ///
    /// Decoded as often as `append` does: `%25c0%25ae` is `.` to whoever decodes twice and then reads UTF-8 loosely.
    static func hasOverlongForm(_ path: Span<UInt8>) -> Bool {
        var bytes = decoded(path)
        for _ in 0..<NestedEscapes.maximumDecodings {
            if withoutOverlongForms(bytes).count < bytes.count { return true }
            let next = decoded(bytes.span)
            guard next.count < bytes.count else { return false }
            bytes = next
        }
        return withoutOverlongForms(bytes).count < bytes.count
    }

    /// The path with each escape as the byte it stands for.
    static func decoded(_ path: Span<UInt8>) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: path.count)
        var count = 0
        var index = 0
        while index < path.count {
            var byte = path[index]
            if byte == 0x25, let escaped = PathReader.escape(in: path, at: index) {
                byte = escaped
                index &+= 2
            }
            output[count] = byte
            count &+= 1
            index &+= 1
        }
        output.removeSubrange(count...)
        return output
    }

    /// `C0 AF`, `E0 80 AF` and `F0 80 80 AF` as `/`, and so on (RFC 3629 §10).
    private static func withoutOverlongForms(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 >= 0xc0 }) else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let (byte, length) = overlongForm(in: bytes, at: index) {
                output.append(byte)
                index += length
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    private static func overlongForm(in bytes: [UInt8], at index: Int) -> (byte: UInt8, length: Int)? {
        let length: Int
        switch bytes[index] {
        case 0xc0, 0xc1: length = 2
        case 0xe0: length = 3
        case 0xf0: length = 4
        default: return nil
        }
        guard index + length <= bytes.count else { return nil }
        let rest = bytes[(index + 1)..<(index + length)]
        guard rest.allSatisfy({ $0 & 0xc0 == 0x80 }) else { return nil }
        var value = length == 2 ? UInt32(bytes[index] & 1) : 0
        for byte in rest { value = value << 6 | UInt32(byte & 0x3f) }
        return value < 0x80 ? (UInt8(value), length) : nil
    }
}
