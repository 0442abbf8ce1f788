import Bytes
import HTTPMessage

/// The end of a message body as its fields declare it, in requests and responses (RFC 9112 §6).
enum MessageFraming {
    /// The framing that Content-Length or Transfer-Encoding declares; nil when there is neither.
    ///
    /// Everything that two readers could read differently is refused, although RFC 9112 §6.3 would let us repair some
    /// of it: the reader behind us may repair it the other way, and see a second request inside this body.
    @inline(__always)
    static func declared(
        in fields: borrowing FieldList, bytes: Span<UInt8>, minorVersion: UInt8
    ) throws(HTTP1Refusal) -> BodyFraming? {
        let lengths = fields.count(of: .contentLength)
        let codings = fields.count(of: .transferEncoding)
        if lengths == 0, codings == 0 { return nil }
        guard lengths == 0 || codings == 0 else { throw .lengthAndTransferEncoding }
        if codings > 0 {
            guard minorVersion > 0 else { throw .transferEncodingInHTTP10 }
            guard codings == 1 else { throw .transferEncodingRepeated }
            try checkCoding(bytes.extracting(fields[fields.firstIndex(of: .transferEncoding)].value))
            return .chunked
        }
        guard lengths == 1 else { throw .lengthRepeated }
        return .length(try length(bytes.extracting(fields[fields.firstIndex(of: .contentLength)].value)))
    }

    /// 1*DIGIT within 63 bits (HTTP-22).
    private static func length(_ value: Span<UInt8>) throws(HTTP1Refusal) -> Int64 {
        guard value.count > 0 else { throw .lengthNotDecimal }
        var length: Int64 = 0
        var isTooLarge = false
        for index in value.indices {
            let byte = value[index]
            guard ASCII.isDigit(byte) else { throw byte == 0x2c ? .lengthRepeated : .lengthNotDecimal }
            let (tens, overflowed) = length.multipliedReportingOverflow(by: 10)
            let (sum, carried) = tens.addingReportingOverflow(Int64(byte &- 0x30))
            isTooLarge = isTooLarge || overflowed || carried
            length = sum
        }
        guard !isTooLarge else { throw .lengthTooLarge }
        return length
    }

    /// Exactly `chunked`; for anything else the cause.
    private static func checkCoding(_ value: Span<UInt8>) throws(HTTP1Refusal) {
        guard !ASCII.equalsIgnoringCase(value, "chunked") else { return }
        // `gzip, chunked` has a clear end but a coding that we do not do: 501. All else has no clear end: 400.
        var position = 0
        var last = ByteRange.empty
        var members = 0
        while let member = CommaList.next(in: value, from: &position) {
            members &+= 1
            let coding = value.extracting(member)
            for index in coding.indices where !ASCII.isToken(coding[index]) { throw .codingNotChunked }
            if ASCII.equalsIgnoringCase(coding, "chunked"), position <= value.count { throw .codingNotChunked }
            last = member
        }
        guard members > 1, last.end == value.count, ASCII.equalsIgnoringCase(value.extracting(last), "chunked") else {
            throw .codingNotChunked
        }
        throw .codingUnknown
    }
}
