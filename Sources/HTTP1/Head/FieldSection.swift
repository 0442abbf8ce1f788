import Bytes
import HTTPMessage

/// The field lines of a head (RFC 9112 §5), requests and responses alike.
enum FieldSection {
    /// Reads the lines from `start` to the empty line; the index behind it, or -1 when bytes are missing.
    static func parse(
        _ bytes: Span<UInt8>, from start: Int, limits: HTTP1Limits, into fields: inout FieldList,
        scan: inout HeadScan
    ) throws(HTTP1Refusal) -> Int {
        let maximum = limits.boundedFieldCount
        let lineBound = limits.boundedFieldLine
        let sectionBound = start &+ limits.boundedHeaderSection &- 2
        var line = start
        while line < bytes.count {
            if bytes[line] == 0x0d {
                guard line &+ 1 < bytes.count else { break }
                guard bytes[line &+ 1] == 0x0a else { throw .bareCarriageReturn }
                return line &+ 2
            }
            guard fields.count < maximum else { throw .tooManyFields }
            let bound = min(line &+ lineBound, sectionBound)
            let end = try LineEnd.find(
                in: bytes, from: line, bound: bound,
                over: bound < sectionBound ? .fieldLineTooLong : .headerSectionTooLarge)
            guard end >= 0 else { break }
            try parseLine(bytes, from: line, to: end, into: &fields)
            line = end &+ 2
        }
        scan.suspend(in: bytes, lineStart: line, sectionStart: start, lines: fields.count)
        return -1
    }

    /// One line, known to hold no control octet but HTAB, ending before the CR at `end`.
    @inline(__always)
    private static func parseLine(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, into fields: inout FieldList
    ) throws(HTTP1Refusal) {
        let colon = nameEnd(in: bytes, from: start, to: end)
        guard colon < end, colon > start, bytes[colon] == 0x3a else {
            throw refusal(of: bytes, from: start, nameEnd: colon, to: end, isFirst: fields.count == 0)
        }
        var valueStart = colon &+ 1
        while valueStart < end, isWhitespace(bytes[valueStart]) { valueStart &+= 1 }
        var valueEnd = end
        while valueEnd > valueStart, isWhitespace(bytes[valueEnd &- 1]) { valueEnd &-= 1 }
        fields.append(
            FieldSlot(
                line: ByteRange(from: start, to: end &+ 2), name: ByteRange(from: start, to: colon),
                value: ByteRange(from: valueStart, to: valueEnd),
                id: FieldID.identify(bytes.extracting(start..<colon))))
    }

    /// Whether the line in `start..<end` starts with a name and a colon.
    static func isLine(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        let colon = nameEnd(in: bytes, from: start, to: end)
        return colon < end && colon > start && bytes[colon] == 0x3a
    }

    /// The index of the first octet that no name has.
    @inline(__always)
    private static func nameEnd(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        // Nearly all names are letters and dashes, eight of which are checked at once; CR is neither, so this
        // never runs past the line.
        var place = start
        while place &+ 8 <= bytes.count {
            let marks = ByteWord.lettersAndDashes(bytes.word(at: place))
            if marks != ByteWord.tops {
                place &+= ByteWord.firstMark(marks ^ ByteWord.tops)
                break
            }
            place &+= 8
        }
        while place < end, ASCII.isToken(bytes[place]) { place &+= 1 }
        return place
    }

    /// What is wrong with a line whose name is not followed by a colon.
    @inline(never)
    private static func refusal(
        of bytes: Span<UInt8>, from start: Int, nameEnd: Int, to end: Int, isFirst: Bool
    ) -> HTTP1Refusal {
        guard nameEnd < end else { return .colonMissing }
        let byte = bytes[nameEnd]
        if nameEnd == start {
            if isWhitespace(byte) { return isFirst ? .whitespaceBeforeFirstField : .obsoleteLineFolding }
            return byte == 0x3a ? .fieldNameEmpty : .fieldNameNotToken
        }
        // `Transfer-Encoding : chunked` is a field to some readers and none to others (RFC 9112 §5.1).
        var next = nameEnd
        while next < end, isWhitespace(bytes[next]) { next &+= 1 }
        return next > nameEnd && next < end && bytes[next] == 0x3a ? .whitespaceBeforeColon : .fieldNameNotToken
    }

    @inline(__always)
    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
