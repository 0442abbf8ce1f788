import Bytes
import HTTPMessage

/// The request line: method SP target SP version, one SP each, nothing repaired (RFC 9112 §3, HTTP-07, HTTP-08).
enum RequestLine {
    /// Reads the line in `start..<end`, known to hold no control octet but HTAB.
    @inline(__always)
    static func parse(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, into head: inout RequestHead
    ) throws(HTTP1Refusal) {
        var methodEnd = start
        while methodEnd < end, ASCII.isToken(bytes[methodEnd]) { methodEnd &+= 1 }
        guard methodEnd < end else { throw .requestLineMalformed }
        guard bytes[methodEnd] == 0x20 else { throw .methodNotToken }
        // SP, a target of one byte or more, SP, and eight bytes of version.
        guard methodEnd > start, end &- methodEnd >= 11, bytes[end &- 9] == 0x20 else { throw .requestLineMalformed }
        head.method = ByteRange(from: start, to: methodEnd)
        head.methodID = identify(bytes.word(at: start), count: methodEnd &- start)
        head.minorVersion = try HTTPVersion.minor(bytes.word(at: end &- 8))
        // The beginning of HTTP/2's preface (RFC 9113 §3.4, §11.6): whoever speaks that too could change over.
        if head.methodID == .other, methodEnd &- start == 3, bytes.word(at: start) & 0xff_ffff == 0x49_5250 {
            throw .methodReserved
        }
        try RequestTarget.parse(bytes, from: methodEnd &+ 1, to: end &- 9, into: &head)
    }

    /// The method in the low `count` bytes of a word; the line is longer than the word.
    @inline(__always)
    private static func identify(_ word: UInt64, count: Int) -> MethodID {
        guard count < 8 else { return .other }
        switch word & (UInt64.max &>> UInt64(64 &- count &* 8)) {
        case 0x54_4547: return .get
        case 0x5455_50: return .put
        case 0x4441_4548: return .head
        case 0x5453_4f50: return .post
        case 0x48_4354_4150: return .patch
        case 0x45_4341_5254: return .trace
        case 0x4b_4341_5254: return .track
        case 0x4554_454c_4544: return .delete
        case 0x53_4e4f_4954_504f: return .options
        case 0x54_4345_4e4e_4f43: return .connect
        default: return .other
        }
    }
}

/// HTTP-version (RFC 9112 §2.3): case-sensitive, one digit each side of the dot.
enum HTTPVersion {
    /// The minor version of the eight bytes; minor versions above 1 count as 1, other major versions are refused.
    @inline(__always)
    static func minor(_ word: UInt64) throws(HTTP1Refusal) -> UInt8 {
        if word == 0x312e_312f_5054_5448 { return 1 }
        if word == 0x302e_312f_5054_5448 { return 0 }
        return try minorOfOther(word)
    }

    @inline(never)
    private static func minorOfOther(_ word: UInt64) throws(HTTP1Refusal) -> UInt8 {
        let major = UInt8(truncatingIfNeeded: word &>> 40)
        let minor = UInt8(truncatingIfNeeded: word &>> 56)
        guard word & 0x00ff_00ff_ffff_ffff == 0x002e_002f_5054_5448, ASCII.isDigit(major), ASCII.isDigit(minor) else {
            throw .versionMalformed
        }
        guard major == 0x31 else { throw .versionNotSupported }
        return 1
    }
}
