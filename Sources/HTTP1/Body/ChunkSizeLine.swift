import Bytes

/// How a chunk's size may be written.
public enum ChunkSizeSpelling: UInt8, Sendable {
    /// Up to 16 digits and nothing else: in requests.
    case exact
    /// With any number of zeros in front and white space behind: in responses.
    case padded
}

/// A chunk's size line, a byte at a time: 1 to 16 hexadecimal digits, then extensions (RFC 9112 §7.1, §7.1.1).
///
/// White space behind the size is refused in requests, though §7.1.1 has it read before a `;`: it is where readers in front of
/// us disagreed about where a line ends or what the size is, and no client sends it. Upstreams pad their sizes with spaces or
/// zeros; nobody stands between them and us, what we send on is framed anew, and there is one way to read it.
///
///     size ──;──▶ nameStart ──▶ name ──=──▶ valueStart ──▶ token ─────┬──;──▶ nameStart
///                    ▲           │ │                └──"──▶ quoted ──"─┴──▶ behindValue
///                    └─────;─────┘ └─(whitespace)─▶ behindName
struct ChunkSizeLine: Sendable {
    private enum Phase: UInt8 {
        case size, behindSize
        case nameStart, name, behindName
        case valueStart, token, quoted, quotedPair, behindQuote, behindValue
    }

    private var phase = Phase.size
    private var digits: UInt8 = 0
    private var value: UInt64 = 0
    /// Bytes so far, without CR LF.
    private(set) var length: UInt16 = 0
    private let spelling: ChunkSizeSpelling

    init(_ spelling: ChunkSizeSpelling = .exact) { self.spelling = spelling }

    /// The size; meaningful once the line has ended.
    var size: Int64 { Int64(truncatingIfNeeded: value) }

    /// Whether the bytes now belong to an extension.
    var isInExtension: Bool { phase != .size && phase != .behindSize }

    /// Takes a byte; true when it is the CR that ends the line.
    mutating func accept(_ byte: UInt8) throws(HTTP1Refusal) -> Bool {
        if byte == 0x0d { return try end() }
        guard byte != 0x0a else { throw .bareLineFeed }
        guard byte >= 0x20 && byte != 0x7f || byte == 0x09 else { throw .controlOctet }
        length &+= 1
        if phase == .size {
            try acceptSize(byte)
        } else if phase == .behindSize {
            guard byte != 0x20, byte != 0x09 else { return false }
            guard byte == 0x3b else { throw .chunkSizeMalformed }
            phase = .nameStart
        } else {
            try acceptExtension(byte)
        }
        return false
    }

    /// Takes the digits of a size that come next, most of what a line is, and says where they end.
    ///
    /// At the latest behind the first byte that is more than a line may have.
    @inline(__always)
    mutating func acceptDigits(of input: Span<UInt8>, from start: Int) throws(HTTP1Refusal) -> Int {
        guard phase == .size else { return start }
        var index = start
        while index < input.count, length <= ChunkedDecoder.lineBound, let digit = ASCII.hexValue(input[index]) {
            length &+= 1
            try acceptDigit(digit)
            index &+= 1
        }
        return index
    }

    @inline(__always)
    private mutating func acceptDigit(_ digit: UInt8) throws(HTTP1Refusal) {
        if spelling == .padded, value == 0, digit == 0 {
            digits = 1
            return
        }
        guard digits < 16 else { throw .chunkSizeTooLarge }
        digits &+= 1
        value = value &<< 4 | UInt64(digit)
    }

    /// A CR stands only where an extension, or the size alone, is complete.
    private func end() throws(HTTP1Refusal) -> Bool {
        switch phase {
        case .size, .behindSize:
            guard digits > 0 else { throw .chunkSizeMissing }
            guard value <= UInt64(Int64.max) else { throw .chunkSizeTooLarge }
        case .name, .token, .behindQuote:
            break
        case .nameStart, .behindName, .valueStart, .quoted, .quotedPair, .behindValue:
            throw .chunkExtensionMalformed
        }
        return true
    }

    private mutating func acceptSize(_ byte: UInt8) throws(HTTP1Refusal) {
        if let digit = ASCII.hexValue(byte) { return try acceptDigit(digit) }
        if spelling == .padded, digits > 0, byte == 0x20 || byte == 0x09 {
            phase = .behindSize
            return
        }
        guard digits > 0, byte == 0x3b else { throw byte == 0x3b ? .chunkSizeMissing : .chunkSizeMalformed }
        guard value <= UInt64(Int64.max) else { throw .chunkSizeTooLarge }
        phase = .nameStart
    }

    private mutating func acceptExtension(_ byte: UInt8) throws(HTTP1Refusal) {
        let isWhitespace = byte == 0x20 || byte == 0x09
        switch (phase, byte) {
        case (.name, 0x3d), (.behindName, 0x3d): phase = .valueStart
        case (.name, 0x3b), (.behindName, 0x3b), (.token, 0x3b), (.behindQuote, 0x3b), (.behindValue, 0x3b):
            phase = .nameStart
        case (.valueStart, 0x22): phase = .quoted
        case (.quoted, 0x22): phase = .behindQuote
        case (.quoted, 0x5c): phase = .quotedPair
        case (.quoted, _): return
        case (.quotedPair, _): phase = .quoted
        case (.nameStart, _) where ASCII.isToken(byte), (.name, _) where ASCII.isToken(byte): phase = .name
        case (.valueStart, _) where ASCII.isToken(byte), (.token, _) where ASCII.isToken(byte): phase = .token
        // "Bad" whitespace, which RFC 9110 §5.6.3 has us accept, but never at the end of the line.
        case (.nameStart, _) where isWhitespace, (.valueStart, _) where isWhitespace: return
        case (.name, _) where isWhitespace, (.behindName, _) where isWhitespace: phase = .behindName
        case (.token, _) where isWhitespace, (.behindQuote, _) where isWhitespace,
            (.behindValue, _) where isWhitespace:
            phase = .behindValue
        default: throw .chunkExtensionMalformed
        }
    }
}
