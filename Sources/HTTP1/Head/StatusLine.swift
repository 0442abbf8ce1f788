// SPDX-License-Identifier: Apache-2.0
import Bytes
import HTTPMessage

/// The status line: version SP three digits SP reason (RFC 9112 §4, HTTP-67).
enum StatusLine {
    /// Reads the line in `start..<end`, known to hold no control octet but HTAB.
    static func parse(_ bytes: Span<UInt8>, to end: Int, into head: inout ResponseHead) throws(HTTP1Refusal) {
        guard end >= 8 else { throw .statusLineMalformed }
        head.minorVersion = try HTTPVersion.minor(bytes.word(at: 0))
        guard end >= 13, bytes[8] == 0x20, bytes[12] == 0x20 else { throw .statusLineMalformed }
        var status: UInt16 = 0
        for index in 9..<12 {
            guard ASCII.isDigit(bytes[index]) else { throw .statusInvalid }
            status = status &* 10 &+ UInt16(bytes[index] &- 0x30)
        }
        guard status >= 100, status <= 599 else { throw .statusInvalid }
        head.status = status
        head.isInterim = status < 200
        head.reason = ByteRange(from: 13, to: end)
    }
}
