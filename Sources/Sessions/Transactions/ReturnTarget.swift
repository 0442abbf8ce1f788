import Bytes

/// Where a browser may be sent after a login or logout: a path on this origin, and nothing else (CF-09).
///
/// Browsers read `\` as `/`, drop tabs and line ends, and take what begins with `//` for another host; servers on the way
/// may decode a path once more than we do. A target is therefore judged as it is and with its path decoded once, and
/// whatever one of the two readings objects to leads to `/`.
package enum ReturnTarget {
    /// Bytes of a target at most.
    package static let limit = 2048

    /// The target as it may stand in `Location`; `/` for everything that could lead elsewhere.
    ///
    /// None of the gateway's own paths is one: a login that returned to the logout would end itself.
    package static func accept(_ text: Span<UInt8>) -> String {
        guard text.count <= limit, !hasControls(text) else { return "/" }
        var pathEnd = 0
        while pathEnd < text.count, text[pathEnd] != UInt8(ascii: "?"), text[pathEnd] != UInt8(ascii: "#") {
            pathEnd += 1
        }
        let path = text.extracting(first: pathEnd)
        guard isPath(path) else { return "/" }
        let decoded = decodedOnce(path)
        guard isPath(decoded.span), !hasControls(decoded.span), !isReserved(decoded) else { return "/" }
        var target: [UInt8] = []
        appendSafe(text, to: &target)
        guard target.count <= limit else { return "/" }
        return String(decoding: target, as: UTF8.self)
    }

    /// A fragment as it may stand behind `#`, without it; nil when there is none or it is too long.
    package static func fragment(_ text: Span<UInt8>) -> String? {
        guard text.count > 0, text.count <= fragmentLimit, !hasControls(text) else { return nil }
        var fragment: [UInt8] = []
        appendSafe(text, to: &fragment)
        guard fragment.count <= fragmentLimit else { return nil }
        return String(decoding: fragment, as: UTF8.self)
    }

    /// Bytes of a fragment at most: with the longest target it still fits in one cookie.
    private static let fragmentLimit = 512

    /// Whether this is the path of a URL of the same origin, whoever reads it.
    private static func isPath(_ path: Span<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        // One slash: after two, or a slash and a backslash, a host follows (RFC 3986 §4.2, WHATWG URL).
        guard path.count > 0, path[0] == slash, path.count == 1 || path[1] != slash else { return false }
        var segment = 1
        for index in 1..<(path.count + 1) {
            if index < path.count {
                if path[index] == UInt8(ascii: "\\") { return false }
                guard path[index] == slash else { continue }
            }
            // Browsers resolve `.` and `..` before they ask: such a path was never a page, but may hide one.
            if isDots(path.extracting(segment..<index)) { return false }
            segment = index + 1
        }
        return true
    }

    private static func isDots(_ segment: Span<UInt8>) -> Bool {
        guard segment.count == 1 || segment.count == 2 else { return false }
        for index in segment.indices where segment[index] != UInt8(ascii: ".") { return false }
        return true
    }

    /// Whether the path is the gateway's own, with its case, doubled slashes and parameters taken as generously as can be.
    private static func isReserved(_ path: [UInt8]) -> Bool {
        var merged: [UInt8] = []
        merged.reserveCapacity(path.count + 1)
        for byte in path where !(byte == UInt8(ascii: "/") && merged.last == byte) {
            merged.append(byte == UInt8(ascii: ";") ? UInt8(ascii: "/") : byte)
        }
        if merged.last != UInt8(ascii: "/") { merged.append(UInt8(ascii: "/")) }
        let reserved = OwnPaths.prefix + "/"
        return merged.count >= reserved.utf8.count
            && ASCII.equalsIgnoringCase(merged.span.extracting(first: reserved.utf8.count), reserved)
    }

    private static func hasControls(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] < 0x20 || text[index] == 0x7f { return true }
        return false
    }

    /// The path with each well-formed `%XX` decoded, once.
    private static func decodedOnce(_ path: Span<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count)
        var index = 0
        while index < path.count {
            if path[index] == UInt8(ascii: "%"), index + 2 < path.count, let high = ASCII.hexValue(path[index + 1]),
                let low = ASCII.hexValue(path[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(path[index])
                index += 1
            }
        }
        return decoded
    }

    /// Appends the text with everything escaped that is no character of a URI (RFC 3986 §2), `\` among it.
    private static func appendSafe(_ text: Span<UInt8>, to target: inout [UInt8]) {
        for index in text.indices {
            let byte = text[index]
            if ASCII.isUnreserved(byte) || isReservedCharacter(byte) {
                target.append(byte)
            } else {
                PercentEncoding.appendEscape(byte, to: &target)
            }
        }
    }

    /// gen-delims and sub-delims of RFC 3986 §2.2, and the `%` of what is escaped already.
    private static func isReservedCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
