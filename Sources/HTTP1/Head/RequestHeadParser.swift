import Bytes
public import HTTPMessage

/// Reads a request head from bytes as they arrive (RFC 9112 §2 … §6).
///
/// One per connection; it keeps only how far it has looked. The head may be shared by all connections of a worker: it
/// is filled in one pass, in the call that answers `complete`.
public struct RequestHeadParser: Sendable {
    private var scan = HeadScan()

    /// A parser at the start of a message.
    public init() {}

    /// Makes the parser ready for the next message.
    public mutating func reset() {
        scan = HeadScan()
    }

    /// Reads the head at the start of `bytes`.
    ///
    /// `bytes` always starts at the message's first byte and, after `incomplete`, begins with the same bytes again and
    /// has more behind them. The total cost is linear however they were cut, and so is the verdict the same.
    public mutating func parse(
        _ bytes: Span<UInt8>, limits: HTTP1Limits, into head: inout RequestHead
    ) -> HeadProgress {
        if scan.isPending, !scan.isDecisive(bytes, limits: limits) { return .incomplete }
        do throws(HTTP1Refusal) {
            return try parseWhole(bytes, limits: limits, into: &head) ? .complete : .incomplete
        } catch {
            return .refused(error)
        }
    }

    /// Reads the head in one pass; false when bytes are missing.
    private mutating func parseWhole(
        _ bytes: Span<UInt8>, limits: HTTP1Limits, into head: inout RequestHead
    ) throws(HTTP1Refusal) -> Bool {
        let start = try skipEmptyLine(bytes)
        guard start >= 0 else { return suspend(bytes, at: 0) }
        let end = try LineEnd.find(
            in: bytes, from: start, bound: start &+ limits.boundedRequestLine, over: .requestLineTooLong)
        guard end >= 0 else { return suspend(bytes, at: start) }
        // RFC 9112 §2.2 lets us skip empty lines for clients that send one too many after a body; a second one is
        // no such client.
        guard end > start else { throw .emptyLinesRepeated }
        try RequestLine.parse(bytes, from: start, to: end, into: &head)
        head.fields.clear()
        head.length = try FieldSection.parse(
            bytes, from: end &+ 2, limits: limits, into: &head.fields, scan: &scan)
        guard head.length >= 0 else { return false }
        try RequestRules.apply(to: &head, bytes: bytes)
        return true
    }

    /// The index of the request line's first byte: 0, or 2 behind one empty line; -1 when bytes are missing.
    @inline(__always)
    private func skipEmptyLine(_ bytes: Span<UInt8>) throws(HTTP1Refusal) -> Int {
        guard bytes.count > 0 else { return -1 }
        guard bytes[0] == 0x0d else { return 0 }
        guard bytes.count > 1 else { return -1 }
        guard bytes[1] == 0x0a else { throw .bareCarriageReturn }
        return 2
    }

    private mutating func suspend(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        scan.suspend(in: bytes, lineStart: start, sectionStart: 0, lines: 0)
        return false
    }
}
