import Bytes

/// How a character is written in a path.
private enum Spelling {
    case plain, escaped
    /// Escaped more than once, which the operator allowed.
    case nested
}

/// Reads a path the way the most imaginative server behind us might, and says what is wrong with it.
struct PathReader {
    private let allowing: PathAllowances
    /// Whether it makes no difference which bytes are characters.
    private let allowsNonASCII: Bool
    /// How many bytes the current segment has so far; what follows `;` does not count.
    private var segmentLength = 0
    /// How many of them are dots, escaped or not.
    private var segmentDots = 0
    private var inParameters = false
    private var text = UTF8Sequence()

    private init(allowing: PathAllowances) {
        self.allowing = allowing
        allowsNonASCII = allowing.contains(.nonASCII)
    }

    /// Throws why `path` is refused, escapes of escapes aside that only come about by decoding others.
    static func accept(_ path: Span<UInt8>, allowing: PathAllowances) throws(PathRefusal) {
        var reader = PathReader(allowing: allowing)
        var index = 0
        while index < path.count {
            if path[index] == 0x25 {
                index &+= try reader.acceptEscape(in: path, at: index)
            } else {
                try reader.acceptByte(path[index])
                index &+= 1
            }
        }
        try reader.endSegment()
    }

    /// The byte that the escape at `index` stands for, or nil when it is none.
    @inline(__always)
    static func escape(in path: Span<UInt8>, at index: Int) -> UInt8? {
        guard index &+ 2 < path.count, path[index] == 0x25, let high = ASCII.hexValue(path[index &+ 1]),
            let low = ASCII.hexValue(path[index &+ 2])
        else { return nil }
        return high &<< 4 | low
    }

    /// The hexadecimal digit at `index`, plain or escaped, and how many bytes spell it.
    private static func digit(in path: Span<UInt8>, at index: Int) -> (value: UInt8, length: Int)? {
        guard index < path.count else { return nil }
        if let decoded = escape(in: path, at: index) { return ASCII.hexValue(decoded).map { ($0, 3) } }
        return ASCII.hexValue(path[index]).map { ($0, 1) }
    }

    @inline(__always)
    private mutating func acceptByte(_ byte: UInt8) throws(PathRefusal) {
        // Nearly all are letters and digits, or as good as these.
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte > 0x7f && allowsNonASCII, text.isBetweenCharacters {
            segmentLength &+= inParameters ? 0 : 1
            return
        }
        if byte <= 0x20 || byte == 0x7f { throw byte == 0 ? .nul : .controlOctet }
        if byte == 0x23 { throw .fragment }
        if byte > 0x7e && !allowsNonASCII { throw .nonASCII }
        try acceptMeaning(of: byte, .plain)
    }

    /// Checks the escape at `index` and returns how many bytes it takes.
    @inline(__always)
    private mutating func acceptEscape(in path: Span<UInt8>, at index: Int) throws(PathRefusal) -> Int {
        guard var byte = Self.escape(in: path, at: index) else { throw .invalidEscape }
        var length = 3
        // `%252e`: whoever decodes twice sees `.`. Where the operator allows it, the innermost meaning still separates
        // segments, and must not be a dot segment, NUL or a control octet.
        // The digits may be escaped themselves (`%25%32%65`): decoded once it is `%2e` all the same.
        while byte == 0x25, let high = Self.digit(in: path, at: index &+ length),
            let low = Self.digit(in: path, at: index &+ length &+ high.length)
        {
            guard allowing.contains(.doubleEncoding) else { throw .doubleEncoding }
            byte = high.value &<< 4 | low.value
            length &+= high.length &+ low.length
        }
        if byte == 0 { throw .nul }
        if byte < 0x20 || byte == 0x7f { throw .controlOctet }
        try acceptMeaning(of: byte, length == 3 ? .escaped : .nested)
        return length
    }

    @inline(__always)
    private mutating func acceptMeaning(of byte: UInt8, _ spelling: Spelling) throws(PathRefusal) {
        if !allowsNonASCII, spelling != .plain || !text.isBetweenCharacters {
            guard text.accept(byte) else { throw .nonASCII }
        }
        switch byte {
        case 0x2f:
            if spelling == .escaped && !allowing.contains(.encodedSlash) { throw .encodedSlash }
            try endSegment()
        case 0x5c:
            guard spelling == .nested || allowing.contains(.backslash) else { throw .backslash }
            try endSegment()
        case 0x3b:
            guard spelling == .nested || allowing.contains(.semicolon) else { throw .semicolon }
            inParameters = true
        default:
            guard !inParameters else { return }
            segmentLength &+= 1
            if byte == 0x2e { segmentDots &+= 1 }
        }
    }

    /// A separator, or the end of the path: what stands before it must not be `.` or `..`.
    private mutating func endSegment() throws(PathRefusal) {
        if segmentDots == segmentLength && (segmentLength == 1 || segmentLength == 2) { throw .dotSegment }
        guard text.isBetweenCharacters else { throw .nonASCII }
        segmentLength = 0
        segmentDots = 0
        inParameters = false
    }
}

/// Follows a sequence of bytes and knows whether it is UTF-8 so far (RFC 3629 §4).
struct UTF8Sequence {
    private var missing = 0
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xbf

    /// Whether a character has just ended.
    var isBetweenCharacters: Bool { missing == 0 }

    /// Takes the next byte; false when it cannot stand here, which forgets the character begun.
    @inline(__always)
    mutating func accept(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= low, byte <= high else {
                missing = 0
                return false
            }
            missing &-= 1
            (low, high) = (0x80, 0xbf)
            return true
        }
        (low, high) = (0x80, 0xbf)
        switch byte {
        case 0...0x7f: return true
        case 0xc2...0xdf: missing = 1
        // Overlong forms and surrogates are excluded by the second byte.
        case 0xe0: (missing, low) = (2, 0xa0)
        case 0xed: (missing, high) = (2, 0x9f)
        case 0xe1...0xef: missing = 2
        case 0xf0: (missing, low) = (3, 0x90)
        case 0xf4: (missing, high) = (3, 0x8f)
        case 0xf1...0xf3: missing = 3
        default: return false
        }
        return true
    }
}
