import Bytes
import HTTPMessage

/// The status line: version SP three digits SP reason (RFC 9112 §4, HTTP-67); without a reason, the last SP may be missing.
///
/// Servers that leave it out are many, and nobody reads such a line in another way.
enum StatusLine {
    /// Reads the line in `start..<end`, known to hold no control octet but HTAB.
    static func parse(_ bytes: Span<UInt8>, to end: Int, into head: inout ResponseHead) throws(HTTP1Refusal) {
        guard end >= 8 else { throw .statusLineMalformed }
        head.minorVersion = try HTTPVersion.minor(bytes.word(at: 0))
        guard end >= 12, bytes[8] == 0x20, end == 12 || bytes[12] == 0x20 else { throw .statusLineMalformed }
        var status: UInt16 = 0
        for index in 9..<12 {
            guard ASCII.isDigit(bytes[index]) else { throw .statusInvalid }
            status = status &* 10 &+ UInt16(bytes[index] &- 0x30)
        }
        guard status >= 100, status <= 599 else { throw .statusInvalid }
        head.status = status
        head.isInterim = status < 200
        head.reason = ByteRange(from: min(13, end), to: end)
    }
}
