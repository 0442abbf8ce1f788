import Bytes
import HTTPMessage

/// How far an unfinished head has been looked at, so that every byte is looked at a bounded number of times.
///
///     start ──parse──▶ incomplete ──(more bytes, scan)──▶ nothing decisive: incomplete
///                                         └── end of head or first line, a bad line, a bound passed ──▶ parse
///
/// A head that arrives whole is parsed in one pass. One that arrives in pieces is scanned for its lines, and parsed
/// from its first byte when something decisive is there: the verdict is always the parser's, so it does not
/// depend on how the bytes were cut, and a client that sends a byte at a time costs what the bytes cost.
struct HeadScan: Sendable {
    /// Whether a parse has ended without a verdict.
    private(set) var isPending = false
    private var lineStart: Int32 = 0
    private var scanned: Int32 = 0
    /// Where the field lines start; 0 while the first line is unfinished.
    private var sectionStart: Int32 = 0
    private var lines: Int32 = 0

    /// Remembers where a parse ran out of bytes: in a line at `lineStart`, after `lines` whole field lines.
    mutating func suspend(in bytes: Span<UInt8>, lineStart: Int, sectionStart: Int, lines: Int) {
        isPending = true
        self.lineStart = Int32(truncatingIfNeeded: lineStart)
        self.sectionStart = Int32(truncatingIfNeeded: sectionStart)
        self.lines = Int32(truncatingIfNeeded: lines)
        // A last CR is looked at again together with what follows it.
        let endsInCR = bytes.count > lineStart && bytes[bytes.count &- 1] == 0x0d
        scanned = Int32(truncatingIfNeeded: endsInCR ? bytes.count &- 1 : bytes.count)
    }

    /// Looks at the bytes that are new; true when parsing again would come to something.
    mutating func isDecisive(_ bytes: Span<UInt8>, limits: HTTP1Limits) -> Bool {
        let maximum = limits.boundedFieldCount
        while true {
            let start = Int(lineStart)
            guard start < bytes.count else { return false }
            if sectionStart > 0, lines >= maximum, bytes[start] != 0x0d { return true }
            let stop = min(bytes.count, bound(limits) &+ 1)
            let hit = LineEnd.firstControl(in: bytes, from: max(start, Int(scanned)), to: stop)
            guard hit < stop else {
                scanned = Int32(truncatingIfNeeded: stop)
                return stop < bytes.count || bytes.count > bound(limits)
            }
            guard bytes[hit] == 0x0d else { return true }
            guard hit &+ 1 < bytes.count else {
                scanned = Int32(truncatingIfNeeded: hit)
                return false
            }
            guard bytes[hit &+ 1] == 0x0a, sectionStart > 0, hit > start,
                FieldSection.isLine(bytes, from: start, to: hit)
            else { return true }
            lineStart = Int32(truncatingIfNeeded: hit &+ 2)
            scanned = lineStart
            lines &+= 1
        }
    }

    private func bound(_ limits: HTTP1Limits) -> Int {
        guard sectionStart > 0 else { return Int(lineStart) &+ limits.boundedRequestLine }
        let line = Int(lineStart) &+ limits.boundedFieldLine
        return min(line, Int(sectionStart) &+ limits.boundedHeaderSection &- 2)
    }
}

extension HTTP1Limits {
    var boundedRequestLine: Int { Self.bounded(requestLine) }
    var boundedFieldLine: Int { Self.bounded(fieldLine) }
    var boundedHeaderSection: Int { Self.bounded(headerSection) }
    var boundedFieldCount: Int { min(max(fieldCount, 0), FieldList.capacity) }

    /// Keeps every offset in a head far below what `ByteRange` holds, whatever was configured.
    private static func bounded(_ value: Int) -> Int { min(max(value, 0), 1 << 28) }
}
