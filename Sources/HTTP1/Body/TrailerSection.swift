import Bytes

/// The field lines behind the last chunk (RFC 9112 §7.1.2), checked by the grammar of fields and counted (HTTP-33).
struct TrailerSection: Sendable {
    /// Bytes of all lines.
    static let bytesBound = 64 * 1024
    static let linesBound = 100

    private enum Phase: UInt8 {
        case lineStart, name, value, lineFeed, lastLineFeed
    }

    private var phase = Phase.lineStart
    private(set) var lines: UInt8 = 0
    /// Bytes taken, with those of the empty line.
    private(set) var bytes: UInt32 = 0

    /// Takes a byte; true when it is the last one of the message.
    mutating func accept(_ byte: UInt8) throws(HTTP1Refusal) -> Bool {
        switch phase {
        case .lineFeed:
            guard byte == 0x0a else { throw .bareCarriageReturn }
            phase = .lineStart
        case .lastLineFeed:
            guard byte == 0x0a else { throw .bareCarriageReturn }
            bytes &+= 1
            return true
        case .lineStart, .name, .value:
            guard byte != 0x0a else { throw .bareLineFeed }
            guard byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0d else { throw .controlOctet }
            try acceptInLine(byte)
        }
        bytes &+= 1
        guard bytes <= Self.bytesBound else { throw .trailersTooLarge }
        return false
    }

    private mutating func acceptInLine(_ byte: UInt8) throws(HTTP1Refusal) {
        let isWhitespace = byte == 0x20 || byte == 0x09
        switch phase {
        case .lineStart:
            if byte == 0x0d {
                phase = .lastLineFeed
                return
            }
            guard !isWhitespace else { throw lines == 0 ? .whitespaceBeforeFirstField : .obsoleteLineFolding }
            guard ASCII.isToken(byte) else { throw byte == 0x3a ? .fieldNameEmpty : .fieldNameNotToken }
            lines &+= 1
            guard lines <= Self.linesBound else { throw .trailersTooLarge }
            phase = .name
        case .name:
            if byte == 0x3a {
                phase = .value
                return
            }
            guard byte != 0x0d else { throw .colonMissing }
            guard !isWhitespace else { throw .whitespaceBeforeColon }
            guard ASCII.isToken(byte) else { throw .fieldNameNotToken }
        case .value:
            if byte == 0x0d { phase = .lineFeed }
        case .lineFeed, .lastLineFeed:
            return
        }
    }
}
