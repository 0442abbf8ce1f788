import Bytes

/// Why a path is refused: somebody behind us could read it differently than we did (HTTP-56).
public enum PathRefusal: UInt8, Error, Sendable, CaseIterable {
    /// `%2F`: a separator to some readers, a character to others.
    case encodedSlash
    /// `\` or `%5C`.
    case backslash
    /// `%00`.
    case nul
    /// A control octet or a space, as it is or encoded (an encoded space is fine).
    case controlOctet
    /// A segment that is `.` or `..`, however it is spelt.
    case dotSegment
    /// `%25` followed by two hexadecimal digits: a second decoding would find another character.
    case doubleEncoding
    /// `%` not followed by two hexadecimal digits.
    case invalidEscape
    /// `;` or `%3B`: some servers cut path parameters off before they look at the path.
    case semicolon
    /// A byte above 0x7E as it is, or escapes that are not UTF-8 (overlong forms of `/` and `.` among them).
    case nonASCII
    /// `#`, which no request target has.
    case fragment
}

/// Path relaxations that an operator switched on for a route; NUL, controls and dot segments have none.
public struct PathAllowances: OptionSet, Sendable {
    /// One bit per relaxation.
    public let rawValue: UInt8

    /// The relaxations of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Lets `%2F` through.
    public static let encodedSlash = PathAllowances(rawValue: 1)
    /// Lets `\` and `%5C` through.
    public static let backslash = PathAllowances(rawValue: 2)
    /// Lets `%25` followed by two hexadecimal digits through.
    public static let doubleEncoding = PathAllowances(rawValue: 4)
    /// Lets `;` and `%3B` through.
    public static let semicolon = PathAllowances(rawValue: 8)
    /// Lets bytes above 0x7E and escapes that are not UTF-8 through, but no overlong forms of ASCII.
    public static let nonASCII = PathAllowances(rawValue: 16)
}

/// Which paths mean the same to every reader (HTTP-55 … HTTP-57).
///
/// Paths are forwarded byte for byte, so an ambiguous one is refused instead of repaired: what was evaluated is what
/// the upstream sees.
public enum PathPolicy {
    /// Why `path` is refused, or nil when it is unambiguous.
    public static func refusal(of path: Span<UInt8>, allowing: PathAllowances) -> PathRefusal? {
        for index in path.indices where !isPlain(path[index]) {
            return refusal(reading: path, allowing: allowing)
        }
        return nil
    }

    private static func refusal(reading path: Span<UInt8>, allowing: PathAllowances) -> PathRefusal? {
        do throws(PathRefusal) {
            try PathReader.accept(path, allowing: allowing)
            guard !allowing.isDisjoint(with: [.nonASCII, .doubleEncoding]) else { return nil }
            let decoded =
                allowing.contains(.doubleEncoding)
                ? try NestedEscapes.decoded(accepting: path) : LoosestReading.wholly(decoding: path)
            // Nobody's name has them, and dots and slashes hide in them.
            return LoosestReading.hasOverlongForm(decoded: decoded.span) ? .nonASCII : nil
        } catch {
            return error
        }
    }

    /// Appends the form that routes are matched with: unreserved escapes decoded, other escapes in upper case, runs of
    /// `/` merged when `mergingSlashes`.
    ///
    /// Never forwarded. Meant for a path that `refusal(of:allowing:)` let through. Ends early where no more than `limit`
    /// bytes of it are asked for; some more may be there.
    public static func appendCanonical(
        _ path: Span<UInt8>, mergingSlashes: Bool, upTo limit: Int = .max, to output: inout [UInt8]
    ) {
        let room = limit &- min(output.count, limit)
        // Never longer than the path; an escape may pass the limit.
        let most = room < path.count ? room &+ 2 : path.count
        // As in `append(copying:)`: empty arrays share their storage.
        guard most > 0 else { return }
        output.append(addingCapacity: most) { output in
            var index = 0
            var afterSlash = false
            while index < path.count, output.count < room {
                let byte = path[index]
                if byte == 0x2f {
                    if !(mergingSlashes && afterSlash) { output.append(byte) }
                    afterSlash = true
                    index &+= 1
                    // Thousands of them are no work.
                    while mergingSlashes, path.word(at: index) == ByteWord.repeating(0x2f) { index &+= 8 }
                    continue
                }
                afterSlash = false
                guard byte == 0x25, let decoded = PathReader.escape(in: path, at: index) else {
                    output.append(byte)
                    index &+= 1
                    continue
                }
                if ASCII.isUnreserved(decoded) {
                    output.append(decoded)
                } else {
                    output.append(byte)
                    output.append(capital(decoded &>> 4))
                    output.append(capital(decoded & 15))
                }
                index &+= 3
            }
        }
    }

    /// The hexadecimal digit as escapes are normally spelt (RFC 3986 §2.1).
    private static func capital(_ digit: UInt8) -> UInt8 { digit < 10 ? digit &+ 0x30 : digit &+ 0x37 }

    /// Bytes that mean one thing to everybody: pchar without `%`, `;` and `.`, and the separator.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.contains(byte, low: 0x27ff_bfd2_0000_0000, high: 0x47ff_fffe_87ff_ffff)
    }
}
