import Bytes
import HTTPMessage

/// The request target in its four forms (RFC 9112 §3.2, HTTP-15, HTTP-16).
enum RequestTarget {
    /// Reads the target in `start..<end`, which is not empty and followed by nine more bytes.
    @inline(__always)
    static func parse(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, into head: inout RequestHead
    ) throws(HTTP1Refusal) {
        let question = try checkOctets(bytes, from: start, to: end)
        head.target = ByteRange(from: start, to: end)
        head.hasQuery = question < end
        head.query = question < end ? ByteRange(from: question &+ 1, to: end) : .empty
        head.scheme = .none
        if bytes[start] == 0x2f, head.methodID != .connect {
            head.targetForm = .origin
            head.path = ByteRange(from: start, to: question)
            head.authority = .empty
        } else {
            try parseOtherForm(bytes, question: question, into: &head)
        }
    }

    /// Refuses octets that no target may have; the index of the first `?`, or `end`.
    @inline(__always)
    private static func checkOctets(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTP1Refusal) -> Int {
        var question = end
        var index = start
        while index < end {
            // The version behind the target makes eight bytes readable; those beyond the target are taken as `A`.
            let left = UInt64(min(8, end &- index))
            let used = UInt64.max &>> (64 &- left &* 8)
            let word = bytes.word(at: index) & used | 0x4141_4141_4141_4141 & ~used
            // Of the octets below, the line's end has left SP and HTAB, and no 0x7F.
            let outside = (word &- 0x2121_2121_2121_2121) & ~word | word
            let hashes = ByteWord.zeros(word ^ 0x2323_2323_2323_2323)
            if (outside | hashes) & ByteWord.tops != 0 { return try checkUnusualOctets(bytes, from: start, to: end) }
            let questions = ByteWord.zeros(word ^ 0x3f3f_3f3f_3f3f_3f3f)
            if questions != 0, question == end { question = index &+ ByteWord.firstMark(questions) }
            index &+= 8
        }
        return question
    }

    /// Goes through a target with an octet that RFC 3986 does not have.
    ///
    /// Bytes above 0x7E are left to the path policy, which refuses them unless the route lets them through (HTTP-56);
    /// a query has no such allowance.
    @inline(never)
    private static func checkUnusualOctets(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTP1Refusal) -> Int {
        var question = end
        for index in start..<end {
            let byte = bytes[index]
            if byte == 0x20 { throw .requestLineMalformed }
            if byte == 0x23 { throw .targetFragment }
            if byte == 0x3f, question == end { question = index }
            if byte >= 0x80, question == end { continue }
            if !ASCII.isVisible(byte) { throw .targetOctet }
        }
        return question
    }

    @inline(never)
    private static func parseOtherForm(
        _ bytes: Span<UInt8>, question: Int, into head: inout RequestHead
    ) throws(HTTP1Refusal) {
        let target = bytes.extracting(head.target)
        let start = Int(head.target.start)
        head.path = .empty
        head.authority = .empty
        if head.methodID == .connect {
            guard Authority.isValidWithPort(target) else { throw .targetFormNotAllowed }
            head.targetForm = .authority
            head.authority = head.target
            return
        }
        if target.count == 1, target[0] == 0x2a {
            guard head.methodID == .options else { throw .targetFormNotAllowed }
            head.targetForm = .asterisk
            return
        }
        let authorityStart = try schemeLength(target, into: &head)
        var authorityEnd = authorityStart
        while authorityEnd < target.count, target[authorityEnd] != 0x2f, target[authorityEnd] != 0x3f {
            authorityEnd &+= 1
        }
        guard Authority.isValid(target.extracting(authorityStart..<authorityEnd)) else {
            throw .targetAuthorityInvalid
        }
        head.targetForm = .absolute
        head.authority = ByteRange(from: start &+ authorityStart, to: start &+ authorityEnd)
        head.path = ByteRange(from: start &+ authorityEnd, to: question)
    }

    /// Bytes of `http://` or `https://` at the start of a target in absolute-form.
    private static func schemeLength(_ target: Span<UInt8>, into head: inout RequestHead) throws(HTTP1Refusal) -> Int {
        if ASCII.equalsIgnoringCase(target.extracting(first: 7), "http://") {
            head.scheme = .http
            return 7
        }
        if ASCII.equalsIgnoringCase(target.extracting(first: 8), "https://") {
            head.scheme = .https
            return 8
        }
        var end = 0
        while end < target.count, ASCII.isLetter(target[end]) { end &+= 1 }
        let isOtherScheme =
            end > 0 && ASCII.equalsIgnoringCase(target.extracting(end...).extracting(first: 3), "://")
        throw isOtherScheme ? .targetSchemeNotHTTP : .targetFormNotAllowed
    }
}
